package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Disarms that clients or safety ask for. arm.go has the disarming of one node.

// disarmAsked answers a disarm, which is legal whenever something is armed, may be armed, or is on
// its way to be.
func (s *State) disarmAsked(in GoalAsked, t machine.Transition) {
	if s.busy() {
		s.disarmBusy(in, t)
	} else {
		s.disarmAtRest(in, t)
	}
	if s.armedElsewhere() { // peers do not follow what began here, or it began before their change
		s.tellDisarm(t)
	}
}

// disarmBusy answers a disarm while a transition runs.
func (s *State) disarmBusy(in GoalAsked, t machine.Transition) {
	w := s.work
	disarms := s.isDisarm(w.command) && !w.takenBack && !w.phase.rearms
	switch {
	case disarms && s.leadsFurther(w.goal):
		s.awaitDisarmed(s.accept(in, nil))
	case disarms:
		s.joinWork(in)
	case w.arms || w.takenBack:
		s.preempt("pre-empted by " + t.Name)
		s.startDisarm(t, s.accept(in, nil), in.Reason)
	case w.phase.commands && s.armsLater(w.goal):
		s.takeBack(w, "pre-empted by "+t.Name)
		s.disarmDone(in, t, Result{
			Success: true, Outcome: OutcomeDone, Message: "nothing was armed yet; the way to armed has ended",
		})
	case len(s.mayBeArmed()) > 0 || s.onlyLeftArmed():
		s.awaitDisarmed(s.accept(in, nil))
	case s.armedElsewhere():
		s.disarmAhead(in, t)
	default:
		s.rejectBusy(in, s.underWay()+", and nothing is armed")
	}
}

// disarmAtRest answers a disarm while no transition runs.
func (s *State) disarmAtRest(in GoalAsked, t machine.Transition) {
	may := len(s.mayBeArmed()) > 0
	switch {
	case s.settled == "" && may, s.onlyLeftArmed():
		s.awaitDisarmed(s.accept(in, nil))
	case s.settled == "":
		s.disarmDone(in, t, Result{
			Success: true, Outcome: OutcomeAlready, Message: "no node that is present is armed",
		})
	case s.armedHere() || may:
		s.startDisarm(t, s.accept(in, nil), in.Reason)
	case s.armedElsewhere():
		s.disarmAhead(in, t)
	default:
		s.repeated(in, t)
	}
}

// onlyLeftArmed reports whether nothing may be armed but leftovers of an earlier run.
func (s *State) onlyLeftArmed() bool {
	return !s.armedHere() && len(s.mayBeArmed()) == 0 && len(s.leftArmed()) > 0
}

// disarmDone ends a disarm that has no work here, once the peers know that they have to disarm.
func (s *State) disarmDone(in GoalAsked, t machine.Transition, r Result) {
	g := s.accept(in, nil)
	if s.armedElsewhere() {
		s.tellDisarm(t)
	}
	s.concludeDisarm(g, r)
}

// leadsFurther reports whether a goal names a state: its disarm is only the beginning of its way
// down.
func (s *State) leadsFurther(g *goal) bool { return g != nil && !s.namesDisarm(g) }

// startDisarm begins a disarming from any state of the network. It ends in the disarmed state of
// that state.
func (s *State) startDisarm(t machine.Transition, g *goal, why string) {
	t.To = s.machine.Disarmed(s.settled)
	s.start(t, g, why, s.judge.Preempt)
}

// disarmForSafety begins a one-way disarming that no client commanded (A4).
func (s *State) disarmForSafety(why string) {
	if t, ok := s.leaves(); ok {
		s.noteLowered(ByPolicy, t.Name, why)
		s.preempt(why)
		s.startDisarm(t, nil, why)
		s.work.oneWay = true
	}
}

// joinWork adds a client to the running goal.
func (s *State) joinWork(in GoalAsked) {
	g := s.accept(in, nil)
	if s.work.goal == nil {
		s.work.goal = g
		return
	}
	s.work.goal.add(in)
	s.goals.drop(g)
}

func (s *State) armsLater(g *goal) bool {
	if g == nil {
		return false
	}
	at := s.origin()
	if s.work != nil {
		at = s.work.target
	}
	for _, name := range g.path {
		t := s.command(name, at)
		at = t.To
		if to, _ := s.machine.State(t.To); to.Armed.Any() {
			return true
		}
	}
	return false
}

// takeBack ends the goal of a running transition and rolls its nodes back.
func (s *State) takeBack(w *work, why string) {
	s.endGoal(w, Aborted, OutcomePreempted, why)
	w.phase, w.fault.failing = draining, false
	s.touchAll()
}

