package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
)

// The next step of a node on the way to the target of its part.

// step sends the next transition, if there is one and it may be sent.
func (s *State) step(i int) {
	n := &s.nodes[i]
	l := &n.part
	t, ok := lifecycle.Next(n.state, l.want)
	raises := ok && t.Target().Level() > n.state.Level()
	said := l.stepped && n.calls.closed != nil && n.calls.closed.Do == t // it has said yes to it
	switch {
	case s.work.fault.failing && s.work.phase.commands && !s.work.proves():
		// A failed command begins no further step.
	case !ok:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, which only a new process leaves", n.state))
	case raises && !s.mayRaise(i, t):
	case said && l.again.hollow > 0:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("said yes to %s twice and is %v", t.Label, n.state))
	case s.pauses(i):
	case s.awaitsJournal():
		l.started = false // its time starts when the journal is safe
	default:
		if said {
			l.again.hollow++
		}
		l.down = !raises
		s.request(i, t)
	}
}

// pauses reports whether node i is not asked again yet for a step that it has refused.
func (s *State) pauses(i int) bool {
	l := &s.nodes[i].part
	return l.again.tries > 0 && s.before(i, l.again.at)
}

// request sends the next transition of a part. A step that is asked for again keeps its deadline.
func (s *State) request(i int, t lifecycle.Transition) {
	l := &s.nodes[i].part
	if t.Label != l.result.did {
		l.again.tries = 0
	}
	l.result.did, l.stepped = t.Label, true
	if l.again.tries == 0 {
		l.deadline = s.deadlineOf(i, t)
	}
	s.send(i, t)
}

// mayRaise reports whether node i may be asked for a transition that raises it. If not, it settles
// or holds the part.
func (s *State) mayRaise(i int, t lifecycle.Transition) bool {
	n := &s.nodes[i]
	l, w := &n.part, s.work
	switch {
	case w.phase.adopts || t.Target().Level() > s.ceiling(i).Level():
		l.short = true
		s.reach(i)
	case w.phase == returning && !w.fault.after.Upward: // what follows lowers
		l.short = true
		s.reach(i)
	case w.fault.failing && w.phase.restores && w.lowers: // the origin cannot be restored any more
		l.short = true
		s.reach(i)
	case w.proves():
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v: arming starts no node", n.state, l.want))
	case n.count > 1 && s.oneMayHaveEnded(i):
		l.started = false // its time begins anew when it is alone, or when both are known to live
		s.poll(i)
	case n.count > 1:
		s.poll(i)
		s.overdue(i, VerdictRefused, n.severalWords())
	case n.misled() != "":
		s.giveUp(i, VerdictRefused, n.misled())
	default:
		return true
	}
	return false
}

// ceiling is the state above which recovery and a start do not raise node i: its state when the
// transition began. Active is no ceiling, because nothing is above it. Recovery activates no node
// that may be armed: takeDown deactivates such a node for not confirming its disarm.
func (s *State) ceiling(i int) lifecycle.State {
	switch w := s.work; {
	case w.phase.raises:
		return lifecycle.Active
	case w.phase.returns && s.nodes[i].owesDisarm():
		return lifecycle.Lower(w.parts.began[i].state, lifecycle.Inactive)
	default:
		return w.parts.began[i].state
	}
}

func (s *State) deadlineOf(i int, t lifecycle.Transition) deadline {
	if s.work.phase.ends {
		return s.allow(i, s.nodes[i].spec.Deadline.Shutdown)
	}
	return s.allow(i, s.nodes[i].spec.Deadline.Of(t))
}

// waits is the deadline of node i until its first step is known. A node that proves that arming is
// safe has the deadline of arming.
func (s *State) waits(i int) deadline {
	if s.work.proves() {
		return s.allow(i, s.nodes[i].spec.Deadline.Arm)
	}
	return s.allow(i, s.patience(i))
}

// patience is how long the engine waits for a node before its first step is known: as long as its
// last step may take.
func (s *State) patience(i int) time.Duration {
	n := &s.nodes[i]
	d := n.spec.Deadline
	switch {
	case n.part.want == lifecycle.Finalized:
		return d.Shutdown
	case n.part.want == lifecycle.Unconfigured:
		return d.Cleanup
	case n.part.want == lifecycle.Active:
		return d.Activate
	case n.part.down:
		return d.Deactivate
	}
	return d.Configure
}

// overdue gives up a node whose deadline has passed.
func (s *State) overdue(i int, v Verdict, evidence string) bool {
	l := &s.nodes[i].part
	if !s.passed(l.deadline) || s.mayHaveEnded(i) {
		return false
	}
	s.giveUp(i, v, evidence)
	return true
}
