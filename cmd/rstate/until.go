package main

import "time"

// provenIn is how long the state that is waited for must hold if the network was in it from the
// beginning: the daemon needs up to a quarter of a second to notice that a process of its host has
// ended.
const provenIn = 500 * time.Millisecond

// reached decides when a network counts as being in the state that `rstate watch --until` waits
// for. The first state that a watch is shown may be from before a death that the daemon is about to
// notice. A state that is reached later rests on fresh reads.
type reached struct {
	began bool
	since time.Time // the first state
	holds bool
	came  bool // it did not hold before
}

// note takes whether the newest state is the one that is waited for. fresh: the daemon has
// published it now.
func (r *reached) note(holds, fresh bool, now time.Time) {
	if !r.began {
		r.began, r.since = true, now
	} else if holds && !r.holds && fresh {
		r.came = true
	}
	r.holds, r.came = holds, r.came && holds
}

// proven reports whether the network is in the state that is waited for.
func (r *reached) proven(now time.Time) bool {
	return r.holds && (r.came || now.Sub(r.since) >= provenIn)
}
