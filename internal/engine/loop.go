package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// The stepped loop of a simulation. It runs beside the engine (package looper), so no disarm and no
// shutdown ever waits for a step. The engine starts and stops it, and decides what the network does
// when it has stopped.
//
// A command into a state in which the loop runs starts it at its commit. A command out of such states
// stops it first, at the end of the step, and then moves the nodes; a disarm, a shutdown and what
// preempts stop it at once and wait for nothing. A loop that stops by itself makes the network run the
// command for what ended it (wants). No loop is started without a command of a client: a start, a
// stall and a mirrored change take adopt_as instead.

// looping is what is known of the loop.
type looping struct {
	run     uint64 // the newest
	runs    bool   // it has not stopped
	ever    bool   // there was one
	goals   []*goal
	quits   []*goal // of goals: those that were cancelled
	kept    *goal   // it waits for the end of a step, and the loop does not run
	ended   *LoopIdle
	due     bool   // its end is not obeyed yet
	asked   uint64 // the newest run that was asked to stop at the end of a step
	left    uint64 // the newest run after whose end a reaction was to leave the state
	fault   string // why it stopped by a fault; empty: it did not, or was started since
	outcome string // the first of this run of the simulation
	view    LoopView
}

// misfits says why the argument of a goal cannot be given to a command; empty: it can.
func (in GoalAsked) misfits(t machine.Transition) string {
	if in.Argument == "" {
		return ""
	}
	if t.Argument == "" {
		return t.Name + " takes no argument"
	}
	if _, err := stepper.ParseSpan(in.Argument); err != nil {
		return err.Error()
	}
	return ""
}

// noLoop says why this instance cannot start the loop to which a command leads; empty: it can, or none does.
func (s *State) noLoop(t machine.Transition) string {
	to, _ := s.machine.State(t.To)
	switch first := s.otherLoop(); {
	case to.Loop == machine.NoLoop:
		return ""
	case s.net.Loop == nil:
		return "the network file has no loop:, so this instance runs none; add it, or send the command to the instance that has it"
	case first != nil && !s.loop.runs:
		return first.Name + " has the loop of the simulation; send the command to it"
	}
	for _, p := range s.net.Loop.Participants { // each of two would take the call, and the faster answer would count
		if why := s.nodes[s.net.Index(p.Node)].several(); why != "" {
			return p.Node + " " + why
		}
	}
	return ""
}

// otherLoop returns the status of the oldest living peer that has the loop of the simulation; nil: none
// has. A peer without the loop shows no state of it.
func (s *State) otherLoop() *mirror.Status {
	var first *mirror.Status
	for _, p := range s.peers.book.Peers() {
		state, _ := s.machine.State(p.Status.State)
		if p.Alive && p.Same && state.Loop != machine.NoLoop && (first == nil || p.Status.Instance < first.Instance) {
			first = &p.Status
		}
	}
	return first
}

// cedes ends the loop at once if an older instance runs it too, and reports whether it did. That is no
// change of the simulation.
func (s *State) cedes(here machine.State) bool {
	first := s.otherLoop()
	if first == nil || first.Instance > s.fixed.opt.Instance {
		return false
	}
	why := first.Name + " has the loop of the simulation"
	s.stopLoop(stepper.Abort, why)
	s.loop.fault = why
	if here.Armed.Any() {
		s.disarmForSafety(why)
		return true
	}
	s.settlesWithout(false)
	return true
}

// inLoop reports whether node i is a participant of the loop that runs.
func (s *State) inLoop(i int) bool {
	return s.loop.runs && slices.ContainsFunc(s.net.Loop.Participants, func(p network.Participant) bool { return p.Node == s.nodes[i].spec.Name })
}

// dropsOut tells the loop that the process of node i was lost or replaced.
func (s *State) dropsOut(i int, why string) {
	if s.inLoop(i) {
		s.do(LoseStepper{Node: i, Why: why})
	}
}

