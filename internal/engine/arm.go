package engine

import (
	"cmp"
	"fmt"
	"strings"

	"rstate/internal/engine/arming"
)

// How nodes are asked to arm, and what they answer.

// ArmBelief is whether a node is armed, as far as is known.
type ArmBelief = arming.Belief

// The beliefs. A node that may be armed counts as armed wherever that is safer.
const (
	Disarmed   = arming.Disarmed
	MayBeArmed = arming.MayBeArmed
	IsArmed    = arming.IsArmed
)

// pressArm arms one node, after the nodes that it comes after.
func (s *State) pressArm(i int) {
	n := &s.nodes[i]
	l := &n.part
	waits, unfit := l.status == partWaiting, s.unfit(i)
	switch {
	case waits && s.work.fault.failing: // a failed work arms nothing
	case n.spec.Lifecycle && l.wants && n.state != l.want:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v", n.state, l.want))
	case unfit != "" && n.arm.Belief() != IsArmed:
		s.giveUp(i, VerdictRefused, unfit)
	case s.waitsForOthers(i):
	case waits && s.exposedBefore() != "":
		s.giveUp(i, VerdictRefused, "was not asked to arm: "+s.exposedBefore())
	case n.arm.Belief() == IsArmed:
		l.arm = false
		s.finish(i, partDone, VerdictDone, "armed")
	case waits:
		s.askToArm(i)
	case n.arm.Refused() != "":
		s.giveUp(i, VerdictRefused, "arm: "+n.arm.Refused())
	case s.passed(l.deadline):
		s.giveUp(i, VerdictLate, fmt.Sprintf("no answer to arm in %v", l.deadline.allow))
	}
}

// askToArm asks node i to arm as soon as nothing holds that back.
func (s *State) askToArm(i int) {
	n, w := &s.nodes[i], s.work
	l := &n.part
	switch {
	case s.staysUnconfirmed(i):
		s.giveUp(i, VerdictLate, "does not confirm that it has disarmed")
	case s.awaitsJournal() || s.doubtful() || s.awaitsDisarms(i) || s.unrenewable():
	case s.withoutJournal(w.arm.unsafe) != "":
		s.giveUp(i, VerdictSkipped, "was not asked to arm: "+s.withoutJournal(w.arm.unsafe))
	default:
		permit, why := s.grants.Permit(w.grant)
		if why = cmp.Or(why, s.unvouched(w), s.leftWhileArmed()); why != "" {
			s.giveUp(i, VerdictSkipped, "was not asked to arm: "+why)
			return
		}
		l.status, l.result.did, l.since, w.fault.asked = partWorking, "arm", s.now.Steady, true
		l.deadline = s.allowSteady(i, n.spec.Deadline.Arm)
		call := s.next()
		n.arm.ArmSent(call, s.now.Steady)
		n.permit = permit
		s.do(ArmNode{Node: i, Call: call, Permit: permit})
		s.recordSent(i, "arm")
	}
}

// leftWhileArmed says which nodes are gone and may have left something armed; empty: none. Nothing is armed beside
// them. A required node that goes fails the arming before, so they are optional.
func (s *State) leftWhileArmed() string {
	names := s.named(func(n *node) bool { return !n.there() && n.arm.Belief() != Disarmed })
	if len(names) == 0 {
		return ""
	}
	return "gone, and perhaps armed: " + strings.Join(names, ", ")
}

// doubtful reports whether a node may have left its proven state since; if so, the engine reads it
// again.
func (s *State) doubtful() bool {
	doubt := s.work.parts.unsure > 0
	for i := range s.nodes {
		if n := &s.nodes[i]; n.part.open() && n.part.wants && n.spec.Lifecycle && !n.firm {
			s.poll(i)
			doubt = true
		}
	}
	return doubt
}

// armAnswered takes the answer of a node to arm or disarm; package arming interprets it.
func (s *State) armAnswered(in ArmAnswered) {
	s.answered(in.Node, in.Call)
	s.responds(in.Node)
	n := &s.nodes[in.Node]
	outcome := n.arm.Answered(arming.Answer{
		Call: in.Call, Arm: in.Arm, Yes: in.Success, Granted: s.grants.Holds(n.permit), Words: in.Message, At: s.now.Steady, Several: n.count > 1, Latest: s.turn.number,
	})
	if outcome == arming.Stale {
		return
	}
	s.heardFrom(in.Node)
	switch outcome {
	case arming.Distrusted:
		s.disarm(in.Node)
	case arming.Repeated:
		s.sendDisarm(in.Node)
		s.awaitAnew(in.Node)
	case arming.Armed:
		s.proven(in.Node)
	}
	s.armChanged(in.Node)
}

// awaitAnew gives the disarm of node i, which decides now, its full time.
func (s *State) awaitAnew(i int) {
	n := &s.nodes[i]
	by := s.now.Steady + n.spec.Deadline.Disarm
	if s.work != nil && n.part.disarm {
		n.part.deadline = s.allowSteady(i, n.spec.Deadline.Disarm)
	}
	for k := range s.goals.pending {
		s.goals.pending[k].by = max(s.goals.pending[k].by, by)
	}
	s.wakeWhole(by)
}

// armChanged notes that the belief about node i's being armed has changed.
func (s *State) armChanged(i int) {
	s.report.changed = true
	s.touch(i)
	s.touchAround(i)
}

// A node may handle two requests at once, and so do a disarm after an arm that was sent later. Then
// it is disarmed although it has answered yes to the arm. So the engine arms nothing while a disarm
// is unanswered, unless that disarm is late. A node that answers yes to such a late disarm, after
// it said that it is armed, is not known to be armed any more.

// awaitsDisarms reports whether node i may still handle an earlier disarm. A disarm without an
// answer counts as lost when its deadline has passed.
func (s *State) awaitsDisarms(i int) bool {
	n := &s.nodes[i]
	sent, ok := n.arm.LastOpenDisarm()
	return ok && s.before(i, sent+n.spec.Deadline.Disarm)
}

// staysUnconfirmed reports whether node i, which is to be armed, does not confirm its repeated
// disarm. Each repetition has a wait of its own, so the wait as a whole needs a limit too.
func (s *State) staysUnconfirmed(i int) bool {
	n := &s.nodes[i]
	return n.arm.Duty() && !s.before(i, max(n.arm.Since(), s.work.since)+n.spec.Deadline.Disarm)
}

// disarmedSince reports whether node i may have been disarmed after it answered yes to our arm.
func (n *node) disarmedSince() bool { return n.arm.Ours() && n.arm.Belief() == MayBeArmed }
