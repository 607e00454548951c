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
func (s *State) concludeGoal(g *goal, e Ending, r Result) {
	switch {
	case e == Succeeded && s.namesDisarm(g):
		s.awaitOrder(g, r, func(g *goal) { s.awaitPeers(g, r, s.settled) })
	case e != Succeeded || len(g.waiters) == 0:
		s.finishGoal(g, e, r)
	default:
		s.awaitPeers(g, r, s.settled)
	}
}

// concludeDisarm ends a goal that has disarmed this network without a transition of its own. A
// client that waits for peers waits until nothing is armed at any peer. If peers are armed, the
// engine tells them to disarm.
func (s *State) concludeDisarm(g *goal, r Result) {
	s.awaitOrder(g, r, func(g *goal) { s.awaitPeers(g, r, "") })
}

// awaitPeers holds the clients that wait for peers until the peers are in that state, and answers
// the others.
func (s *State) awaitPeers(g *goal, r Result, state string) {
	others := s.peers.book.Heard()
	if r.Outcome == OutcomeAlready || state == "" { // no change was made
		others = s.peers.book.Living()
	}
	s.awaitThose(g, r, state, others)
}

// awaitAgain lets a client that repeats a goal by its id wait for the peers that had to follow that
// goal. The goal itself may have ended before they did.
func (s *State) awaitAgain(in GoalAsked, done *goal) {
	g, state, r := s.accept(in, nil), s.settled, done.result
	if s.namesDisarm(g) { // its result holds in every state in which nothing may be armed
		state = ""
		if done.here.Success {
			r = done.here
		}
		g.here = r
	}
	s.awaitThose(g, r, state, done.then.lived)
}

// awaitThose holds the clients of a goal until the required peers and the given others arrive.
func (s *State) awaitThose(g *goal, r Result, state string, others []string) {
	s.noteDone(g)
	for _, h := range g.handles {
		if !slices.Contains(g.waiters, h) {
			s.answer(g, h, Succeeded, s.stamped(g, r))
		}
	}
	g.handles = slices.Clone(g.waiters)
	w := &waiting{
		goal: g, result: r, made: s.peers.book.Made(), state: state, common: state, by: s.now.Steady + s.net.Peers.Deadline,
	}
	if common := s.peers.book.Target(); r.Outcome == OutcomeAlready || state == "" || s.machine.Adopted(common) == state {
		w.common = common
	}
	for _, name := range s.net.Peers.Required {
		w.peers = append(w.peers, awaited{name: name})
	}
	for _, name := range others {
		if !slices.Contains(s.net.Peers.Required, name) {
			w.peers = append(w.peers, awaited{name: name})
		}
	}
	s.peers.awaiting = append(s.peers.awaiting, w)
	s.wakeWhole(w.by)
	s.mindWait(w)
}

// waiting returns the wait of a goal for peers; nil: it does not wait.
func (le *league) waiting(g *goal) *waiting {
	k := slices.IndexFunc(le.peers.awaiting, func(w *waiting) bool { return w.goal == g })
	if k < 0 {
		return nil
	}
	return le.peers.awaiting[k]
}

func (s *State) mindWaits() {
	for _, w := range slices.Clone(s.peers.awaiting) {
		s.mindWait(w)
	}
}

// mindWait ends the wait of one goal when every peer has arrived or cannot arrive, or at its
// deadline.
func (s *State) mindWait(w *waiting) {
	if w.order {
		s.mindOrder(w)
		return
	}
	if s.superseded(w) {
		why := "superseded by " + s.peers.newest
		if s.namesDisarm(w.goal) {
			why += s.armedWords()
		}
		s.endWait(w, Aborted, OutcomeSuperseded, why)
		return
	}
	if w.state != "" && s.settled != "" && s.settled != w.state {
		s.endWait(w, Aborted, OutcomeSuperseded, "but is "+s.settled+" by now: "+s.report.cause)
		return
	}
	open, left := s.lookFor(w)
	switch {
	case open && s.now.Steady < w.by:
	case len(left) > 0:
		s.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(left, "; "))
	default:
		s.endWait(w, Succeeded, w.result.Outcome, "")
	}
}

// superseded reports whether a change newer than that of the goal leads elsewhere.
func (le *league) superseded(w *waiting) bool {
	common := le.peers.book.Target()
	if w.state == "" {
		return common != w.common && le.machine.Disarmed(common) != common
	}
	return common != w.common
}

// lookFor reports whether any missing peer may still arrive, and lists the missing ones.
func (le *league) lookFor(w *waiting) (open bool, left []string) {
	for k := range w.peers {
		a := &w.peers[k]
		pending := false
		if !a.there {
			a.there, a.why, pending = le.arrival(a.name, w)
		}
		if !a.there {
			left = append(left, a.name+" "+a.why)
		}
		open = open || pending
	}
	return open, left
}

// arrival reports whether a peer has arrived, else why not, and whether it still may.
func (le *league) arrival(name string, w *waiting) (there bool, why string, pending bool) {
	p := le.peers.book.Peer(name)
	switch {
	case p == nil || p.Plain:
		return false, "is not there", true
	case !p.Alive:
		return false, "is lost: " + p.Why, false
	case !p.Same:
		return false, "follows another machine", false
	case le.peerArrived(p, w):
		return true, "", false
	case p.Status.Leaving:
		return false, "is about to end", false
	case w.state == "" && len(p.Status.MayBeArmed) > 0:
		return false, "may still be armed: " + strings.Join(p.Status.MayBeArmed, ", "), true
	case w.state != "" && p.Status.Behind && le.peers.book.Knows(p, w.made):
		return false, "is " + p.Status.State + " and does not follow: " + p.Status.Cause, false
	}
	return false, "is still " + p.Status.State, true
}

// peerArrived reports whether a peer that is alive is where the goal wants it, or in the state that stands for it where no
// loop runs.
func (le *league) peerArrived(p *mirror.Peer, w *waiting) bool {
	if w.state == "" {
		state, _ := le.machine.State(p.Status.State)
		return le.peers.book.Knows(p, w.made) && p.Status.Settled && !state.Armed.Any() && len(p.Status.MayBeArmed) == 0
	}
	there := func(state string) bool { return le.peers.book.There(p, w.made, state) }
	return !p.Status.Behind && (there(w.state) || there(le.machine.Adopted(w.state)))
}

// endWait ends the wait. The state stands, however the wait ended.
func (s *State) endWait(w *waiting, e Ending, o Outcome, why string) {
	s.peers.awaiting = slices.DeleteFunc(s.peers.awaiting, func(x *waiting) bool { return x == w })
	r := w.result
	r.Success, r.Outcome = e == Succeeded, o
	if why != "" {
		r.Message += "; " + why
	}
	s.finishGoal(w.goal, e, r)
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
func (s *State) endWaits() {
	for len(s.peers.awaiting) > 0 {
		w := s.peers.awaiting[0]
		_, left := s.lookFor(w)
		if w.order {
			left = s.unconfirmedPeers(w)
		}
		if len(left) > 0 {
			s.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(left, "; "))
			continue
		}
		s.endWait(w, Succeeded, w.result.Outcome, "")
	}
}
