package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/grant"
	"rstate/internal/stepper"
)

// Open goals, and how they go on and end.

// goal is a request of a client that waits for its end. It may take several transitions.
type goal struct {
	handles []string // of its clients, the first one first
	waiters []string // those of them that wait for peers too
	ids     []string // the ids under which clients sent it
	asked   string   // as the client wrote it
	name    string   // the command or state that it names, as the machine spells it
	isState bool     // name is a state
	reason  string
	span    stepper.Span // its argument
	end     stepper.Want // its argument, if it says how the run has ended
	by      Origin
	who     string // the client that asked
	from    string // the settled state in which it was accepted
	since   time.Duration
	path    []string // the next commands
	synced  bool     // a sync of the journal was requested for the path
	rests   bool     // cancelled during the disarm of its way down: it ends after that disarm
	fault   string   // what failed on its way down without stopping it
	// what failed before the command that runs now; the goal ends as aborted, however that command ends
	failed string
	blame  []NodeResult // results that made it fail
	result Result
	ending Ending
	ended  bool
	here   Result // of a disarm: its result in this network, before that of the peers
	then   then
	grant  grant.Grant // its permission to arm, if it names an armed state
	era    uint64      // in which it was accepted
}

// then is the network when the work of a goal was done. It decides how long the goal's result
// describes the network.
type then struct {
	made    uint64 // number of changes of this instance when the goal was accepted
	done    bool
	era     uint64
	armed   bool
	deviant []string // nodes that were not as the state says
	lived   []string // peers alive when its newest change was made, or else when its work was done
}

type goals struct {
	open    []*goal
	recent  []*goal      // the newest last
	pending []disarmGoal // disarm goals that wait for disarms of other work
	era     uint64       // counts how often the network has left a state, or settled in one

	settledAt time.Duration // when the network settled last
	// When the newest command began, or the goal to which it belongs was accepted. After a start without
	// a command: when the network settled.
	workedAt time.Duration
}

// recentGoals is how many ended goals are kept for clients that repeat an id.
const recentGoals = 100

// id is the first id under which the goal was sent; empty: it has none.
func (g *goal) id() string {
	if len(g.ids) == 0 {
		return ""
	}
	return g.ids[0]
}

// nextCommands names the goal's next commands.
func (g *goal) nextCommands() string { return strings.Join(g.path, ", ") }

func (g *goals) find(handle string) *goal {
	for _, o := range g.open {
		if slices.Contains(o.handles, handle) {
			return o
		}
	}
	return nil
}

func (g *goals) drop(done *goal) {
	g.open = slices.DeleteFunc(g.open, func(o *goal) bool { return o == done })
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
	if open := s.leaveOpen(w); open {
		return
	}
	if len(g.path) == 0 {
		s.endHere(w)
		return
	}
	next := s.command(g.path[0], s.origin())
	if why := cmp.Or(s.noLoop(next), s.refusesFrom(s.settled, next)); why != "" {
		s.endGoal(w, Aborted, OutcomeDone,
			fmt.Sprintf("the network is %s; %s was not begun: %s", s.settled, next.Name, why))
		return
	}
	g.path = g.path[1:]
	s.start(next, g, g.reason, s.judge.Begin)
	s.work.parts.results, s.work.parts.did = w.parts.results, w.parts.did
	s.allowPeers()
}

// endHere ends a goal that has no transition left.
func (cl *clients) endHere(w *work) {
	gone, reached := cl.reached()
	if w.lowers && gone == "" {
		gone = cl.passedOver(w)
	}
	armed := cl.unconfirmed()
	strayed := !reached && !cl.onlyLost(w)
	switch {
	case w.goal.isState && strayed, w.repairs() && strayed && armed == "": // a repair may have left nodes where they are
		why := strings.Join(cl.deviations(), "; ")
		cl.endGoal(w, Aborted, OutcomeHeld, fmt.Sprintf("the network is %s, but not intact: %s", cl.settled, why))
		return
	case armed != "" && !cl.armedHere():
		cl.endGoal(w, Aborted, OutcomeHeld, fmt.Sprintf("the network is %s, %s", cl.settled, armed))
		return
	}
	words := fmt.Sprintf("the network is %s%s", cl.settled, gone)
	if why := cl.undead(); why != "" {
		words += "; " + why
	}
	cl.endGoal(w, Succeeded, OutcomeDone, words)
}

