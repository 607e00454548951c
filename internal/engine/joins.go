package engine

import (
	"fmt"
	"slices"

	"rstate/internal/machine"
)

// Several clients of one goal.

// mayJoin reports whether a request can share a goal: wait for an open one, or get the result of an
// ended one.
func (cl *clients) mayJoin(g *goal, open bool) bool {
	if open {
		return cl.joinable(g)
	}
	return cl.holdsTrue(g)
}

// mayShare says why a request must not share a goal of its id: an open goal that arms goes on as long as any
// of its clients wants it, so each of them needs what its first one needed. The result of an ended goal needs
// the authority only. Empty: it may.
func (co *course) mayShare(in GoalAsked, name string, isState, open bool) string {
	t := co.command(name, co.origin())
	if isState {
		t = machine.Transition{To: name}
	}
	if open {
		return co.andOwn(in, t, "")
	}
	return co.unauthorized(in, t)
}

// joinable reports whether one more client can wait for an open goal: it is neither being cancelled
// nor turned round, and if its work is done, its result still describes the network.
func (cl *clients) joinable(g *goal) bool {
	switch w := cl.work; {
	case cl.peers.waiting(g) != nil:
		return cl.holdsTrue(g)
	case g.rests:
		return false
	case w == nil || w.goal != g:
		return true // it waits for disarms
	default:
		return !w.phase.cancelled() && w.phase != rearming
	}
}

// join adds the client to an open goal. If the goal's work is done here, only a client that waits
// for peers has something to wait for.
func (cl *clients) join(in GoalAsked, g *goal) {
	cl.do(AcceptGoal{in.Handle})
	cl.recordAsked(in, "joins the goal of its id", 0)
	w := cl.peers.waiting(g)
	if w != nil && w.order && in.WaitPeers {
		own := &goal{}
		*own = *g
		own.handles, own.waiters, own.ids = nil, nil, nil
		own.add(in)
		cl.goals.open = append(cl.goals.open, own)
		cl.awaitThose(own, w.result, "", cl.peers.book.Living())
		return
	}
	if w != nil && !in.WaitPeers && !w.order {
		cl.answer(g, in.Handle, Succeeded, cl.stamped(g, w.result))
		return
	}
	g.add(in)
}

// joinWork adds a client to the running goal.
func (cl *clients) joinWork(in GoalAsked) {
	g := cl.accept(in, nil)
	if cl.work.goal == nil {
		cl.work.goal = g
		return
	}
	cl.work.goal.add(in)
	cl.goals.drop(g)
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
func (cl *clients) detach(g *goal, handle string) {
	is := func(h string) bool { return h == handle }
	g.handles = slices.DeleteFunc(g.handles, is)
	g.waiters = slices.DeleteFunc(g.waiters, is)
	words := g.asked + " goes on: 1 other client waits for it"
	if n := len(g.handles); n > 1 {
		words = fmt.Sprintf("%s goes on: %d other clients wait for it", g.asked, n)
	}
	cl.answer(g, handle, Canceled, cl.stamped(g, Result{Outcome: OutcomeCanceled, Message: words}))
	if w := cl.peers.waiting(g); w != nil && len(g.waiters) == 0 {
		cl.endWait(w, Succeeded, w.result.Outcome, "")
	}
}
