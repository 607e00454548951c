package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/lifecycle"
	"rstate/internal/patient"
)

// How one node is disarmed.

// Times of disarming.
const (
	disarmEvery = arming.Every                 // between two disarms of a node that does not confirm
	disarmHold  = time.Second * patient.Factor // longest time that a late disarm holds what comes after it
)

// disarm begins to disarm node i and repeats that until the node confirms.
func (ro *roster) disarm(i int) {
	n := &ro.nodes[i]
	if n.spec.Arm == nil {
		return
	}
	first := n.arm.Demand(ro.now.Steady)
	if first && n.askable() {
		ro.recordSent(i, "disarm")
	}
	ro.sendDisarm(i)
}

func (ro *roster) sendDisarm(i int) {
	n := &ro.nodes[i]
	if !n.askable() {
		return
	}
	call := ro.next()
	n.arm.DisarmSent(call, ro.now.Steady)
	ro.changed = true
	ro.do(ArmNode{Node: i, Call: call})
	ro.at(i, ro.now.Steady+disarmEvery)
}

// disarmAgain repeats the disarm of a node that has not confirmed.
func (ro *roster) disarmAgain(i int) {
	when, ok := ro.nodes[i].arm.Next()
	switch {
	case !ok:
	case ro.nodes[i].roused():
		ro.nodes[i].arm.Rouse(ro.now.Steady)
		ro.sendDisarm(i)
	case !ro.waitUntil(i, when):
		ro.sendDisarm(i)
	}
}

// roused reports whether a process that may have been unable to confirm is configured by now.
func (n *node) roused() bool {
	return n.arm.Wary() && n.arm.Roused() == 0 && n.readable() && n.state != lifecycle.Unconfigured
}

// armDuty disarms a node that may have been armed when it appeared, and repeats the disarm of a
// node that has not confirmed. A process that is not configured has armed nothing. What its
// predecessor has energised counts as armed until the new process says otherwise.
func (co *course) armDuty(i int) {
	n := &co.nodes[i]
	a := &n.arm
	switch {
	case co.outlived(i):
		a.Vanish()
		co.armChanged(i)
	case a.Belief() == Disarmed || !n.served():
	case co.cannotBeArmed(i):
		a.Confirm()
		co.armChanged(i)
	case !a.Unknown() || !co.mayWrite():
	case n.foreign() || n.readable() || !n.spec.Lifecycle || n.count > 1:
		if owed := a.Meet(n.foreign() || n.state == lifecycle.Active || !n.readable()); owed {
			if n.roused() {
				a.Rouse(co.now.Steady)
			}
			co.disarm(i)
		}
	default:
		co.disarmUnread(i)
	}
	co.disarmAgain(i)
}

// disarmUnread reads a process that may have been armed when it appeared. If it gives no answer for a second,
// it may be suspended, and is asked to disarm unread, so that it does that first when it goes on.
func (co *course) disarmUnread(i int) {
	n := &co.nodes[i]
	co.poll(i)
	when := max(n.reading.several, n.arm.Sent()) + disarmEvery
	if !co.waitUntil(i, when) {
		co.sendDisarm(i)
	}
}

// cannotBeArmed reports whether the state of a node rules out that it is armed.
func (ro *roster) cannotBeArmed(i int) bool {
	n := &ro.nodes[i]
	if !n.spec.Lifecycle || !n.readable() || !n.servesItself() {
		return false
	}
	asked := n.arm.Abandoned() || n.arm.Wary() || n.arm.Pending() || ro.now.Steady < n.arm.GoneBy()
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
	return n.servesItself() && n.state == lifecycle.Unconfigured && !a.Ours() && (a.Abandoned() || a.Wary() || a.Successor())
}

// settling reports whether node i has confirmed its disarm, and is to prove it once more because a
// request to arm has no answer. The wait has an end if the node answers no more.
func (ro *roster) settling(i int) bool {
	n := &ro.nodes[i]
	return n.served() && n.arm.Settling() && ro.waitUntil(i, n.arm.SettledAt()+n.spec.Deadline.Disarm)
}

// anySettles reports whether a node is settling, or has just become able to confirm its disarm.
func (ro *roster) anySettles() bool {
	for _, i := range ro.armable {
		a := &ro.nodes[i].arm
		roused := a.Roused() > 0 && a.Duty() && ro.waitUntil(i, a.Roused()+ro.nodes[i].spec.Deadline.Disarm)
		if roused || ro.settling(i) {
			return true
		}
	}
	return false
}

