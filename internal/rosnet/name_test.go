//go:build ros

package rosnet

import (
	"testing"
	"time"
)

// TestS1WhoHasStoodStillVouchesForNothing: an answer to ~/get_network is the proof that we hold the name.
func TestS1WhoHasStoodStillVouchesForNothing(t *testing.T) {
	began := time.Now()
	at := func(d time.Duration) time.Time { return began.Add(d) }
	for name, r := range map[string]struct {
		beats []time.Duration
		taken bool
		left  bool
		now   time.Duration
		want  bool
	}{
		"the name is not ours yet":           {beats: []time.Duration{0, 100 * time.Millisecond}, now: 150 * time.Millisecond},
		"before the first beat":              {taken: true, want: true},
		"the loop turns":                     {beats: []time.Duration{0, 100 * time.Millisecond}, taken: true, now: 200 * time.Millisecond, want: true},
		"the loop stands":                    {beats: []time.Duration{0, 100 * time.Millisecond}, taken: true, now: 1200 * time.Millisecond},
		"it stood a moment ago":              {beats: []time.Duration{0, 2 * time.Second}, taken: true, now: 2100 * time.Millisecond},
		"it stood again just now":            {beats: []time.Duration{0, 2 * time.Second, 7 * time.Second, 7100 * time.Millisecond}, taken: true, now: 7200 * time.Millisecond},
		"it has not stood for long enough":   {beats: beatsUntil(2*time.Second, 8*time.Second), taken: true, now: 8 * time.Second, want: true},
		"another was found to have taken it": {beats: beatsUntil(0, time.Second), taken: true, left: true, now: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			n := naming{taken: r.taken, left: r.left}
			for _, b := range r.beats {
				n.beats(at(b))
			}
			if got := n.vouches(at(r.now)); got != r.want {
				t.Errorf("vouches: %v, want %v", got, r.want)
			}
		})
	}
}

// beatsUntil are beats at zero and, as if the loop had stood still meanwhile, regularly from a moment to another.
func beatsUntil(from, to time.Duration) []time.Duration {
	list := []time.Duration{0}
	for b := from; b <= to; b += 100 * time.Millisecond {
		list = append(list, b)
	}
	return list
}

// TestWhatCameWhileWeStoodStillIsOld: a process that goes on takes out of its sockets what has lain there.
func TestWhatCameWhileWeStoodStillIsOld(t *testing.T) {
	began := time.Now()
	for name, r := range map[string]struct {
		beats []time.Duration
		now   time.Duration
		want  bool
	}{
		"before the first beat": {now: time.Hour},
		"the loop turns":        {beats: beatsUntil(0, time.Second), now: 1100 * time.Millisecond},
		"a beat is late":        {beats: beatsUntil(0, time.Second), now: 1400 * time.Millisecond},
		"the loop stands":       {beats: beatsUntil(0, time.Second), now: 1600 * time.Millisecond, want: true},
		"it goes on":            {beats: beatsUntil(3*time.Second, 3100*time.Millisecond), now: 3150 * time.Millisecond, want: true},
		"it has gone on":        {beats: beatsUntil(3*time.Second, 3200*time.Millisecond), now: 3250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			n := naming{}
			for _, b := range r.beats {
				n.beats(began.Add(b))
			}
			if got := n.slept(began.Add(r.now)); got != r.want {
				t.Errorf("slept: %v, want %v", got, r.want)
			}
		})
	}
}

// TestAMachineThatWasSuspendedHasStoodStill: the steady clock stands with it, the other does not.
func TestAMachineThatWasSuspendedHasStoodStill(t *testing.T) {
	before := time.Now()
	woken := before.Add(50 * time.Millisecond).Round(0).Add(time.Minute) // of the wall clock only
	if got := apart(before, woken); got < time.Minute {
		t.Errorf("%v have passed", got)
	}
	if got := apart(before, before.Add(50*time.Millisecond)); got != 50*time.Millisecond {
		t.Errorf("%v have passed", got)
	}
}
