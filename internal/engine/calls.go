package engine

import (
	"fmt"
	"time"

	"rstate/internal/engine/belief"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// One request to a node, until its end is certain: also why a node answered no, and whether it is asked again.

// calls is what the engine asked of a process before the call in flight.
type calls struct {
	sent    time.Duration  // when the last change_state was sent
	asked   bool           // sent is valid
	closed  *belief.Call   // last call that reported success; later messages about it are no news
	newest  *belief.Call   // newest call, whatever its end
	unheard belief.Unheard // earlier calls whose end was not announced yet
}

// send sends a transition, one at a time.
func (s *State) send(i int, t lifecycle.Transition) {
	n := &s.nodes[i]
	n.calls.unheard.Add(n.calls.newest, s.now.Steady)
	n.call = &belief.Call{
		Number: s.next(), Do: t, From: n.state, Old: !s.fresh(i), Sent: s.now.Steady, Began: s.now.Steady, BeganROS: s.now.ROS,
	}
	n.calls.newest = n.call
	n.calls.sent, n.calls.asked, n.firm, n.calls.closed = s.now.Steady, true, false, nil
	if s.work != nil {
		s.work.fault.asked = true
	}
	s.do(CallNode{Node: i, Call: n.call.Number, Transition: t})
	s.recordSent(i, t.Label)
	s.at(i, s.now.Steady+readEvery)
	s.touchAround(i) // the next nodes are read meanwhile
	s.report.changed = true
}

// callAnswered takes the answer of a node to its transition. Success is a claim that lets other
// nodes go on. The announcement or a read makes the claim firm.
func (s *State) callAnswered(in CallAnswered) {
	s.answered(in.Node, in.Call)
	s.responds(in.Node)
	n := &s.nodes[in.Node]
	c := n.call
	switch n.known().Answered(in.Call, in.Success, s.work != nil && n.part.open()) {
	case belief.Stale:
		return
	case belief.Late:
		s.endCall(in.Node)
		n.state, n.firm, n.reading.polled = lifecycle.Unknown, false, 0
		s.read(in.Node)
	case belief.Succeeds:
		n.call, n.calls.closed = nil, c
		if !n.firm || n.state != c.Do.Target() || n.at < c.Sent { // else a read has ended the call already
			s.claim(in.Node, c.Do.Target())
		}
	case belief.Refuses:
		s.endCall(in.Node)
		n.firm, n.part.refused = false, c
		s.read(in.Node)
	case belief.Agrees:
		s.agree(in.Node)
	}
	s.heardFrom(in.Node)
	s.report.changed = true
	s.touch(in.Node)
}

// arrived takes the event that ends the call in flight.
func (s *State) arrived(i int, state lifecycle.State) {
	n := &s.nodes[i]
	c := n.call
	n.call = nil
	s.claim(i, state)
	if state == c.Do.Target() && !(c.Erred && s.work != nil && s.errorsCount()) {
		c.Arrived, n.calls.closed = true, c
		return
	}
	n.part.refused = c
	s.read(i)
}

// endCall forgets the call in flight. The nodes that wait for node i may depend on it.
func (s *State) endCall(i int) {
	s.nodes[i].call = nil
	s.touchAround(i)
}

// The call in flight, and the reason of a refusal.

// An announcement is about to follow an answer; after this the engine reads.
const confirmIn = 5 * time.Millisecond

// await watches a call in flight. Any evidence ends it; silence only ends the wait (E2).
func (s *State) await(i int) {
	n := &s.nodes[i]
	l, c := &n.part, n.call
	// A call from before this work; the node's own turn comes when it has ended.
	if l.status == partWaiting {
		l.status, l.since = partWorking, s.now.Steady
		l.deadline = s.recoverBy(i, c)
	}
	switch {
	case s.ledTo(i, c):
		s.endCall(i)
		s.press(i)
	case n.movedOn(c):
		s.endCall(i)
		l.refused = c // it moved and did not arrive, or by an error: the answer, a no, is late or lost
		s.awaitReason(i)
	case n.firm && c.Still > 1 && !c.Again:
		// Two reads, a second or more after the request, found it unmoved: the request was lost.
		s.endCall(i)
		l.stepped = false
		if s.press(i); n.call != nil {
			n.call.Again = true
		}
	case s.work.phase.ends && s.passed(l.deadline) && s.now.Steady >= c.Sent+s.allowed(i, c):
		if !s.heldFromAbove(i) {
			s.finalizeBusy(i)
		}
	case s.overdue(i, VerdictLate, fmt.Sprintf("no answer to %s in %v", c.Do.Label, (s.now.Steady-c.Sent).Round(time.Millisecond))):
	case s.now.Steady >= c.Sent+readEvery:
		s.poll(i)
	}
}

// ledTo reports whether the node is known to be where the call leads. If errors count, it does not say
// that the node is at its target without one.
func (s *State) ledTo(i int, c *belief.Call) bool {
	n := &s.nodes[i]
	return n.firm && n.state == c.Do.Target() && !(n.state == n.part.want && s.errorsCount())
}

// movedOn reports whether a node is known to have left the state in which a call began.
func (n *node) movedOn(c *belief.Call) bool {
	return n.firm && n.state.Primary() && (n.state != c.From || c.Started)
}

// allowed is how long a call may take before it counts as late.
func (s *State) allowed(i int, c *belief.Call) time.Duration {
	return s.nodes[i].spec.Deadline.Of(c.Do)
}

// recoverBy is the deadline for a call from before the work.
func (s *State) recoverBy(i int, c *belief.Call) deadline {
	d := s.nodes[i].spec.Deadline.Recover
	if d == 0 {
		d = 2 * s.allowed(i, c)
	}
	if s.work.phase.ends {
		d = s.allowed(i, c)
	}
	return s.allow(i, max(0, d-s.age(i, c)))
}

// How long a refused call is judged, and when the node is asked again.
const (
	// Longest wait for the announcements that tell an error from a refusal.
	reasonIn = time.Second / 10
	// The same for a node that has announced the beginning of the step.
	startedIn = time.Second
	// Pause before a node is asked again for a step that it has refused.
	retryIn = time.Second / 2
)

// awaitReason judges a refused call once it is known what the node does instead.
func (s *State) awaitReason(i int) {
	n := &s.nodes[i]
	l, c := &n.part, n.part.refused
	if !s.reasonKnown(i, c) || s.awaitsLog(i) {
		return
	}
	l.refused = nil
	s.touchAround(i) // the nodes that wait for it may depend on its target
	s.judgeRefusal(i, c)
}

// judgeRefusal goes on after a refused call, by where the node is now.
func (s *State) judgeRefusal(i int, c *belief.Call) {
	n := &s.nodes[i]
	l := &n.part
	switch {
	case n.state == l.want && !s.errorCounts(i, c):
		s.reach(i)
	case c.Old && !c.Started && !c.Erred && n.state != c.From: // its state was not the believed one
		l.misjudged, l.stepped = true, false
		s.press(i)
	case !l.stepped: // a call from before this work only decides where the node starts
		s.press(i)
	case s.work.phase.ends && n.state != lifecycle.Finalized && !l.again.redone:
		l.again.redone = true               // its on_shutdown failed and it landed in unconfigured: shut down once more
		l.stepped, l.started = false, false // when its turn comes: a node that comes after it may go down by now
		s.press(i)
	case c.Erred || n.state != c.From:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("%s erred; it is now %v", c.Do.Label, n.state))
	case s.asksAgain(i, c):
	default:
		s.giveUp(i, VerdictRefused, fmt.Sprintf("answered no to %s%s; it is still %v", c.Do.Label, l.again.times(), n.state))
	}
}