// awaitDisarm holds a part until its node is disarmed, has refused, or is late, and reports whether
// it holds.
func (co *course) awaitDisarm(i int) bool {
	n := &co.nodes[i]
	l := &n.part
	var late bool
	switch {
	case !l.disarm:
		return false
	case !n.served():
		return co.awaitLease(i)
	case n.arm.Belief() == Disarmed && co.withdraws(i, co.work.phase) && !co.passed(l.deadline):
		return true
	case n.arm.Belief() == Disarmed && co.withdraws(i, co.work.phase):
		l.result.evidence = fmt.Sprintf("still advertises %s after %v", strings.Join(n.unsafe, ", "), l.deadline.allow)
		late = true
	case n.arm.Belief() == Disarmed, co.settling(i) && l.wants && l.want.Level() < n.state.Level():
		l.result.did = "disarm"
		co.disarmOver(i)
		return false
	case co.settling(i):
		return true
	case n.arm.Refused() != "":
		l.result.evidence = "disarm: " + n.arm.Refused()
	case co.passed(l.deadline):
		l.result.evidence = fmt.Sprintf("no answer to disarm in %v", l.deadline.allow)
		late = true
	default:
		return true
	}
	v := VerdictRefused
	if late {
		v = VerdictLate
	}
	co.blameDisarm(i, v, l.result.evidence, true)
	co.disarmOver(i)
	return false
}

// disarmOver releases the nodes that waited for the disarm of node i.
func (co *course) disarmOver(i int) {
	co.nodes[i].part.disarm = false
	if co.work.parts.disarming--; co.work.parts.disarming == 0 {
		co.touchAll()
	}
}

// blameDisarm notes in the running work that node i is not known to be disarmed; again says whether
// it may be noted twice.
func (co *course) blameDisarm(i int, v Verdict, evidence string, again bool) {
	n := &co.nodes[i]
	r := NodeResult{Node: n.spec.Name, Step: "disarm", Verdict: v, Evidence: evidence, From: co.work.foundIn(i),
		State: n.state}
	if again || !slices.Contains(co.work.fault.blame, r) {
		co.work.fault.blame = append(co.work.fault.blame, r)
		co.recordResult(i, r)
	}
}

// mayBeArmed names the nodes that are not known to be disarmed.
func (ro *roster) mayBeArmed() []string {
	return ro.named(func(n *node) bool { return n.arm.Belief() != Disarmed })
}

// perhapsArmed names the nodes that are not known to be disarmed: those that can be asked or will
// be known in time, and those that are abandoned.
func (ro *roster) perhapsArmed() (asked, gone []string) {
	for i := range ro.nodes {
		switch n := &ro.nodes[i]; {
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
func (ro *roster) unconfirmed() string {
	var parts []string
	asked, gone := ro.perhapsArmed()
	if len(asked) > 0 {
		parts = append(parts, "but not confirmed to be disarmed, and asked again every second: "+
			strings.Join(asked, ", "))
	}
	if len(gone) > 0 {
		parts = append(parts, "but "+strings.Join(gone, ", ")+" "+whyGone)
	}
	return strings.Join(parts, ", ")
}

// The lowering of a node that does not confirm its disarm.

// confirmGrace is how long a confirmation may follow the answer to a read that was sent later.
const confirmGrace = 100 * time.Millisecond

// takeDown lowers a node that does not confirm its disarm: the engine deactivates it, and then
// shuts it down. Its disarm is repeated meanwhile. A process is not lowered for what its predecessor was
// asked, nor because there is no journal that says what it was asked itself. Nor is a node whose arm another process
// serves, or may have served: its state would prove nothing.
func (co *course) takeDown(i int) {
	n := &co.nodes[i]
	a := &n.arm
	if !co.mayTakeDown(n) {
		return
	}
	t, due := lifecycle.Deactivate, a.Since()+n.spec.Deadline.Disarm
	if n.state == lifecycle.Unconfigured || n.state == lifecycle.Inactive {
		t, due = lifecycle.Shutdown(n.state), max(due, a.Lowered()+n.spec.Deadline.Disarm)
	}
	switch {
	case n.mayBeMute() && a.Lowered() == 0:
	case co.settling(i):
	case co.waitUntil(i, due):
	case n.call != nil || n.state == lifecycle.Finalized:
	case n.state.Primary() && n.provenAt < a.Sent():
		co.read(i) // at once: a read from just before the next disarm would prove nothing
	case !co.fresh(i) || !n.state.Primary():
		co.poll(i)
	case co.waitUntil(i, n.at+confirmGrace):
	default:
		a.Lower(co.now.Steady)
		co.send(i, t)
	}
}

// mayTakeDown reports whether the engine may lower a node to disarm it.
func (st *standing) mayTakeDown(n *node) bool {
	here, _ := st.machine.State(st.settled)
	owes := n.arm.Duty() && n.arm.Belief() != Disarmed && !n.arm.Successor() && !n.arm.Wary()
	return owes && n.servesItself() && n.spec.Lifecycle && n.count == 1 && !here.Armed.Any() && !here.Final && st.closing.stop == nil
}
