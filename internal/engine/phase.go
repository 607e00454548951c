package engine

import (
	"cmp"
	"fmt"

	"rstate/internal/machine"
)

// command returns a command as it is from an origin: its target may depend on that.
func (s *State) command(name, origin string) machine.Transition {
	return s.machine.Leaving(name, origin)
}

// origin is the state that a command leaves now.
func (s *State) origin() string {
	if s.settled == "" {
		return machine.Unknown
	}
	return s.settled
}

// shutdown returns the command that ends the network from everywhere.
func (s *State) shutdown() (machine.Transition, bool) {
	t, ok := s.machine.Shutdown()
	if ok {
		t = s.command(t.Name, s.origin())
	}
	return t, ok
}

// newWork returns work that begins now, from the present states of the nodes.
func (s *State) newWork(command, origin, target string) *work {
	w := &work{
		phase: forward, command: command, origin: origin, target: target, since: s.now.Steady, by: ByPolicy,
		parts: parts{
			results: make([]NodeResult, len(s.nodes)), did: make([]bool, len(s.nodes)), began: make([]beginning, len(s.nodes)),
		},
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		w.parts.began[i] = beginning{there: n.there(), silent: n.silent(), firm: n.firm, state: n.state}
	}
	return w
}

// start begins a transition of the network. how is the judge's method that makes it legal.
func (s *State) start(t machine.Transition, g *goal, why string, how func(string) error) {
	must(how(t.Name))
	w := s.workOf(t)
	w.goal, w.why = g, why
	if g != nil {
		w.by = g.by
	}
	s.run(w, t)
}

// followUp begins a command that the machine runs by itself: a reaction, or what follows a failure.
// The goal of what has failed waits for its end.
func (s *State) followUp(name string, g *goal, why string) {
	t := s.command(name, s.origin())
	how := s.judge.Begin
	if !s.judge.Can(name) { // it begins here because it preempts
		how = s.judge.Preempt
	}
	must(how(name))
	w := s.workOf(t)
	w.goal, w.why, w.news.event = g, why, name
	if g != nil {
		w.by = g.by
	}
	s.run(w, t)
}

// workOf is the work of a transition from the present state.
func (s *State) workOf(t machine.Transition) *work {
	origin := s.origin()
	w := s.newWork(t.Name, origin, t.To)
	w.through, w.fault.passes = t.Through, s.machine.Arrives(t.Name, origin) && !t.Always
	if s.closing.stop != nil {
		w.by = ByExit
	}
	w.lowers = s.machine.Lowers(origin, t.To) || t.Always || s.isDisarm(t.Name)
	return w
}

// run begins the work of a transition that the judge has accepted.
func (s *State) run(w *work, t machine.Transition) {
	s.work = w
	s.goals.era++
	s.report.refusal = Refusal{}
	s.setCause(t.Name, w.goal, w.why)
	s.recordState(EventBegan, fmt.Sprintf("%s: from %s to %s%s", t.Name, w.origin, t.To, w.mirrored()))
	if w.lowers {
		if w.goal != nil {
			w.news.event = t.Name
		}
		s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: t.To}, s.isNews(w, t))
	}
	s.stopsFirst(w, t)
	p := forward
	if end, _ := s.machine.State(t.To); t.Always || end.Final && w.fault.passes {
		p = finalizing
	}
	s.lay(p, cmp.Or(w.through, t.To))
	if !w.lowers {
		s.noteArms() // on the disk before anything is armed
		s.keepJournal()
	}
}

// lay gives every node its part to a state.
func (s *State) lay(p *phase, state string) {
	w := s.work
	target, _ := s.machine.State(state)
	w.phase, w.fault.failing, w.fault.failed, w.parts.open, w.parts.unsure, w.parts.disarming = p, false, nil, 0, 0, 0
	w.arms = p.mayArm && target.Armed.Any()
	w.parts.total, w.arm.ahead, w.arm.proven = 0, 0, false
	w.arm.ticket = 0
	switch {
	case p.returns:
		w.fault.failedAt, w.fault.back = s.now.Steady, state
	case p.undoes && w.fault.failedAt == 0:
		w.fault.failedAt = s.now.Steady
	}
	w.parts.holdUntil = s.now.Steady + disarmHold
	for i := range s.nodes {
		s.layNode(i, target)
	}
	if w.arms {
		s.beginChecks()
	}
	s.report.changed = true
}

