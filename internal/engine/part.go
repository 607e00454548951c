package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// press moves a lifecycle node towards the target of its part.
func (s *State) press(i int) {
	n := &s.nodes[i]
	l := &n.part
	switch {
	case !n.there():
		s.absent(i)
	case s.unusable(i):
	case l.disarm && s.awaitDisarm(i):
	case l.arm:
		s.pressArm(i)
	case s.lostBefore(i):
		s.pressLost(i)
	case n.call != nil:
		s.await(i)
	case l.refused != nil:
		s.awaitReason(i)
	case s.blocked(i):
		l.started = false // its time starts again when its turn comes
		if !s.steps(i) && (n.state == lifecycle.Unknown || l.fresh.anew || s.isNext(i)) {
			s.readFresh(i)
		}
	default:
		s.move(i)
	}
}

// unusable gives up a node with whose process the command cannot go on, and reports whether it did.
func (s *State) unusable(i int) bool {
	switch n := &s.nodes[i]; {
	case n.part.replaced && s.work.phase.commands:
		s.fail(i, VerdictGone, "its process died and another took its place")
	case n.count > 1 && s.work.proves():
		s.fail(i, VerdictRefused, n.severalWords())
	default:
		return false
	}
	return true
}

func (n *node) severalWords() string { return fmt.Sprintf("%d living nodes bear this name", n.count) }

// move takes the next step of a node that no other node holds.
func (s *State) move(i int) {
	n := &s.nodes[i]
	l := &n.part
	s.ease(i)
	if !l.started {
		l.started, l.status, l.since = true, partWorking, s.now.Steady
		l.deadline = s.waits(i)
	}
	switch {
	case !l.wants && (!l.fresh.anew || s.fresh(i)):
		s.reach(i)
	case n.state == l.want && !l.fresh.anew && n.vouched():
		s.reach(i) // lets others go on, and is made sure of beside
	case !s.fresh(i) && !s.steps(i):
		s.readFresh(i)
		s.overdue(i, VerdictUnknown, "does not answer get_state")
	case n.state == l.want || !l.wants:
		s.reach(i)
	case !n.state.Primary():
		s.poll(i)
		s.overdue(i, VerdictLate, fmt.Sprintf("still %v", n.state))
	default:
		s.step(i)
	}
}

// ease lets a node that needs no configuration stay unconfigured where inactive is wanted.
func (s *State) ease(i int) {
	n := &s.nodes[i]
	l := &n.part
	if n.spec.NeedsConfiguration || l.want != lifecycle.Inactive && !l.eased {
		return
	}
	l.eased, l.want = n.state == lifecycle.Unconfigured, lifecycle.Inactive
	if l.eased {
		l.want = lifecycle.Unconfigured
	}
}

// step sends the next transition, if there is one and it may be sent.
func (s *State) step(i int) {
	n := &s.nodes[i]
	l := &n.part
	t, ok := lifecycle.Next(n.state, l.want)
	raises := ok && t.Target().Level() > n.state.Level()
	said := l.stepped && n.calls.closed != nil && n.calls.closed.Do == t // it has said yes to it
	switch {
	case s.work.fault.failing && s.work.phase.commands && !s.work.proves():
		// A failed command begins no further step.
	case !ok:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, which only a new process leaves", n.state))
	case raises && !s.mayRaise(i, t):
	case said && l.again.hollow > 0:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("said yes to %s twice and is %v", t.Label, n.state))
	case s.pauses(i):
	case s.awaitsJournal():
		l.started = false // its time starts when the journal is safe
	default:
		if said {
			l.again.hollow++
		}
		l.down = !raises
		s.request(i, t)
	}
}

// pauses reports whether node i is not asked again yet for a step that it has refused.
func (s *State) pauses(i int) bool {
	l := &s.nodes[i].part
	return l.again.tries > 0 && s.before(i, l.again.at)
}

// request sends the next transition of a part. A step that is asked for again keeps its deadline.
func (s *State) request(i int, t lifecycle.Transition) {
	l := &s.nodes[i].part
	if t.Label != l.result.did {
		l.again.tries = 0
	}
	l.result.did, l.stepped = t.Label, true
	if l.again.tries == 0 {
		l.deadline = s.deadlineOf(i, t)
	}
	s.send(i, t)
}

// mayRaise reports whether node i may be asked for a transition that raises it. If not, it settles
// or holds the part.
func (s *State) mayRaise(i int, t lifecycle.Transition) bool {
	n := &s.nodes[i]
	l, w := &n.part, s.work
	switch {
	case w.phase.adopts || t.Target().Level() > s.ceiling(i).Level():
		l.short = true
		s.reach(i)
	case w.phase == returning && !w.fault.after.Upward: // what follows lowers
		l.short = true
		s.reach(i)
	case w.fault.failing && w.phase.restores && w.lowers: // the origin cannot be restored any more
		l.short = true
		s.reach(i)
	case w.proves():
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v: arming starts no node", n.state, l.want))
	case n.count > 1 && s.oneMayHaveEnded(i):
		l.started = false // its time begins anew when it is alone, or when both are known to live
		s.poll(i)
	case n.count > 1:
		s.poll(i)
		s.overdue(i, VerdictRefused, n.severalWords())
	case n.misled() != "":
		s.giveUp(i, VerdictRefused, n.misled())
	default:
		return true
	}
	return false
}

