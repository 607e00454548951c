package engine

import (
	"fmt"
	"slices"

	"rstate/internal/machine"
)

// A cancelled command: the calls in flight are awaited, and then the rollback begins.

// cancel answers a cancel request. It is possible until the commit, and never in error processing,
// in a shutdown or in a one-way disarming (F4).
func (s *State) cancel(handle string) {
	g := s.goals.find(handle)
	answer := func(yes bool, why string) {
		s.do(AnswerCancel{Handle: handle, Accepted: yes, Why: why})
		if !yes {
			s.recordRefusal("clients that cancel",
				Entry{Kind: EntryRefusal, Goal: handle, Command: "cancel", Sentence: "cancelling was refused: " + why})
		}
	}
	w := s.work
	switch {
	case g == nil:
		answer(false, "no such goal is open")
	case len(g.handles) > 1:
		answer(true, "")
		s.detach(g, handle)
	case s.idles(g):
		answer(true, "")
		s.quit(g)
	case w == nil || w.goal != g:
		answer(false, "its work is done")
	case w.phase.cancelled() || w.phase == rearming && w.canceled || g.rests:
		answer(true, "it is being cancelled")
	case w.phase == finalizing:
		answer(false, "shutting down cannot be cancelled")
	case w.phase != forward:
		answer(false, "a failure is being put right")
	case s.uncancelable(w) != "":
		answer(false, s.uncancelable(w))
	case s.disarmsOnItsWay(w):
		answer(true, "")
		s.record(Entry{Kind: EntryGoal, Event: EventCanceled, Goal: handle, Command: g.asked,
			Sentence: g.asked + " is cancelled, and ends when all is disarmed"})
		g.rests, g.path = true, nil
	default:
		answer(true, "")
		s.record(Entry{Kind: EntryGoal, Event: EventCanceled, Goal: handle, Command: w.command,
			Sentence: w.command + " is cancelled"})
		s.beginDraining(w)
	}
}

// beginDraining awaits the calls in flight of a cancelled command. A disarm that is taken back keeps what
// permits it.
func (co *course) beginDraining(w *work) {
	if w.takenBack = co.takesBack(w); !w.takenBack {
		co.endEra(w.command + " was cancelled")
	}
	w.enter(draining)
	w.fault.failing = false
	co.disarmDrained()
	co.touchAll()
}

// disarmDrained disarms the nodes that a cancelled arming has armed, while the answers of others are
// awaited. Without such an answer the rollback begins in this step, and disarms all.
func (co *course) disarmDrained() {
	if co.work.takenBack || !slices.ContainsFunc(co.armable, co.drainsArming) {
		return
	}
	for _, i := range co.armable {
		if co.nodes[i].arm.Belief() != Disarmed && !co.drainsArming(i) {
			co.disarm(i)
		}
	}
}

func (co *course) uncancelable(w *work) string {
	t, _ := co.machine.Transition(w.command)
	from, _ := co.machine.State(w.origin)
	switch {
	case w.waits:
		return "the loop is stopping"
	case w.goal != nil && w.goal.failed != "":
		return "a failure is being put right"
	case t.Cancel == machine.Refuse:
		return w.command + " cannot be cancelled"
	case co.disarmsOnItsWay(w):
		return ""
	case co.takesBack(w) && co.net.Arming.SecretFile != "":
		return "cancelling a disarm arms again, which asks for authority here: arm again when it is done"
	case !co.takesBack(w) && (w.oneWay || co.isDisarm(w.command) || from.Armed.Any() && w.lowers):
		return "this disarming goes one way: arm again when it is done"
	}
	return ""
}

// takeBack ends the goal of a running transition and rolls its nodes back.
func (cl *clients) takeBack(w *work, why string) { cl.takeBackAs(w, OutcomePreempted, why) }

func (cl *clients) takeBackAs(w *work, o Outcome, why string) {
	cl.endEra(why)
	cl.endGoal(w, Aborted, o, why)
	w.enter(draining)
	w.fault.failing = false
	cl.touchAll()
}

// drain waits for the calls in flight of a cancelled transition. A step that fails meanwhile is
// only recorded.
func (co *course) drain(i int) {
	n := &co.nodes[i]
	l := &n.part
	switch {
	case !l.open() || co.drainsArming(i):
	case n.call == nil || !n.there():
		co.endDrain(i, VerdictSkipped, "cancelled")
	case n.movedOn(n.call):
		n.call = nil
		co.endDrain(i, VerdictDone, "was under way when the cancel came")
	case co.passed(l.deadline):
		co.endDrain(i, VerdictLate, "no answer when the cancel came")
	case co.now.Steady >= n.call.Sent+readEvery:
		co.poll(i)
	}
}

// drainsArming reports whether an answer of node i to arm, or to a disarm that is taken back, is
// awaited.
func (co *course) drainsArming(i int) bool {
	n := &co.nodes[i]
	l, a := &n.part, &n.arm
	if !n.served() || co.passed(l.deadline) {
		return false
	}
	return co.work.takenBack && a.Duty() && a.Belief() != Disarmed && a.Refused() == "" ||
		l.arm && l.status == partWorking && a.Open()
}

// endDrain ends the part of a drained node. No doubt about the node remains: the work that follows
// reads it again.
func (co *course) endDrain(i int, v Verdict, evidence string) {
	co.finish(i, partDone, v, evidence)
	co.nodes[i].part.refused = nil
	co.makeSure(i)
}

// concludeDraining begins the rollback of a cancelled transition after all calls in flight have ended.
func (s *State) concludeDraining() bool {
	w := s.work
	if w.takenBack {
		w.takenBack, w.canceled = false, true
		s.rearm(w.command + " was cancelled")
		return true
	}
	s.recordState(EventTurned, "cancelled: back to "+w.origin)
	w.target = s.machine.Disarmed(w.origin)
	w.fault.spared = s.untouched()
	s.lay(undoing, w.target)
	return true
}

// concludeUndoing ends a cancelled transition. If the origin was not reached, recovery follows.
func (s *State) concludeUndoing() bool {
	w := s.work
	if w.fault.failing {
		s.undoFailed()
		return true
	}
	lost := s.passedLifeless()
	s.settle(w.target)
	s.change(w, Change{SourceState: w.origin, TargetState: w.target, Settled: true}, s.peers.takenBack(w))
	words := fmt.Sprintf("%s was cancelled; the network is %s again%s", w.command, w.target, lost)
	if armed := s.unconfirmed(); armed != "" {
		s.endGoal(w, Aborted, OutcomeHeld, words+", "+armed)
		return true
	}
	s.endGoal(w, Canceled, OutcomeCanceled, words)
	return true
}

// undoFailed starts recovery because the origin of a cancelled transition was not reached.
func (s *State) undoFailed() {
	w := s.work
	for _, i := range w.fault.failed {
		w.fault.blame = append(w.fault.blame, w.parts.results[i])
	}
	w.why = "cancelled; " + s.sentenceOf(w)
	s.enterError()
	switch {
	case w.fault.spared:
		s.leaveAsIs()
	case w.target == s.machine.Initial:
		w.enter(unconfiguring)
		s.lastResort()
	default:
		s.secondRung(w.fault.back + " cannot be restored")
	}
}
