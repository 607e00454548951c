package engine

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// send puts a transition on the wire, one at a time.
func (s *State) send(i int, t lifecycle.Transition) {
	n := &s.nodes[i]
	s.forgetUnheard(n) // also of a node that announces nothing
	if c := n.calls.newest; c != nil && !c.told && !c.arrived {
		n.calls.unheard = append(n.calls.unheard, c)
	}
	n.call = &call{number: s.next(), do: t, from: n.state, old: !s.fresh(i), sent: s.now.Steady, began: s.now}
	n.calls.newest = n.call
	n.calls.sent, n.calls.asked, n.firm, n.calls.closed = s.now.Steady, true, false, nil
	if s.work != nil {
		s.work.fault.asked = true
	}
	s.do(CallNode{Node: i, Call: n.call.number, Transition: t})
	s.recordSent(i, t.Label)
	s.at(i, s.now.Steady+readEvery)
	s.touchAround(i) // who goes next is read meanwhile
	s.report.changed = true
}

// callAnswered takes what a node says of its transition. Success is a claim that lets others go on; its event or a read
// makes it firm. An answer to a call that we no longer wait for informs nobody.
func (s *State) callAnswered(in CallAnswered) {
	s.answered(in.Node, in.Call)
	s.responds(in.Node)
	n := &s.nodes[in.Node]
	c := n.call
	switch {
	case c != nil && c.number == in.Call && (s.work == nil || !n.leg.open()): // it comes too late to decide anything
		s.endCall(in.Node)
		n.state, n.firm, n.reading.polled = lifecycle.Unknown, false, 0
		s.read(in.Node)
	case c != nil && c.number == in.Call && in.Success:
		n.call, n.calls.closed, c.answered = nil, c, true
		if n.firm && n.state == c.do.Target() && n.at >= c.sent {
			break // a read was faster
		}
		s.claim(in.Node, c.do.Target())
	case c != nil && c.number == in.Call:
		s.endCall(in.Node)
		n.firm, n.leg.refused = false, c
		s.read(in.Node)
	case c == nil && n.calls.closed != nil && n.calls.closed.number == in.Call && in.Success:
		n.calls.closed.answered = true
		s.agree(in.Node, n.calls.closed)
	default:
		return
	}
	s.heardFrom(in.Node)
	s.report.changed = true
	s.touch(in.Node)
}

// announcedIn is how late the announcement of a step may come.
const announcedIn = 10 * time.Second

// belated says whether what is announced may be of an earlier step, of which it has not been heard yet: announcements overtake
// none of their own node. It is taken for that step's, once; where that one's was lost the node is only asked once more.
func (s *State) belated(in EventHeard) bool {
	n := &s.nodes[in.Node]
	s.forgetUnheard(n)
	k := slices.IndexFunc(n.calls.unheard, func(c *call) bool { return c.announces(in) })
	if k >= 0 && in.To.Primary() {
		n.calls.unheard = n.calls.unheard[k+1:]
	}
	return k >= 0
}

// forgetUnheard gives up the announcements that are not waited for any more.
func (s *State) forgetUnheard(n *node) {
	n.calls.unheard = slices.DeleteFunc(n.calls.unheard, func(c *call) bool { return s.now.Steady > c.sent+announcedIn })
}

// arrived takes the event that ends the call in flight.
func (s *State) arrived(i int, state lifecycle.State) {
	n := &s.nodes[i]
	c := n.call
	n.call = nil
	s.claim(i, state)
	if state == c.do.Target() {
		c.arrived, n.calls.closed = true, c
		return
	}
	n.leg.refused = c
	s.read(i)
}

// vouched says whether the answer to the node's last step, or its event, is what says that it is where it is believed to
// be. What an event of no known request says is less: it may be of a step from before that one.
func (n *node) vouched() bool {
	c := n.calls.closed
	return c != nil && !c.agreed && !n.firm && n.state == c.do.Target()
}

