package engine

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/machine"
)

// Disarms that clients or safety ask for. disarm.go has the disarming of one node.

// isDisarm reports whether a command leads out of an armed state.
func (f *facts) isDisarm(command string) bool {
	for k := range f.machine.States {
		st := &f.machine.States[k]
		if !st.Armed.Any() {
			continue
		}
		if t, ok := f.machine.Disarm(st.Name); ok && t.Name == command {
			return true
		}
	}
	return false
}

// leaves returns the transition out of the network's armed state; if there are several, the first.
func (st *standing) leaves() (machine.Transition, bool) {
	if t, ok := st.machine.Disarm(st.settled); ok {
		return t, true
	}
	for _, armed := range st.machine.States {
		if t, ok := st.machine.Disarm(armed.Name); armed.Armed.Any() && ok {
			return t, true
		}
	}
	return machine.Transition{}, false
}

// disarmAsked answers a disarm. It is an order, and never refused.
func (s *State) disarmAsked(in GoalAsked, t machine.Transition) {
	s.endEra(t.Name + " was asked for by " + in.asker())
	s.peers.order(&s.agenda)
	if s.busy() {
		s.disarmBusy(in, t)
	} else {
		s.disarmAtRest(in, t)
	}
	if s.peers.armedElsewhere() { // peers do not follow what began here, or it began before their change
		s.tellDisarm(t)
	}
	s.peers.book.Disarm()
}

// disarmBusy answers a disarm while a transition runs.
func (s *State) disarmBusy(in GoalAsked, t machine.Transition) {
	w := s.work
	disarms := s.isDisarm(w.command) && !w.takenBack && w.phase != rearming
	switch {
	case disarms && s.leadsFurther(w.goal):
		s.awaitDisarmed(s.accept(in, nil))
	case disarms:
		s.joinWork(in)
	case w.arms || w.takenBack:
		s.preempt("pre-empted by " + t.Name)
		s.startDisarm(t, s.accept(in, nil), in.Reason)
	case w.phase == forward && s.armsLater(w.goal):
		s.takeBack(w, "pre-empted by "+t.Name)
		if len(s.mayBeArmed()) > 0 || s.onlyLeftoversArmed() {
			s.awaitDisarmed(s.accept(in, nil))
			return
		}
		s.disarmDone(in, t, Result{
			Success: true, Outcome: OutcomeDone, Message: "nothing was armed yet; the way to armed has ended",
		})
	case len(s.mayBeArmed()) > 0 || s.onlyLeftoversArmed():
		s.awaitDisarmed(s.accept(in, nil))
	case s.peers.armedElsewhere():
		s.disarmAhead(in, t)
	default:
		s.disarmDone(in, t, Result{Success: true, Outcome: OutcomeAlready, Message: "no node that is present is armed"})
	}
}

// disarmAtRest answers a disarm while no transition runs.
func (s *State) disarmAtRest(in GoalAsked, t machine.Transition) {
	may := len(s.mayBeArmed()) > 0
	switch {
	case s.settled == "" && may, s.onlyLeftoversArmed():
		s.awaitDisarmed(s.accept(in, nil))
	case s.settled == "":
		s.disarmDone(in, t, Result{
			Success: true, Outcome: OutcomeAlready, Message: "no node that is present is armed",
		})
	case s.armedHere() || may:
		s.startDisarm(t, s.accept(in, nil), in.Reason)
	case s.peers.armedElsewhere():
		s.disarmAhead(in, t)
	default:
		s.disarmDone(in, t, Result{Success: true, Outcome: OutcomeAlready, Message: "no node that is present is armed"})
	}
}

// onlyLeftoversArmed reports whether nothing may be armed but leftovers of an earlier run.
func (ro *roster) onlyLeftoversArmed() bool {
	return !ro.armedHere() && len(ro.mayBeArmed()) == 0 && len(ro.hold.armedLeftovers()) > 0
}

// disarmDone ends a disarm that has no work here, once the peers know that they have to disarm.
func (cl *clients) disarmDone(in GoalAsked, t machine.Transition, r Result) {
	g := cl.accept(in, nil)
	if cl.peers.armedElsewhere() {
		cl.tellDisarm(t)
	}
	cl.peers.book.Disarm() // else the result would take the arming that safety has ended for one that came after the order
	cl.concludeDisarm(g, r)
}