// stopsFirst stops the loop that runs before the work of a command, if the command leads out of it.
func (s *State) stopsFirst(w *work, t machine.Transition) {
	to, _ := s.machine.State(t.To)
	atOnce := t.Always || t.Preempts || s.isDisarm(t.Name) || to.Final && w.fault.passes
	leaves := to.Loop == machine.NoLoop || t.Loop
	s.loop.noteOutcome(w, t.Name, atOnce && leaves)
	if atOnce && s.loop.kept != nil {
		s.endKept(Aborted, OutcomePreempted, "pre-empted by "+t.Name)
	}
	if !s.loop.runs || !leaves {
		return
	}
	if atOnce {
		s.stopLoop(stepper.Abort, t.Name+" began")
		return
	}
	want := stepper.WantOf(t.Name)
	if want == stepper.Abort { // one that does not preempt waits as others do
		want = stepper.Fail
	}
	s.stopLoop(want, t.Name+" began")
	w.waits = true
}

// stopLoop ends the run. One that ends at once does not count as running any more.
func (s *State) stopLoop(want stepper.Want, why string) {
	atOnce := want == stepper.Abort
	if !s.loop.runs || !atOnce && s.loop.asked == s.loop.run {
		return
	}
	s.loop.asked = s.loop.run
	s.do(StopLoop{Run: s.loop.run, Want: want, Why: why})
	if atOnce {
		s.loop.runs, s.loop.due, s.loop.ended = false, false, &LoopIdle{Run: s.loop.run, Want: stepper.Abort, ByUs: true, Node: -1, Why: why}
		s.loop.view.Runs, s.loop.view.Phase = false, ""
		s.report.changed = true
	}
}

// startsLoop does at the commit of a command what it does to the loop.
func (s *State) startsLoop(w *work) {
	t, _ := s.machine.Transition(w.command)
	from, _ := s.machine.State(w.origin)
	to, _ := s.machine.State(w.target)
	if s.net.Loop == nil || w.phase != forward {
		return
	}
	if t.Loop {
		s.do(ResetLoop{})
		s.loop.fault, s.loop.outcome = "", ""
	}
	switch {
	case s.loop.runs:
		if to.Loop == machine.LoopEnding {
			s.stopLoop(stepper.Stop, t.Name+" began")
		}
	case w.news.from != "" || to.Loop == machine.NoLoop || s.loop.due:
	case to.Loop == machine.LoopRunning && (from.Loop == machine.NoLoop || t.Loop):
		s.startLoop(w.span())
	case from.Loop == machine.NoLoop:
		a := w.span()
		a.Steps = max(a.Steps, 1)
		s.startLoop(a)
	}
}

// span is the argument of the goal of the work.
func (w *work) span() stepper.Span {
	if w.goal == nil {
		return stepper.Span{}
	}
	return w.goal.span
}

func (s *State) startLoop(a stepper.Span) {
	l := &s.loop
	l.run++
	l.runs, l.ever, l.ended, l.due, l.fault = true, true, nil, false, ""
	s.do(StartLoop{Run: l.run, DT: a.DT, Steps: a.Steps})
}

// lands is the state in which a network settles that is to settle in another: a state of the loop is
// taken only while the loop runs, has ended without what follows, or has just finished in a state for
// that. Where nodes are armed the state stays, until they are disarmed.
func (s *State) lands(state string) string {
	here, _ := s.machine.State(state)
	ending := here.Loop == machine.LoopEnding && s.loop.ended != nil && s.net.Loop != nil
	if here.Loop == machine.NoLoop || s.loop.runs || ending || here.Armed.Any() || s.loop.due && s.firstOf(s.loop.ended.words(), state) != "" {
		return state
	}
	return s.machine.Adopted(state)
}

// firstOf returns the first of the commands that clients can run in a state; empty: there is none.
func (s *State) firstOf(words []string, state string) string {
	for _, name := range words {
		t, _ := s.machine.Transition(name)
		if _, ok := s.machine.Target(name, state); ok && !t.Hidden {
			return name
		}
	}
	return ""
}

