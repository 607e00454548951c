package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rstate/internal/engine/ids"
	"rstate/internal/machine"
	"rstate/internal/stepper"
)

// recentGoals is how many ended goals are kept for clients that repeat an id.
const recentGoals = 100

func (g *goals) find(handle string) *goal {
	for _, o := range g.open {
		if slices.Contains(o.handles, handle) {
			return o
		}
	}
	return nil
}

// asked answers a goal request at once, whatever runs.
func (s *State) asked(in GoalAsked) {
	in = in.withoutLongID()
	if s.known(in) {
		return
	}
	in = s.dated(in)
	name, isState, ok := s.machine.Command(in.Command)
	switch {
	case s.yields():
		s.reject(in, s.closing.stop.why)
	case s.closing.stop != nil:
		s.reject(in, "rstate is stopping")
	case !ok:
		s.reject(in, fmt.Sprintf("%q is neither a command nor a state of machine %s", in.Command, s.machine.Name))
	case s.closing.ended != nil:
		s.reject(in, "the network is "+s.settled+"; start rstate again")
	case isState:
		s.stateAsked(in, name)
	default:
		s.commandAsked(in, name)
	}
}

func (s *State) commandAsked(in GoalAsked, name string) {
	t := s.command(name, s.origin())
	switch {
	case !s.startup.named && (t.Always || s.isDisarm(name)):
		s.reject(in, notOurs)
	case t.Always:
		s.shutdownAsked(in, t)
	case s.isDisarm(name):
		s.disarmAsked(in, t)
	case s.interrupts(name):
		s.preempt("pre-empted by " + t.Name)
		s.start(t, s.accept(in, nil), in.Reason, s.judge.Preempt)
	case s.busy():
		s.rejectBusy(in, s.underWay())
	case s.settled == "":
		to, _ := s.machine.State(t.To)
		s.keepGoal(in, to)
	case s.tooOld(in, t.To) != "":
		s.reject(in, s.tooOld(in, t.To))
	case s.awaitsVerdict(t.To):
		s.gap.keeps = append(s.gap.keeps, kept{in})
	case s.judge.Can(name):
		if why := cmp.Or(in.misfits(t), s.unauthorized(in, t), s.refuses(t)); why != "" {
			s.reject(in, why)
			return
		}
		if s.keepsForStep(in, t) {
			return
		}
		s.start(t, s.accept(in, nil), in.Reason, s.judge.Begin)
	default:
		s.repeated(in, t)
	}
}

// interrupts reports whether a command interrupts the running one. Nothing interrupts the end of the
// network.
func (s *State) interrupts(command string) bool {
	w := s.work
	return s.busy() && s.settled != "" && !w.phase.ends && s.machine.Interrupts(command, w.command, w.origin)
}

// repeated answers a command that is not legal here: it repairs, is ignored, or is rejected.
func (s *State) repeated(in GoalAsked, t machine.Transition) {
	repair, ok := s.repairs(t)
	switch {
	case ok:
		s.repair(in, repair)
	case t.To == s.settled && s.machine.Repeat == machine.Ignore:
		if _, ok := s.reached(); !ok && !s.isDisarm(t.Name) {
			s.reject(in, fmt.Sprintf("the network is %s, but not intact, and no command repairs that state", s.settled))
			return
		}
		s.already(in)
	default:
		s.reject(in, fmt.Sprintf("%s is not legal in %s", t.Name, s.settled))
	}
}

// repairs returns the transition by which a command repairs the network's present state. In a
// machine that ignores repeats, every command that leads to that state repairs it, but a disarm
// never raises a node.
func (s *State) repairs(t machine.Transition) (machine.Transition, bool) {
	repair, ok := s.machine.Repairs(s.settled)
	repeats := t.To == s.settled && s.machine.Repeat == machine.Ignore && !s.isDisarm(t.Name)
	if !ok || s.intact() || repair.Name != t.Name && !repeats {
		return machine.Transition{}, false
	}
	return repair, true
}

func (s *State) repair(in GoalAsked, t machine.Transition) {
	to, _ := s.machine.State(t.To)
	if to.Armed.Any() {
		s.reject(in, "an armed network is never repaired: disarm first")
		return
	}
	s.start(t, s.accept(in, nil), in.Reason, s.judge.Repair)
}