// layNode gives node i its part to a state.
func (s *State) layNode(i int, target machine.State) {
	n, w := &s.nodes[i], s.work
	n.part = part{status: partNone}
	if w.phase.rests && !w.parts.only[i] {
		return
	}
	l := &n.part
	want, wanted := s.net.WantAt(target, i, n.state)
	wanted = wanted && !(w.phase.commands && s.isDisarm(w.command)) // disarm first
	l.status, l.want, l.wants = partWaiting, want, wanted
	unasked, _ := s.net.Want(target, i)
	l.eased = unasked != want
	l.fresh.anew, l.fresh.readSince = w.arms, s.now.Steady
	l.disarm = n.arm.Belief() != Disarmed && !s.net.Arms(target, i) || s.withdraws(i, w.phase)
	w.parts.open++
	w.parts.total++
	if w.arms && n.there() && n.arm.Belief() != IsArmed && s.net.Arms(target, i) {
		w.arm.ahead++ // counted from the start, so that the total does not grow
		w.parts.total++
	}
	if l.disarm {
		w.parts.disarming++
		l.deadline = s.allowSteady(i, n.spec.Deadline.Disarm)
		s.disarm(i)
	}
	s.touch(i)
}

// settle is the only way into a state that is not passing.
func (s *State) settle(state string) {
	state = s.lands(state)
	must(s.judge.Settle(state))
	s.settled, s.peers.behindWhy = state, s.report.cause
	s.goals.era++
	s.goals.settledAt = s.now.Steady
	w := s.work
	if w != nil {
		s.keepResults()
	}
	s.work = nil
	s.peers.untold = true // also where the state shown is the same
	s.noteSettled(w)
	s.touchAll()
	for i := range s.nodes {
		s.nodes[i].place.wasArmed = s.nodes[i].arm.Belief() == IsArmed
		s.judgeNode(i)
	}
	s.showState()
	s.settledLoop(w)
}

// The table is filled here because its functions refer to phases, which the value of a variable
// must not.
func init() {
	*forward = phase{
		name: "forward", commands: true, mayArm: true, raises: true,
		advance: (*State).advancePart, failed: (*State).failed, concluded: (*State).forwardConcluded,
	}
	*draining = phase{name: "draining", cancels: true, drains: true, advance: (*State).drain, concluded: (*State).drained}
	*undoing = phase{name: "undoing", cancels: true, returns: true, undoes: true, advance: (*State).advancePart, concluded: (*State).undone}
	*restoring = phase{
		name: "restoring", returns: true, restores: true, undoes: true, recovery: "restore",
		advance: (*State).advancePart, concluded: (*State).restoreConcluded,
	}
	*returning = phase{
		name: "returning", returns: true, undoes: true, advance: (*State).advancePart, concluded: (*State).returned,
	}
	*unconfiguring = phase{
		name: "unconfiguring", undoes: true, down: true, recovery: "unconfigure",
		advance: (*State).advancePart, concluded: (*State).unconfigureConcluded,
	}
	*finalizing = phase{
		name: "finalizing", down: true, ends: true, raises: true, recovery: "shutdown",
		advance: (*State).advancePart, concluded: (*State).finalized,
	}
	*reconciling = phase{name: "reconciling", rests: true, raises: true, advance: (*State).advanceReconciled, concluded: (*State).reconciled}
	*adopting = phase{name: "adopting", down: true, adopts: true, advance: (*State).advancePart, concluded: (*State).adopted}
	*leaving = phase{name: "leaving", down: true, leaves: true, advance: (*State).advancePart, concluded: (*State).leftLoop}
	*rearming = phase{
		name: "rearming", mayArm: true, rearms: true,
		advance: (*State).advancePart, failed: (*State).rearmFailed, concluded: (*State).rearmed,
	}
}

// advancePart moves a node towards the target of its part, and watches it there.
func (s *State) advancePart(i int) {
	if s.work.proves() {
		s.recheck(i)
	}
	switch l := &s.nodes[i].part; {
	case l.open() && s.nodes[i].spec.Lifecycle:
		s.press(i)
	case l.open():
		s.pressPlain(i)
	case l.status == partDone:
		s.keep(i)
	}
}

