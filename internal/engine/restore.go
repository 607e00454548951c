package engine

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Recovery of a transition that fails or is cancelled: the rollback and the later rungs.

// failed ends a transition that a required node made impossible, and starts the first rung.
func (s *State) failed() {
	w := s.work
	for _, i := range w.fault.failed {
		w.fault.blame = append(w.fault.blame, w.parts.results[i])
	}
	w.why = s.sentenceOf(w)
	s.report.cause = w.why
	s.peers.book.Fail(w.news.task)
	if w.fault.after = s.onFailure(); w.fault.after.Does != machine.Restore {
		s.returnQuietly()
		return
	}
	s.enterError()
	if w.goal == nil && w.lowers && w.command != "" && !w.oneWay {
		s.secondRung(w.origin + " is not restored, as no goal waits for it") // F6
		return
	}
	if s.goesOnDown() {
		s.secondRung(w.origin + " is not restored, as the goal names " + w.goal.name)
		return
	}
	w.target = s.machine.Disarmed(w.origin)
	w.fault.spared = s.untouched()
	if w.lowers {
		w.fault.suspects = slices.DeleteFunc(slices.Clone(w.fault.failed), func(i int) bool { return s.nodes[i].spec.Optional })
	}
	s.lay(restoring, w.target)
}

// onFailure returns how the network goes on after the failure of the running command. Only a
// refusal of every failed node is a refusal.
func (s *State) onFailure() machine.Failed {
	w := s.work
	v := machine.Refusal
	for _, i := range w.fault.failed {
		if w.parts.results[i].Verdict != VerdictRefused {
			v = machine.Error
		}
	}
	if w.news.from != "" {
		return s.machine.OnMirroredFailure(w.command, w.origin, v)
	}
	return s.machine.OnFailure(w.command, w.origin, v)
}

// returnQuietly rolls the nodes back without error processing. A mirrored change may take its
// target instead; then no node moves.
func (s *State) returnQuietly() {
	w := s.work
	f := w.fault.after
	if w.news.from != "" && f.Rest == w.target {
		s.quietlyBack()
		return
	}
	w.target = f.Rest
	s.recordState(EventTurned, w.why+": back to "+w.target)
	s.lay(returning, w.target)
}

// returned judges the rollback of a command that failed without error processing.
func (s *State) returned() bool {
	w := s.work
	if !w.fault.failing || !w.fault.after.Rungs {
		s.quietlyBack()
		return true
	}
	s.enterError()
	if w.target == s.machine.Initial {
		s.lastResort()
		return true
	}
	s.secondRung(w.fault.back + " cannot be restored")
	return true
}

// quietlyBack settles after such a rollback, and begins the command that follows, if there is one.
// The goal waits for its end.
func (s *State) quietlyBack() {
	w := s.work
	rest, next := w.fault.after.Rest, w.fault.after.Then
	outcome := OutcomeRestored
	if w.fault.failing {
		outcome = OutcomeHeld
	}
	if end, _ := s.machine.State(rest); end.Final { // a mirrored end arrives, cleanly or not
		s.finalized()
		return
	}
	s.settle(rest)
	s.change(w, Change{SourceState: w.origin, TargetState: rest, Settled: true}, s.spreads(w, rest))
	if next == "" {
		s.endGoal(w, Aborted, outcome, w.why+"; "+outcomeWords(outcome, rest))
		return
	}
	g := w.goal
	if g != nil {
		g.failed, g.path, g.rests = w.why, nil, false
		g.blame = append(g.blame, w.fault.blame...)
	}
	w.goal = nil
	s.followUp(next, g, w.why)
}

// goesOnDown reports whether the goal of a failed lowering names the state in which the second rung
// ends, and only nodes without an answer made it fail. Then the origin is not restored, because
// that would raise nodes that are to be lowered.
func (s *State) goesOnDown() bool {
	w := s.work
	if w.goal == nil || !w.lowers || !w.goal.isState || w.goal.name != s.machine.Initial {
		return false
	}
	answered := func(i int) bool {
		v := w.parts.results[i].Verdict
		return v != VerdictLate && v != VerdictUnknown && v != VerdictGone
	}
	return !slices.ContainsFunc(w.fault.failed, answered)
}

// untouched reports whether the running work is an arming that has sent no request and leaves no
// node armed. It has changed nothing, so recovery takes the first rung only. A node that was
// silent, strayed or lost meanwhile and cannot be restored is left to the policies; it is no reason
// to lower all others.
func (s *State) untouched() bool {
	w := s.work
	t := s.command(w.command, w.origin)
	to, _ := s.machine.State(t.To)
	origin, _ := s.machine.State(w.origin)
	return !w.fault.asked && to.Armed.Any() && !origin.Armed.Any() && len(s.mayBeArmed()) == 0
}

