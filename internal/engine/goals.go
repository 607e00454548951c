package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/machine"
)

// recentGoals is how many ended goals are kept for callers that ask again with the same id.
const recentGoals = 100

// goal is a wish of somebody who waits for its end. It may take several transitions.
type goal struct {
	handles []string // of the clients that wait for it, the first one first
	waiters []string // those of them that wait for peers as well
	ids     []string // under which the clients sent it
	asked   string   // as the client wrote it
	name    string   // the command or state that it names, as the machine spells it
	isState bool     // name is a state
	reason  string
	by      Origin
	who     string // asked for it
	from    string // the settled state in which it was accepted
	since   time.Duration
	path    []string // commands that are still to come
	kept    bool     // the disk was asked to keep the path
	rests   bool     // cancelled during the disarm that begins its way down: it ends with that
	fault   string   // what failed on its way down, and did not stop it
	result  Result
	ending  Ending
	ended   bool
	made    uint64 // the number of changes of this instance when the goal was accepted

	// Where the network was when the work was done, which says how long the result describes it.
	done    bool
	era     uint64
	armed   bool
	deviant []string // what was not as the state says
	lived   []string // the peers that were alive when its newest change was made, or else when the work was done
}

// id is the first id under which the goal was sent; empty: it has none.
func (g *goal) id() string {
	if len(g.ids) == 0 {
		return ""
	}
	return g.ids[0]
}

// follows names the commands that are still to come.
func (g *goal) follows() string { return strings.Join(g.path, ", ") }

type goals struct {
	open    []*goal
	recent  []*goal      // the newest last
	pending []disarmGoal // disarms that wait for what something else began
	era     uint64       // counts how often the network has left a state, or settled in one
}

func (g *goals) find(handle string) *goal {
	for _, o := range g.open {
		if slices.Contains(o.handles, handle) {
			return o
		}
	}
	return nil
}

// asked answers a goal request: at once, whatever runs.
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
	t, _ := s.machine.Transition(name)
	switch {
	case !s.startup.named && (t.Always || s.isDisarm(name)):
		s.reject(in, notOurs)
	case t.Always:
		s.shutdownAsked(in, t)
	case s.isDisarm(name):
		s.disarmAsked(in, t)
	case s.busy():
		s.reject(in, s.underWay())
	case s.settled == "":
		to, _ := s.machine.State(t.To)
		s.keepGoal(in, to)
	case s.tooOld(in, t.To) != "":
		s.reject(in, s.tooOld(in, t.To))
	case s.awaitsVerdict(t.To):
		s.gap.keeps = append(s.gap.keeps, kept{in})
	case s.judge.Can(name):
		if why := cmp.Or(s.unauthorized(in, t), s.refuses(t)); why != "" {
			s.reject(in, why)
			return
		}
		s.start(t, s.accept(in, nil), in.Reason, s.judge.Begin)
	default:
		s.repeated(in, t)
	}
}

// repeated answers a command that is not legal here: it repairs, is ignored, or is refused.
func (s *State) repeated(in GoalAsked, t machine.Transition) {
	repair, ok := s.repairs(t)
	switch {
	case ok:
		s.repair(in, repair)
	case t.To == s.settled && s.machine.Repeat == machine.Ignore:
		s.already(in)
	default:
		s.reject(in, fmt.Sprintf("%s is not legal in %s", t.Name, s.settled))
	}
}

// repairs returns the transition that a command runs to put right the state that the network is in. In a machine that
// ignores repeats, every command that leads to that state repairs it; only a disarm never raises a node.
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