func (s *State) deadlineOf(i int, t lifecycle.Transition) deadline {
	if s.work.phase.ends {
		return s.allow(i, s.nodes[i].spec.Deadline.Shutdown)
	}
	return s.allow(i, s.nodes[i].spec.Deadline.Of(t))
}

// waits is the deadline of node i until its first step is known. A node that proves that arming is
// safe has the deadline of arming.
func (s *State) waits(i int) deadline {
	if s.work.proves() {
		return s.allow(i, s.nodes[i].spec.Deadline.Arm)
	}
	return s.allow(i, s.patience(i))
}

// patience is how long the engine waits for a node before its first step is known: as long as its
// last step may take.
func (s *State) patience(i int) time.Duration {
	n := &s.nodes[i]
	d := n.spec.Deadline
	switch {
	case n.part.want == lifecycle.Finalized:
		return d.Shutdown
	case n.part.want == lifecycle.Unconfigured:
		return d.Cleanup
	case n.part.want == lifecycle.Active:
		return d.Activate
	case n.part.down:
		return d.Deactivate
	}
	return d.Configure
}

// readFresh reads a node whose newest read is too old to act on.
func (s *State) readFresh(i int) {
	if !s.fresh(i) {
		n := &s.nodes[i]
		if n.vouched() && s.now.Steady < n.at+confirmIn {
			return // its answer or announcement is on the way
		}
		s.read(i)
	}
}

// overdue gives up a node whose deadline has passed.
func (s *State) overdue(i int, v Verdict, evidence string) bool {
	l := &s.nodes[i].part
	if !s.passed(l.deadline) || s.mayHaveEnded(i) {
		return false
	}
	s.giveUp(i, v, evidence)
	return true
}

// absent settles the part of an absent node.
func (s *State) absent(i int) {
	n := &s.nodes[i]
	l := &n.part
	if l.disarm && s.awaitLease(i) {
		return
	}
	why := cmp.Or(n.absence.lost, n.missing())
	switch verdict, words := s.excused(i, why); {
	case n.epoch == 0 && s.settled == "" && s.before(i, s.startup.startBy):
		// Not seen yet does not mean lost.
	case verdict != "":
		s.finish(i, partDone, verdict, words)
	case s.awaitsRespawn(i):
	default:
		s.giveUp(i, VerdictGone, why)
	}
}

// excused says how the part of an absent node ends if its absence is no failure.
func (s *State) excused(i int, why string) (Verdict, string) {
	n, w := &s.nodes[i], s.work
	was := w.parts.began[i].there
	arms := w.arms && !n.spec.Optional // A1: every required node is there, wherever it is
	switch low := n.part.want.Level() <= lifecycle.Unconfigured.Level() && !arms; {
	case !n.part.wants && !arms:
		return VerdictSkipped, why
	case low && !w.phase.commands:
		return VerdictGone, why + "; nothing is left to take down"
	case !was && w.phase.returns:
		return VerdictGone, why + ", and was not when the transition began"
	case n.spec.Optional, !was && w.phase.commands && w.lowers:
		return VerdictSkipped, why
	}
	return "", ""
}

// awaitLease reports whether an absent node that is to be disarmed may still live on with its
// lease, which ends soon. If it does not, its disarm is over.
func (s *State) awaitLease(i int) bool {
	switch n := &s.nodes[i]; {
	case n.abandoned():
		s.blameDisarm(i, VerdictGone, whyAbandoned, false)
	case n.arm.Belief() != Disarmed:
		return true
	}
	s.disarmOver(i)
	return false
}

// pressPlain settles the part of a plain node, which only has to be present.
func (s *State) pressPlain(i int) {
	n := &s.nodes[i]
	switch {
	case n.part.disarm && n.there() && s.awaitDisarm(i):
	case n.part.arm && n.there():
		s.pressArm(i)
	case n.there() && n.count > 1 && n.part.want == lifecycle.Active && !s.work.lowers:
		s.giveUp(i, VerdictRefused, n.severalWords())
	case n.there():
		s.finish(i, partDone, VerdictDone, "is there")
	default:
		s.absent(i)
	}
}

// reach ends a part whose node is in its target.
func (s *State) reach(i int) {
	n := &s.nodes[i]
	how := "was already " + n.state.String()
	if n.part.result.did != "" {
		how = fmt.Sprintf("%s in %v", n.state, (s.now.Steady - n.part.since).Round(time.Millisecond))
	}
	v := VerdictDone
	if s.work.phase.undoes {
		v = VerdictUndone
	}
	s.finish(i, partDone, v, how)
}

