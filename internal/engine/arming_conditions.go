package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/engine/grant"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// What has to hold before a node is armed.

// armament is the conditions before the first node is asked to arm.
type armament struct {
	proven  bool          // every node was read anew and is in its target, and every check passes
	judged  bool          // checks were judged
	checkBy time.Duration // until then checks are awaited
	peersBy time.Duration // until then required peers are awaited
	ticket  uint64        // of the awaited sync of the journal; 0: none
	unsafe  string        // why the journal is not safe on the disk
}

// unauthorized says why a goal may not arm; empty: it may, or it does not arm.
func (f *facts) unauthorized(in GoalAsked, t machine.Transition) string {
	if to, _ := f.machine.State(t.To); f.net.Arming.SecretFile == "" || in.Authorized || !to.Armed.Any() {
		return ""
	}
	return "arming asks for authority: the goal has to bring the content of the file that arming.secret_file names, as its `authority`"
}

// outdated says why a goal must not arm for what its client knew of the network; empty: it may, or it does not arm.
// Readiness does not tell it: it is about a request.
func (co *course) outdated(in GoalAsked, t machine.Transition) string {
	to, _ := co.machine.State(t.To)
	if !to.Armed.Any() || in.Seen == "" && co.net.Arming.Unseen == network.UnseenAllow {
		return ""
	}
	why := co.grants.Outdated(co.opt.Instance, grant.Basis{Seen: in.Seen, Sent: in.Sent, Here: in.Here})
	if why == "" {
		return ""
	}
	return advised(why, fmt.Sprintf("look at the robot, then send it again with the present seen, %q", co.Seen()))
}