// staysOpen lets the goal of a command wait until the loop stops.
func (s *State) staysOpen(w *work) bool {
	t, _ := s.machine.Transition(w.command)
	here, _ := s.machine.State(s.settled)
	if w.goal == nil || len(w.goal.path) > 0 || w.goal.rests || !t.Open || here.Loop == machine.NoLoop {
		return false
	}
	s.loop.goals = append(s.loop.goals, w.goal)
	w.goal = nil
	s.report.changed = true
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
	if g := s.loop.kept; g != nil && !s.judge.Can(g.name) {
		s.endKept(Aborted, OutcomePreempted, "the network is "+s.settled+": "+s.report.cause)
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

// dropLoop forgets goals of the loop that have ended otherwise.
func (s *State) dropLoop() {
	s.loop.goals, s.loop.quits, s.loop.kept = nil, nil, nil
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
		s.record(Entry{Kind: EntryState, Event: EventFailed, State: s.judge.State(), Sentence: "the loop stopped: " + in.Why})
	}
	if l.outcome == "" || in.failed() {
		l.outcome = outcomeOf(in)
	}
	s.report.changed = true
	switch w := s.work; {
	case w == nil:
	case w.arms:
		s.disarmForSafety("the loop has stopped: " + in.Why)
	case w.waits && s.overrules(&in, w):
		why := "the loop stopped before " + w.command + " could act: " + in.Why
		if s.firstOf(in.words(), w.origin) == "" {
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
func (s *State) overrules(in *LoopIdle, w *work) bool {
	if in.ByUs {
		return false
	}
	name := s.firstOf(in.words(), w.origin)
	to, _ := s.machine.Target(name, w.origin)
	t, _ := s.machine.Transition(w.command)
	switch {
	case name == "":
		return in.Fault && !w.lowers && (!t.Loop || in.Node >= 0 && s.deviation(in.Node) != "") // the step has no end
	case name == w.command || s.machine.Level(to) > s.machine.Level(w.target):
		return false
	case s.machine.Level(to) < s.machine.Level(w.target) || name == stepper.Abort.String():
		return true
	}
	return in.Want.Stronger(stepper.WantOf(w.command))
}

func (s *State) loopSeen(in LoopSeen) {
	if s.loop.run == 0 {
		return
	}
	before := s.loop.view.Other
	s.loop.view, s.report.changed = in.Loop, true
	s.loop.view.Runs = s.loop.runs
	if why := s.twoClocks(); why != "" && in.Loop.Other != before {
		s.record(Entry{Kind: EntryClock, Event: EventFailed, Node: in.Loop.Other, Sentence: why})
	}
}

// twoClocks is the warning that another node publishes simulated time beside the loop; empty: none does.
func (s *State) twoClocks() string {
	if !s.loop.runs || s.loop.view.Other == "" {
		return ""
	}
	return s.loop.view.Other + " publishes /clock beside the loop, so simulated time jumps; stop it, or write loop: {clock: false}"
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
	return v
}

// keepsForStep lets a command wait for the end of a step if the loop does not run: it acts when the
// loop goes on. It reports whether it answered the request.
func (s *State) keepsForStep(in GoalAsked, t machine.Transition) bool {
	here, _ := s.machine.State(s.settled)
	if t.At != machine.StepEnd || here.Loop != machine.NoLoop || s.net.Loop == nil {
		return false
	}
	if s.loop.kept != nil {
		s.reject(in, s.loop.kept.name+" is kept already, until the loop goes on")
		return true
	}
	s.loop.kept = s.accept(in, nil)
	s.report.changed = true
	return true
}

func (s *State) endKept(e Ending, o Outcome, why string) {
	g := s.loop.kept
	s.loop.kept = nil
	s.finishGoal(g, e, Result{Outcome: o, Message: why})
}

// open lists the goals that wait for the loop.
func (l *looping) open() []*goal {
	if l.kept == nil {
		return l.goals
	}
	return append(slices.Clone(l.goals), l.kept)
}

// idles reports whether a goal waits for peers or for the loop.
func (s *State) idles(g *goal) bool {
	return s.waiting(g) != nil || g == s.loop.kept || slices.Contains(s.loop.goals, g)
}

// quit cancels a goal that idles.
func (s *State) quit(g *goal) {
	switch w := s.waiting(g); {
	case w != nil:
		s.endWait(w, Canceled, OutcomeCanceled, "the waiting for peers was cancelled")
	case g == s.loop.kept:
		s.endKept(Canceled, OutcomeCanceled, g.name+" was cancelled; the network is "+s.settled)
	default:
		s.loop.quits = append(s.loop.quits, g)
		s.record(Entry{Kind: EntryGoal, Event: EventCanceled, Goal: g.handles[0], Command: g.asked, Sentence: g.asked + " is cancelled: the loop stops"})
	}
}

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
	if s.loop.due && s.obeysOne(s.urgent(e), why) {
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
	case g != nil && s.judge.Can(g.name):
		s.loop.kept = nil
		s.start(s.command(g.name, s.origin()), g, g.reason, s.judge.Begin)
	case len(s.loop.quits) == 0 || s.loop.asked == s.loop.run:
		return false
	case here.Armed.Any():
		s.disarmForSafety("the goal of the loop was cancelled")
	default:
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
		s.stopLoop(stepper.Stop, why)
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
		w.why, w.news.event, w.news.ours = why, name, !s.raisesPeers(t.To)
		s.loop.due = false
		must(s.judge.Begin(name))
		s.run(w, t)
		return true
	}
	return false
}

// raisesPeers reports whether a change to the state would raise peers above the common target.
func (s *State) raisesPeers(to string) bool {
	common := s.peers.book.Target()
	return common != "" && s.machine.Raises(common, to)
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
func (s *State) urgent(e *LoopIdle) []string {
	least := stepper.Pause
	if s.loop.asked == e.Run {
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
	s.report.cause = s.stopped()
	s.settle(to)
	s.change(nil, Change{SourceState: from, TargetState: to, Settled: true}, news && !s.raisesPeers(to))
}

// stopped says that the loop has stopped, and why.
func (s *State) stopped() string {
	if e := s.loop.ended; e != nil && e.Why != "" {
		return "the loop has stopped: " + e.Why
	}
	return "the loop has stopped"
}

// outcomeOf names the outcome of a simulation whose loop has ended so; empty: it has none yet.
func outcomeOf(in LoopIdle) string {
	switch {
	case in.Fault:
		return "aborted"
	case in.ByUs: // a command ended it, and says what comes of it
		return ""
	case in.Want == stepper.Abort:
		return "aborted"
	case in.Want == stepper.Fail:
		return "failure"
	case in.Want == stepper.Stop:
		return "success"
	}
	return ""
}

// noteOutcome notes the outcome that a command brings about.
func (l *looping) noteOutcome(w *work, command string, atOnce bool) {
	switch {
	case !l.ever:
	case atOnce && !w.news.ours && l.runs || command == stepper.Abort.String():
		l.outcome = "aborted"
	case command == stepper.Stop.String() && !w.news.ours:
		l.outcome = cmp.Or(l.outcome, "stopped")
	}
}

// exitCode is that of a final state, or of the outcome where the machine has outcomes.
func (s *State) exitCode(end machine.State) (code int, why string) {
	why = "the network is " + s.settled
	outcome := cmp.Or(s.loop.outcome, "stopped")
	if !s.loop.ever {
		outcome = "no_start"
	}
	i := slices.IndexFunc(s.machine.Outcomes, func(o machine.Outcome) bool { return o.Name == outcome })
	if i < 0 {
		return end.Exit, why
	}
	o := s.machine.Outcomes[i]
	return o.Exit, why + "; the outcome is " + o.Name
}