// stateAsked answers a goal that names a state. A passing state cannot be named.
func (s *State) stateAsked(in GoalAsked, state string) {
	if t, ok := s.shutdown(); ok && !t.Hidden && t.To == state {
		s.commandAsked(in, t.Name)
		return
	}
	if s.busy() {
		s.rejectBusy(in, s.underWay())
		return
	}
	if s.settled == "" {
		to, _ := s.machine.State(state)
		s.keepGoal(in, to)
		return
	}
	if why := s.tooOld(in, state); why != "" {
		s.reject(in, why)
		return
	}
	if s.awaitsVerdict(state) {
		s.gap.keeps = append(s.gap.keeps, kept{in})
		return
	}
	if state == s.settled {
		if _, ok := s.reached(); ok {
			s.already(in)
			return
		}
		if t, ok := s.machine.Repairs(state); ok {
			s.repair(in, t)
			return
		}
	}
	s.pathAsked(in, state)
}

func (s *State) pathAsked(in GoalAsked, state string) {
	path, ok := s.machine.Path(s.settled, state)
	if !ok || len(path) == 0 {
		s.reject(in, fmt.Sprintf("no way leads from %s to %s", s.settled, state))
		return
	}
	at := s.settled
	for k, name := range path {
		t := s.command(name, at)
		if why := in.misfits(t); why != "" && k == len(path)-1 {
			s.reject(in, why)
			return
		}
		if why := cmp.Or(s.unauthorized(in, t), s.noLoop(t), s.refusesFrom(at, t)); why != "" {
			s.reject(in, why)
			return
		}
		at = t.To
	}
	first := s.command(path[0], s.origin())
	if why := s.lacksPeers(first); why != "" {
		s.reject(in, why)
		return
	}
	s.start(first, s.accept(in, path[1:]), in.Reason, s.judge.Begin)
}

// refuses says why a legal command is rejected now; empty: it is not.
func (s *State) refuses(t machine.Transition) string {
	return cmp.Or(s.noLoop(t), s.refusesMirrored(t))
}

// refusesMirrored is refuses for a change that a peer has made: this instance may have no loop.
func (s *State) refusesMirrored(t machine.Transition) string {
	return cmp.Or(s.refusesFrom(s.settled, t), s.lacksPeers(t))
}

func (s *State) refusesFrom(from string, t machine.Transition) string {
	if s.machine.Lowers(from, t.To) || !s.machine.RaisesFrom(t.Name, from) {
		return ""
	}
	to, _ := s.machine.State(t.To)
	// A peer may have nodes that can be armed.
	if why := s.net.Unarmable(to); why != "" && len(s.peers.book.Living()) == 0 {
		return why
	}
	if !s.intact() {
		against := s.deviations()
		if to.Armed.Any() {
			against = append(against, s.unchecked()...)
		}
		return fmt.Sprintf("the network is not intact, so it is not raised: %s", strings.Join(against, "; "))
	}
	if to.Armed.Any() {
		return s.refusesToArm(from, to)
	}
	return ""
}

// underWay says which work a command has to wait for.
func (s *State) underWay() string {
	switch {
	case s.work.phase.adopts:
		return "the nodes were found in different states and are being lowered"
	case s.work.phase.leaves:
		return "the loop is being left" + s.work.mirrored()
	case s.work.command == "":
		return "a failure is being put right"
	}
	return s.work.command + s.work.mirrored() + " is under way"
}

func (s *State) shutdownAsked(in GoalAsked, t machine.Transition) {
	if s.endsElsewhere(t) {
		s.reject(in, "the network is on its way to "+s.work.target+", and nothing interrupts its end")
		return
	}
	if s.shutting() {
		g := s.accept(in, nil)
		if s.work.goal == nil {
			s.work.goal = g
			return
		}
		s.work.goal.add(in)
		s.goals.drop(g)
		return
	}
	s.preempt("pre-empted by " + t.Name)
	s.start(t, s.accept(in, nil), in.Reason, s.judge.Preempt)
}

// endsElsewhere reports whether the network is being ended, in another final state than t leads to.
func (s *State) endsElsewhere(t machine.Transition) bool {
	return s.shutting() && s.work.target != t.To
}

// preempt ends the goal of the running work. The next work takes the nodes on from where they are.
func (s *State) preempt(why string) {
	if w := s.work; w != nil {
		s.keepResults()
		s.endGoal(w, Aborted, OutcomePreempted, why)
		s.work = nil
	}
}