// andOwn returns every reason why a goal is rejected: those that lie in its request, if it arms, and the others.
func (co *course) andOwn(in GoalAsked, t machine.Transition, others string) string {
	var reasons []string
	for _, why := range [...]string{co.outdated(in, t), co.unauthorized(in, t), others} {
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	return strings.Join(reasons, "; ")
}

// strayArms names the nodes that are not armed or disarmed as the state says from which the network
// is to be armed. For a state that the network has not reached yet it returns none; it is called
// again there.
func (ro *roster) strayArms(from string) []string {
	if from != ro.settled {
		return nil
	}
	here, _ := ro.machine.State(from)
	var names []string
	for i := range ro.nodes {
		if ro.armsAstray(i, here) {
			names = append(names, ro.nodes[i].spec.Name)
		}
	}
	return names
}

// armsAstray reports whether node i is perhaps armed, or is armed where a state does not arm it.
func (ro *roster) armsAstray(i int, here machine.State) bool {
	b := ro.nodes[i].arm.Belief()
	return b == MayBeArmed || b == IsArmed && !ro.net.Arms(here, i)
}

// absentToArm says why arming would arm nothing: every node that it would arm is absent, and no
// living peer could arm its own. Empty: there is a node to arm.
func (le *league) absentToArm(to machine.State) string {
	var names []string
	for _, i := range le.armable {
		switch {
		case !le.net.Arms(to, i):
		case le.nodes[i].there():
			return ""
		default:
			names = append(names, le.nodes[i].spec.Name)
		}
	}
	if len(names) == 0 || len(le.peers.book.Living()) > 0 {
		return ""
	}
	return "nothing can be armed: " + strings.Join(names, ", ") + " is not there"
}

// gathers reports whether arming still waits for reads and checks. It goes on after a failure, so
// that the client learns every reason at once. Only a lost node ends it.
func (co *course) gathers() bool {
	w := co.work
	for _, i := range w.fault.failed {
		if co.nodes[i].part.result.verdict == VerdictGone {
			return false
		}
	}
	return w.parts.open > 0 || co.checksPending() || co.peersPending()
}

// advanceArming takes the next step of work that arms: the proof, and then the arming itself. It
// reports whether any of that is left, and whether it changed anything.
func (co *course) advanceArming() (open, changed bool) {
	w := co.work
	switch {
	case !w.proves():
		return false, false
	case !w.arm.proven:
		co.endProving()
		return true, true
	case co.unproven():
		return true, false
	}
	return co.failIfNoneArmed(), true
}

// endProving ends the first half of arming: every required node was read anew and is in its target. Only
// now does the engine arm.
func (co *course) endProving() {
	w := co.work
	if again := co.rereadOld(); again {
		return
	}
	w.arm.proven = true
	co.touchAll() // proofs age from now on
	target, _ := co.machine.State(w.target)
	for i := range co.nodes {
		n := &co.nodes[i]
		if !co.net.Arms(target, i) || n.part.result.verdict != VerdictDone || n.arm.Belief() == IsArmed {
			continue
		}
		n.part.arm, n.part.status, n.part.deadline = true, partWaiting, deadline{}
		w.parts.open++
		co.touch(i)
	}
}

// rereadOld reads those nodes again, once, whose proof became old while the engine waited for other
// nodes or checks.
func (co *course) rereadOld() bool {
	found := false
	for i := range co.nodes {
		n := &co.nodes[i]
		l := &n.part
		old := co.now.Steady-n.provenAt > min(freshFor, co.net.Proof)
		if !old || !l.wants || l.fresh.reread || !n.spec.Lifecycle || l.result.verdict != VerdictDone {
			continue
		}
		found = true
		co.reopen(i)
		l.fresh.reread, l.fresh.readSince = true, co.now.Steady
		co.touch(i)
	}
	return found
}

// failIfNoneArmed fails an arming that has armed none of its nodes, unless a peer lives that may be
// armed. It reports whether it did.
func (co *course) failIfNoneArmed() bool {
	blame := co.noneArmed(func(n *node) bool { return n.arm.Belief() == IsArmed })
	if len(blame) == 0 {
		return false
	}
	co.work.fault.blame, co.work.fault.failing = append(co.work.fault.blame, blame...), true
	return true
}

// blameLeftOut adds to a failed arming why it would have left out all that it arms: the client learns every reason
// at once.
func (co *course) blameLeftOut() {
	w := co.work
	if !w.fault.failing {
		return
	}
	blame := co.noneArmed(func(n *node) bool { return !n.spec.Optional || n.part.result.verdict == VerdictDone })
	w.fault.blame = append(w.fault.blame, blame...)
}

// noneArmed lists the nodes that the target arms, if none of them serves and no peer lives that may be armed.
func (co *course) noneArmed(serves func(n *node) bool) []NodeResult {
	if len(co.peers.book.Living()) > 0 {
		return nil
	}
	target, _ := co.machine.State(co.work.target)
	var blame []NodeResult
	for _, i := range co.armable {
		if !co.net.Arms(target, i) {
			continue
		}
		if serves(&co.nodes[i]) {
			return nil
		}
		r := co.work.parts.results[i]
		r.Node, r.Evidence = co.nodes[i].spec.Name, "was not armed, and nothing else can be: "+r.Evidence
		if r.Verdict == VerdictSkipped && !co.nodes[i].there() {
			r.Evidence = advised(r.Evidence, co.nodes[i].absentDo())
		}
		blame = append(blame, r)
	}
	return blame
}

// armsLater reports whether a goal, if there is one, arms after the work that runs.
func (co *course) armsLater(g *goal) bool {
	if g == nil {
		return false
	}
	at := co.work.target
	for _, name := range g.path {
		t := co.command(name, at)
		at = t.To
		if to, _ := co.machine.State(t.To); to.Armed.Any() {
			return true
		}
	}
	return false
}

// perhapsArms reports whether anything may be armed, here or at a peer, or is on the way to be.
func (co *course) perhapsArms() bool {
	w := co.work
	return co.armedHere() || len(co.mayBeArmed()) > 0 || co.peers.armedElsewhere() ||
		w != nil && (w.arms || w.takenBack || w.phase == rearming || co.armsLater(w.goal))
}
