// Package mirror decides what an instance makes of what its peers say: which of their changes is news, which is stale,
// which two were made at once, and to which state it has to follow. It orders changes without a common clock, by what
// each instance had seen when it made them.
//
// It is pure, as the engine is: no goroutine, clock or map order, so that a run can be had again. It imports machine, for
// which of two states is the lower. The engine carries out what is decided here.
package mirror

import "time"

// Seen is one entry of what an instance knows: so many changes of that instance. A list of them, in the order of the
// instances, orders changes.
type Seen struct {
	Instance string
	N        uint64
}

// Loop counts the runs of one looping command.
type Loop struct {
	Command string
	N       uint64
}

// Change is what a peer has said on the lifecycle topic.
type Change struct {
	Name        string // of its node
	Instance    string // its run; empty from a peer that speaks only the four fields that follow, its name among them
	SourceState string
	Event       string // the command; empty where nobody commanded it
	TargetState string
	State       string // in which it is now
	Settled     bool
	Seen        []Seen
	Hash        string // of its machine
}

// Status is what an instance tells its peers of itself, twice a second.
type Status struct {
	Name, Instance string
	Started        time.Time // by its own clock
	State          string
	Settled        bool // no transition runs
	Intact         bool
	Target         string // the state which the changes in Seen lead to; it may have failed to follow
	Seen           []Seen
	Loops          []Loop
	Machine, Hash  string
	Nodes          []string // those that it drives
	MayBeArmed     []string
	Requires       []string      // the peers that it requires: whoever is in such a list says when it fails
	ProofAge       time.Duration // negative: none
	Behind         bool          // it could not follow, or stands lower than Target
	Cause          string
	Leaving        bool // it ends, so its silence is no loss
}
