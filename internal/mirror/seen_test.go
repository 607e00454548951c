package mirror

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// seen reads a list in its text form: "A2 B1".
func seen(text string) []Seen {
	var list []Seen
	for _, f := range strings.Fields(text) {
		var n uint64
		name := strings.TrimRight(f, "0123456789")
		fmt.Sscan(strings.TrimPrefix(f, name), &n)
		list = append(list, Seen{name, n})
	}
	return list
}

// TestP2Order: changes before, after and concurrent with the known ones.
func TestP2Order(t *testing.T) {
	for _, c := range []struct {
		theirs, mine string
		want         Order
	}{
		{"", "", Same},
		{"A0", "B0", Same},
		{"A1", "", After},
		{"A1", "B0", After},
		{"A1 B0", "A1", Same},
		{"A1 B1", "A1", After},
		{"A1", "A1 B1", Stale},
		{"A1", "A2", Stale},
		{"A2", "A1 B1", Apart},
		{"A1 C1", "A1 B1", Apart},
		{"B1 A1", "A1 B1", Same},
		{"A3 A1", "A2", After},
	} {
		if got := Compare(seen(c.theirs), seen(c.mine)); got != c.want {
			t.Errorf("%q to %q is %v, want %v", c.theirs, c.mine, got, c.want)
		}
	}
}

func drawSeen(r *rand.Rand) []Seen {
	var list []Seen
	for _, name := range []string{"D", "A", "C", "B"} {
		if r.IntN(3) > 0 {
			list = append(list, Seen{name, uint64(r.IntN(4))})
		}
	}
	return list
}

// TestP2MergeForgetsNothing: merging is independent of order, repetition and grouping, and the
// result covers its parts and nothing else.
func TestP2MergeForgetsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		a, b, c := drawSeen(r), drawSeen(r), drawSeen(r)
		ab, abc := Merge(a, b), Merge(Merge(a, b), c)
		switch {
		case !slices.Equal(ab, Merge(b, a)):
			t.Fatalf("%v and %v: the order matters", a, b)
		case !slices.Equal(abc, Merge(a, Merge(b, c))):
			t.Fatalf("%v, %v and %v: the groups matter", a, b, c)
		case !slices.Equal(ab, Merge(ab, ab)) || !slices.Equal(ab, Merge(ab, a)):
			t.Fatalf("%v and %v: doing it again matters", a, b)
		case !Covers(ab, a) || !Covers(ab, b):
			t.Fatalf("%v does not cover %v and %v", ab, a, b)
		case !Covers(c, ab) && Covers(c, a) && Covers(c, b):
			t.Fatalf("%v covers %v and %v, and not %v", c, a, b, ab)
		}
		turned := map[Order]Order{Same: Same, After: Stale, Stale: After, Apart: Apart}
		if got := Compare(b, a); got != turned[Compare(a, b)] {
			t.Fatalf("%v to %v is %v, and the other way round %v", a, b, Compare(a, b), got)
		}
	}
}

// TestP2TheDeadAreForgottenOldestFirst: and living instances are never forgotten.
func TestP2TheDeadAreForgottenOldestFirst(t *testing.T) {
	var list []Seen
	for k := range keepDead + 10 {
		list = append(list, Seen{fmt.Sprintf("%03d", k), 1})
	}
	alive := func(instance string) bool { return instance < "005" }
	got := prune(slices.Clone(list), alive)
	if len(got) != keepDead+5 || got[0].Instance != "000" || got[5].Instance != "010" {
		t.Errorf("%d are left of %d: %v", len(got), len(list), got)
	}
}

func FuzzCompareAndMerge(f *testing.F) {
	f.Add("A1 B2", "A2 B1")
	f.Add("", "A0 A3 A1")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := seen(x), seen(y)
		m := Merge(a, b)
		if !slices.IsSortedFunc(m, func(p, q Seen) int { return strings.Compare(p.Instance, q.Instance) }) {
			t.Errorf("%v is not in the order of the instances", m)
		}
		if !Covers(m, a) || !Covers(m, b) || Compare(m, a) == Stale || Compare(m, a) == Apart {
			t.Errorf("%v of %v and %v does not cover them", m, a, b)
		}
	})
}
