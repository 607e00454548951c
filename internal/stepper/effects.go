package stepper

import (
	"fmt"
	"time"
)

// Effects are what follows from one input, in the order of the fields. The slices are valid until
// the next Step.
type Effects struct {
	Refused string        // why a Start or TriggerSet was refused; empty: it was not
	Ticked  bool          // simulated time has changed
	Now     time.Duration // simulated time, if it has changed
	Between bool          // a cycle may begin; it does with the input Begin
	Phases  []Phase       // phases that began, in their order; only the last one may have calls
	Calls   []Call        // call these participants side by side
	Wake    bool          // send a Tick at WakeAt; one that was asked for earlier stays due
	WakeAt  time.Duration // on the clock of the inputs
	Ended   *Ended        // the loop has ended
}

// Call asks a participant to do its part of a phase. The answer, if one comes, is an Answered with
// the id.
type Call struct {
	ID          uint64
	Participant int
	Phase       Phase
	Cycle       uint64        // from 1 at each reset
	Now         time.Duration // the simulated time at which the cycle begins
	DT          time.Duration
}

// Ended says why the loop has ended.
type Ended struct {
	Want Want // what was wanted; Fail for an error; None: all cycles of the Start have run
	As   Want // what the machine does for it
	// a participant or something beside them is in error, or simulated time ends: it was not asked for
	Error       bool
	Participant int    // that wanted it or is in error; -1: none
	Trigger     uint64 // that wanted it; 0: none
	Why         string // for a person; empty if all cycles have run
	Cycle       uint64 // the number of the last cycle, even of one that was interrupted
	Cycles      uint64 // how many cycles of this run have ended
	Now         time.Duration
}

func (e *Ended) String() string {
	how := [wants]string{"all cycles have run", "stopped", "reset", "aborted", "paused", "failed", "succeeded"}[e.Want]
	if e.Why != "" {
		how += ": " + e.Why
	}
	return fmt.Sprintf("%s (cycle %d, simulated time %v)", how, e.Cycle, e.Now)
}
