package engine

import (
	"cmp"

	"rstate/internal/machine"
	"rstate/internal/stepper"
)

// What the network does when the loop has stopped.

// mindsLoop does at rest what the loop makes due: what follows its end, a cancelled goal, a command
// that was kept. It reports whether it began anything.
func (s *State) mindsLoop() bool {
	here, _ := s.machine.State(s.settled)
	if s.busy() || s.settled == "" || s.closing.stop != nil || s.closing.ended != nil || here.Loop == machine.NoLoop || s.net.Loop == nil {
		return false
	}
	if s.loop.runs {
		return s.cedes(here) || s.mindsCommands(here)
	}
	e := cmp.Or(s.loop.ended, &LoopIdle{})
	why := cmp.Or(e.Why, "its steps have run")
	switch {
	case here.Armed.Any():
		s.disarmForSafety("the loop has stopped")
	case here.Loop == machine.LoopEnding:
		s.endsHere(e, why)
	default:
		s.obeys(e.words(), why)
	}
	return true
}

// endsHere leaves the state in which a loop finishes: by the command for what has ended the loop, or
// else by the reaction to its end.
func (s *State) endsHere(e *LoopIdle, why string) {
	if s.loop.due && s.obeysOne(s.loop.urgent(e), why) {
		return
	}
	if s.loop.left != s.loop.run { // once: a reaction that failed has led back here
		s.loop.left, s.loop.due = s.loop.run, false
		s.reactTo(machine.LoopIdle, -1)
		if s.reacts() {
			return
		}
	}
	s.settlesWithout(true)
}

// mindsCommands begins the command that was kept, or the stop of a cancelled goal, while the loop runs.
func (s *State) mindsCommands(here machine.State) bool {
	switch g := s.loop.kept; {
	case g != nil && s.judge.Can(g.name) && s.keptTooLong(g) != "":
		s.endKept(Aborted, OutcomePreempted, g.name+" was not begun: "+s.keptTooLong(g))
	case g != nil && s.judge.Can(g.name):
		s.loop.kept = nil
		s.start(s.command(g.name, s.origin()), g, g.reason, s.judge.Begin)
	case len(s.loop.quits) == 0 || s.loop.asked == s.loop.run:
		return false
	case here.Armed.Any():
		s.disarmForSafety("the goal of the loop was cancelled")
	default:
		s.loop.result.take(stopped, "the goal of the loop was cancelled")
		s.obeys(wordsFor(stepper.Stop, false), "its goal was cancelled")
	}
	return true
}

// obeys runs the first of the commands that can begin, or else ends the loop without one.
func (s *State) obeys(words []string, why string) {
	if s.obeysOne(words, why) {
		return
	}
	if s.loop.runs {
		s.loop.stop(&s.agenda, stepper.Stop, why)
		return
	}
	s.settlesWithout(true)
}

// obeysOne begins the first of the commands that can begin, and reports whether it did. It counts as a
// command of this instance, but raises no peers that have been lowered meanwhile.
func (s *State) obeysOne(words []string, why string) bool {
	for _, name := range words {
		t, ok := s.machine.Transition(name)
		if !ok || t.Hidden || !s.judge.Can(name) {
			continue
		}
		if t = s.command(name, s.origin()); s.refuses(t) != "" {
			continue
		}
		w := s.workOf(t)
		w.why, w.news.event, w.news.ours = why, name, !s.peers.raisesPeers(t.To)
		s.loop.due = false
		must(s.judge.Begin(name))
		s.run(w, t)
		return true
	}
	return false
}

// words lists the commands for what has ended a loop, the best one first. If this instance has stopped
// it, the command for which it did has not come about.
func (in *LoopIdle) words() []string {
	if in.ByUs {
		return wordsFor(stepper.None, false)
	}
	return wordsFor(in.Want, in.Fault)
}

// wordsFor lists the commands for a want, the best one first.
func wordsFor(want stepper.Want, fault bool) []string {
	switch {
	case fault:
		return []string{"abort"}
	case want == stepper.None:
		return []string{"pause", "stop"}
	case want == stepper.Reset:
		return []string{"reset", "abort", "stop"}
	}
	return []string{want.String(), "stop"}
}

// urgent lists the commands for what has ended a loop that was finishing already, or was asked to stop.
func (lo *looping) urgent(e *LoopIdle) []string {
	least := stepper.Pause
	if lo.asked == e.Run {
		least = stepper.Stop
	}
	if e.ByUs || e.Want == stepper.Stop || !e.Fault && !e.Want.Stronger(least) {
		return nil
	}
	return wordsFor(e.Want, e.Fault)[:1]
}

// failed reports whether a loop has ended badly.
func (in *LoopIdle) failed() bool {
	return in.Fault || in.Want == stepper.Abort || in.Want == stepper.Fail
}

// settlesWithout takes the state that stands for one with a loop. It may be a change that peers follow.
func (s *State) settlesWithout(news bool) {
	s.loop.due = false
	from, to := s.settled, s.machine.Adopted(s.settled)
	s.report.cause = s.loop.stopped()
	s.settle(to)
	s.change(nil, Change{SourceState: from, TargetState: to, Settled: true}, news && !s.peers.raisesPeers(to))
}

// stopped says that the loop has stopped, and why.
func (lo *looping) stopped() string {
	if e := lo.ended; e != nil && e.Why != "" {
		return "the loop has stopped: " + e.Why
	}
	return "the loop has stopped"
}
