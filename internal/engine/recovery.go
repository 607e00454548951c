package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/machine"
)

// Recovery of a transition that fails or is cancelled: the rollback and the later rungs.

// fault is what failed, for recovery and the result.
type fault struct {
	asked    bool           // a request other than reads and checks was sent
	passes   bool           // a node that fails is tried once and passed over
	after    machine.Failed // how the network goes on after a rollback that is no error processing
	spared   bool           // nothing was asked when it failed or was cancelled, so no node is lowered for it
	failing  bool
	failed   []int
	blame    []NodeResult  // results that failed the command, before recovery changed them
	failedAt time.Duration // when the rollback began
	back     string        // first target of the rollback; empty: there was none
	suspects []int         // required nodes that made a lowering fail
	reported nodeError     // the worst error that a node has reported since the work began
	resorted bool          // the network ends although the command leads elsewhere
}

func (w *work) fail(i int) {
	w.fault.failing = true
	if !slices.Contains(w.fault.failed, i) {
		w.fault.failed = append(w.fault.failed, i)
	}
}

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
		w.fault.suspects = slices.DeleteFunc(slices.Clone(w.fault.failed),
			func(i int) bool { return s.nodes[i].spec.Optional })
	}
	s.lay(restoring, w.target)
}

// onFailure returns how the network goes on after the failure of the running command. Only a
// refusal of every failed node is a refusal.
func (co *course) onFailure() machine.Failed {
	w := co.work
	v := machine.Refusal
	for _, i := range w.fault.failed {
		if w.parts.results[i].Verdict != VerdictRefused {
			v = machine.Error
		}
	}
	if w.news.from != "" {
		return co.afterReport(co.machine.OnMirroredFailure(w.command, w.origin, v))
	}
	return co.afterReport(co.machine.OnFailure(w.command, w.origin, v))
}

// enterError shows the state of error processing, however short it is.
func (s *State) enterError() {
	s.endEra(s.work.why)
	must(s.judge.Fail())
	s.recordState(EventFailed, s.work.why)
	s.showState()
	s.change(s.work, Change{SourceState: s.work.origin, TargetState: s.judge.State(), State: s.judge.State()}, false)
}

// goesOnDown reports whether the goal of a failed lowering names the state in which the second rung
// ends, and only nodes without an answer made it fail. Then the origin is not restored, because
// that would raise nodes that are to be lowered.
func (co *course) goesOnDown() bool {
	w := co.work
	if w.goal == nil || !w.lowers || !w.goal.isState || w.goal.name != co.machine.Initial {
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
func (co *course) untouched() bool {
	w := co.work
	t := co.command(w.command, w.origin)
	to, _ := co.machine.State(t.To)
	origin, _ := co.machine.State(w.origin)
	return !w.fault.asked && to.Armed.Any() && !origin.Armed.Any() && len(co.mayBeArmed()) == 0
}

// leaveAsIs ends a failed transition that has changed nothing in its origin. The states of the
// failed nodes are in doubt from now on.
func (s *State) leaveAsIs() {
	for _, i := range s.work.fault.failed {
		s.doubt(i)
	}
	s.giveBack(OutcomeHeld, s.work.target)
}

// giveBack ends a failed transition in the state that recovery has reached.
func (s *State) giveBack(outcome Outcome, state string) {
	w := s.work
	lost := s.passedLifeless()
	s.settle(state)
	s.change(w, Change{SourceState: w.origin, TargetState: state, Settled: true}, s.spreads(w, state))
	words := outcomeWords(outcome, state) + lost
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

// unreached says which states the rollback has tried and missed, and why the last one.
func (ro *roster) unreached(w *work) string {
	words := ro.machine.Initial + " cannot be reached"
	if w.fault.back != "" && w.fault.back != ro.machine.Initial {
		words = "neither " + w.fault.back + " nor " + ro.machine.Initial + " can be reached"
	}
	why := make([]string, 0, len(w.fault.failed))
	for _, i := range w.fault.failed {
		why = append(why, ro.nodes[i].spec.Name+" "+w.parts.results[i].Evidence)
	}
	if len(why) > 0 {
		words += " (" + strings.Join(why, "; ") + ")"
	}
	return words
}

// sentenceOf tells the user what failed: the command, each node, and its answer.
func (f *facts) sentenceOf(w *work) string {
	parts := make([]string, 0, len(w.fault.blame))
	for _, r := range w.fault.blame {
		parts = append(parts, r.Node+" "+r.Evidence)
	}
	return fmt.Sprintf("%s failed: %s", w.command, strings.Join(parts, "; "))
}

// recovery names the rung of recovery that runs; empty: none.
func (f *facts) recovery(w *work) string {
	shutdown, _ := f.machine.Shutdown()
	if w.phase == finalizing && w.command == shutdown.Name {
		return ""
	}
	return w.phase.recovery
}