// awaitDisarmed lets a disarm goal wait for disarms that already run as part of other work.
func (s *State) awaitDisarmed(g *goal) {
	longest := time.Duration(0)
	for i := range s.nodes {
		if s.nodes[i].arm.Belief() != Disarmed {
			longest = max(longest, s.nodes[i].spec.Deadline.Disarm)
			s.disarm(i)
		}
	}
	if len(s.leftArmed()) > 0 {
		longest = max(longest, leftIn)
	}
	s.goals.pending = append(s.goals.pending, disarmGoal{g, s.now.Steady + longest})
	s.wakeWhole(s.now.Steady + longest)
}

// endDisarmGoals ends the goals of awaitDisarmed that are done or late.
func (s *State) endDisarmGoals() {
	if len(s.goals.pending) == 0 {
		return
	}
	left := s.goals.pending[:0]
	names := append(s.mayBeArmed(), s.leftArmed()...)
	for _, d := range s.goals.pending {
		switch {
		case len(names) == 0:
			s.concludeDisarm(d.goal, Result{Success: true, Outcome: OutcomeDone, Message: "nothing is armed"})
		case s.now.Steady >= d.by:
			s.finishGoal(d.goal, Aborted, Result{
				Outcome: OutcomeHeld, Message: "not confirmed: " + strings.Join(names, ", "),
			})
		default:
			left = append(left, d)
		}
	}
	s.goals.pending = left
}

// The rollback of a commanded disarm, and the lowering of a node that does not confirm one.

// confirmGrace is how long a confirmation may follow the answer to a read that was sent later.
const confirmGrace = 100 * time.Millisecond

// takeDown lowers a node that does not confirm its disarm: the engine deactivates it, and then
// shuts it down. Its disarm is repeated meanwhile.
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
	case a.Left() && n.state == lifecycle.Unconfigured && a.Lowered() == 0:
		// Unconfigured, it may be unable to confirm.
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
	owes := n.arm.Duty() && n.arm.Belief() != Disarmed
	return owes && n.spec.Lifecycle && n.count == 1 && !here.Armed.Any() && !here.Final && s.closing.stop == nil
}

// leaves returns the transition out of the network's armed state; if there are several, the first.
func (s *State) leaves() (machine.Transition, bool) {
	if t, ok := s.machine.Disarm(s.settled); ok {
		return t, true
	}
	for _, st := range s.machine.States {
		if t, ok := s.machine.Disarm(st.Name); st.Armed.Any() && ok {
			return t, true
		}
	}
	return machine.Transition{}, false
}

// leftIn is how long a disarm goal waits for leftovers.
const leftIn = 3 * time.Second

// leaseOver is the least time for which a lease of another run counts as holding. That run may have
// had a longer `proof` than this one.
const leaseOver = 10 * time.Second

// othersHold notes that another run may have renewed its lease just now.
func (s *State) othersHold() {
	s.hold.othersEnd = s.now.Steady + max(leaseOver, s.net.Proof+leaseSlack)
}

func leftoversOf(list []Left) []leftover {
	all := make([]leftover, len(list))
	for k, l := range list {
		all[k].Left = l
	}
	return all
}

// disarmLeft asks each leftover that has not confirmed, once this instance holds the name.
func (s *State) disarmLeft() {
	if len(s.hold.leftovers) == 0 || !s.mayWrite() {
		return
	}
	for k := range s.hold.leftovers {
		l := &s.hold.leftovers[k]
		if l.disarmed || l.asked && s.now.Steady < l.sent+disarmEvery {
			continue
		}
		l.call, l.asked, l.sent = s.next(), true, s.now.Steady
		s.do(DisarmLeft{Left: k, Call: l.call, Node: l.Node})
		s.wakeWhole(s.now.Steady + disarmEvery)
	}
}

func (s *State) leftAnswered(in LeftAnswered) {
	l := &s.hold.leftovers[in.Left]
	if l.disarmed || in.Call > l.call {
		return
	}
	was := *l
	l.absent, l.refused = in.Absent, ""
	switch {
	case in.Success && !in.Several, in.Absent && l.Lease && s.now.Steady >= s.hold.othersEnd:
		l.disarmed = true
		s.record(Entry{Kind: EntryNode, Event: EventDisarmed, Node: l.Node, Sentence: l.Node + " is disarmed, which an earlier run may have left armed"})
	case in.Several:
		l.refused = "more than one process offers " + l.Service
	case !in.Absent:
		l.refused = arming.Refusal(in.Message)
	}
	if *l != was {
		s.report.changed, s.peers.untold = true, true
	}
}

// leftArmed names the leftovers that are not known to be disarmed.
func (s *State) leftArmed() []string {
	var names []string
	for k := range s.hold.leftovers {
		if !s.hold.leftovers[k].disarmed {
			names = append(names, s.hold.leftovers[k].Node)
		}
	}
	return names
}