func (s *State) accept(in GoalAsked, path []string) *goal {
	g := &goal{asked: in.Command, reason: in.Reason, by: cmp.Or(in.By, ByGoal), who: in.asker(), from: s.settled, since: s.now.Steady, path: path}
	g.then.made = s.peers.book.Made()
	g.name, g.isState, _ = s.machine.Command(in.Command)
	g.add(in)
	g.span, _ = stepper.ParseSpan(in.Argument) // a goal whose argument is none was rejected
	s.goals.open = append(s.goals.open, g)
	s.do(AcceptGoal{in.Handle})
	s.report.refusal = Refusal{}
	s.recordAsked(in, "")
	return g
}

func (s *State) recordAsked(in GoalAsked, how string) {
	e := Entry{Kind: EntryGoal, Event: EventAsked, Goal: in.Handle, Command: in.Command, Reason: in.Reason, Client: in.asker(), Sentence: in.String()}
	if how != "" {
		e.Sentence += "; it " + how
	}
	s.record(e)
}

// rejectBusy rejects a goal that has to wait for the running work. A command that preempts does not
// wait: the work that it does not preempt leads at least as low.
func (s *State) rejectBusy(in GoalAsked, why string) {
	name, _, _ := s.machine.Command(in.Command)
	t, _ := s.machine.Transition(name)
	s.rejectAs(in, RejectGoal{Why: why, Busy: !t.Preempts})
}

func (s *State) reject(in GoalAsked, why string) { s.rejectAs(in, RejectGoal{Why: why}) }

func (s *State) rejectAs(in GoalAsked, r RejectGoal) {
	why, legal := r.Why, s.legal()
	words := in.Command + " was rejected: " + why
	if len(legal) > 0 {
		words += "; legal now: " + strings.Join(legal, ", ")
	}
	s.report.refusal = Refusal{Command: in.Command, Why: words, By: cmp.Or(in.By, ByGoal), Client: in.asker(), Handle: in.Handle, At: s.now.Wall}
	s.report.changed = true
	s.record(Entry{
		Kind: EntryRefusal, Goal: in.Handle, Command: in.Command, Reason: in.Reason, Client: in.asker(), Sentence: words,
		Cause: "asked for by " + in.asker(),
	})
	r.Handle, r.Legal = in.Handle, legal
	s.do(r)
}

// already ends a goal whose end is reached and intact.
func (s *State) already(in GoalAsked) {
	g := s.accept(in, nil)
	words := "the network is " + s.settled + " already"
	if gone, ok := s.reached(); ok {
		words += gone
	}
	if armed := s.unconfirmed(); armed != "" && !s.armedHere() {
		s.finishGoal(g, Aborted, Result{Outcome: OutcomeHeld, Message: words + ", " + armed})
		return
	}
	s.concludeGoal(g, Succeeded, Result{Success: true, Outcome: OutcomeAlready, Message: words})
}

// goOn starts a goal's next transition, or ends the goal.
func (s *State) goOn(w *work) {
	g := w.goal
	if g == nil {
		return
	}
	if g.rests {
		s.endRested(w)
		return
	}
	if w.fault.passes && len(w.fault.blame) > 0 {
		s.endGoal(w, Aborted, OutcomeHeld, fmt.Sprintf("the network is %s; %s", s.settled, s.sentenceOf(w)))
		return
	}
	if s.staysOpen(w) {
		return
	}
	if len(g.path) == 0 {
		s.endHere(w)
		return
	}
	next := s.command(g.path[0], s.origin())
	if why := cmp.Or(s.noLoop(next), s.refusesFrom(s.settled, next)); why != "" {
		s.endGoal(w, Aborted, OutcomeDone, fmt.Sprintf("the network is %s; %s was not begun: %s", s.settled, next.Name, why))
		return
	}
	g.path = g.path[1:]
	s.start(next, g, g.reason, s.judge.Begin)
	s.work.parts.results, s.work.parts.did = w.parts.results, w.parts.did
	s.allowPeers()
}

