package engine

import (
	"cmp"

	"rstate/internal/machine"
	"rstate/internal/stepper"
)

// What the network does when the loop has stopped.

// attendToLoop does at rest what the loop makes due: what follows its end, a cancelled goal, a command
// that was deferred. It reports whether it began anything.
func (s *State) attendToLoop() bool {
	here, _ := s.machine.State(s.settled)
	if s.busy() || s.settled == "" || s.closing.stop != nil || s.closing.ended != nil || here.Loop == machine.NoLoop ||
		s.net.Loop == nil {
		return false
	}
	if s.loop.runs {
		if ceded := s.cedeLoop(here); ceded {
			return true
		}
		return s.beginInLoop(here)
	}
	e := cmp.Or(s.loop.ended, &LoopIdle{})
	why := cmp.Or(e.Why, "its steps have run")
	switch {
	case here.Armed.Any():
		s.disarmForSafety("the loop has stopped")
	case here.Loop == machine.LoopEnding:
		s.leaveEnding(e, why)
	default:
		s.meetWants(e.wants(), why)
	}
	return true
}

// leaveEnding leaves the state in which a loop finishes: by the command for what has ended the loop, or
// else by the reaction to its end.
func (s *State) leaveEnding(e *LoopIdle, why string) {
	if s.loop.due {
		if begun := s.beginWanted(s.loop.urgent(e), why); begun {
			return
		}
	}
	if s.loop.reactedTo != s.loop.run { // once: a reaction that failed has led back here
		s.loop.reactedTo, s.loop.due = s.loop.run, false
		s.reactTo(machine.LoopIdle, -1)
		if begun := s.react(); begun {
			return
		}
	}
	s.settleWithoutLoop(true)
}

// beginInLoop begins the command that was deferred, or the stop of a cancelled goal, while the loop runs. It
// reports whether it began anything.
func (s *State) beginInLoop(here machine.State) bool {
	switch g := s.loop.deferred; {
	case g != nil && s.judge.Can(g.name) && s.deferredTooLong(g) != "":
		s.endDeferred(Aborted, OutcomePreempted, g.name+" was not begun: "+s.deferredTooLong(g))
	case g != nil && s.judge.Can(g.name):
		s.loop.deferred = nil
		s.start(s.command(g.name, s.origin()), g, g.reason, s.judge.Begin)
	case len(s.loop.quits) == 0 || s.loop.asked == s.loop.run:
		return false
	case here.Armed.Any():
		s.disarmForSafety("the goal of the loop was cancelled")
	default:
		s.loop.result.take(stopped, "the goal of the loop was cancelled")
		s.meetWants(wantsFor(stepper.Stop, false), "its goal was cancelled")
	}
	return true
}

// meetWants runs the first of the commands for wants that can begin, or else ends the loop without one.
func (s *State) meetWants(wants []stepper.Want, why string) {
	if begun := s.beginWanted(wants, why); begun {
		return
	}
	if s.loop.runs {
		s.loop.stop(&s.agenda, stepper.Stop, why)
		return
	}
	s.settleWithoutLoop(true)
}

// beginWanted begins the first of the commands for wants that can begin, and reports whether it did. It counts as a
// command of this instance, but raises no peers that have been lowered meanwhile.
func (s *State) beginWanted(wants []stepper.Want, why string) bool {
	for _, want := range wants {
		name := s.commandFor(want)
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

// wants lists what is to follow the end of a loop, the best first. If this instance has stopped it, the
// command for which it did has not come about.
func (in *LoopIdle) wants() []stepper.Want {
	if in.ByUs {
		return wantsFor(stepper.None, false)
	}
	return wantsFor(in.Want, in.Fault)
}

// wantsFor lists what may follow in the place of a want, the best first: a machine may have no command for
// one.
func wantsFor(want stepper.Want, fault bool) []stepper.Want {
	switch {
	case fault:
		return []stepper.Want{stepper.Abort}
	case want == stepper.None:
		return []stepper.Want{stepper.Pause, stepper.Stop}
	case want == stepper.Reset:
		return []stepper.Want{stepper.Reset, stepper.Abort, stepper.Stop}
	}
	return []stepper.Want{want, stepper.Stop}
}

// commandFor is the command of the machine that follows a want; empty: it has none.
func (f *facts) commandFor(want stepper.Want) string {
	return f.machine.CommandAfter(machine.LoopEnd(want.String()))
}

// wantOf is the want that a command follows; None: it follows no end of a loop.
func (f *facts) wantOf(command string) stepper.Want {
	end := f.machine.EndOf(command)
	if end == "" {
		return stepper.None
	}
	return stepper.WantOf(string(end))
}

// urgent lists what is to follow the end of a loop that was finishing already, or was asked to stop.
func (lo *looping) urgent(e *LoopIdle) []stepper.Want {
	least := stepper.Pause
	if lo.asked == e.Run {
		least = stepper.Stop
	}
	if e.ByUs || e.Want == stepper.Stop || !e.Fault && !e.Want.Stronger(least) {
		return nil
	}
	return wantsFor(e.Want, e.Fault)[:1]
}

// failed reports whether a loop has ended badly.
func (in *LoopIdle) failed() bool {
	return in.Fault || in.Want == stepper.Abort || in.Want == stepper.Fail
}

// settleWithoutLoop takes the state that stands for one with a loop. It may be a change that peers follow.
func (s *State) settleWithoutLoop(news bool) {
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
