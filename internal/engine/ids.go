package engine

import (
	"fmt"
	"slices"

	"rstate/internal/machine"
)

// Goals that carry an id. A client repeats a request whose answer it may have missed: the id says that it is the same
// request. An id never stands for more than that, so a result is repeated only while it still describes the network.

// longestID is how many bytes an id may have. A longer one counts as none.
const longestID = 256

// withoutLongID drops an id that is too long. The goal itself is handled: a disarm is never refused for its size.
func (in GoalAsked) withoutLongID() GoalAsked {
	if len(in.ID) > longestID {
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

// known answers a request whose id was used before, and reports whether it did. A request that it does not answer is
// handled like any other: its id is new, or the command lowers from here, and a lowering is never refused for its id.
func (s *State) known(in GoalAsked) bool {
	name, isState, ok := s.machine.Command(in.Command)
	if in.ID == "" || !ok || s.yields() {
		return false
	}
	g, open := s.goals.ofID(in.ID)
	if g == nil {
		return false
	}
	same := g.name == name && g.isState == isState
	why := s.mayShare(in, name, isState)
	switch {
	case same && why == "" && open && s.joinable(g):
		s.join(in, g)
	case same && why == "" && !open && s.holdsTrue(g) && in.WaitPeers && g.ending == Succeeded:
		s.awaitAgain(in, g)
	case same && why == "" && !open && s.holdsTrue(g):
		s.do(AcceptGoal{in.Handle})
		s.recordAsked(in, "gets the result of the goal of its id")
		s.answer(g, in.Handle, g.ending, g.result)
	case s.lowersFromHere(name, isState), s.closing.stop != nil, s.closing.ended != nil:
		return false
	case same && why != "":
		s.reject(in, why)
	case same && open:
		s.reject(in, "the goal of its id is being cancelled")
	case same:
		s.reject(in, "id used before, and the state has changed since; send "+name+" with another id")
	default:
		s.reject(in, fmt.Sprintf("id used before, for %s; send %s with another id", g.name, name))
	}
	return true
}

// mayShare says why a request must not share a goal of its id: a goal that arms goes on as long as any of its clients
// wants it, so each of them needs the authority. Empty: it may.
func (s *State) mayShare(in GoalAsked, name string, isState bool) string {
	t, _ := s.machine.Transition(name)
	if isState {
		t = machine.Transition{To: name}
	}
	return s.unauthorized(in, t)
}

// joinable reports whether one more client can wait for an open goal: it is neither being cancelled nor turned round,
// and if its work is done, its result still describes the network.
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

// join adds the client to an open goal. If the goal's work is done here, only a client that waits for peers has
// something to wait for.
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

// holdsTrue reports whether the result of a goal whose work is done still describes the network: it has not left the
// state in which the goal ended. The result of a disarm holds while nothing may be armed.
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
	return g.era == s.goals.era && g.armed == s.perhapsArms() && !s.strayedSince(g)
}

// strayedSince reports whether a node deviates that did not, or not in the same way, when the goal's work was done.
func (s *State) strayedSince(g *goal) bool {
	return slices.ContainsFunc(s.deviations(), func(d string) bool { return !slices.Contains(g.deviant, d) })
}

// noteDone notes where the network is when the work of a goal is done, once: the goal may wait for peers after that.
func (s *State) noteDone(g *goal) {
	if !g.done {
		g.done, g.era, g.armed, g.deviant = true, s.goals.era, s.perhapsArms(), s.deviations()
		if g.lived = s.peers.book.Living(); s.peers.book.Made() > g.made {
			g.lived = s.peers.book.Heard()
		}
	}
}

// namesDisarm reports whether a goal names the command that disarms, and not a state.
func (s *State) namesDisarm(g *goal) bool { return g != nil && !g.isState && s.isDisarm(g.name) }

// perhapsArms reports whether anything may be armed, here or at a peer, or is on the way to be.
func (s *State) perhapsArms() bool {
	here, _ := s.machine.State(s.settled)
	w := s.work
	return here.Armed.Any() || len(s.mayBeArmed()) > 0 || s.armedElsewhere() ||
		w != nil && (w.arms || w.takenBack || w.phase.rearms || s.armsLater(w.goal))
}

// lowersFromHere reports whether a command or a state takes anything away from what the network is now.
func (s *State) lowersFromHere(name string, isState bool) bool {
	t, _ := s.machine.Transition(name)
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