// stateAsked answers a goal that names a state; one that is only passed through cannot be named.
func (s *State) stateAsked(in GoalAsked, state string) {
	if t, ok := s.machine.Shutdown(); ok && t.To == state {
		s.commandAsked(in, t.Name)
		return
	}
	if s.busy() {
		s.reject(in, s.underWay())
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
	for _, name := range path {
		t, _ := s.machine.Transition(name)
		if why := cmp.Or(s.unauthorized(in, t), s.refusesFrom(at, t)); why != "" {
			s.reject(in, why)
			return
		}
		at = t.To
	}
	first, _ := s.machine.Transition(path[0])
	if why := s.lacksPeers(first); why != "" {
		s.reject(in, why)
		return
	}
	s.start(first, s.accept(in, path[1:]), in.Reason, s.judge.Begin)
}

// refuses says why a legal command is not taken now; empty: it is.
func (s *State) refuses(t machine.Transition) string {
	return cmp.Or(s.refusesFrom(s.settled, t), s.lacksPeers(t))
}

func (s *State) refusesFrom(from string, t machine.Transition) string {
	if s.machine.Lowers(from, t.To) {
		return ""
	}
	to, _ := s.machine.State(t.To)
	if why := s.net.Unarmable(to); why != "" && len(s.peers.book.Living()) == 0 { // a peer may have what can be armed
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

// busy says whether a transition runs. Tending is none: any command ends it.
func (s *State) busy() bool { return s.work != nil && !s.work.phase.rests }

// underWay says what a command has to wait for.
func (s *State) underWay() string {
	switch {
	case s.work.phase.adopts:
		return "the nodes were found in different states and are being lowered"
	case s.work.command == "":
		return "a failure is being put right"
	}
	return s.work.command + s.work.mirrored() + " is under way"
}

func (s *State) shutdownAsked(in GoalAsked, t machine.Transition) {
	if s.work != nil && s.work.phase.ends {
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

// preempt ends the goal of what runs; its nodes are taken on from where they are.
func (s *State) preempt(why string) {
	if w := s.work; w != nil {
		s.keepResults()
		s.endGoal(w, Aborted, OutcomePreempted, why)
		s.work = nil
	}
}

func (s *State) accept(in GoalAsked, path []string) *goal {
	g := &goal{asked: in.Command, reason: in.Reason, by: cmp.Or(in.By, ByGoal), who: in.Who(), from: s.settled, since: s.now.Steady, path: path, made: s.peers.book.Made()}
	g.name, g.isState, _ = s.machine.Command(in.Command)
	g.add(in)
	s.goals.open = append(s.goals.open, g)
	s.do(AcceptGoal{in.Handle})
	s.report.refusal = Refusal{}
	s.recordAsked(in, "")
	return g
}

func (s *State) recordAsked(in GoalAsked, how string) {
	e := Entry{Kind: EntryGoal, Event: EventAsked, Goal: in.Handle, Command: in.Command, Reason: in.Reason, Client: in.Who(), Sentence: in.String()}
	if how != "" {
		e.Sentence += "; it " + how
	}
	s.record(e)
}

func (s *State) reject(in GoalAsked, why string) {
	legal := s.legal()
	words := in.Command + " was rejected: " + why
	if len(legal) > 0 {
		words += "; legal now: " + strings.Join(legal, ", ")
	}
	s.report.refusal = Refusal{Command: in.Command, Why: words, By: cmp.Or(in.By, ByGoal), Client: in.Who(), Handle: in.Handle, At: s.now.Wall}
	s.report.changed = true
	s.record(Entry{
		Kind: EntryRefusal, Goal: in.Handle, Command: in.Command, Reason: in.Reason, Client: in.Who(), Sentence: words,
		Cause: "asked for by " + in.Who(),
	})
	s.do(RejectGoal{Handle: in.Handle, Why: why, Legal: legal})
}

// already ends a goal that asks for what is so.
func (s *State) already(in GoalAsked) {
	g := s.accept(in, nil)
	words := "the network is " + s.settled + " already"
	if gone, ok := s.reached(); ok {
		words += gone
	}
	here, _ := s.machine.State(s.settled)
	if armed := s.unconfirmed(); armed != "" && !here.Armed.Any() {
		s.finishGoal(g, Aborted, Result{Outcome: OutcomeHeld, Message: words + ", " + armed})
		return
	}
	s.concludeGoal(g, Succeeded, Result{Success: true, Outcome: OutcomeAlready, Message: words})
}

// goOn takes a goal's next transition, or ends it.
func (s *State) goOn(w *work) {
	g := w.goal
	if g == nil {
		return
	}
	if g.rests {
		s.endRested(w)
		return
	}
	gone, reached := s.reached()
	if w.lowers && gone == "" {
		gone = s.passedOver(w)
	}
	if len(g.path) == 0 && g.isState && !reached && !s.onlyLost(w) {
		why := strings.Join(s.deviations(), "; ")
		s.endGoal(w, Aborted, OutcomeHeld, fmt.Sprintf("the network is %s, but not intact: %s", s.settled, why))
		return
	}
	here, _ := s.machine.State(s.settled)
	if armed := s.unconfirmed(); armed != "" && !here.Armed.Any() && len(g.path) == 0 {
		s.endGoal(w, Aborted, OutcomeHeld, fmt.Sprintf("the network is %s, %s", s.settled, armed))
		return
	}
	if len(g.path) == 0 {
		words := fmt.Sprintf("the network is %s%s", s.settled, gone)
		if why := s.undead(); why != "" {
			words += "; " + why
		}
		s.endGoal(w, Succeeded, OutcomeDone, words)
		return
	}
	next, _ := s.machine.Transition(g.path[0])
	if why := s.refusesFrom(s.settled, next); why != "" {
		s.endGoal(w, Aborted, OutcomeDone, fmt.Sprintf("the network is %s; %s was not begun: %s", s.settled, next.Name, why))
		return
	}
	g.path = g.path[1:]
	s.start(next, g, g.reason, s.judge.Begin)
	s.work.legs.results, s.work.legs.did = w.legs.results, w.legs.did
	s.allowPeers()
}

// endRested ends a goal for a lower state that was cancelled during its disarm, which was finished.
func (s *State) endRested(w *work) {
	words := fmt.Sprintf("%s was cancelled; the network is %s", w.goal.asked, s.settled)
	if armed := s.unconfirmed(); armed != "" {
		s.endGoal(w, Aborted, OutcomeHeld, words+", "+armed)
		return
	}
	s.endGoal(w, Canceled, OutcomeCanceled, words)
}

// endGoal ends the goal of some work, if anybody waits for it.
func (s *State) endGoal(w *work, e Ending, o Outcome, message string) {
	if w.goal != nil && w.goal.fault != "" {
		message += "; " + w.goal.fault
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

// stamped adds to a result where the network is, and how long the goal took.
func (s *State) stamped(g *goal, r Result) Result {
	r.State, r.Elapsed = s.judge.State(), s.now.Steady-g.since
	return r
}

// answer tells one client of a goal how it ended.
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

// feedback tells who waits for the running goal what became of a node, and how far the whole is: once for every leg that
// ends, so that no number and no node is left out where several end at once.
func (s *State) feedback(last NodeResult) {
	w := s.work
	if w.goal == nil {
		return
	}
	for _, h := range w.goal.handles {
		s.do(SendFeedback{Handle: h, State: s.judge.State(), Done: w.done(), Total: w.legs.total, Last: last})
	}
}