// endHere ends a goal that has no transition left.
func (s *State) endHere(w *work) {
	gone, reached := s.reached()
	if w.lowers && gone == "" {
		gone = s.passedOver(w)
	}
	if w.goal.isState && !reached && !s.onlyLost(w) {
		why := strings.Join(s.deviations(), "; ")
		s.endGoal(w, Aborted, OutcomeHeld, fmt.Sprintf("the network is %s, but not intact: %s", s.settled, why))
		return
	}
	if armed := s.unconfirmed(); armed != "" && !s.armedHere() {
		s.endGoal(w, Aborted, OutcomeHeld, fmt.Sprintf("the network is %s, %s", s.settled, armed))
		return
	}
	words := fmt.Sprintf("the network is %s%s", s.settled, gone)
	if why := s.undead(); why != "" {
		words += "; " + why
	}
	s.endGoal(w, Succeeded, OutcomeDone, words)
}

// endRested ends a goal for a lower state that was cancelled during its disarm, after that disarm.
func (s *State) endRested(w *work) {
	words := fmt.Sprintf("%s was cancelled; the network is %s", w.goal.asked, s.settled)
	if armed := s.unconfirmed(); armed != "" {
		s.endGoal(w, Aborted, OutcomeHeld, words+", "+armed)
		return
	}
	s.endGoal(w, Canceled, OutcomeCanceled, words)
}

// endGoal ends the goal of a work, if it has one.
func (s *State) endGoal(w *work, e Ending, o Outcome, message string) {
	if w.goal != nil && w.goal.fault != "" {
		message += "; " + w.goal.fault
	}
	if w.goal != nil && w.goal.failed != "" {
		e, o, message = Aborted, OutcomeRestored, w.goal.failed+"; "+message
	}
	s.report.cause = message
	s.noteEnd(w, e, o, message)
	if w.goal == nil {
		return
	}
	s.concludeGoal(w.goal, e, Result{
		Success: e == Succeeded, Outcome: o, Message: message, Nodes: s.resultsOf(w),
	})
	w.goal = nil
}

func (s *State) finishGoal(g *goal, e Ending, r Result) {
	r = s.stamped(g, r)
	s.noteFinished(g, e, r)
	g.ending, g.result = e, r
	s.noteDone(g)
	for _, h := range g.handles {
		s.answer(g, h, e, g.result)
	}
	s.goals.drop(g)
	g.ended = true
	if len(g.ids) > 0 {
		s.goals.recent = append(s.goals.recent, g)
		if len(s.goals.recent) > recentGoals {
			s.goals.recent = s.goals.recent[1:]
		}
	}
	s.report.changed = true
}

// stamped adds the network's state and the duration of the goal to a result.
func (s *State) stamped(g *goal, r Result) Result {
	r.State, r.Elapsed = s.judge.State(), s.now.Steady-g.since
	return r
}

// answer sends one client of a goal the result.
func (s *State) answer(g *goal, handle string, e Ending, r Result) {
	s.record(Entry{
		Kind: EntryGoal, Event: EventFinished, Goal: handle, Command: g.asked, Outcome: fmt.Sprintf("%v %s", e, r.Outcome),
		Took: r.Elapsed, Sentence: fmt.Sprintf("%s %v: %s", g.asked, e, r.Message),
	})
	s.do(FinishGoal{Handle: handle, Ending: e, Result: r})
}

func (g *goals) drop(done *goal) {
	g.open = slices.DeleteFunc(g.open, func(o *goal) bool { return o == done })
}

// feedback tells the clients of the running goal the result of a node and the progress of the
// whole. It is sent for every part that ends, so that it omits no count and no node if several parts
// end at once.
func (s *State) feedback(last NodeResult) {
	w := s.work
	if w.goal == nil {
		return
	}
	for _, h := range w.goal.handles {
		s.do(SendFeedback{Handle: h, State: s.judge.State(), Done: w.done(), Total: w.parts.total, Last: last})
	}
}

// Goals that carry an id. Package ids decides what a repeated id gets.

// withoutLongID drops an id that is too long. The goal itself is handled: a disarm is never refused
// for its size.
func (in GoalAsked) withoutLongID() GoalAsked {
	if len(in.ID) > ids.Longest {
		in.ID = ""
	}
	return in
}

// ofID returns the newest goal of the id, and whether it is open; nil if there is none.
func (g *goals) ofID(id string) (newest *goal, open bool) {
	for _, list := range [...][]*goal{g.open, g.recent} {
		for _, o := range slices.Backward(list) {
			if slices.Contains(o.ids, id) {
				return o, !o.ended
			}
		}
	}
	return nil, false
}