// times says how often a node was asked, if it was more than once.
func (a again) times() string {
	if a.tries == 0 {
		return ""
	}
	return fmt.Sprintf(" %d times", a.tries+1)
}

// errorCounts reports whether a node that erred has failed the command, also where its error has
// brought it to its target: the machine says what follows.
func (s *State) errorCounts(i int, c *belief.Call) bool {
	return c.Erred && s.nodes[i].part.stepped && s.errorsCount()
}

// errorsCount reports whether the machine says what follows an error of a node.
func (s *State) errorsCount() bool {
	w := s.work
	return w.phase.commands && s.machine.OnFailure(w.command, w.origin, machine.Error).Does == machine.Then
}

// asksAgain reports whether a node is asked once more for the step that it has just refused: its file
// allows it, and the next request is due before the deadline of the step.
func (s *State) asksAgain(i int, c *belief.Call) bool {
	n := &s.nodes[i]
	l := &n.part
	most := n.spec.Retry.Of(c.Do.Label)
	if l.again.tries >= most || s.work.phase.ends || s.left(l.deadline) <= retryIn {
		return false
	}
	l.again.tries, l.again.at = l.again.tries+1, s.now.Steady+retryIn
	s.recordResult(i, NodeResult{
		Node: n.spec.Name, Step: c.Do.Label, Verdict: VerdictRefused, Elapsed: s.now.Steady - c.Sent,
		Evidence: fmt.Sprintf("answered no to %s; it is asked again (%d of %d)", c.Do.Label, l.again.tries, most),
	})
	s.report.changed = true
	s.at(i, l.again.at)
	return true
}

// reasonKnown waits for the read that shows the state of a node after it refused a call.
func (s *State) reasonKnown(i int, c *belief.Call) bool {
	n := &s.nodes[i]
	if !n.firm || !n.state.Primary() {
		s.poll(i)
		if s.overdue(i, VerdictRefused, fmt.Sprintf("answered no to %s and nothing since", c.Do.Label)) {
			n.part.refused = nil
		}
		return false
	}
	if c.Found == 0 {
		c.Found = n.at
	}
	// A node that erred may be here too: its announcements say so, and may still come. Error processing
	// may also have brought it to its target, which matters if the machine says what follows an error.
	clear := n.state != c.From && !(n.state == n.part.want && s.errorsCount())
	wait := reasonIn
	if c.Started { // its announcements are heard
		wait = startedIn
	}
	return clear || c.Erred || c.Told || !s.before(i, c.Found+wait)
}