// recordLeft records at a start which nodes the journal calls armed, and this network file does not
// arm.
func (s *State) recordLeft() {
	s.othersHold()
	for _, l := range s.hold.leftovers {
		s.record(Entry{
			Kind: EntryNode, Event: EventMayBeArmed, Node: l.Node, Disarm: DisarmCall{Service: l.Service, Type: l.Type, Lease: l.Lease},
			Sentence: l.Node + " may be armed", Cause: "an earlier run may have left it armed, and " + cmp.Or(s.net.File, "the network file") + " does not arm it",
		})
	}
}

// leftWords says for each leftover that it may be armed, and what to do.
func (s *State) leftWords() []string {
	var list []string
	for _, l := range s.hold.leftovers {
		if l.disarmed {
			continue
		}
		words := l.Node + " may be armed: an earlier run may have left it so, and the network file does not arm it"
		switch {
		case l.refused != "":
			words += "; it is asked to disarm every second and " + l.refused
		case l.absent:
			words += fmt.Sprintf("; no process offers %s: start the node, or, if it is disarmed for certain, move the journal away and start rstate again", l.Service)
		default:
			words += "; it is asked to disarm every second"
		}
		list = append(list, words)
	}
	return list
}

// leftRefuses says why leftovers forbid arming; empty: there is none.
func (s *State) leftRefuses() string {
	names := s.leftArmed()
	if len(names) == 0 {
		return ""
	}
	return "not known to be disarmed since an earlier run: " + strings.Join(names, ", ")
}

// noteArms records the nodes that may be armed and the call that disarms them, because the next
// start may have another network file. Until a start has read the nodes, nothing can be armed and
// the old lines of the journal stand.
func (s *State) noteArms() {
	for _, i := range s.fixed.armable {
		n := &s.nodes[i]
		may := n.arm.Belief() != Disarmed || s.aboutToArm(i)
		if may == n.place.noted || may && s.settled == "" || !may && n.epoch == 0 {
			continue
		}
		n.place.noted = may
		e := s.nodeEntry(i, EntryNode, EventDisarmed, "is disarmed")
		if may {
			e = s.nodeEntry(i, EntryNode, EventMayBeArmed, "may be armed from now on")
			e.Disarm = DisarmCall{Service: n.spec.Arm.Service, Type: n.spec.Arm.Type, Lease: n.spec.Arm.DeadMan == network.DeadManLease}
		}
		s.record(e)
	}
}

// aboutToArm reports whether the running work will arm node i and has not failed.
func (s *State) aboutToArm(i int) bool {
	w := s.work
	if w == nil || !w.proves() || w.fault.failing {
		return false
	}
	target, _ := s.machine.State(w.target)
	return s.net.Arms(target, i) && s.nodes[i].there()
}

// A node that follows no lease and leaves the graph while it may be armed is abandoned: its process
// has ended, or is cut off. What it has energised may stay so, no request reaches it, and no lease
// runs out. So it may be armed until a later process of its name says that it is not, or is
// finalized. It holds nothing meanwhile, because there is nothing to wait for. A user has two other
// ways out: shut down the network, which names the node, or remove it from the file.

// whyAbandoned tells the user why such a node may be armed.
const whyAbandoned = "left the graph and follows no lease: it may be armed until a process of its name says that it is not"

// departed notes that the process of node i has ended or is cut off. A node that follows the lease
// may stay armed until the lease has run out. If this run has not seen the node disarmed, that may
// be the lease of another run.
func (s *State) departed(i int) {
	a := &s.nodes[i].arm
	ends := s.hold.leaseEnds
	if !a.Clean() {
		ends = max(ends, s.hold.othersEnd)
	}
	switch {
	case s.nodes[i].abandons():
		a.Abandon()
	case a.Belief() == Disarmed || s.now.Steady >= ends:
		a.Vanish()
	default:
		a.Outlive(ends)
		s.at(i, ends)
	}
}

// abandons reports whether only a later process could disarm the node if its process went now.
func (n *node) abandons() bool {
	return n.spec.Arm != nil && n.spec.Arm.DeadMan == network.DeadManNone && n.arm.Belief() != Disarmed
}

// abandoned reports whether a node may be armed and cannot be asked: it is absent, and has no lease
// that ends.
func (n *node) abandoned() bool { return n.arm.Left() && !n.there() }

// owesDisarm reports whether the engine waits for a node to confirm its disarm. It does not wait
// for an abandoned node, nor for a new process that is not configured yet: the engine asks that
// process, which may be unable to answer before it is configured.
func (n *node) owesDisarm() bool {
	return n.arm.Belief() != Disarmed && !n.abandoned() && !(n.arm.Left() && n.state == lifecycle.Unconfigured)
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