// agree takes what a call's answer and its event say together as firm, once.
func (s *State) agree(i int, c *call) {
	n := &s.nodes[i]
	if c.answered && c.arrived && !c.agreed {
		c.agreed = true
		if n.state == c.do.Target() {
			s.believe(i, n.state)
		}
	}
}

// endCall forgets the call in flight. Who waits for node i may have hung on where it was going.
func (s *State) endCall(i int) {
	s.nodes[i].call = nil
	s.touchAround(i)
}

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

// keep watches a node whose leg is done while others are still on their way: it is made sure of, and one that leaves
// its place is brought back once.
func (s *State) keep(i int) {
	n := &s.nodes[i]
	l, w := &n.leg, s.work
	gone := l.result.verdict == VerdictGone || l.result.verdict == VerdictSkipped
	switch {
	case s.unfitSince(i):
	case !n.there():
		if rests := !l.wants || !n.spec.Lifecycle; rests && l.result.verdict == VerdictDone || !rests && !gone {
			s.reopen(i)
			s.absent(i)
		}
	case !l.wants || !n.spec.Lifecycle:
	case l.passed && s.lostBefore(i):
	case gone && (!w.phase.commands || w.lowers):
		s.reopen(i) // it is back, and goes down as the others do
		s.press(i)
	case l.replaced && w.phase.commands:
		s.reopen(i)
		s.giveUp(i, VerdictGone, "its process died and another took its place")
	case n.count > 1 && w.proves():
		s.reopen(i)
		s.giveUp(i, VerdictRefused, fmt.Sprintf("%d living nodes bear this name", n.count))
	case !l.short:
		s.keepInPlace(i)
	}
}

// unfitSince gives up a node that was proven and is not fit to be armed any more, and reports whether it did.
func (s *State) unfitSince(i int) bool {
	n := &s.nodes[i]
	if !s.work.proves() || !s.work.arm.proven || n.leg.result.verdict != VerdictDone || !n.there() {
		return false
	}
	if why := s.unfit(i); why != "" {
		s.reopen(i)
		s.giveUp(i, VerdictLate, why)
		return true
	}
	if n.disarmedSince() {
		s.reopen(i)
		s.giveUp(i, VerdictUnknown, "has answered to an earlier disarm after it was armed")
		return true
	}
	return false
}

// keepInPlace makes sure of a node that is said to be in its place.
func (s *State) keepInPlace(i int) {
	n := &s.nodes[i]
	l := &n.leg
	switch {
	case n.firm && n.state == l.want:
		s.makeSure(i)
	case n.firm && n.state.Primary():
		s.astray(i)
	case l.sure: // on its way somewhere: its event or a read will say whither
		s.poll(i)
	case s.now.Steady >= n.at+confirmIn || n.state != l.want:
		if !l.deadline.set {
			l.deadline = s.waits(i)
		}
		if s.passed(l.deadline) && !s.mayHaveEnded(i) {
			s.reopen(i)
			s.giveUp(i, VerdictUnknown, "said yes, and answers no get_state since")
			return
		}
		s.poll(i)
	default:
		s.at(i, n.at+confirmIn)
	}
}

func (s *State) makeSure(i int) {
	l := &s.nodes[i].leg
	if l.sure {
		return
	}
	l.sure = true
	if s.work.legs.unsure--; s.work.legs.unsure == 0 && s.work.arm.proven {
		s.touchAll()
	}
}

// astray brings a node back that left its place after its step, once.
func (s *State) astray(i int) {
	n := &s.nodes[i]
	again := n.leg.redone
	s.reopen(i)
	switch {
	case s.work.proves():
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v: arming starts no node", n.state, n.leg.want))
		return
	case again:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v again, not %v", n.state, n.leg.want))
		return
	}
	n.leg.redone = true
	s.press(i)
}

// reopen takes back that a leg is done.
func (s *State) reopen(i int) {
	l := &s.nodes[i].leg
	s.makeSure(i)
	l.short, l.passed = false, false
	l.status, l.started = legWaiting, l.stepped // one that had nothing to do yet has not had its turn
	l.deadline = s.waits(i)
	s.work.legs.open++
}