// giveUp ends a part whose node is not in its target.
func (s *State) giveUp(i int, v Verdict, evidence string) {
	s.finish(i, partGivenUp, v, evidence)
}

// fail gives up a node whose part may be done already.
func (s *State) fail(i int, v Verdict, evidence string) {
	if !s.nodes[i].part.open() {
		s.reopen(i)
	}
	s.giveUp(i, v, evidence)
}

// finish ends a part, and releases the parts that waited for it.
func (s *State) finish(i int, status partStatus, v Verdict, evidence string) {
	n := &s.nodes[i]
	l := &n.part
	if l.open() {
		s.work.parts.open--
	}
	if !l.started {
		l.since = s.now.Steady
	}
	l.status, l.result.verdict, l.result.evidence = status, v, evidence
	l.deadline = deadline{}
	l.sure = status == partGivenUp || l.short || l.passed || !n.there() || !n.spec.Lifecycle || !l.wants || (n.firm && n.state == l.want)
	if status == partDone && !l.sure {
		s.work.parts.unsure++
		s.at(i, s.now.Steady+confirmIn)
	}
	s.noteResult(i)
	if status == partGivenUp && s.required(i) {
		s.failedOrPassed(i)
	}
	s.touchAround(i)
	s.suspected(i)
	s.report.changed = true
}

// failedOrPassed fails the work for node i, or passes the node over where the command always arrives.
func (s *State) failedOrPassed(i int) {
	w := s.work
	if w.fault.passes && w.phase.commands {
		w.fault.blame = append(w.fault.blame, w.parts.results[i])
		return
	}
	w.fail(i)
}

// required reports whether the work fails if node i fails. On the way down a living optional node
// counts as required.
func (s *State) required(i int) bool {
	n := &s.nodes[i]
	return !n.spec.Optional || (n.part.down && n.there())
}

// The order of the steps: the order of the file on the way up, and the reverse on the way down.

// blocked reports whether node i has to wait. On the way up it waits for the nodes that it comes
// after; on the way down for the nodes that come after it and go down too.
func (s *State) blocked(i int) bool {
	n := &s.nodes[i]
	l := &n.part
	if l.stepped {
		return false
	}
	if s.work.parts.disarming > 0 && s.before(i, s.work.parts.holdUntil) {
		return true
	}
	if !l.wants {
		return false
	}
	if s.inDoubt(i) {
		return false // it only needs a read
	}
	l.down = s.goesDown(i)
	if !l.down && s.heldByDoubt(i) {
		return true
	}
	if l.down {
		return s.heldFromAbove(i)
	}
	if n.falling() {
		return false // it holds the nodes below it, and its wait begins
	}
	return s.waitsForOthers(i)
}

// waitsForOthers reports whether a node that node i comes after is not done.
func (s *State) waitsForOthers(i int) bool {
	return slices.ContainsFunc(s.fixed.order.After[i], func(j int) bool { return s.nodes[j].part.open() })
}

// heldFromAbove reports whether a node that comes after node i still has to go down. A node that
// goes up or is absent passes on the hold of the nodes above it.
func (s *State) heldFromAbove(i int) bool {
	s.turn.looks++
	return s.lookAbove(i)
}

func (s *State) lookAbove(i int) bool {
	for _, j := range s.fixed.order.Before[i] {
		n := &s.nodes[j]
		working := n.part.open() && n.part.wants
		if working && (s.goesDown(j) || n.falls()) {
			return true
		}
		if n.look.looked != s.turn.looks && (working || !n.there()) {
			n.look.looked = s.turn.looks
			if s.lookAbove(j) {
				return true
			}
		}
	}
	return false
}

// isNext reports whether node i waits only for steps that began within the last second. It is read
// meanwhile: when its turn comes, that read is still fresh. A step that takes longer would make the
// read stale, so it is not repeated.
func (s *State) isNext(i int) bool {
	before := s.fixed.order.After[i]
	if s.nodes[i].part.down {
		before = s.fixed.order.Before[i]
	}
	for _, j := range before {
		n := &s.nodes[j]
		if n.part.open() && (n.call == nil || s.now.Steady >= n.call.Sent+freshFor) {
			return false
		}
	}
	return true
}

// falls reports whether a step that lowers the node runs: one from before, after which the node
// goes up again, or one that another client has asked for. This cannot deadlock: a node never waits
// for a step that depends on it.
func (n *node) falls() bool {
	c := n.underWay()
	return n.falling() || c != nil && c.Do.Target().Level() < c.From.Level()
}

// falling reports whether the node says that it is on its way down without a request of ours. An
// earlier life of this process or another tool has asked for it.
func (n *node) falling() bool {
	if n.underWay() != nil {
		return false
	}
	switch n.state {
	case lifecycle.Deactivating, lifecycle.CleaningUp, lifecycle.ShuttingDown:
		return true
	}
	return false
}
