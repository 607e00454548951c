package wire

import (
	"slices"
	"testing"
	"time"
)

func decide(seed, direction uint64, frames int, faults Faults) [][]time.Duration {
	f := newFates(seed, direction)
	all := make([][]time.Duration, frames)
	for i := range all {
		all[i] = f.next(faults)
	}
	return all
}

func TestFates(t *testing.T) {
	const frames = 20000
	cases := []struct {
		name   string
		faults Faults
		holds  func(lost, twice, held, late int) bool
	}{
		{"none", Faults{}, func(lost, twice, held, late int) bool { return lost+twice+held+late == 0 }},
		{"cut", Faults{Cut: true}, func(lost, _, _, _ int) bool { return lost == frames }},
		{"a tenth is lost", Faults{Loss: .1}, func(lost, twice, held, late int) bool {
			return near(lost, frames/10) && twice+held+late == 0
		}},
		{"a fifth comes twice", Faults{Duplicate: .2}, func(lost, twice, held, late int) bool {
			return near(twice, frames/5) && lost+held+late == 0
		}},
		{"half is held back", Faults{Reorder: .5}, func(lost, twice, held, _ int) bool {
			return near(held, frames/2) && lost+twice == 0
		}},
		{"all is late", Faults{Delay: time.Millisecond, Jitter: time.Millisecond},
			func(lost, twice, held, late int) bool {
				return late == frames && lost+twice+held == 0
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var lost, twice, held, late int
			for _, arrivals := range decide(1, 2, frames, c.faults) {
				switch len(arrivals) {
				case 0:
					lost++
					continue
				case 2:
					twice++
				}
				if arrivals[0] >= holdBack {
					held++
				}
				if arrivals[0] > 0 {
					late++
				}
			}
			if !c.holds(lost, twice, held, late) {
				t.Errorf("of %d frames %d were lost, %d came twice, %d were held back, %d late", frames, lost, twice,
					held, late)
			}
		})
	}
}

func near(got, want int) bool { return got > want*9/10 && got < want*11/10 }

func TestFateFollowsFromTheSeed(t *testing.T) {
	faults := Faults{Loss: .3, Duplicate: .3, Reorder: .3, Jitter: time.Second}
	same := func(a, b [][]time.Duration) bool { return slices.EqualFunc(a, b, slices.Equal) }
	one := decide(7, 1, 100, faults)
	if !same(one, decide(7, 1, 100, faults)) {
		t.Error("the same seed decides differently")
	}
	if same(one, decide(8, 1, 100, faults)) || same(one, decide(7, 2, 100, faults)) {
		t.Error("another seed or direction decides in the same way")
	}
}

// TestFateOfAFrameDoesNotHangOnEarlierFaults: a temporary cut does not change later decisions.
func TestFateOfAFrameDoesNotHangOnEarlierFaults(t *testing.T) {
	faults := Faults{Loss: .5}
	whole := decide(7, 1, 20, faults)
	f := newFates(7, 1)
	for i := range 20 {
		now := faults
		now.Cut = i < 10
		if got := f.next(now); i >= 10 && !slices.Equal(got, whole[i]) {
			t.Errorf("frame %d arrives %v, not %v", i, got, whole[i])
		}
	}
}
