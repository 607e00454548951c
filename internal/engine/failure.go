package engine

import (
	"cmp"
	"fmt"
	"time"
)

// Refusal is a command that was not accepted. The zero value: none was since the last accepted one.
type Refusal struct {
	Command string
	Why     string // with the legal commands
	By      Origin
	Client  string // who asked
	Handle  string
	At      time.Time // wall clock
}

// Failure is what went wrong last: a command that failed, or a lowering that no goal asked for. The zero value: nothing has,
// since a goal last succeeded.
type Failure struct {
	Command string
	By      Origin
	Client  string // who asked; empty: no client did
	Outcome Outcome
	From    string // the settled state in which it began
	Why     string
	At      time.Time // wall clock
}

// OutcomeLowered is the outcome of a lowering that no goal asked for. No goal ends with it.
const OutcomeLowered Outcome = "lowered"

// noteLowered notes a lowering that no goal asked for. The end of the process is none: nothing went wrong.
func (s *State) noteLowered(by Origin, command, why string) {
	if s.closing.stop != nil {
		return
	}
	s.note(Failure{Command: command, By: by, Outcome: OutcomeLowered, From: s.settled, Why: why})
}

// noteEnd notes how a transition ended: a failure that no goal hears of, or a success that makes the last failure history.
// What a policy began is no repair, whoever waits for it.
func (s *State) noteEnd(w *work, e Ending, o Outcome, message string) {
	commanded := w.goal != nil && w.by != ByPolicy && w.by != ByExit
	f := Failure{Command: cmp.Or(w.command, "recovery"), By: w.by, Outcome: o, From: w.origin, Why: message}
	switch {
	case o == OutcomeRestored && w.command == "" && s.report.failure.Outcome == OutcomeLowered: // a disarm says more than its repair
	case e == Aborted && w.goal == nil && fails(o):
		s.note(f)
	case e == Succeeded && o == OutcomeDone && commanded:
		s.report.failure = Failure{}
	}
}

// noteFinished notes a goal that failed.
func (s *State) noteFinished(g *goal, e Ending, r Result) {
	if e != Aborted || !fails(r.Outcome) {
		return
	}
	f := Failure{Command: g.asked, By: g.by, Client: g.who, Outcome: r.Outcome, From: g.from, Why: r.Message}
	if g.by != ByGoal {
		f.Client = ""
	}
	s.note(f)
}

// fails reports whether a goal that aborts with an outcome has failed. One that gave way to another has not.
func fails(o Outcome) bool { return o != OutcomePreempted && o != OutcomeSuperseded }

func (s *State) note(f Failure) {
	f.At = s.now.Wall
	s.report.failure, s.report.changed = f, true
}

func (f Failure) String() string {
	return fmt.Sprintf("%s %s: %s", f.Command, f.Outcome, f.Why)
}

// leaseAges returns the age of the newest message of the lease that is held, and how long that is good for; negative: none is
// held, or nothing was said of it yet.
func (s *State) leaseAges() (age, left time.Duration) {
	if !s.hold.lease.Held() || !s.hold.leased.said {
		return -1, -1
	}
	return s.now.Steady - s.hold.leased.at, max(0, s.hold.leased.proved+s.net.Proof-s.now.Steady)
}