// forwardConcluded commits the command if nothing is left to arm and every disarm was confirmed.
func (s *State) forwardConcluded() bool {
	w := s.work
	if left, changed := s.stillArms(); left {
		return changed
	}
	switch {
	case w.through != "":
		w.through = ""
		s.lay(forward, w.target)
	case s.refusedDisarm():
		s.rearm(s.sentenceOf(w))
	case s.isDisarm(w.command) && (len(s.mayBeArmed()) > 0 || s.stillExposed()):
		s.disarmedInPart()
	default:
		s.commit()
	}
	return true
}

// stillArms takes the next step of work that arms: the proof, and then the arming itself. It
// reports whether any of that is left, and whether it changed anything.
func (s *State) stillArms() (left, changed bool) {
	w := s.work
	switch {
	case !w.proves():
		return false, false
	case !w.arm.proven:
		s.proof()
		return true, true
	case s.unproven():
		return true, false
	}
	return s.armsNothing(), true
}

// commit settles in the target: the newest read of every required node agrees (E7).
func (s *State) commit() {
	w := s.work
	if end, _ := s.machine.State(w.target); end.Final {
		s.finalized()
		return
	}
	s.startsLoop(w)
	s.settle(w.target)
	event := w.news.event
	if !w.lowers {
		event = w.command
	}
	s.change(w, Change{SourceState: w.origin, Event: event, TargetState: w.target, Settled: true}, !w.lowers && s.madeHere(w))
	s.goOn(w)
	if w.command != "" {
		s.reactTo(machine.Settled, -1)
	}
}

// madeHere reports whether a change that was not published when it began counts once it is complete.
// A reaction of the machine counts if the peers were to be where it began, and have to know of it:
// it must not take them where no client has sent them.
func (s *State) madeHere(w *work) bool {
	all := s.command(w.command, w.origin).Spread == machine.SpreadAll
	concerns := all || s.alone() || len(s.peers.book.RequiredBy()) > 0
	return w.news.from == "" && (w.goal != nil || w.news.ours || s.peers.book.Target() == w.origin && concerns)
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

// proof ends the first half of arming: every required node was read anew and is in its target. Only
// now does the engine arm.
func (s *State) proof() {
	w := s.work
	if s.rereads() {
		return
	}
	w.arm.proven = true
	s.touchAll() // proofs age from now on
	target, _ := s.machine.State(w.target)
	for i := range s.nodes {
		n := &s.nodes[i]
		if !s.net.Arms(target, i) || n.part.result.verdict != VerdictDone || n.arm.Belief() == IsArmed {
			continue
		}
		n.part.arm, n.part.status, n.part.deadline = true, partWaiting, deadline{}
		w.parts.open++
		if w.arm.ahead > 0 {
			w.arm.ahead--
		} else {
			w.parts.total++ // it appeared meanwhile
		}
		s.touch(i)
	}
	w.arm.ahead = 0 // an optional node that is not armed has nothing left to do
}

// rereads reads those nodes again, once, whose proof became old while the engine waited for other
// nodes or checks.
func (s *State) rereads() bool {
	found := false
	for i := range s.nodes {
		n := &s.nodes[i]
		l := &n.part
		old := s.now.Steady-n.proof > min(freshFor, s.net.Proof)
		if !old || !l.wants || l.fresh.reread || !n.spec.Lifecycle || l.result.verdict != VerdictDone {
			continue
		}
		found = true
		s.reopen(i)
		l.fresh.reread, l.fresh.readSince = true, s.now.Steady
		s.touch(i)
	}
	return found
}

// armsNothing fails an arming that has armed none of its nodes, unless a peer lives that may be
// armed. It reports whether it did.
func (s *State) armsNothing() bool {
	w := s.work
	target, _ := s.machine.State(w.target)
	var blame []NodeResult
	for _, i := range s.fixed.armable {
		switch {
		case !s.net.Arms(target, i):
		case s.nodes[i].arm.Belief() == IsArmed:
			return false
		default:
			r := w.parts.results[i]
			r.Node, r.Evidence = s.nodes[i].spec.Name, "was not armed, and nothing else can be: "+r.Evidence
			blame = append(blame, r)
		}
	}
	if len(blame) == 0 || len(s.peers.book.Living()) > 0 {
		return false
	}
	w.fault.blame = append(w.fault.blame, blame...)
	w.fault.failing = true
	return true
}