// known answers a request whose id was used before, and reports whether it did.
func (s *State) known(in GoalAsked) bool {
	name, isState, ok := s.machine.Command(in.Command)
	if in.ID == "" || !ok || s.yields() {
		return false
	}
	g, open := s.goals.ofID(in.ID)
	if g == nil {
		return false
	}
	why := s.mayShare(in, name, isState)
	used := ids.Used{
		Same: g.name == name && g.isState == isState, Open: open, Valid: s.mayJoin(g, open), Barred: why != "",
		Waits: in.WaitPeers && g.ending == Succeeded, Exempt: s.lowersFromHere(name, isState) || s.closing.stop != nil || s.closing.ended != nil,
	}
	switch used.Answer() {
	case ids.New:
		return false
	case ids.Joined:
		s.join(in, g)
	case ids.Peers:
		s.awaitAgain(in, g)
	case ids.Result:
		s.do(AcceptGoal{in.Handle})
		s.recordAsked(in, "gets the result of the goal of its id")
		s.answer(g, in.Handle, g.ending, g.result)
	case ids.Forbidden:
		s.reject(in, why)
	default:
		s.reject(in, usedWords(used.Answer(), g.name, name))
	}
	return true
}

// usedWords says why a repeated id is rejected: what it was used for, and what it is used for now.
func usedWords(a ids.Answer, before, now string) string {
	switch a {
	case ids.Cancelling:
		return "the goal of its id is being cancelled"
	case ids.Outdated:
		return "id used before, and the state has changed since; send " + now + " with another id"
	}
	return fmt.Sprintf("id used before, for %s; send %s with another id", before, now)
}

// mayJoin reports whether a request can share a goal: wait for an open one, or get the result of an
// ended one.
func (s *State) mayJoin(g *goal, open bool) bool {
	if open {
		return s.joinable(g)
	}
	return s.holdsTrue(g)
}

// mayShare says why a request must not share a goal of its id: a goal that arms goes on as long as
// any of its clients wants it, so each of them needs the authority. Empty: it may.
func (s *State) mayShare(in GoalAsked, name string, isState bool) string {
	t := s.command(name, s.origin())
	if isState {
		t = machine.Transition{To: name}
	}
	return s.unauthorized(in, t)
}

// joinable reports whether one more client can wait for an open goal: it is neither being cancelled
// nor turned round, and if its work is done, its result still describes the network.
func (s *State) joinable(g *goal) bool {
	switch w := s.work; {
	case s.waiting(g) != nil:
		return s.holdsTrue(g)
	case g.rests:
		return false
	case w == nil || w.goal != g:
		return true // it waits for disarms
	default:
		return !w.phase.cancels && !w.phase.rearms
	}
}

// join adds the client to an open goal. If the goal's work is done here, only a client that waits
// for peers has something to wait for.
func (s *State) join(in GoalAsked, g *goal) {
	s.do(AcceptGoal{in.Handle})
	s.recordAsked(in, "joins the goal of its id")
	if w := s.waiting(g); w != nil && !in.WaitPeers {
		s.answer(g, in.Handle, Succeeded, s.stamped(g, w.result))
		return
	}
	g.add(in)
}

// add makes the client of a request one of the goal's.
func (g *goal) add(in GoalAsked) {
	g.handles = append(g.handles, in.Handle)
	if in.WaitPeers {
		g.waiters = append(g.waiters, in.Handle)
	}
	if in.ID != "" && !slices.Contains(g.ids, in.ID) {
		g.ids = append(g.ids, in.ID)
	}
}

// detach lets one of several clients go. The goal goes on for the others.
func (s *State) detach(g *goal, handle string) {
	is := func(h string) bool { return h == handle }
	g.handles = slices.DeleteFunc(g.handles, is)
	g.waiters = slices.DeleteFunc(g.waiters, is)
	words := g.asked + " goes on: 1 other client waits for it"
	if n := len(g.handles); n > 1 {
		words = fmt.Sprintf("%s goes on: %d other clients wait for it", g.asked, n)
	}
	s.answer(g, handle, Canceled, s.stamped(g, Result{Outcome: OutcomeCanceled, Message: words}))
	if w := s.waiting(g); w != nil && len(g.waiters) == 0 {
		s.endWait(w, Succeeded, w.result.Outcome, "")
	}
}

