package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
)

// What is in flight, and what a refusal turns out to have been.

// await watches a call in flight. Evidence of any kind ends it; silence only ends the waiting.
func (s *State) await(i int) {
	n := &s.nodes[i]
	l, c := &n.leg, n.call
	if l.status == legWaiting { // it is from before this work; its own turn comes when the call has ended
		l.status, l.since = legWorking, s.now.Steady
		l.deadline = s.recoverBy(i, c)
	}
	switch {
	case n.firm && n.state == c.do.Target():
		s.endCall(i)
		s.press(i)
	case n.firm && n.state.Primary() && (n.state != c.from || c.started):
		s.endCall(i)
		l.refused = c // it went, and did not arrive: the answer, a no, is late or lost
		s.awaitReason(i)
	case n.firm && c.still > 1 && !c.again:
		s.endCall(i) // twice a second or more later it never moved: the request was lost
		l.stepped = false
		if s.press(i); n.call != nil {
			n.call.again = true
		}
	case s.work.phase.ends && s.passed(l.deadline) && s.now.Steady >= c.sent+s.allowed(i, c):
		if !s.heldFromAbove(i) {
			s.finalizeBusy(i)
		}
	case s.overdue(i, VerdictLate, fmt.Sprintf("no answer to %s in %v", c.do.Label, (s.now.Steady-c.sent).Round(time.Millisecond))):
	case s.now.Steady >= c.sent+readEvery:
		s.poll(i)
	}
}

// allowed is how long a call may take before it counts as late.
func (s *State) allowed(i int, c *call) time.Duration {
	return s.nodes[i].spec.Deadline.Of(c.do)
}

// recoverBy is until when a call from before the work is waited for.
func (s *State) recoverBy(i int, c *call) deadline {
	d := s.nodes[i].spec.Deadline.Recover
	if d == 0 {
		d = 2 * s.allowed(i, c)
	}
	if s.work.phase.ends {
		d = s.allowed(i, c)
	}
	return s.allow(i, max(0, d-s.age(i, c)))
}

// awaitReason waits for the read that says where a node is that said no.
func (s *State) awaitReason(i int) {
	n := &s.nodes[i]
	l, c := &n.leg, n.leg.refused
	if !n.firm || !n.state.Primary() {
		s.poll(i)
		if s.overdue(i, VerdictRefused, fmt.Sprintf("answered no to %s and nothing since", c.do.Label)) {
			l.refused = nil
		}
		return
	}
	if c.found == 0 {
		c.found = n.at
	}
	if n.state == c.from && !c.erred && !c.told && s.now.Steady < c.found+reasonIn {
		s.at(i, c.found+reasonIn) // one that erred may be there too: its events say so, and are on their way
		return
	}
	l.refused = nil
	s.touchAround(i) // who waits for it may have hung on where it was going
	switch {
	case n.state == l.want:
		s.reach(i)
	case c.old && !c.started && !c.erred && n.state != c.from: // it was not where it was believed to be
		l.misjudged, l.stepped = true, false
		s.press(i)
	case !l.stepped: // a call from before this work: what it came to is only where the node starts from
		s.press(i)
	case s.work.phase.ends && n.state != lifecycle.Finalized && !l.redone:
		l.redone = true // an on_shutdown that erred lands in unconfigured: once more
		s.move(i)
	case c.erred || n.state != c.from:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("%s erred; it is now %v", c.do.Label, n.state))
	default:
		s.giveUp(i, VerdictRefused, fmt.Sprintf("answered no to %s; it is still %v", c.do.Label, n.state))
	}
}
