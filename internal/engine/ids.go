package engine

import (
	"fmt"
	"slices"

	"rstate/internal/engine/ids"
)

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

// answerKnown answers a request whose id was used before, and reports whether it did.
func (s *State) answerKnown(in GoalAsked) bool {
	name, isState, ok := s.machine.Command(in.Command)
	if in.ID == "" || !ok || s.yields() {
		return false
	}
	g, open := s.goals.ofID(in.ID)
	behind := g != nil && g.result.Outcome == OutcomePeersBehind
	if g == nil || !open && !in.WaitPeers && s.isDisarm(name) && behind {
		return false // a disarm is an order again if a peer has not confirmed the first one
	}
	why := s.mayShare(in, name, isState, open)
	used := ids.Used{
		Same: g.name == name && g.isState == isState, Open: open, Valid: s.mayJoin(g, open), Barred: why != "",
		Waits:  in.WaitPeers && (g.ending == Succeeded || behind && s.namesDisarm(g)),
		Exempt: s.lowersFromHere(name, isState) || s.isClosing(),
	}
	s.answerShared(in, g, used, why)
	return used.Answer() != ids.New
}

// isClosing reports whether the process is to end, or the network has ended.
func (st *standing) isClosing() bool { return st.closing.stop != nil || st.closing.ended != nil }

// answerShared answers a request whose id was used before, by what package ids decides.
func (s *State) answerShared(in GoalAsked, g *goal, used ids.Used, why string) {
	name, _, _ := s.machine.Command(in.Command)
	switch used.Answer() {
	case ids.New:
	case ids.Joined:
		s.join(in, g)
	case ids.Peers:
		s.awaitAgain(in, g)
	case ids.Result:
		s.do(AcceptGoal{in.Handle})
		s.recordAsked(in, "gets the result of the goal of its id", 0)
		s.answer(g, in.Handle, g.ending, g.result)
	case ids.Forbidden:
		s.reject(in, why)
	default:
		s.reject(in, usedWords(used.Answer(), g.name, name))
	}
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

// lowersFromHere reports whether a command or a state takes anything away from what the network is
// now.
func (co *course) lowersFromHere(name string, isState bool) bool {
	t := co.command(name, co.origin())
	switch {
	case isState:
		return co.settled != "" && co.machine.Lowers(co.settled, name)
	case t.Always:
		return true
	case co.isDisarm(name):
		return co.settled == "" || co.perhapsArms()
	}
	return co.settled != "" && co.machine.Lowers(co.settled, t.To)
}

// holdsTrue reports whether the result of a goal whose work is done still describes the network: it
// has not left the state in which the goal ended. The result of a disarm holds while nothing may be
// armed.
func (cl *clients) holdsTrue(g *goal) bool {
	switch {
	case cl.settled == "":
		return false
	case cl.namesDisarm(g) && cl.perhapsArms():
		return false
	case cl.namesDisarm(g) && (g.result.Success || g.result.Outcome == OutcomePeersBehind || cl.peers.confirming(g)):
		return true
	case cl.busy(): // it is on its way to another state, or has left this one for error processing
		return false
	}
	return g.then.era == cl.goals.era && g.then.armed == cl.perhapsArms() && !cl.strayedSince(g)
}

// strayedSince reports whether a node deviates that did not, or not in the same way, when the
// goal's work was done.
func (ro *roster) strayedSince(g *goal) bool {
	return slices.ContainsFunc(ro.deviations(), func(d string) bool { return !slices.Contains(g.then.deviant, d) })
}

// noteDone notes where the network is when the work of a goal is done, once: the goal may wait for
// peers after that.
func (cl *clients) noteDone(g *goal) {
	if !g.then.done {
		g.then.done, g.then.era, g.then.armed, g.then.deviant = true, cl.goals.era, cl.perhapsArms(), cl.deviations()
		if g.then.lived = cl.peers.book.Living(); cl.peers.book.Made() > g.then.made {
			g.then.lived = cl.peers.book.Heard()
		}
	}
}
