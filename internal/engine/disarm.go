package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/lifecycle"
)

// How one node is disarmed.

// Times of disarming.
const (
	disarmEvery = arming.Every // between two disarms of a node that does not confirm
	disarmHold  = time.Second  // longest time that a late disarm holds what comes after it
)

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
	s.do(ArmNode{Node: i, Call: call})
	s.at(i, s.now.Steady+disarmEvery)
}

// disarmAgain repeats the disarm of a node that has not confirmed.
func (s *State) disarmAgain(i int) {
	when, ok := s.nodes[i].arm.Next()
	switch {
	case !ok:
	case s.nodes[i].roused():
		s.nodes[i].arm.Rouse(s.now.Steady)
		s.sendDisarm(i)
	case !s.before(i, when):
		s.sendDisarm(i)
	}
}

// roused reports whether a process that may have been unable to confirm is configured by now.
func (n *node) roused() bool {
	return n.arm.Wary() && n.arm.Roused() == 0 && n.readable() && n.state != lifecycle.Unconfigured
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
	case s.cannotBeArmed(i):
		a.Confirm()
		s.armChanged(i)
	case !a.Unknown() || !s.mayWrite():
	case n.readable() || !n.spec.Lifecycle || n.count > 1:
		if a.Meet(n.state == lifecycle.Active || !n.readable()) {
			if n.roused() {
				a.Rouse(s.now.Steady)
			}
			s.disarm(i)
		}
	default:
		s.disarmUnread(i)
	}
	s.disarmAgain(i)
}

// disarmUnread reads a process that may have been armed when it appeared. If it gives no answer for a second,
// it may be suspended, and is asked to disarm unread, so that it does that first when it goes on.
func (s *State) disarmUnread(i int) {
	n := &s.nodes[i]
	s.poll(i)
	when := max(n.reading.several, n.arm.Sent()) + disarmEvery
	if !s.before(i, when) {
		s.sendDisarm(i)
	}
}

// cannotBeArmed reports whether the state of a node rules out that it is armed.
func (s *State) cannotBeArmed(i int) bool {
	n := &s.nodes[i]
	if !n.spec.Lifecycle || !n.readable() {
		return false
	}
	asked := n.arm.Left() || n.arm.Wary() || n.arm.Pending() || s.now.Steady < n.arm.GoneBy()
	return n.state == lifecycle.Finalized || n.state == lifecycle.Unconfigured && n.arm.Unknown() && !asked
}

// owesDisarm reports whether the engine waits for a node to confirm its disarm. It does not wait
// for an abandoned node, nor for a new process that is not configured yet: the engine asks that
// process, which may be unable to answer before it is configured.
func (n *node) owesDisarm() bool {
	return n.arm.Belief() != Disarmed && !n.abandoned() && !n.mayBeMute()
}

// mayBeMute reports whether the process may be unable to confirm its disarm: it is not configured, and
// this run has not asked it to arm.
func (n *node) mayBeMute() bool {
	a := &n.arm
	return n.state == lifecycle.Unconfigured && !a.Ours() && (a.Left() || a.Wary() || a.Successor())
}

// settling reports whether node i has confirmed its disarm, and is to prove it once more because a
// request to arm has no answer. The wait has an end if the node answers no more.
func (s *State) settling(i int) bool {
	n := &s.nodes[i]
	return n.there() && n.arm.Settling() && s.before(i, n.arm.SettledAt()+n.spec.Deadline.Disarm)
}

// anySettles reports whether a node is settling, or has just become able to confirm its disarm.
func (s *State) anySettles() bool {
	for _, i := range s.fixed.armable {
		a := &s.nodes[i].arm
		roused := a.Roused() > 0 && a.Duty() && s.before(i, a.Roused()+s.nodes[i].spec.Deadline.Disarm)
		if roused || s.settling(i) {
			return true
		}
	}
	return false
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
	case n.arm.Belief() == Disarmed, s.settling(i) && l.wants && l.want.Level() < n.state.Level():
		l.result.did = "disarm"
		s.disarmOver(i)
		return false
	case s.settling(i):
		return true
	case n.arm.Refused() != "":
		l.result.evidence = "disarm: " + n.arm.Refused()
	case s.passed(l.deadline):
		l.result.evidence = fmt.Sprintf("no answer to disarm in %v", l.deadline.allow)
		late = true
	default:
		return true
	}
	v := VerdictRefused
	if late {
		v = VerdictLate
	}
	s.blameDisarm(i, v, l.result.evidence, true)
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

// blameDisarm notes in the running work that node i is not known to be disarmed; again says whether
// it may be noted twice.
func (s *State) blameDisarm(i int, v Verdict, evidence string, again bool) {
	n := &s.nodes[i]
	r := NodeResult{Node: n.spec.Name, Step: "disarm", Verdict: v, Evidence: evidence, From: s.work.foundIn(i), State: n.state}
	if again || !slices.Contains(s.work.fault.blame, r) {
		s.work.fault.blame = append(s.work.fault.blame, r)
		s.recordResult(i, r)
	}
}

// mayBeArmed names the nodes that are not known to be disarmed.
func (s *State) mayBeArmed() []string {
	return s.named(func(n *node) bool { return n.arm.Belief() != Disarmed })
}

// perhapsArmed names the nodes that are not known to be disarmed: those that can be asked or will
// be known in time, and those that are abandoned.
func (s *State) perhapsArmed() (asked, gone []string) {
	for i := range s.nodes {
		switch n := &s.nodes[i]; {
		case n.arm.Belief() == Disarmed:
		case n.abandoned():
			gone = append(gone, n.spec.Name)
		default:
			asked = append(asked, n.spec.Name)
		}
	}
	return asked, gone
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

// The lowering of a node that does not confirm its disarm.

// confirmGrace is how long a confirmation may follow the answer to a read that was sent later.
const confirmGrace = 100 * time.Millisecond

// takeDown lowers a node that does not confirm its disarm: the engine deactivates it, and then
// shuts it down. Its disarm is repeated meanwhile. A process is not lowered for what its predecessor was
// asked, nor because there is no journal that says what it was asked itself.
func (s *State) takeDown(i int) {
	n := &s.nodes[i]
	a := &n.arm
	if !s.mayTakeDown(n) {
		return
	}
	t, due := lifecycle.Deactivate, a.Since()+n.spec.Deadline.Disarm
	if n.state == lifecycle.Unconfigured || n.state == lifecycle.Inactive {
		t, due = lifecycle.Shutdown(n.state), max(due, a.Lowered()+n.spec.Deadline.Disarm)
	}
	switch {
	case n.mayBeMute() && a.Lowered() == 0:
	case s.settling(i):
	case s.before(i, due):
	case n.call != nil || n.state == lifecycle.Finalized:
	case n.state.Primary() && n.proof < a.Sent():
		s.read(i) // at once: a read from just before the next disarm would prove nothing
	case !s.fresh(i) || !n.state.Primary():
		s.poll(i)
	case s.before(i, n.at+confirmGrace):
	default:
		a.Lower(s.now.Steady)
		s.send(i, t)
	}
}

// mayTakeDown reports whether the engine may lower a node to disarm it.
func (s *State) mayTakeDown(n *node) bool {
	here, _ := s.machine.State(s.settled)
	owes := n.arm.Duty() && n.arm.Belief() != Disarmed && !n.arm.Successor() && !n.arm.Wary()
	return owes && n.spec.Lifecycle && n.count == 1 && !here.Armed.Any() && !here.Final && s.closing.stop == nil
}
