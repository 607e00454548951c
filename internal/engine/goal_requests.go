package engine

import (
	"cmp"
	"fmt"
	"strings"

	"rstate/internal/machine"
	"rstate/internal/stepper"
)

// How a goal request is answered: at once, whatever runs.

// asked answers a goal request at once, whatever runs.
func (s *State) asked(in GoalAsked) {
	in = in.withoutLongID()
	if answered := s.answerKnown(in); answered {
		return
	}
	in = s.dated(in)
	if in.era == 0 {
		in.era = s.grants.Era()
	}
	name, isState, ok := s.machine.Command(in.Command)
	switch {
	case s.yields():
		s.reject(in, s.closing.stop.why)
	case ok && (s.closing.stop != nil || s.closing.ended != nil):
		s.askedAtEnd(in, name, isState)
	case s.closing.stop != nil:
		s.reject(in, "rstate is stopping")
	case !ok:
		s.reject(in, s.machine.Misspelt(in.Command))
	case isState:
		s.stateAsked(in, name)
	default:
		s.commandAsked(in, name)
	}
}

// askedAtEnd answers a goal while this process ends, or after the end of the network.
func (s *State) askedAtEnd(in GoalAsked, name string, isState bool) {
	switch {
	case !isState && s.isDisarm(name) && s.startup.named:
		s.disarmAtEnd(in)
	case s.closing.stop != nil:
		s.reject(in, "rstate is stopping")
	case !isState && s.machine.Repeats(name, s.settled):
		if _, ok := s.reached(); !ok {
			s.reject(in, fmt.Sprintf("the network is %s, but not intact; start rstate again", s.settled))
			return
		}
		s.already(in)
	default:
		s.reject(in, "the network is "+s.settled+"; start rstate again")
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
		if why := s.andOwn(in, t, ""); why != "" {
			s.reject(in, why)
			return
		}
		s.preempt("pre-empted by " + t.Name)
		s.start(t, s.accept(in, nil), in.Reason, s.judge.Preempt)
	case s.busy():
		s.rejectBusy(in, s.armWords(t, s.underWay(), waitForEnd))
	case s.settled == "":
		to, _ := s.machine.State(t.To)
		s.deferGoal(in, to)
	case s.tooOld(in, t.To) != "":
		s.reject(in, s.tooOld(in, t.To))
	case s.awaitsVerdict(t.To):
		s.gap.deferred = append(s.gap.deferred, deferred{in})
	case s.judge.Can(name):
		if why := cmp.Or(in.misfits(t), s.andOwn(in, t, s.refuses(t))); why != "" {
			s.reject(in, why)
			return
		}
		if answered := s.deferToStepEnd(in, t); answered {
			return
		}
		s.start(t, s.accept(in, nil), in.Reason, s.judge.Begin)
	default:
		s.repeated(in, t)
	}
}

// interrupts reports whether a command interrupts the running one. Nothing interrupts the end of the
// network.
func (co *course) interrupts(command string) bool {
	w := co.work
	return co.busy() && co.settled != "" && w.phase != finalizing && co.machine.Interrupts(command, w.command, w.origin)
}

// repeated answers a command that is not legal here: it repairs, is ignored, or is rejected.
func (s *State) repeated(in GoalAsked, t machine.Transition) {
	repair, ok := s.repairs(t)
	switch {
	case ok:
		s.repair(in, repair)
	case s.machine.Repeats(t.Name, s.settled):
		if _, ok := s.reached(); !ok && !s.isDisarm(t.Name) {
			s.reject(in, fmt.Sprintf("the network is %s, but not intact, and no command repairs that state", s.settled))
			return
		}
		s.already(in)
	default:
		s.reject(in, s.illegalWords(t))
	}
}

