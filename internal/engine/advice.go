package engine

import (
	"rstate/internal/checking"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// What a person can do about what stands against arming (A10). A reason that holds its advice itself has none here.

const (
	startAgain  = "start it again"
	reborn      = "start its process again: nothing else leaves finalized"
	afterAnswer = "wait for its answer, and start it again if none comes"
	afterStep   = "wait for the end of its step, and start it again if it hangs"
	keepAway    = "keep away until it confirms its disarm, and start its process again if it does not"
	readLog     = "see its log"
	endOthers   = "end all but one"
	journalDo   = "put that right first"
	waitForEnd  = "wait for its end"
	waitForThat = "wait for that"
	waitForRead = "wait for them, and start what is not there"
	guardLog    = "see the log of that guard"
	exposedDo   = "let the node offer that only while it is armed, or correct unsafe in the network file"
	seeLoad     = "send arm again, and if this stays see the load of this host"
	leftoverDo  = "keep away until rstate has disarmed them, and start those that are gone"
)

// advised is a reason with its advice, as Obstacle shows it.
func advised(why, do string) string { return Obstacle{Why: why, Do: do}.String() }

// advice is what to do where something is so; empty: the reason says it.
type advice struct {
	is bool
	do string
}

// first returns the first advice that applies.
func first(list []advice) (do string, ok bool) {
	for _, a := range list {
		if a.is {
			return a.do, true
		}
	}
	return "", false
}

// remedy says what to do about a node that is not as the settled state says. Its cases are those of deviation.
func (ro *roster) remedy(i int) string {
	n := &ro.nodes[i]
	here, _ := ro.machine.State(ro.settled)
	arms := ro.net.Arms(here, i)
	want, _ := ro.net.WantAt(here, i, n.state)
	if do, ok := first([]advice{
		{ro.exposed(i, here) != "", exposedDo},
		{!n.there(), n.absentDo()},
		{n.place.repairs.owed != "", "wait for the recovery for which on_loss asks"},
		{n.misled() != "" || n.several() != "", ""},
		{n.reading.probing.lostAfter > 0 || n.reading.monitor.unresponsive, startAgain},
		{!arms && n.owesDisarm(), keepAway},
		{here.Armed.Any(), "disarm first"},
		{n.state == lifecycle.Finalized, reborn},
		{n.state == lifecycle.Unknown || n.call != nil && n.state.Primary(), afterAnswer},
		{!n.state.Primary(), afterStep},
		{!n.firm && n.state == want, afterAnswer},
	}); ok {
		return do
	}
	return ro.bringBack(i)
}

// bringBack says how node i, which answers, gets back to the place that it has left.
func (ro *roster) bringBack(i int) string {
	here, _ := ro.machine.State(ro.settled)
	if j := ro.missing(i, here); j >= 0 {
		return "start the process of " + ro.names[j] + " again"
	}
	if j := ro.finalizedBefore(i); j >= 0 {
		return "start the process of " + ro.names[j] + " again, which is finalized"
	}
	if _, ok := ro.machine.Repairs(ro.settled); !ok {
		return "bring it back with ros2 lifecycle set"
	}
	send := "send " + ro.settled
	for j := range ro.nodes {
		if n := &ro.nodes[j]; j != i && n.place.deviant != "" && ro.matters(j) && n.unreachable() {
			return "put the other nodes right, then " + send
		}
	}
	return send
}

// unreachable reports whether a command that needs the node fails, whatever the node's state.
func (n *node) unreachable() bool {
	return !n.there() || n.count > 1 || n.misled() != "" || n.silent() || n.reading.monitor.unresponsive
}

// finalized reports whether the node's process has ended its life: only a new one leaves that.
func (n *node) finalized() bool { return n.there() && n.firm && n.state == lifecycle.Finalized }

// finalizedBefore returns a finalized node that node i comes after: a repair brings back neither (E5). Negative: there
// is none.
func (ro *roster) finalizedBefore(i int) int {
	seen := make([]bool, len(ro.nodes))
	for todo := []int{i}; len(todo) > 0; todo = todo[1:] {
		for _, j := range ro.sequence.After[todo[0]] {
			if ro.nodes[j].finalized() {
				return j
			}
			if !seen[j] {
				seen[j] = true
				todo = append(todo, j)
			}
		}
	}
	return -1
}

// absentDo says what to do about a node that is absent.
func (n *node) absentDo() string {
	switch {
	case n.abandoned():
		return "keep away, and start its process again"
	case n.absence.lost == whyEnded:
		return "start its process again"
	case n.absence.lost != "":
		return "start its process again, or restore the connection to it"
	case len(n.absence.alike) > 0:
		return "start it, or correct its name in the network file"
	}
	return "start it"
}

// armRemedy says what to do about node i, for which an arming fails with a verdict. The state in which the network
// will be then is not known yet.
func (co *course) armRemedy(i int, v Verdict) string {
	n := &co.nodes[i]
	l := &n.part
	if do, ok := first([]advice{
		{!n.there(), n.absentDo()},
		{l.replaced, "see why its process ended, and send arm again"},
		{n.misled() != "", ""},
		{n.count > 1, endOthers},
		{n.state == lifecycle.Finalized, reborn},
		{l.arm && v == VerdictLate && l.result.did == "arm",
			"see whether it hangs, or give it more time: deadline.arm in the network file"},
		{v == VerdictLate && n.owesDisarm() && l.arm, keepAway},
		{l.arm && n.arm.Refused() != "", readLog},
		{v == VerdictUnknown && n.disarmedSince(), "send arm again"},
		{v == VerdictUnknown || n.silent() || n.reading.monitor.unresponsive, "start it again if it hangs"},
		{n.spec.Lifecycle && !n.state.Primary(), afterStep},
		{co.stale(i) != "", "see whether it hangs or answers slowly"},
	}); ok {
		return do
	}
	if do := co.failingDo(i); v != VerdictErrored && do != "" {
		return do
	}
	return readLog
}

// failingDo says what to do about the first check of node i that does not pass; empty: all pass.
func (ro *roster) failingDo(i int) string {
	if !ro.checkable(i) {
		return ""
	}
	for k := range ro.nodes[i].checks {
		spec := ro.nodes[i].checks[k].spec
		if v := ro.judgeCheck(i, k); spec.Stays() && v.Known && v.Fault != "" {
			return checking.Advice(spec, ro.nodes[i].spec.Name)
		}
	}
	return ""
}

// armWords is the reason with which a command is rejected, and if it arms what to do, as readiness shows them.
func (f *facts) armWords(t machine.Transition, why, do string) string {
	if to, _ := f.machine.State(t.To); !to.Armed.Any() {
		return why
	}
	return advised(why, do)
}
