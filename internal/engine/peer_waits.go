package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rstate/internal/clean"
	"rstate/internal/mirror"
)

// wait_peers: a goal that is done here stays open, and blocks nothing, until its peers are there
// too.

// waiting is a goal that waits for peers.
type waiting struct {
	goal   *goal
	result Result // its result here
	made   uint64 // number of our change that the peers must have seen
	state  string // state that they must reach; empty: any, with nothing armed
	common string // common target; a change that leads elsewhere supersedes the goal
	by     time.Duration
	peers  []awaited
	order  bool // a disarm, which waits until all peers have carried it out
}

type awaited struct {
	name  string
	there bool   // it arrived, and need not stay
	why   string // why it cannot arrive any more; empty: it can
}

// concludeGoal ends a goal, or lets it wait for peers if its clients want that.
func (cl *clients) concludeGoal(g *goal, e Ending, r Result) {
	switch {
	case e == Succeeded && cl.namesDisarm(g):
		cl.awaitOrder(g, r, func(g *goal) { cl.awaitPeers(g, r, cl.settled) })
	case e != Succeeded || len(g.waiters) == 0:
		cl.finishGoal(g, e, r)
	default:
		cl.awaitPeers(g, r, cl.settled)
	}
}

// concludeDisarm ends a goal that has disarmed this network without a transition of its own. A
// client that waits for peers waits until nothing is armed at any peer. If peers are armed, the
// engine tells them to disarm.
func (cl *clients) concludeDisarm(g *goal, r Result) {
	cl.awaitOrder(g, r, func(g *goal) { cl.awaitPeers(g, r, "") })
}

// awaitPeers holds the clients that wait for peers until the peers are in that state, and answers
// the others.
func (cl *clients) awaitPeers(g *goal, r Result, state string) {
	others := cl.peers.book.Heard()
	if r.Outcome == OutcomeAlready || state == "" { // no change was made
		others = cl.peers.book.Living()
	}
	cl.awaitThose(g, r, state, others)
}

// awaitAgain lets a client that repeats a goal by its id wait for the peers that had to follow that
// goal. The goal itself may have ended before they did.
func (cl *clients) awaitAgain(in GoalAsked, done *goal) {
	g, state, r := cl.accept(in, nil), cl.settled, done.result
	if cl.namesDisarm(g) { // its result holds in every state in which nothing may be armed
		state = ""
		if done.here.Success {
			r = done.here
		}
		g.here = r
	}
	cl.awaitThose(g, r, state, done.then.lived)
}

// awaitThose holds the clients of a goal until the required peers and the given others arrive.
func (cl *clients) awaitThose(g *goal, r Result, state string, others []string) {
	cl.noteDone(g)
	for _, h := range g.handles {
		if !slices.Contains(g.waiters, h) {
			cl.answer(g, h, Succeeded, cl.stamped(g, r))
		}
	}
	g.handles = slices.Clone(g.waiters)
	w := &waiting{
		goal: g, result: r, made: cl.peers.book.Made(), state: state, common: state,
		by: cl.now.Steady + cl.net.Peers.Deadline,
	}
	if common := cl.peers.book.Target(); r.Outcome == OutcomeAlready || state == "" ||
		cl.machine.Adopted(common) == state {
		w.common = common
	}
	for _, name := range cl.net.Peers.Required {
		w.peers = append(w.peers, awaited{name: name})
	}
	for _, name := range others {
		if !slices.Contains(cl.net.Peers.Required, name) {
			w.peers = append(w.peers, awaited{name: name})
		}
	}
	cl.peers.awaiting, cl.changed = append(cl.peers.awaiting, w), true
	cl.wakeWhole(w.by)
	cl.mindWait(w)
}

// waiting returns the wait of a goal for peers; nil: it does not wait.
func (pe *peering) waiting(g *goal) *waiting {
	k := slices.IndexFunc(pe.awaiting, func(w *waiting) bool { return w.goal == g })
	if k < 0 {
		return nil
	}
	return pe.awaiting[k]
}

func (cl *clients) mindWaits() {
	for _, w := range slices.Clone(cl.peers.awaiting) {
		cl.mindWait(w)
	}
}

