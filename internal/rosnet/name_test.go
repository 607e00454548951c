//go:build ros

package rosnet

import (
	"testing"
	"time"
)

// TestS1WhoHasStoodStillVouchesForNothing: an answer to ~/get_network proves that this instance
// holds the name.
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
		"the name is not ours yet": {beats: []time.Duration{0, 100 * time.Millisecond},
			now: 150 * time.Millisecond},
		"before the first beat": {taken: true, want: true},
		"the loop turns": {beats: []time.Duration{0, 100 * time.Millisecond}, taken: true,
			now: 200 * time.Millisecond, want: true},
		"the loop stands": {beats: []time.Duration{0, 100 * time.Millisecond}, taken: true,
			now: 700 * time.Millisecond},
		"it stood a moment ago": {beats: []time.Duration{0, 2 * time.Second}, taken: true,
			now: 2100 * time.Millisecond},
		"it stood again just now": {beats: []time.Duration{0, 2 * time.Second, 7 * time.Second,
			7100 * time.Millisecond}, taken: true, now: 7200 * time.Millisecond},
		"it has not stood for long enough": {beats: beatsUntil(2*time.Second, 8*time.Second), taken: true,
			now: 8 * time.Second, want: true},
		"another was found to have taken it": {beats: beatsUntil(0, time.Second), taken: true, left: true,
			now: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			n := naming{taken: r.taken, ousted: r.left}
			for _, b := range r.beats {
				n.beats(at(b))
			}
			if got := n.vouches(at(r.now)); got != r.want {
				t.Errorf("vouches: %v, want %v", got, r.want)
			}
		})
	}
}

// beatsUntil returns beats at zero and then, as after a stall, regularly between two times.
func beatsUntil(from, to time.Duration) []time.Duration {
	list := []time.Duration{0}
	for b := from; b <= to; b += 100 * time.Millisecond {
		list = append(list, b)
	}
	return list
}

// TestWhatCameWhileWeStoodStillIsOld: a process that continues after a stall first receives old
// messages from its sockets.
func TestWhatCameWhileWeStoodStillIsOld(t *testing.T) {
	for wentOn, want := range map[time.Duration]bool{0: true, 150 * time.Millisecond: true,
		250 * time.Millisecond: false} {
		w := &World{stopped: func(ago time.Duration) bool { return wentOn < ago }}
		if got := w.slept(); got != want {
			t.Errorf("it went on %v ago, and slept: %v", wentOn, got)
		}
	}
	if (&World{}).slept() {
		t.Error("a world without a report of a stall was stalled")
	}
}
