package stepper

import "time"

// Input is a fact. The list is closed: every kind is in this file.
type Input interface{ input() }

// Start starts the loop, or resumes it. The answer is Refused, or later one Ended.
type Start struct {
	DT     time.Duration // how much simulated time a cycle covers
	Cycles uint64        // end after this many; 0: no limit, 1: a single step
}

// Begin begins the cycle that Effects.Between announced. Otherwise it does nothing.
type Begin struct{}

// Wanted is a want of the caller. Between two cycles it ends the loop at once. While the loop does not run, Reset sets
// simulated time and the number of the cycle to zero, and the others do nothing.
type Wanted struct {
	Want Want
	Why  string
}

// Overtaken says that the caller has not acted on the last end of the loop: it wanted an end at once before it heard of
// it. While the loop runs, Overtaken does nothing.
type Overtaken struct{}

// Answered is the answer of a participant to a call.
type Answered struct {
	Participant int
	Call        uint64
	OK          bool // the participant has done its part
	Want        Want
	Message     string
}

// Lost says that the process of a participant is lost.
type Lost struct {
	Participant int
	Why         string
}

// Respawned says that a participant has a new process. It ends a loop that runs, because the new
// process does not have the state of the old one.
type Respawned struct{ Participant int }

// Broken says that something beside the participants is in error, so that the loop cannot go on.
type Broken struct{ Why string }

// TriggerSet sets a trigger. One with the same id is replaced.
type TriggerSet struct{ Trigger Trigger }

// TriggerCleared removes the trigger with this id, if there is one.
type TriggerCleared struct{ ID uint64 }

// Tick says that time has passed. It is the only input that judges deadlines. So a participant whose
// answer stands in the queue before the Tick is not overdue, even if the caller was late.
type Tick struct{}

func (Start) input()          {}
func (Begin) input()          {}
func (Wanted) input()         {}
func (Overtaken) input()      {}
func (Answered) input()       {}
func (Lost) input()           {}
func (Respawned) input()      {}
func (Broken) input()         {}
func (TriggerSet) input()     {}
func (TriggerCleared) input() {}
func (Tick) input()           {}
