package engine

import (
	"fmt"
	"strings"

	"rstate/internal/engine/arming"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// isDisarm reports whether a command leads out of an armed state.
func (s *State) isDisarm(command string) bool {
	for _, st := range s.machine.States {
		if t, ok := s.machine.Disarm(st.Name); st.Armed.Any() && ok && t.Name == command {
			return true
		}
	}
	return false
}

// disarm begins to disarm node i and repeats that until the node confirms.
func (s *State) disarm(i int) {
	n := &s.nodes[i]
	if n.spec.Arm == nil {
		return
	}
	if n.arm.Demand(s.now.Steady) && n.reachable() {
		s.recordSent(i, "disarm")
	}
	s.sendDisarm(i)
}

func (s *State) sendDisarm(i int) {
	n := &s.nodes[i]
	if !n.reachable() {
		return
	}
	call := s.next()
	n.arm.DisarmSent(call, s.now.Steady)
	s.do(ArmNode{Node: i, Call: call, Arm: false})
	s.at(i, s.now.Steady+disarmEvery)
}

// armDuty disarms a node that may have been armed when it appeared, and repeats the disarm of a
// node that has not confirmed. A process that is not configured has armed nothing. What its
// predecessor has energised counts as armed until the new process says otherwise.
func (s *State) armDuty(i int) {
	n := &s.nodes[i]
	a := &n.arm
	switch {
	case s.outlived(i):
		a.Vanish()
		s.armChanged(i)
	case a.Belief() == Disarmed || !n.there():
	case n.cannotBeArmed():
		a.Confirm()
		s.armChanged(i)
	case a.Unknown() && (n.readable() || !n.spec.Lifecycle || n.count > 1) && s.mayWrite():
		if a.Meet() {
			s.disarm(i)
		}
	}
	if a.Due(s.now.Steady) {
		s.sendDisarm(i)
	}
}

// cannotBeArmed reports whether the state of a node rules out that it is armed.
func (n *node) cannotBeArmed() bool {
	if !n.spec.Lifecycle || !n.readable() {
		return false
	}
	return n.state == lifecycle.Finalized || n.state == lifecycle.Unconfigured && n.arm.Unknown() && !n.arm.Left()
}

// armChanged notes that the belief about node i's being armed has changed.
func (s *State) armChanged(i int) {
	s.report.changed = true
	s.touch(i)
	s.touchAround(i)
}

// armAnswered takes the answer of a node to arm or disarm; package arming interprets it.
func (s *State) armAnswered(in ArmAnswered) {
	s.answered(in.Node, in.Call)
	s.responds(in.Node)
	n := &s.nodes[in.Node]
	outcome := n.arm.Answered(arming.Answer{
		Call: in.Call, Arm: in.Arm, Yes: in.Success, Words: in.Message, At: s.now.Steady, Several: n.count > 1, Latest: s.turn.number,
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
	case arming.Armed:
		s.proven(in.Node)
	}
	s.armChanged(in.Node)
}

// awaitDisarm holds a part until its node is disarmed, has refused, or is late, and reports whether
// it holds.
func (s *State) awaitDisarm(i int) bool {
	n := &s.nodes[i]
	l := &n.part
	var late bool
	switch {
	case n.arm.Belief() == Disarmed && s.withdraws(i, s.work.phase) && !s.passed(l.deadline):
		return true
	case n.arm.Belief() == Disarmed && s.withdraws(i, s.work.phase):
		l.result.evidence = fmt.Sprintf("still advertises %s after %v", strings.Join(n.unsafe, ", "), l.deadline.allow)
		late = true
	case n.arm.Belief() == Disarmed:
		l.result.did = "disarm"
	case n.arm.Refused() != "":
		l.result.evidence = "disarm: " + n.arm.Refused()
	case s.passed(l.deadline):
		l.result.evidence = fmt.Sprintf("no answer to disarm in %v", l.deadline.allow)
		late = true
	default:
		return true
	}
	if n.arm.Belief() != Disarmed || late {
		v := VerdictRefused
		if late {
			v = VerdictLate
		}
		s.blameDisarm(i, v, l.result.evidence, true)
	}
	s.disarmOver(i)
	return false
}

// disarmOver releases the nodes that waited for the disarm of node i.
func (s *State) disarmOver(i int) {
	s.nodes[i].part.disarm = false
	if s.work.parts.disarming--; s.work.parts.disarming == 0 {
		s.touchAll()
	}
}

// mayBeArmed names the nodes that are not known to be disarmed.
func (s *State) mayBeArmed() []string {
	return s.named(func(n *node) bool { return n.arm.Belief() != Disarmed })
}

// unconfirmed says which nodes may be armed although the network's state does not arm; empty: none.
func (s *State) unconfirmed() string {
	var parts []string
	asked, gone := s.perhapsArmed()
	if len(asked) > 0 {
		parts = append(parts, "but not confirmed to be disarmed, and asked again every second: "+strings.Join(asked, ", "))
	}
	if len(gone) > 0 {
		parts = append(parts, "but "+strings.Join(gone, ", ")+" "+whyAbandoned)
	}
	return strings.Join(parts, ", ")
}

// refusesToArm says why a state cannot be left for armed, before any request; empty: it can.
func (s *State) refusesToArm(from string, to machine.State) string {
	if why := s.absentToArm(to); from == s.settled && why != "" {
		return why
	}
	if names := s.strayArms(from); len(names) > 0 {
		return "not known to be disarmed: " + strings.Join(names, ", ")
	}
	if why := s.leftRefuses(); why != "" {
		return why
	}
	return s.withoutJournal(s.disk.journal)
}

// strayArms names the nodes that are not armed or disarmed as the state says from which the network
// is to be armed. For a state that the network has not reached yet it returns none; it is called
// again there.
func (s *State) strayArms(from string) []string {
	if from != s.settled {
		return nil
	}
	here, _ := s.machine.State(from)
	var names []string
	for i := range s.nodes {
		b := s.nodes[i].arm.Belief()
		if b == MayBeArmed || b == IsArmed && !s.net.Arms(here, i) {
			names = append(names, s.nodes[i].spec.Name)
		}
	}
	return names
}

// absentToArm says why arming would arm nothing: every node that it would arm is absent, and no
// living peer could arm its own. Empty: there is a node to arm.
func (s *State) absentToArm(to machine.State) string {
	var names []string
	for _, i := range s.fixed.armable {
		switch {
		case !s.net.Arms(to, i):
		case s.nodes[i].there():
			return ""
		default:
			names = append(names, s.nodes[i].spec.Name)
		}
	}
	if len(names) == 0 || len(s.peers.book.Living()) > 0 {
		return ""
	}
	return "nothing can be armed: " + strings.Join(names, ", ") + " is not there"
}

// unauthorized says why a goal may not arm; empty: it may, or it does not arm.
func (s *State) unauthorized(in GoalAsked, t machine.Transition) string {
	if to, _ := s.machine.State(t.To); s.net.Arming.SecretFile == "" || in.Authorized || !to.Armed.Any() {
		return ""
	}
	return "arming asks for authority: the goal has to bring the content of the file that arming.secret_file names, as its `authority`"
}

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
		l.status, l.result.did, l.since, w.fault.asked = partWorking, "arm", s.now.Steady, true
		l.deadline = s.allowSteady(i, n.spec.Deadline.Arm)
		call := s.next()
		n.arm.ArmSent(call, s.now.Steady)
		s.do(ArmNode{Node: i, Call: call, Arm: true})
		s.recordSent(i, "arm")
	}
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

// withdraws reports whether the unsafe names of node i must disappear before the running disarm
// ends.
func (s *State) withdraws(i int, p *phase) bool {
	from, _ := s.machine.State(s.work.origin)
	return len(s.nodes[i].unsafe) > 0 && p.commands && s.isDisarm(s.work.command) && from.Armed.Any()
}