// endRested ends a goal for a lower state that was cancelled during its disarm, after that disarm.
func (cl *clients) endRested(w *work) {
	words := fmt.Sprintf("%s was cancelled; the network is %s", w.goal.asked, cl.settled)
	if armed := cl.unconfirmed(); armed != "" {
		cl.endGoal(w, Aborted, OutcomeHeld, words+", "+armed)
		return
	}
	cl.endGoal(w, Canceled, OutcomeCanceled, words)
}

// endGoal ends the goal of a work, if it has one.
func (cl *clients) endGoal(w *work, e Ending, o Outcome, message string) {
	if w.goal != nil && w.goal.fault != "" {
		message += "; " + w.goal.fault
	}
	if w.goal != nil && w.goal.failed != "" {
		e, o, message = Aborted, OutcomeRestored, w.goal.failed+"; "+message
	}
	cl.report.cause = message
	cl.noteEnd(w, e, o, message)
	if w.goal == nil {
		return
	}
	cl.concludeGoal(w.goal, e, Result{
		Success: e == Succeeded, Outcome: o, Message: message, Nodes: cl.resultsOf(w),
	})
	w.goal = nil
}

func (cl *clients) finishGoal(g *goal, e Ending, r Result) {
	r = cl.stamped(g, r)
	cl.noteFinished(g, e, r)
	g.ending, g.result = e, r
	cl.noteDone(g)
	for _, h := range g.handles {
		cl.answer(g, h, e, g.result)
	}
	cl.goals.drop(g)
	g.ended = true
	if len(g.ids) > 0 {
		cl.goals.recent = append(cl.goals.recent, g)
		if len(cl.goals.recent) > recentGoals {
			cl.goals.recent = cl.goals.recent[1:]
		}
	}
	cl.changed = true
}

// stamped adds the network's state and the duration of the goal to a result.
func (st *standing) stamped(g *goal, r Result) Result {
	r.State, r.Elapsed = st.judge.State(), st.now.Steady-g.since
	return r
}

// answer sends one client of a goal the result.
func (st *standing) answer(g *goal, handle string, e Ending, r Result) {
	st.record(Entry{
		Kind: EntryGoal, Event: EventFinished, Goal: handle, Command: g.asked,
		Outcome: fmt.Sprintf("%v %s", e, r.Outcome),
		Took:    r.Elapsed, Sentence: fmt.Sprintf("%s %v: %s", g.asked, e, r.Message),
	})
	st.do(FinishGoal{Handle: handle, Ending: e, Result: r})
}

// feedback tells the clients of the running goal the result of a node and the progress of the
// whole. It is sent for every part that ends, so that it omits no count and no node if several parts
// end at once.
func (co *course) feedback(last NodeResult) {
	w := co.work
	if w.goal == nil {
		return
	}
	for _, h := range w.goal.handles {
		co.do(SendFeedback{Handle: h, State: co.judge.State(), Done: co.done(), Total: w.parts.total, Last: last})
	}
}

func (s *State) endOpenGoals() {
	message := "rstate stops"
	if s.yields() {
		message = s.closing.stop.why
	}
	s.endGoals(message)
}

// endGoals aborts every goal that is open.
func (s *State) endGoals(why string) {
	for len(s.goals.open) > 0 {
		g := s.goals.open[0]
		if s.work != nil && s.work.goal == g {
			s.work.goal = nil
		}
		s.finishGoal(g, Aborted, Result{Outcome: OutcomePreempted, Message: why, Nodes: s.report.results})
	}
	s.goals.pending, s.peers.awaiting = nil, nil
	s.loop.drop()
}
