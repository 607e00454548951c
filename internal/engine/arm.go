package engine

import (
	"cmp"
	"fmt"
	"strings"

	"rstate/internal/engine/arming"
	"rstate/internal/engine/grant"
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
func (co *course) pressArm(i int) {
	n := &co.nodes[i]
	l := &n.part
	unfit := co.unfit(i)
	switch {
	case l.status == partWaiting:
		co.pressUnasked(i)
	case n.leftForArm():
		co.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v", n.state, l.want))
	case unfit != "" && n.arm.Belief() != IsArmed:
		co.giveUp(i, VerdictRefused, unfit)
	case co.waitsForOthers(i):
	case n.arm.Belief() == IsArmed:
		co.endArm(i)
	case n.arm.Refused() != "":
		co.giveUp(i, VerdictRefused, "arm: "+n.arm.Refused())
	case co.passed(l.deadline):
		co.giveUp(i, VerdictLate, fmt.Sprintf("no answer to arm in %v", l.deadline.allow))
	}
}

// pressUnasked goes on with a node that has not been asked to arm yet.
func (co *course) pressUnasked(i int) {
	n := &co.nodes[i]
	wrong, unfit := n.misserved(), co.unfit(i)
	switch {
	case co.work.fault.failing: // a failed work arms nothing
	case n.leftForArm():
		co.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v", n.state, n.part.want))
	case co.awaitsServer(i):
	case wrong.Why != "":
		co.giveUpWith(i, VerdictRefused, "was not asked to arm: "+wrong.Why, wrong.Do)
	case unfit != "" && n.arm.Belief() != IsArmed:
		co.giveUp(i, VerdictRefused, unfit)
	case co.waitsForOthers(i):
	case co.exposedBefore() != "":
		co.giveUpWith(i, VerdictRefused, "was not asked to arm: "+co.exposedBefore(), exposedDo)
	case n.arm.Belief() == IsArmed:
		co.endArm(i)
	default:
		co.askToArm(i)
	}
}

// leftForArm reports whether a node is not in the state any more from which it is armed.
func (n *node) leftForArm() bool {
	return n.spec.Lifecycle && n.part.wants && n.state != n.part.want
}

// endArm ends the part of a node that is armed.
func (co *course) endArm(i int) {
	co.nodes[i].part.arm = false
	co.finish(i, partDone, VerdictDone, "armed")
}

// askToArm asks node i to arm as soon as nothing holds that back.
func (co *course) askToArm(i int) {
	n, w := &co.nodes[i], co.work
	l := &n.part
	switch {
	case co.staysUnconfirmed(i):
		co.giveUp(i, VerdictLate, "does not confirm that it has disarmed")
	case co.awaitsJournal():
	case co.doubtful():
		co.readDoubtful()
	case co.awaitsDisarms(i) || co.unrenewable():
	case co.withoutJournal(w.arm.unsafe) != "":
		co.giveUpWith(i, VerdictSkipped, "was not asked to arm: "+co.withoutJournal(w.arm.unsafe), journalDo)
	default:
		if waits, missed := co.awaitsGuards(i); waits {
			return
		} else if missed {
			co.giveUpWith(i, VerdictSkipped, "was not asked to arm: no guard has heard the arm lease", guardLog)
			return
		}
		permit, forbids := co.permit()
		if forbids.Why != "" {
			co.giveUpWith(i, VerdictSkipped, "was not asked to arm: "+forbids.Why, forbids.Do)
			return
		}
		l.status, l.result.did, l.since, w.fault.asked = partWorking, "arm", co.now.Steady, true
		l.deadline = co.allowSteady(i, n.spec.Deadline.Arm)
		call := co.next()
		n.arm.ArmSent(call, co.now.Steady)
		n.permit, co.changed = permit, true
		co.do(ArmNode{Node: i, Call: call, Permit: permit})
		co.recordSent(i, "arm")
	}
}

// permit yields the permission for one request to arm, or what forbids it.
func (co *course) permit() (grant.Permit, Obstacle) {
	permit, why := co.grants.Permit(co.work.grant)
	if why = cmp.Or(why, co.peers.unvouched(&co.agenda, co.work)); why != "" {
		return permit, Obstacle{Why: why, Do: "send arm again"}
	}
	return permit, Obstacle{Why: co.goneWhileArmed(), Do: "keep away, and start them again"}
}

// goneWhileArmed says which nodes are gone and may have left something armed; empty: none. Nothing is armed beside
// them. A required node that goes fails the arming before, so they are optional.
func (ro *roster) goneWhileArmed() string {
	names := ro.named(func(n *node) bool { return !n.served() && n.arm.Belief() != Disarmed })
	if len(names) == 0 {
		return ""
	}
	return "gone, and perhaps armed: " + strings.Join(names, ", ")
}

// doubtful reports whether a node may be in another state by now than the one that was proven.
func (co *course) doubtful() bool {
	for i := range co.nodes {
		if co.nodes[i].awaitsRead() {
			return true
		}
	}
	return co.work.parts.unsure > 0
}

// awaitsRead reports whether the state of a node has to be read again before the node is armed.
func (n *node) awaitsRead() bool { return n.part.open() && n.part.wants && n.spec.Lifecycle && !n.firm }

// readDoubtful reads the nodes again whose state is in doubt.
func (co *course) readDoubtful() {
	for i := range co.nodes {
		if co.nodes[i].awaitsRead() {
			co.poll(i)
		}
	}
}

// armAnswered takes the answer of a node to arm or disarm; package arming interprets it.
func (s *State) armAnswered(in ArmAnswered) {
	n := &s.nodes[in.Node]
	if !n.foreign() {
		s.answered(in.Node, in.Call)
		s.noteResponse(in.Node)
	}
	outcome := n.arm.Answered(arming.Answer{
		Call: in.Call, Arm: in.Arm, Yes: in.Success, Granted: s.grants.Holds(n.permit), Words: in.Message,
		At: s.now.Steady, Several: n.unclear(), Latest: s.number,
	})
	if outcome == arming.Stale {
		return
	}
	if !n.foreign() {
		s.heardFrom(in.Node)
	}
	switch outcome {
	case arming.Distrusted:
		s.disarm(in.Node)
	case arming.Repeated:
		s.sendDisarm(in.Node)
		s.awaitAnew(in.Node)
	case arming.Armed:
		s.noteProof(in.Node)
	}
	s.armChanged(in.Node)
}

// awaitAnew gives the disarm of node i, which decides now, its full time.
func (cl *clients) awaitAnew(i int) {
	n := &cl.nodes[i]
	by := cl.now.Steady + n.spec.Deadline.Disarm
	if cl.work != nil && n.part.disarm {
		n.part.deadline = cl.allowSteady(i, n.spec.Deadline.Disarm)
	}
	for k := range cl.goals.pending {
		cl.goals.pending[k].by = max(cl.goals.pending[k].by, by)
	}
	cl.wakeWhole(by)
}

// armChanged notes that the belief about node i's being armed has changed.
func (co *course) armChanged(i int) {
	if n := &co.nodes[i]; n.arm.Belief() == Disarmed {
		n.serving.strange = len(n.serving.others) > 0
	}
	co.changed = true
	co.touch(i)
	co.touchAround(i)
}

// A node may handle two requests at once, and so do a disarm after an arm that was sent later. Then
// it is disarmed although it has answered yes to the arm. So the engine arms nothing while a disarm
// is unanswered, unless that disarm is late. A node that answers yes to such a late disarm, after
// it said that it is armed, is not known to be armed any more.

// awaitsDisarms reports whether node i may still handle an earlier disarm. A disarm without an
// answer counts as lost when its deadline has passed.
func (ro *roster) awaitsDisarms(i int) bool {
	n := &ro.nodes[i]
	sent, ok := n.arm.LastOpenDisarm()
	return ok && ro.waitUntil(i, sent+n.spec.Deadline.Disarm)
}

// staysUnconfirmed reports whether node i, which is to be armed, does not confirm its repeated
// disarm. Each repetition has a wait of its own, so the wait as a whole needs a limit too.
func (co *course) staysUnconfirmed(i int) bool {
	n := &co.nodes[i]
	return n.arm.Duty() && !co.waitUntil(i, max(n.arm.Since(), co.work.since)+n.spec.Deadline.Disarm)
}

// disarmedSince reports whether node i may have been disarmed after it answered yes to our arm.
func (n *node) disarmedSince() bool { return n.arm.Ours() && n.arm.Belief() == MayBeArmed }
