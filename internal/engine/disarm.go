package engine

import (
	"strings"
	"time"

	"rstate/internal/machine"
)

// Disarming as people ask for it, and as safety does. The disarming of one node is in arm.go.

// disarmAsked answers a disarm, which is legal whenever something is armed, may be, or is on the way to be.
func (s *State) disarmAsked(in GoalAsked, t machine.Transition) {
	s.disarmHere(in, t)
	if s.armedElsewhere() { // what has begun here was not for peers to follow, or has begun before
		s.tellDisarm(t)
	}
}

// disarmHere answers a disarm for the nodes of this network.
func (s *State) disarmHere(in GoalAsked, t machine.Transition) {
	w := s.work
	here, _ := s.machine.State(s.settled)
	may := len(s.mayBeArmed()) > 0
	switch {
	case w != nil && s.isDisarm(w.command) && !w.takenBack && !w.phase.rearms && s.leadsFurther(w.goal):
		s.awaitDisarmed(s.accept(in, nil))
	case w != nil && s.isDisarm(w.command) && !w.takenBack && !w.phase.rearms:
		s.joinWork(in)
	case w != nil && (w.arms || w.takenBack):
		s.preempt("pre-empted by " + t.Name)
		s.startDisarm(t, s.accept(in, nil), in.Reason)
	case w != nil && w.phase.commands && s.armsLater(w.goal):
		s.takeBack(w, "pre-empted by "+t.Name)
		s.disarmDone(in, t, Result{
			Success: true, Outcome: OutcomeDone, Message: "nothing was armed yet; the way to armed has ended",
		})
	case s.busy() && may, s.settled == "" && may:
		s.awaitDisarmed(s.accept(in, nil))
	case !here.Armed.Any() && !may && len(s.leftArmed()) > 0:
		s.awaitDisarmed(s.accept(in, nil))
	case s.busy() && s.armedElsewhere():
		s.disarmAhead(in, t)
	case s.busy():
		s.reject(in, s.underWay()+", and nothing is armed")
	case s.settled == "":
		s.disarmDone(in, t, Result{
			Success: true, Outcome: OutcomeAlready, Message: "no node that is present is armed",
		})
	case here.Armed.Any() || may:
		s.startDisarm(t, s.accept(in, nil), in.Reason)
	case s.armedElsewhere():
		s.disarmAhead(in, t)
	default:
		s.repeated(in, t)
	}
}

// disarmDone ends a disarm that has nothing to do here, once peers know that they have to disarm.
func (s *State) disarmDone(in GoalAsked, t machine.Transition, r Result) {
	g := s.accept(in, nil)
	if s.armedElsewhere() {
		s.tellDisarm(t)
	}
	s.concludeDisarm(g, r)
}

// leadsFurther reports whether a goal names a state: its disarm is only the beginning of its way down.
func (s *State) leadsFurther(g *goal) bool { return g != nil && !s.namesDisarm(g) }

// startDisarm begins a disarming in whatever state the network is; it ends in what that is without arming.
func (s *State) startDisarm(t machine.Transition, g *goal, why string) {
	t.To = s.machine.Disarmed(s.settled)
	s.start(t, g, why, s.judge.Preempt)
}

// disarmForSafety begins a disarming that nobody commanded and nothing turns round.
func (s *State) disarmForSafety(why string) {
	if t, ok := s.leaves(); ok {
		s.noteLowered(ByPolicy, t.Name, why)
		s.preempt(why)
		s.startDisarm(t, nil, why)
		s.work.oneWay = true
	}
}

// joinWork lets one more caller wait for what runs.
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
	for _, name := range g.path {
		t, _ := s.machine.Transition(name)
		if to, _ := s.machine.State(t.To); to.Armed.Any() {
			return true
		}
	}
	return false
}

// takeBack ends the goal of a running transition and takes its nodes back to where it began.
func (s *State) takeBack(w *work, why string) {
	s.endGoal(w, Aborted, OutcomePreempted, why)
	w.phase, w.fault.failing = draining, false
	s.touchAll()
}

// awaitDisarmed lets a disarm goal wait for disarms that are under way already as part of something else.
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

type disarmGoal struct {
	goal *goal
	by   time.Duration
}

// endDisarmGoals ends the goals of awaitDisarmed that are met or late.
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
