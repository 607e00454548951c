package engine

import (
	"slices"
	"time"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// The stepped loop of a simulation. It runs beside the engine (package looper), so no disarm and no
// shutdown ever waits for a step. The engine starts and stops it, and decides what the network does
// when it has stopped.
//
// A command into a state in which the loop runs starts it at its commit. A command out of such states
// stops it first, at the end of the step, and then moves the nodes; a disarm, a shutdown without at:
// step_end and what preempts stop it at once and wait for nothing. A loop that stops by itself makes the network run
// the command for what ended it (wants). No loop is started without a command of a client: a start, a
// stall and a mirrored change take adopt_as instead.

// looping is what is known of the loop.
type looping struct {
	*facts

	run       uint64 // the newest
	runs      bool   // it has not stopped
	ever      bool   // a command into it has begun, perhaps in an earlier process
	goals     []*goal
	quits     []*goal // of goals: those that were cancelled
	deferred  *goal   // it waits for the end of a step, and the loop does not run
	ended     *LoopIdle
	due       bool   // its end is not obeyed yet
	asked     uint64 // the newest run that was asked to stop at the end of a step
	reactedTo uint64 // the newest run after whose end a reaction was to leave the state
	fault     string // why it stopped by a fault; empty: it did not, or was started since
	result    result
	view      LoopView
}

// stopLoopFirst stops the loop that runs before the work of a command, if the command leads out of it.
func (s *State) stopLoopFirst(w *work, t machine.Transition) {
	to, _ := s.machine.State(t.To)
	atOnce := t.Always && !s.endsStep(w, t) || t.Preempts || s.isDisarm(t.Name) || to.Final && w.fault.passes
	leaves := to.Loop == machine.NoLoop || t.Loop
	s.noteOutcome(w, t.Name, atOnce && leaves)
	s.loop.noteStart(w, to)
	if atOnce && s.loop.deferred != nil {
		s.endDeferred(Aborted, OutcomePreempted, "pre-empted by "+t.Name)
	}
	if !s.loop.runs || !leaves {
		return
	}
	if atOnce {
		s.loop.stop(&s.agenda, stepper.Abort, t.Name+" began")
		return
	}
	s.loop.stop(&s.agenda, s.wantsOf(w), t.Name+" began")
	w.waits = true
}

// noteStart notes that a command of this instance has begun to start the loop.
func (lo *looping) noteStart(w *work, to machine.State) {
	if to.Loop != machine.NoLoop && lo.net.Loop != nil && w.news.from == "" {
		lo.ever = true
	}
}

// stop ends the run. One that ends at once does not count as running any more.
func (lo *looping) stop(ag *agenda, want stepper.Want, why string) {
	atOnce := want == stepper.Abort
	if !lo.runs || !atOnce && lo.asked == lo.run {
		return
	}
	lo.asked = lo.run
	ag.do(StopLoop{Run: lo.run, Want: want, Why: why})
	if atOnce {
		lo.runs, lo.due, lo.ended = false, false,
			&LoopIdle{Run: lo.run, Want: stepper.Abort, ByUs: true, Node: -1, Why: why}
		lo.view.Runs, lo.view.Phase = false, ""
		ag.changed = true
	}
}

// commitToLoop does at the commit of a command what it does to the loop.
func (lo *looping) commitToLoop(ag *agenda, w *work) {
	t, _ := lo.machine.Transition(w.command)
	from, _ := lo.machine.State(w.origin)
	to, _ := lo.machine.State(w.target)
	if lo.net.Loop == nil || w.phase != forward {
		return
	}
	if t.Loop {
		ag.do(ResetLoop{})
		lo.fault, lo.result = "", result{}
	}
	switch {
	case lo.runs:
		if to.Loop == machine.LoopEnding {
			lo.stop(ag, stepper.Stop, t.Name+" began")
		}
	case w.news.from != "" || to.Loop == machine.NoLoop || lo.due:
	case to.Loop == machine.LoopRunning && (from.Loop == machine.NoLoop || t.Loop):
		lo.start(ag, w.span())
	case from.Loop == machine.NoLoop:
		a := w.span()
		a.Steps = max(a.Steps, 1)
		lo.start(ag, a)
	}
}

// span is the argument of the goal of the work.
func (w *work) span() stepper.Span {
	if w.goal == nil {
		return stepper.Span{}
	}
	return w.goal.span
}

func (lo *looping) start(ag *agenda, a stepper.Span) {
	lo.run++
	lo.runs, lo.ended, lo.due, lo.fault = true, nil, false, ""
	ag.do(StartLoop{Run: lo.run, DT: a.DT, Steps: a.Steps})
}

// inLoop reports whether node i is a participant of the loop that runs.
func (s *State) inLoop(i int) bool {
	return s.loop.runs && slices.ContainsFunc(s.net.Loop.Participants,
		func(p network.Participant) bool { return p.Node == s.nodes[i].spec.Name })
}

// dropOut tells the loop that the process of node i was lost or replaced.
func (s *State) dropOut(i int, why string) {
	if s.inLoop(i) {
		s.do(LoseStepper{Node: i, Why: why})
	}
}

// loopIdle takes the end of a run. It counts against a command that waits for the end of a step, and
// against one that arms.
func (s *State) loopIdle(in LoopIdle) {
	l := &s.loop
	if in.Run != l.run || !l.runs {
		return
	}
	l.runs, l.due, l.ended, l.view.Runs, l.view.Phase = false, true, &in, false, ""
	l.view.Step, l.view.Now = in.Step, in.Now
	if in.Fault {
		l.fault = in.Why
		s.record(Entry{Kind: EntryState, Event: EventFailed, State: s.judge.State(),
			Sentence: "the loop stopped: " + in.Why})
	}
	l.result.take(outcomeOf(in), in.Why)
	s.changed = true
	switch w := s.work; {
	case w == nil:
	case w.arms:
		s.disarmForSafety("the loop has stopped: " + in.Why)
	case w.waits && w.phase == finalizing:
		s.endAfterStep()
	case w.waits && s.overrules(&in, w):
		why := "the loop stopped before " + w.command + " could act: " + in.Why
		if s.firstOf(in.wants(), w.origin) == "" {
			s.endGoal(w, Aborted, OutcomeHeld, why)
		}
		s.preempt(why)
		must(s.judge.Settle(s.settled)) // what has ended the loop begins there
	case w.waits:
		w.waits, l.due = false, false
		s.touchAll()
	}
}

// overrules reports whether what has ended the loop counts more than the command of the work, which
// waits for the end of the step: it leads lower, or it is stronger.
func (co *course) overrules(in *LoopIdle, w *work) bool {
	if in.ByUs {
		return false
	}
	name := co.firstOf(in.wants(), w.origin)
	to, _ := co.machine.Target(name, w.origin)
	t, _ := co.machine.Transition(w.command)
	switch {
	case name == "":
		return in.Fault && !w.lowers && (!t.Loop || in.Node >= 0 && co.deviation(in.Node) != "") // the step has no end
	case name == w.command || co.machine.Level(to) > co.machine.Level(w.target):
		return false
	case co.machine.Level(to) < co.machine.Level(w.target) || co.wantOf(name) == stepper.Abort:
		return true
	}
	return in.Want.Stronger(co.wantsOf(w))
}

// lands is the state in which a network settles that is to settle in another: a state of the loop is
// taken only while the loop runs, has ended without what follows, or has just finished in a state for
// that. Where nodes are armed the state stays, until they are disarmed.
func (lo *looping) lands(state string) string {
	here, _ := lo.machine.State(state)
	ending := here.Loop == machine.LoopEnding && lo.ended != nil && lo.net.Loop != nil
	if here.Loop == machine.NoLoop || lo.runs || ending || here.Armed.Any() ||
		lo.due && lo.firstOf(lo.ended.wants(), state) != "" {
		return state
	}
	return lo.machine.Adopted(state)
}

// firstOf returns the first of the commands for wants that clients can run in a state; empty: there is
// none.
func (f *facts) firstOf(wants []stepper.Want, state string) string {
	for _, want := range wants {
		name := f.commandFor(want)
		t, _ := f.machine.Transition(name)
		if _, ok := f.machine.Target(name, state); ok && !t.Hidden {
			return name
		}
	}
	return ""
}

// LoopView is what is shown of the stepped loop.
type LoopView struct {
	Runs     bool
	Phase    string // that runs; empty: none
	Step     uint64 // the number of the step that runs, or of the last one; from 1 at each reset
	Now      time.Duration
	DT       time.Duration
	Rate     float64 // steps in a second
	Overruns uint64  // steps of this run that ended later than the rate of the loop allows
	Times    []StepTime
	Fault    string // why the loop stopped by a fault; empty: it did not, or goes on since
	Other    string // another node that publishes simulated time while the loop runs; empty: none
	Outcome  string // of the run so far, in every machine; empty: it is undecided
	Why      string // the reason of the outcome, where there is one
	// Recordings are the files of the recording, one for each beginning of the loop.
	Recordings []string
}

// StepTime is how long a participant takes for one phase, in this run of the loop.
type StepTime struct {
	Node            string
	Phase           stepper.Phase
	Count           uint64
	Mean, Max, Last time.Duration
}

func (s *State) loopSeen(in LoopSeen) {
	if s.loop.run == 0 {
		return
	}
	before := s.loop.view.Other
	s.loop.view, s.changed = in.Loop, true
	s.loop.view.Runs = s.loop.runs
	if why := s.loop.twoClocks(); why != "" && in.Loop.Other != before {
		s.record(Entry{Kind: EntryClock, Event: EventFailed, Node: in.Loop.Other, Sentence: why})
	}
}

// twoClocks is the warning that another node publishes simulated time beside the loop; empty: none does.
func (lo *looping) twoClocks() string {
	if !lo.runs || lo.view.Other == "" {
		return ""
	}
	return lo.view.Other + " publishes " + lo.net.Loop.Clock +
		" beside the loop, so simulated time jumps; stop it, or write loop: {clock: false}"
}

// deviationsShown are those of the nodes, and that the loop has stopped by a fault. The fault keeps no
// command from starting the loop again.
func (s *State) deviationsShown() []string {
	list := s.deviations()
	if s.loop.fault != "" {
		list = append(list, "the loop has stopped: "+s.loop.fault)
	}
	return list
}

// loopView is what is shown of the loop.
func (s *State) loopView() LoopView {
	v := s.loop.view
	v.Fault = s.loop.fault
	v.Outcome, v.Why = s.decided().String(), s.loop.result.why
	return v
}
