package main

import (
	"testing"
	"time"
)

// TestS4UntilIsNotAnOldState: the first state that a watch receives may be older than a death that
// the daemon is about to detect.
func TestS4UntilIsNotAnOldState(t *testing.T) {
	type sight struct {
		at           time.Duration
		holds, fresh bool
	}
	const ms = time.Millisecond
	for title, c := range map[string]struct {
		sights []sight
		asked  time.Duration
		proven bool
	}{
		"at once":                        {[]sight{{0, true, true}}, 1 * ms, false},
		"it holds":                       {[]sight{{0, true, true}}, 600 * ms, true},
		"it holds, and more states come": {[]sight{{0, true, true}, {300 * ms, true, true}}, 301 * ms, false},
		"a node has died":                {[]sight{{0, true, true}, {300 * ms, false, true}}, 600 * ms, false},
		"and is back": {[]sight{{0, true, true}, {300 * ms, false, true}, {400 * ms, true, true}},
			401 * ms, true},
		"it comes while one looks": {[]sight{{0, false, true}, {5 * ms, true, true}}, 6 * ms, true},
		"the daemon only stood": {[]sight{{0, true, true}, {5 * ms, false, false}, {6 * ms, true, false}},
			7 * ms, false},
		"the daemon is silent": {[]sight{{0, true, true}, {5 * ms, false, false}}, 900 * ms, false},
	} {
		var r reached
		began := time.Now()
		for _, s := range c.sights {
			r.note(s.holds, s.fresh, began.Add(s.at))
		}
		if proven := r.proven(began.Add(c.asked)); proven != c.proven {
			t.Errorf("%s: it is proven: %v, want %v", title, proven, c.proven)
		}
	}
}
