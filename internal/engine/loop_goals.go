package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rstate/internal/machine"
)

// Goals that wait for the loop.

// leaveOpen lets the goal of a command wait until the loop stops, and reports whether it does.
func (s *State) leaveOpen(w *work) bool {
	t, _ := s.machine.Transition(w.command)
	here, _ := s.machine.State(s.settled)
	if w.goal == nil || len(w.goal.path) > 0 || w.goal.rests || !t.Open || here.Loop == machine.NoLoop {
		return false
	}
	s.loop.goals = append(s.loop.goals, w.goal)
	w.goal = nil
	s.changed = true
	return true
}

// settledLoop notes that the network has settled after w: without the loop, nothing of it is due.
func (s *State) settledLoop(w *work) {
	here, _ := s.machine.State(s.settled)
	if here.Loop != machine.NoLoop {
		return
	}
	s.loop.due = false
	if len(s.machine.Outcomes) > 0 && s.machine.AfterLoop(s.settled) { // perhaps in an earlier process
		s.loop.ever = true
	}
	if g := s.loop.deferred; g != nil && !s.judge.Can(g.name) {
		s.endDeferred(Aborted, OutcomePreempted, "the network is "+s.settled+": "+s.report.cause)
	}
	s.endLoopGoals(w)
}

// endLoopGoals ends the goals that waited for the loop, when the network has settled without it after w.
func (s *State) endLoopGoals(w *work) {
	if len(s.loop.goals) == 0 {
		return
	}
	list := s.loop.goals
	s.loop.goals = nil
	ended := cmp.Or(s.loop.ended, &LoopIdle{})
	words := "the network is " + s.settled
	switch ended.Cycles {
	case 0: // or it was stopped at once, in the middle of one
	case 1:
		words += " after a step"
	default:
		words += fmt.Sprintf(" after %d steps", ended.Cycles)
	}
	failed := ended.failed()
	switch {
	case w != nil && len(w.fault.blame) > 0:
		failed = true
		words += ": " + s.sentenceOf(w)
	case !s.intact():
		failed = true
		words += ": " + strings.Join(s.deviations(), "; ")
	case ended.Why != "":
		words += ": " + ended.Why
	}
	for _, g := range list {
		switch {
		case slices.Contains(s.loop.quits, g):
			s.finishGoal(g, Canceled, Result{Outcome: OutcomeCanceled, Message: words})
		case failed:
			s.finishGoal(g, Aborted, Result{Outcome: OutcomeHeld, Message: words})
		default:
			s.concludeGoal(g, Succeeded, Result{Success: true, Outcome: OutcomeDone, Message: words})
		}
	}
	s.loop.quits = nil
}

// drop forgets goals of the loop that have ended otherwise.
func (lo *looping) drop() {
	lo.goals, lo.quits, lo.deferred = nil, nil, nil
}

// deferToStepEnd lets a command wait for the end of a step if the loop does not run: it acts when the
// loop goes on. It reports whether it answered the request.
func (s *State) deferToStepEnd(in GoalAsked, t machine.Transition) bool {
	here, _ := s.machine.State(s.settled)
	if t.At != machine.StepEnd || here.Loop != machine.NoLoop || s.net.Loop == nil {
		return false
	}
	if s.loop.deferred != nil {
		s.reject(in, s.loop.deferred.name+" is kept already, until the loop goes on")
		return true
	}
	s.loop.deferred = s.accept(in, nil)
	s.changed = true
	return true
}

func (s *State) endDeferred(e Ending, o Outcome, why string) {
	g := s.loop.deferred
	s.loop.deferred = nil
	s.finishGoal(g, e, Result{Outcome: o, Message: why})
}

// open lists the goals that wait for the loop.
func (l *looping) open() []*goal {
	if l.deferred == nil {
		return l.goals
	}
	return append(slices.Clone(l.goals), l.deferred)
}

// idles reports whether a goal waits for peers or for the loop.
func (s *State) idles(g *goal) bool {
	return s.peers.waiting(g) != nil || g == s.loop.deferred || slices.Contains(s.loop.goals, g)
}

// quit cancels a goal that idles.
func (s *State) quit(g *goal) {
	switch w := s.peers.waiting(g); {
	case w != nil:
		s.endWait(w, Canceled, OutcomeCanceled, "the waiting for peers was cancelled")
	case g == s.loop.deferred:
		s.endDeferred(Canceled, OutcomeCanceled, g.name+" was cancelled; the network is "+s.settled)
	default:
		s.loop.quits = append(s.loop.quits, g)
		s.record(Entry{Kind: EntryGoal, Event: EventCanceled, Goal: g.handles[0], Command: g.asked,
			Sentence: g.asked + " is cancelled: the loop stops"})
	}
}
