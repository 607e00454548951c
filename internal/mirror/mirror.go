// Package mirror decides what an instance makes of what its peers say: which of their changes is news, which is stale,
// which two were made at once, and to which state it has to follow. It orders changes without a common clock, by what
// each instance had seen when it made them.
//
// A Book is what one instance knows: its peers, the changes that it has seen, the common target to which they lead, and
// the one task that follows from them. What comes in are facts, with their time; what is to be told to a person comes
// out as notes. The engine carries the task out, and says what became of it.
//
// It is pure, as the engine is: no goroutine, clock or map order, so that a run can be had again. It imports machine,
// for which of two states is the lower, and latch.
package mirror

import (
	"slices"
	"time"

	"rstate/internal/latch"
)

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
	Event       string // the command; empty if no command caused the change
	TargetState string
	State       string // in which it is now
	Settled     bool
	Seen        []Seen
	Hash        string        // of its machine
	Cause       string        // for a person
	Steady      time.Duration // when it was sent, by the steady clock of its maker
	Made        time.Duration // when it was made, by the same clock
	Orders      []Seen        // how many disarm orders of each instance its maker had heard of, its own included
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
	Requires       []string      // its required peers; a required peer announces its own failure
	ProofAge       time.Duration // negative: none
	Behind         bool          // it could not follow, or stands lower than Target
	Cause          string
	Leaving        bool          // it ends, so its silence is no loss
	Steady         time.Duration // when it was sent, by its steady clock
	Orders         []Seen        // how many disarm orders of each instance it has heard of, its own included
	Stops          []latch.Latch // all stops that it knows, its own included
	StopsUnclear   string        // which of its stop inputs are not clear, and why; empty: all are
}

// Like reports whether two statuses say the same. The age of the proof and the time of sending grow by
// themselves, so they do not count.
func (s *Status) Like(o *Status) bool {
	return s.words() == o.words() && s.Started.Equal(o.Started) && slices.Equal(s.Seen, o.Seen) &&
		slices.Equal(s.Orders, o.Orders) && slices.Equal(s.Loops, o.Loops) &&
		slices.Equal(s.Nodes, o.Nodes) && slices.Equal(s.MayBeArmed, o.MayBeArmed) &&
		slices.Equal(s.Requires, o.Requires) && slices.Equal(s.Stops, o.Stops) && s.StopsUnclear == o.StopsUnclear
}

// words are the fields of a status that == compares.
type words struct {
	name, instance, state, target, machine, hash, cause string
	settled, intact, behind, leaving                    bool
}

func (s *Status) words() words {
	return words{s.Name, s.Instance, s.State, s.Target, s.Machine, s.Hash, s.Cause, s.Settled, s.Intact, s.Behind,
		s.Leaving}
}