// namesDisarm reports whether a goal names the command that disarms, and not a state.
func (f *facts) namesDisarm(g *goal) bool { return g != nil && !g.isState && f.isDisarm(g.name) }

// leadsFurther reports whether a goal names a state: its disarm is only the beginning of its way
// down.
func (f *facts) leadsFurther(g *goal) bool { return g != nil && !f.namesDisarm(g) }

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

// disarmedInPart ends a commanded disarm that some node did not confirm. It never turns back to
// armed: the others stay disarmed, and the engine names the node and repeats its disarm until it
// confirms. A goal for a lower state goes on down.
func (s *State) disarmedInPart() {
	w := s.work
	w.why = s.sentenceOf(w)
	s.settle(w.target)
	s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: w.target, Settled: true}, false)
	s.peers.book.Fail(w.news.task)
	words := w.why
	if asked, _ := s.perhapsArmed(); len(asked) > 0 {
		words += "; it may still be armed and is asked again every second"
	}
	if s.leadsFurther(w.goal) {
		w.goal.fault = w.why
		s.goOn(w)
		return
	}
	s.endGoal(w, Aborted, OutcomeHeld, words)
}

type disarmGoal struct {
	goal *goal
	by   time.Duration
}

// awaitDisarmed lets a disarm goal wait for disarms that already run as part of other work.
func (cl *clients) awaitDisarmed(g *goal) {
	longest := time.Duration(0)
	for i := range cl.nodes {
		if cl.nodes[i].arm.Belief() != Disarmed {
			longest = max(longest, cl.nodes[i].spec.Deadline.Disarm)
			cl.disarm(i)
		}
	}
	if len(cl.hold.armedLeftovers()) > 0 {
		longest = max(longest, leftoversIn)
	}
	cl.goals.pending = append(cl.goals.pending, disarmGoal{g, cl.now.Steady + longest})
	cl.wakeWhole(cl.now.Steady + longest)
}

// endDisarmGoals ends the goals of awaitDisarmed that are done or late.
func (cl *clients) endDisarmGoals() {
	if len(cl.goals.pending) == 0 {
		return
	}
	open := cl.goals.pending[:0]
	names := append(cl.mayBeArmed(), cl.hold.armedLeftovers()...)
	for _, d := range cl.goals.pending {
		switch {
		case len(names) == 0:
			cl.concludeDisarm(d.goal, Result{Success: true, Outcome: OutcomeDone, Message: "nothing is armed"})
		case cl.now.Steady >= d.by && !cl.anySettles() && !cl.awaitsLeases():
			cl.finishGoal(d.goal, Aborted, Result{
				Outcome: OutcomeHeld, Message: "not confirmed: " + strings.Join(names, ", "),
			})
		default:
			open = append(open, d)
		}
	}
	cl.goals.pending = open
}

// awaitsLeases reports whether a start waits only for leases of processes that are gone. They end by
// themselves.
func (ro *roster) awaitsLeases() bool {
	asked := func(i int) bool {
		n := &ro.nodes[i]
		return n.arm.Belief() != Disarmed && (n.served() || n.abandoned())
	}
	return ro.settled == "" && len(ro.hold.armedLeftovers()) == 0 && !slices.ContainsFunc(ro.armable, asked)
}

// armedElsewhere reports whether the common target is armed, whatever this network's state: a peer
// may be armed.
func (pe *peering) armedElsewhere() bool {
	armed := pe.book.Target()
	return len(pe.book.Peers()) > 0 && pe.machine.Disarmed(armed) != armed
}

// disarmAhead answers a disarm while nothing is armed here but a peer is or may be. The disarm is
// for all instances, whichever the client asks.
func (cl *clients) disarmAhead(in GoalAsked, t machine.Transition) {
	g := cl.accept(in, nil)
	cl.setCause(t.Name, g, in.Reason)
	to := cl.tellDisarm(t)
	r := Result{Success: true, Outcome: OutcomeDone, Message: "nothing is armed here; the peers must disarm"}
	cl.awaitOrder(g, r, func(g *goal) { cl.awaitPeers(g, r, to) })
}

// tellDisarm makes a commanded disarm a change that peers follow, and returns its target.
func (le *league) tellDisarm(t machine.Transition) string {
	armed := le.peers.book.Target()
	to := le.machine.Disarmed(armed)
	le.change(nil, Change{SourceState: armed, Event: t.Name, TargetState: to, Settled: true}, true)
	return to
}
