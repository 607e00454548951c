package engine

import (
	"fmt"
	"time"

	"rstate/internal/engine/belief"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/patient"
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
func (co *course) send(i int, t lifecycle.Transition) {
	n := &co.nodes[i]
	n.calls.unheard.Add(n.calls.newest, co.now.Steady)
	n.call = &belief.Call{
		Number: co.next(), Do: t, From: n.state, Old: !co.fresh(i), Sent: co.now.Steady, Began: co.now.Steady,
		BeganROS: co.now.ROS,
	}
	n.calls.newest = n.call
	n.calls.sent, n.calls.asked, n.firm, n.calls.closed = co.now.Steady, true, false, nil
	if co.work != nil {
		co.work.fault.asked = true
	}
	co.do(CallNode{Node: i, Call: n.call.Number, Transition: t})
	co.recordSent(i, t.Label)
	co.at(i, co.now.Steady+readEvery)
	co.touchAround(i) // the next nodes are read meanwhile
	co.changed = true
}

// callAnswered takes the answer of a node to its transition. Success is a claim that lets other
// nodes go on. The announcement or a read makes the claim firm.
func (s *State) callAnswered(in CallAnswered) {
	s.answered(in.Node, in.Call)
	s.noteResponse(in.Node)
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
	s.changed = true
	s.touch(in.Node)
}

// arrived takes the event that ends the call in flight.
func (co *course) arrived(i int, state lifecycle.State) {
	n := &co.nodes[i]
	c := n.call
	n.call = nil
	co.claim(i, state)
	if state == c.Do.Target() && !(c.Erred && co.work != nil && co.errorsCount()) {
		c.Arrived, n.calls.closed = true, c
		return
	}
	n.part.refused = c
	co.read(i)
}

// endCall forgets the call in flight. The nodes that wait for node i may depend on it.
func (co *course) endCall(i int) {
	co.nodes[i].call = nil
	co.touchAround(i)
	co.changed = true
}

// The call in flight, and the reason of a refusal.

// An announcement is about to follow an answer; after this the engine reads.
const confirmIn = 5 * time.Millisecond

// await watches a call in flight. Any evidence ends it; silence only ends the wait (E2).
func (co *course) await(i int) {
	n := &co.nodes[i]
	l, c := &n.part, n.call
	// A call from before this work; the node's own turn comes when it has ended.
	if l.status == partWaiting {
		l.status, l.since = partWorking, co.now.Steady
		l.deadline = co.allowRecovery(i, c)
	}
	switch {
	case co.ledTo(i, c):
		co.endCall(i)
		co.press(i)
	case n.movedOn(c):
		co.endCall(i)
		l.refused = c // it moved and did not arrive, or by an error: the answer, a no, is late or lost
		co.awaitReason(i)
	case n.firm && c.Still > 1 && !c.Again:
		// Two reads, a second or more after the request, found it unmoved: the request was lost.
		co.endCall(i)
		l.stepped = false
		if co.press(i); n.call != nil {
			n.call.Again = true
		}
	case co.work.phase == finalizing && co.passed(l.deadline) && co.now.Steady >= c.Sent+co.allowed(i, c):
		if !co.heldFromAbove(i) {
			co.finalizeBusy(i)
		}
	case co.isOverdue(i):
		co.giveUpOverdue(i, VerdictLate, fmt.Sprintf("no answer to %s in %v", c.Do.Label,
			(co.now.Steady-c.Sent).Round(time.Millisecond)))
	case co.now.Steady >= c.Sent+readEvery:
		co.poll(i)
	}
}

// ledTo reports whether the node is known to be where the call leads. If errors count, it does not say
// that the node is at its target without one.
func (co *course) ledTo(i int, c *belief.Call) bool {
	n := &co.nodes[i]
	return n.firm && n.state == c.Do.Target() && !(n.state == n.part.want && co.errorsCount())
}

// movedOn reports whether a node is known to have left the state in which a call began.
func (n *node) movedOn(c *belief.Call) bool {
	return n.firm && n.state.Primary() && (n.state != c.From || c.Started)
}

// allowed is how long a call may take before it counts as late.
func (ro *roster) allowed(i int, c *belief.Call) time.Duration {
	return ro.nodes[i].spec.Deadline.Of(c.Do)
}

// allowRecovery is the deadline for a call from before the work.
func (co *course) allowRecovery(i int, c *belief.Call) deadline {
	d := co.nodes[i].spec.Deadline.Recover
	if d == 0 {
		d = 2 * co.allowed(i, c)
	}
	if co.work.phase == finalizing {
		d = co.allowed(i, c)
	}
	return co.allow(i, max(0, d-co.age(i, c)))
}

// How long a refused call is judged, and when the node is asked again.
const (
	// Longest wait for the announcements that tell an error from a refusal.
	reasonIn = time.Second / 10
	// The same for a node that has announced the beginning of the step.
	startedIn = time.Second * patient.Factor
	// Pause before a node is asked again for a step that it has refused.
	retryIn = time.Second / 2
)

// awaitReason judges a refused call once it is known what the node does instead.
func (co *course) awaitReason(i int) {
	n := &co.nodes[i]
	l, c := &n.part, n.part.refused
	if !n.firm || !n.state.Primary() {
		co.readRefused(i, c)
		return
	}
	if c.Found == 0 {
		c.Found = n.at
	}
	if !co.reasonKnown(i, c) || co.awaitsLog(i) {
		return
	}
	l.refused = nil
	co.touchAround(i) // the nodes that wait for it may depend on its target
	co.judgeRefusal(i, c)
}

// judgeRefusal goes on after a refused call, by where the node is now.
func (co *course) judgeRefusal(i int, c *belief.Call) {
	n := &co.nodes[i]
	l := &n.part
	switch {
	case n.state == l.want && !co.errorCounts(i, c):
		co.reach(i)
	case c.Old && !c.Started && !c.Erred && n.state != c.From: // its state was not the believed one
		l.misjudged, l.stepped = true, false
		co.press(i)
	case !l.stepped: // a call from before this work only decides where the node starts
		co.press(i)
	case co.work.phase == finalizing && n.state != lifecycle.Finalized && !l.again.redone:
		l.again.redone = true               // its on_shutdown failed and it landed in unconfigured: shut down once more
		l.stepped, l.started = false, false // when its turn comes: a node that comes after it may go down by now
		co.press(i)
	case c.Erred || n.state != c.From:
		co.giveUp(i, VerdictErrored, fmt.Sprintf("%s erred; it is now %v", c.Do.Label, n.state))
	case co.mayAskAgain(i, c):
		co.askAgain(i, c)
	default:
		co.giveUp(i, VerdictRefused, fmt.Sprintf("answered no to %s%s; it is still %v", c.Do.Label, l.again.times(),
			n.state))
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
func (co *course) errorCounts(i int, c *belief.Call) bool {
	return c.Erred && co.nodes[i].part.stepped && co.errorsCount()
}

// errorsCount reports whether the machine says what follows an error of a node.
func (co *course) errorsCount() bool {
	w := co.work
	return w.phase == forward && co.machine.OnFailure(w.command, w.origin, machine.Error).Does == machine.Then
}

// mayAskAgain reports whether a node is to be asked once more for the step that it has just refused: its
// file allows it, and the next request is due before the deadline of the step.
func (co *course) mayAskAgain(i int, c *belief.Call) bool {
	l := &co.nodes[i].part
	return l.again.tries < co.nodes[i].spec.Retry.Of(c.Do.Label) && co.work.phase != finalizing &&
		co.left(l.deadline) > retryIn
}

// askAgain schedules another request for the step that a node has just refused.
func (co *course) askAgain(i int, c *belief.Call) {
	n := &co.nodes[i]
	l := &n.part
	l.again.tries, l.again.at = l.again.tries+1, co.now.Steady+retryIn
	co.recordResult(i, NodeResult{
		Node: n.spec.Name, Step: c.Do.Label, Verdict: VerdictRefused, Elapsed: co.now.Steady - c.Sent,
		Evidence: fmt.Sprintf("answered no to %s; it is asked again (%d of %d)", c.Do.Label, l.again.tries,
			n.spec.Retry.Of(c.Do.Label)),
	})
	co.changed = true
	co.at(i, l.again.at)
}

// readRefused reads the state of a node after it refused a call, until its deadline.
func (co *course) readRefused(i int, c *belief.Call) {
	co.poll(i)
	if co.isOverdue(i) {
		co.giveUpOverdue(i, VerdictRefused, fmt.Sprintf("answered no to %s and nothing since", c.Do.Label))
		co.nodes[i].part.refused = nil
	}
}

// reasonKnown reports whether it is known what a node does, which was read since it refused a call.
func (co *course) reasonKnown(i int, c *belief.Call) bool {
	n := &co.nodes[i]
	// A node that erred may be here too: its announcements say so, and may still come. Error processing
	// may also have brought it to its target, which matters if the machine says what follows an error.
	clear := n.state != c.From && !(n.state == n.part.want && co.errorsCount())
	wait := reasonIn
	if c.Started { // its announcements are heard
		wait = startedIn
	}
	return clear || c.Erred || c.Told || !co.waitUntil(i, c.Found+wait)
}