// mindWait ends the wait of one goal when every peer has arrived or cannot arrive, or at its
// deadline.
func (cl *clients) mindWait(w *waiting) {
	if w.order {
		cl.mindOrder(w)
		return
	}
	if cl.peers.superseded(w) {
		why := "superseded by " + cl.peers.newest
		if cl.namesDisarm(w.goal) {
			why += cl.armedWords()
		}
		cl.endWait(w, Aborted, OutcomeSuperseded, why)
		return
	}
	if w.state != "" && cl.settled != "" && cl.settled != w.state {
		cl.endWait(w, Aborted, OutcomeSuperseded, "but is "+cl.settled+" by now: "+cl.report.cause)
		return
	}
	open, missing := cl.peers.lookFor(w)
	switch {
	case open && cl.now.Steady < w.by:
	case len(missing) > 0:
		cl.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(missing, "; "))
	default:
		cl.endWait(w, Succeeded, w.result.Outcome, "")
	}
}

// superseded reports whether a change newer than that of the goal leads elsewhere.
func (pe *peering) superseded(w *waiting) bool {
	common := pe.book.Target()
	if w.state == "" {
		return common != w.common && pe.machine.Disarmed(common) != common
	}
	return common != w.common
}

// lookFor reports whether any missing peer may still arrive, and lists the missing ones.
func (pe *peering) lookFor(w *waiting) (open bool, missing []string) {
	for k := range w.peers {
		a := &w.peers[k]
		pending := false
		if !a.there {
			a.there, a.why, pending = pe.arrival(a.name, w)
		}
		if !a.there {
			missing = append(missing, a.name+" "+a.why)
		}
		open = open || pending
	}
	return open, missing
}

// arrival reports whether a peer has arrived, else why not, and whether it still may.
func (pe *peering) arrival(name string, w *waiting) (there bool, why string, pending bool) {
	p := pe.book.Peer(name)
	switch {
	case p == nil || p.Plain:
		return false, "is not there", true
	case !p.Alive:
		return false, "is lost: " + p.Why, false
	case !p.Same:
		return false, "follows another machine", false
	case pe.peerArrived(p, w):
		return true, "", false
	case p.Status.Leaving:
		return false, "is about to end", false
	case w.state == "" && len(p.Status.MayBeArmed) > 0:
		return false, "may still be armed: " + strings.Join(p.Status.MayBeArmed, ", "), true
	case w.state != "" && p.Status.Behind && pe.book.Knows(p, w.made):
		return false, "is " + p.Status.State + " and does not follow: " + p.Status.Cause, false
	}
	return false, "is still " + p.Status.State, true
}

// peerArrived reports whether a peer that is alive is where the goal wants it, or in the state that stands for it where
// no loop runs.
func (pe *peering) peerArrived(p *mirror.Peer, w *waiting) bool {
	if w.state == "" {
		state, _ := pe.machine.State(p.Status.State)
		return pe.book.Knows(p, w.made) && p.Status.Settled && !state.Armed.Any() && len(p.Status.MayBeArmed) == 0
	}
	there := func(state string) bool { return pe.book.There(p, w.made, state) }
	return !p.Status.Behind && (there(w.state) || there(pe.machine.Adopted(w.state)))
}

// endWait ends the wait. The state stands, however the wait ended.
func (cl *clients) endWait(w *waiting, e Ending, o Outcome, why string) {
	cl.changed = true
	cl.peers.awaiting = slices.DeleteFunc(cl.peers.awaiting, func(x *waiting) bool { return x == w })
	r := w.result
	r.Success, r.Outcome = e == Succeeded, o
	if why != "" {
		r.Message += "; " + why
	}
	cl.finishGoal(w.goal, e, r)
}

// openGoals names the goals that are done here and wait for peers or for the loop.
func (s *State) openGoals() []string {
	var names []string
	for _, w := range s.peers.awaiting {
		name := w.goal.id()
		if name == "" {
			name = w.goal.handles[0]
		}
		names = append(names, clean.Text(name))
	}
	for _, g := range s.loop.open() {
		names = append(names, clean.Text(cmp.Or(g.id(), g.handles[0])))
	}
	return names
}

// endWaits ends all waits because this process ends: a peer that has not arrived by now is behind.
func (cl *clients) endWaits() {
	for len(cl.peers.awaiting) > 0 {
		w := cl.peers.awaiting[0]
		_, missing := cl.peers.lookFor(w)
		if w.order {
			missing = cl.peers.unconfirmedPeers(w)
		}
		if len(missing) > 0 {
			cl.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(missing, "; "))
			continue
		}
		cl.endWait(w, Succeeded, w.result.Outcome, "")
	}
}