// holdsTrue reports whether the result of a goal whose work is done still describes the network: it
// has not left the state in which the goal ended. The result of a disarm holds while nothing may be
// armed.
func (s *State) holdsTrue(g *goal) bool {
	switch {
	case s.settled == "":
		return false
	case s.namesDisarm(g) && s.perhapsArms():
		return false
	case s.namesDisarm(g) && g.result.Success:
		return true
	case s.busy(): // it is on its way to another state, or has left this one for error processing
		return false
	}
	return g.then.era == s.goals.era && g.then.armed == s.perhapsArms() && !s.strayedSince(g)
}

// strayedSince reports whether a node deviates that did not, or not in the same way, when the
// goal's work was done.
func (s *State) strayedSince(g *goal) bool {
	return slices.ContainsFunc(s.deviations(), func(d string) bool { return !slices.Contains(g.then.deviant, d) })
}

// noteDone notes where the network is when the work of a goal is done, once: the goal may wait for
// peers after that.
func (s *State) noteDone(g *goal) {
	if !g.then.done {
		g.then.done, g.then.era, g.then.armed, g.then.deviant = true, s.goals.era, s.perhapsArms(), s.deviations()
		if g.then.lived = s.peers.book.Living(); s.peers.book.Made() > g.then.made {
			g.then.lived = s.peers.book.Heard()
		}
	}
}

// namesDisarm reports whether a goal names the command that disarms, and not a state.
func (s *State) namesDisarm(g *goal) bool { return g != nil && !g.isState && s.isDisarm(g.name) }

// perhapsArms reports whether anything may be armed, here or at a peer, or is on the way to be.
func (s *State) perhapsArms() bool {
	w := s.work
	return s.armedHere() || len(s.mayBeArmed()) > 0 || s.armedElsewhere() ||
		w != nil && (w.arms || w.takenBack || w.phase.rearms || s.armsLater(w.goal))
}

// lowersFromHere reports whether a command or a state takes anything away from what the network is
// now.
func (s *State) lowersFromHere(name string, isState bool) bool {
	t := s.command(name, s.origin())
	switch {
	case isState:
		return s.settled != "" && s.machine.Lowers(s.settled, name)
	case t.Always:
		return true
	case s.isDisarm(name):
		return s.settled == "" || s.perhapsArms()
	}
	return s.settled != "" && s.machine.Lowers(s.settled, t.To)
}

// keepGoal lets a goal wait until the nodes are read after a stall. At a start, and if it arms, the
// goal is rejected.
func (s *State) keepGoal(in GoalAsked, to machine.State) {
	switch {
	case s.gap.stall == "":
		s.reject(in, s.unread())
	case to.Armed.Any():
		s.reject(in, s.unread()+"; a goal that arms does not wait for that: send it again when the network has settled")
	default:
		s.gap.keeps = append(s.gap.keeps, kept{in})
	}
}

// release answers the goals that waited as soon as that is possible, and reports whether there were
// any.
func (s *State) release() bool {
	ends := s.closing.stop != nil || s.closing.ended != nil || s.shutting()
	if len(s.gap.keeps) == 0 || (s.settled == "" || len(s.turn.ending) > 0) && !ends {
		return false
	}
	list := s.gap.keeps
	s.gap.keeps = nil
	for _, k := range list {
		s.asked(k.in)
	}
	return true
}

// awaitsVerdict reports whether a goal that leads to a state has to wait for the test of a process
// that may have ended, which takes 0.1 s. Until then the network may look intact without being so.
// A lowering never waits.
func (s *State) awaitsVerdict(to string) bool {
	return len(s.turn.ending) > 0 && s.closing.stop == nil && !s.machine.Lowers(s.settled, to)
}

// rejectKept answers the goals that waited and cannot run.
func (s *State) rejectKept(why string) {
	for _, k := range s.gap.keeps {
		s.reject(k.in, why)
	}
	s.gap.keeps = nil
}

// dated marks a goal that may have been sent before the end of a stall.
func (s *State) dated(in GoalAsked) GoalAsked {
	if in.old == "" && s.now.Steady < s.gap.drainedAt {
		in.old = s.gap.newestStall
	}
	return in
}

// tooOld says why a goal that leads to a state is rejected for its age; empty: it is not.
func (s *State) tooOld(in GoalAsked, to string) string {
	if in.old == "" || s.settled == "" || s.machine.Lowers(s.settled, to) || to == s.settled && s.intact() {
		return ""
	}
	return fmt.Sprintf("it may have been sent before rstate could receive it (%s), so it raises nothing; send it again", in.old)
}