// repairs returns the transition by which a command repairs the network's present state. In a
// machine that ignores repeats, every command that leads to that state repairs it, but a disarm
// never raises a node.
func (ro *roster) repairs(t machine.Transition) (machine.Transition, bool) {
	repair, ok := ro.machine.Repairs(ro.settled)
	repeats := ro.machine.Repeats(t.Name, ro.settled) && !ro.isDisarm(t.Name)
	if !ok || ro.intact() && !ro.optionalStrayed() || repair.Name != t.Name && !repeats {
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
	s.endEraIfBound(in)
	s.start(t, s.accept(in, nil), in.Reason, s.judge.Repair)
}

// stateAsked answers a goal that names a state. A passing state cannot be named.
func (s *State) stateAsked(in GoalAsked, state string) {
	if t, ok := s.shutdown(); ok && !t.Hidden && t.To == state {
		s.commandAsked(in, t.Name)
		return
	}
	if s.busy() {
		s.rejectBusy(in, s.armWords(machine.Transition{To: state}, s.underWay(), waitForEnd))
		return
	}
	if s.settled == "" {
		to, _ := s.machine.State(state)
		s.deferGoal(in, to)
		return
	}
	if why := s.tooOld(in, state); why != "" {
		s.reject(in, why)
		return
	}
	if s.awaitsVerdict(state) {
		s.gap.deferred = append(s.gap.deferred, deferred{in})
		return
	}
	if state == s.settled {
		t, repairs := s.machine.Repairs(state)
		if _, ok := s.reached(); ok && !(repairs && s.optionalStrayed()) {
			s.already(in)
			return
		}
		if repairs {
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
		if why := s.andOwn(in, t, cmp.Or(s.noLoop(t), s.refusesFrom(at, t))); why != "" {
			s.reject(in, why)
			return
		}
		at = t.To
	}
	first := s.command(path[0], s.origin())
	if why := obstacleWords(s.lacksOthers(first)); why != "" {
		s.reject(in, why)
		return
	}
	s.start(first, s.accept(in, path[1:]), in.Reason, s.judge.Begin)
}

// already ends a goal whose end is reached and intact.
func (cl *clients) already(in GoalAsked) {
	cl.endEraIfBound(in)
	g := cl.accept(in, nil)
	words := "the network is " + cl.settled + " already"
	if gone, ok := cl.reached(); ok {
		words += gone
	}
	if armed := cl.unconfirmed(); armed != "" && !cl.armedHere() {
		cl.finishGoal(g, Aborted, Result{Outcome: OutcomeHeld, Message: words + ", " + armed})
		return
	}
	cl.concludeGoal(g, Succeeded, Result{Success: true, Outcome: OutcomeAlready, Message: words})
}

// misfits says why the argument of a goal cannot be given to a command; empty: it can.
func (in GoalAsked) misfits(t machine.Transition) string {
	if in.Argument == "" {
		return ""
	}
	if t.Argument == "" {
		return t.Name + " takes no argument"
	}
	_, err := stepper.ParseSpan(in.Argument)
	if t.Argument == machine.TellsEnd {
		_, err = stepper.ParseEnd(in.Argument)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func (cl *clients) accept(in GoalAsked, path []string) *goal {
	g := &goal{asked: string(in.Command), reason: in.Reason, by: cmp.Or(in.By, ByGoal), who: in.asker(),
		from: cl.settled, since: cl.now.Steady, path: path}
	g.then.made = cl.peers.book.Made()
	g.name, g.isState, _ = cl.machine.Command(in.Command)
	g.grant, g.era = cl.grantTo(g), cl.grants.Era()
	g.add(in)
	g.span, _ = stepper.ParseSpan(in.Argument) // a goal whose argument is none was rejected
	g.end, _ = stepper.ParseEnd(in.Argument)
	cl.goals.open = append(cl.goals.open, g)
	cl.do(AcceptGoal{in.Handle})
	cl.report.refusal = Refusal{}
	orders := uint64(0)
	if cl.namesDisarm(g) {
		orders = cl.peers.book.Ordered()
	}
	cl.recordAsked(in, "", orders)
	return g
}

func (st *standing) recordAsked(in GoalAsked, how string, orders uint64) {
	e := Entry{Orders: orders, Kind: EntryGoal, Event: EventAsked, Goal: in.Handle, Command: string(in.Command),
		Reason: in.Reason, Client: in.asker(), Sentence: in.String()}
	if how != "" {
		e.Sentence += "; it " + how
	}
	st.record(e)
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
	legal, _ := s.legal()
	why := r.Why
	words := string(in.Command) + " was rejected: " + why
	if len(legal) > 0 {
		words += "; legal now: " + strings.Join(legal, ", ")
	}
	s.report.refusal = Refusal{Command: string(in.Command), Why: words, By: cmp.Or(in.By, ByGoal), Client: in.asker(),
		Handle: in.Handle, At: s.now.Wall}
	s.changed = true
	s.recordRefusal(in.asker(), Entry{
		Kind: EntryRefusal, Goal: in.Handle, Command: string(in.Command), Reason: in.Reason, Client: in.asker(),
		Sentence: words,
		Cause:    "asked for by " + in.asker(),
	})
	r.Handle, r.Legal = in.Handle, legal
	r.Outdated = in.Seen != "" && in.Seen != s.Seen()
	s.do(r)
}

// underWay says which work a command has to wait for.
func (co *course) underWay() string {
	switch {
	case co.work.phase == adopting:
		return "the nodes were found in different states and are being lowered"
	case co.work.phase == leaving:
		return "the loop is being left" + co.work.mirrored()
	case co.work.command == "":
		return "a failure is being put right"
	}
	return co.work.command + co.work.mirrored() + " is under way" + co.work.askedBy()
}

// askedBy says who asked for the running work; empty: it follows a peer, or nothing is known of that.
func (w *work) askedBy() string {
	switch {
	case w.goal != nil:
		return ", asked for by " + w.goal.who
	case w.news.from != "" || w.by == ByGoal:
		return ""
	}
	return ", begun by " + string(w.by)
}