// leaveAsIs ends a failed transition that has changed nothing in its origin. The states of the
// failed nodes are in doubt from now on.
func (s *State) leaveAsIs() {
	for _, i := range s.work.fault.failed {
		s.doubt(i)
	}
	s.giveBack(OutcomeHeld, s.work.target)
}

// enterError shows the state of error processing, however short it is.
func (s *State) enterError() {
	must(s.judge.Fail())
	s.recordState(EventFailed, s.work.why)
	s.showState()
	s.change(s.work, Change{SourceState: s.work.origin, TargetState: s.judge.State(), State: s.judge.State()}, false)
}

// restoreConcluded judges the first rung.
func (s *State) restoreConcluded() bool {
	switch w := s.work; {
	case !w.fault.failing:
		s.giveBack(OutcomeRestored, w.target)
	case w.fault.spared:
		s.leaveAsIs()
	case w.target != s.machine.Initial:
		s.secondRung(w.fault.back + " cannot be restored")
	default:
		s.lastResort()
	}
	return true
}

// unconfigureConcluded judges the second rung.
func (s *State) unconfigureConcluded() bool {
	switch w := s.work; {
	case !w.fault.failing:
		s.giveBack(OutcomeUnconfigured, w.target)
	case w.fault.spared:
		s.leaveAsIs()
	default:
		s.lastResort()
	}
	return true
}

// lastResort shuts the network down, or holds it, as the file says, because both rungs failed.
func (s *State) lastResort() {
	w := s.work
	if s.net.LastResort == network.ResortHold {
		s.giveBack(OutcomeHeld, s.machine.Disarmed(w.origin))
		return
	}
	t, ok := s.shutdown()
	if !ok {
		s.giveBack(OutcomeHeld, s.machine.Disarmed(w.origin))
		return
	}
	must(s.judge.Preempt(t.Name))
	s.recordState(EventTurned, s.unreached(w)+": shutting down")
	w.news.event = t.Name
	s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: t.To}, s.spreads(w, t.To))
	w.fault.resorted = t.To != s.command(w.command, w.origin).To
	w.target = t.To
	s.lay(finalizing, t.To)
}

// secondRung unconfigures every node.
func (s *State) secondRung(why string) {
	w := s.work
	w.target = s.machine.Initial
	s.recordState(EventTurned, why+": every node to "+w.target)
	s.lay(unconfiguring, w.target)
}

// unreached says which states the rollback has tried and missed, and why the last one.
func (s *State) unreached(w *work) string {
	words := s.machine.Initial + " cannot be reached"
	if w.fault.back != "" && w.fault.back != s.machine.Initial {
		words = "neither " + w.fault.back + " nor " + s.machine.Initial + " can be reached"
	}
	why := make([]string, 0, len(w.fault.failed))
	for _, i := range w.fault.failed {
		why = append(why, s.nodes[i].spec.Name+" "+w.parts.results[i].Evidence)
	}
	if len(why) > 0 {
		words += " (" + strings.Join(why, "; ") + ")"
	}
	return words
}

// giveBack ends a failed transition in the state that recovery has reached.
func (s *State) giveBack(outcome Outcome, state string) {
	w := s.work
	s.settle(state)
	s.change(w, Change{SourceState: w.origin, TargetState: state, Settled: true}, s.spreads(w, state))
	words := outcomeWords(outcome, state)
	if armed := s.unconfirmed(); armed != "" {
		outcome, words = OutcomeHeld, words+", "+armed
	}
	s.endGoal(w, Aborted, outcome, w.why+"; "+words)
}

func outcomeWords(o Outcome, state string) string {
	switch o {
	case OutcomeRestored:
		return "the network is " + state + " again"
	case OutcomeUnconfigured:
		return "the network was taken to " + state
	case OutcomeHeld:
		return "the network could not be put right and is held; its state is still called " + state
	}
	return "the network is " + state
}

// ceiling is the state above which recovery and a start do not raise node i: its state when the
// transition began. Active is no ceiling, because nothing is above it. Recovery activates no node
// that may be armed: takeDown deactivates such a node for not confirming its disarm.
func (s *State) ceiling(i int) lifecycle.State {
	switch w := s.work; {
	case w.phase.raises:
		return lifecycle.Active
	case w.phase.returns && s.nodes[i].owesDisarm():
		return lifecycle.Lower(w.parts.began[i].state, lifecycle.Inactive)
	default:
		return w.parts.began[i].state
	}
}

// sentenceOf tells the user what failed: the command, each node, and its answer.
func (s *State) sentenceOf(w *work) string {
	parts := make([]string, 0, len(w.fault.blame))
	for _, r := range w.fault.blame {
		parts = append(parts, r.Node+" "+r.Evidence)
	}
	return fmt.Sprintf("%s failed: %s", w.command, strings.Join(parts, "; "))
}
