package engine

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/clean"
	"rstate/internal/mirror"
)

// wait_peers: a goal that is done here stays open until its peers are there too. It blocks nothing meanwhile.

// waiting is such a goal.
type waiting struct {
	goal   *goal
	result Result // as it is here
	made   uint64 // of our changes, the one that peers have to have seen
	state  string // where they have to be; empty: anywhere, with nothing armed
	common string // where the changes lead as long as no newer one supersedes the goal
	by     time.Duration
	peers  []awaited
}

type awaited struct {
	name  string
	there bool   // once is enough
	why   string // why it will not be; empty: it still may be
}

// concludeGoal ends a goal, or lets it wait for peers if it is to.
func (s *State) concludeGoal(g *goal, e Ending, r Result) {
	if e != Succeeded || len(g.waiters) == 0 {
		s.finishGoal(g, e, r)
		return
	}
	s.awaitPeers(g, r, s.settled)
}

// concludeDisarm ends a goal that has disarmed what this network has, without a transition of its own. A client that waits
// for peers waits until nothing is armed there; if peers are armed, they are told to disarm.
func (s *State) concludeDisarm(g *goal, r Result) {
	if len(g.waiters) == 0 {
		s.finishGoal(g, Succeeded, r)
		return
	}
	s.awaitPeers(g, r, "")
}

// awaitPeers lets the clients of a goal that wait for peers wait until those are in that state. The others are answered.
func (s *State) awaitPeers(g *goal, r Result, state string) {
	others := s.peers.book.Heard()
	if r.Outcome == OutcomeAlready || state == "" { // no change was made
		others = s.peers.book.Living()
	}
	s.awaitThose(g, r, state, others)
}

// awaitAgain lets the client of a request that repeats a goal by its id wait for the peers that had to follow that goal. The
// goal itself may have ended before they did.
func (s *State) awaitAgain(in GoalAsked, done *goal) {
	g, state := s.accept(in, nil), s.settled
	if s.namesDisarm(g) { // its result holds in every state in which nothing may be armed
		state = ""
	}
	s.awaitThose(g, done.result, state, done.lived)
}

// awaitThose lets the clients of a goal wait for the required peers and for the others that it names.
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
	if r.Outcome == OutcomeAlready || state == "" {
		w.common = s.peers.book.Target()
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

// waiting returns what a goal waits for; nil: it does not.
func (s *State) waiting(g *goal) *waiting {
	k := slices.IndexFunc(s.peers.awaiting, func(w *waiting) bool { return w.goal == g })
	if k < 0 {
		return nil
	}
	return s.peers.awaiting[k]
}

func (s *State) mindWaits() {
	for _, w := range slices.Clone(s.peers.awaiting) {
		s.mindWait(w)
	}
}

// mindWait ends the waiting of one goal when every peer is there, or will not be, or it has lasted long enough.
func (s *State) mindWait(w *waiting) {
	if s.superseded(w) {
		s.endWait(w, Aborted, OutcomeSuperseded, "superseded by "+s.peers.newest)
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
func (s *State) superseded(w *waiting) bool {
	common := s.peers.book.Target()
	if w.state == "" {
		return common != w.common && s.machine.Disarmed(common) != common
	}
	return common != w.common
}

// lookFor says whether any peer may still come, and who is not there.
func (s *State) lookFor(w *waiting) (open bool, left []string) {
	for k := range w.peers {
		a := &w.peers[k]
		pending := false
		if !a.there {
			a.there, a.why, pending = s.arrival(a.name, w)
		}
		if !a.there {
			left = append(left, a.name+" "+a.why)
		}
		open = open || pending
	}
	return open, left
}

// arrival says whether a peer is where it is awaited, else why not, and whether it still may come.
func (s *State) arrival(name string, w *waiting) (there bool, why string, pending bool) {
	p := s.peers.book.Peer(name)
	switch {
	case p == nil || p.Plain:
		return false, "is not there", true
	case !p.Alive:
		return false, "is lost: " + p.Why, false
	case !p.Same:
		return false, "follows another machine", false
	case s.peerArrived(p, w):
		return true, "", false
	case p.Status.Leaving:
		return false, "is about to end", false
	case w.state == "" && len(p.Status.MayBeArmed) > 0:
		return false, "may still be armed: " + strings.Join(p.Status.MayBeArmed, ", "), true
	case w.state != "" && p.Status.Behind && s.peers.book.Knows(p, w.made):
		return false, "is " + p.Status.State + " and does not follow: " + p.Status.Cause, false
	}
	return false, "is still " + p.Status.State, true
}

// peerArrived reports whether a peer that is alive is where the goal wants it.
func (s *State) peerArrived(p *mirror.Peer, w *waiting) bool {
	if w.state == "" {
		state, _ := s.machine.State(p.Status.State)
		return s.peers.book.Knows(p, w.made) && p.Status.Settled && !state.Armed.Any() && len(p.Status.MayBeArmed) == 0
	}
	return !p.Status.Behind && s.peers.book.There(p, w.made, w.state)
}

// endWait ends the waiting; the state stands, whatever became of it.
func (s *State) endWait(w *waiting, e Ending, o Outcome, why string) {
	s.peers.awaiting = slices.DeleteFunc(s.peers.awaiting, func(x *waiting) bool { return x == w })
	r := w.result
	r.Success, r.Outcome = e == Succeeded, o
	if why != "" {
		r.Message += "; " + why
	}
	s.finishGoal(w.goal, e, r)
}

// openGoals names the goals that are done here and wait.
func (s *State) openGoals() []string {
	var names []string
	for _, w := range s.peers.awaiting {
		name := w.goal.id()
		if name == "" {
			name = w.goal.handles[0]
		}
		names = append(names, clean.Text(name))
	}
	return names
}

// endWaits ends all waiting because this process ends: who has not come by now is behind.
func (s *State) endWaits() {
	for len(s.peers.awaiting) > 0 {
		w := s.peers.awaiting[0]
		if _, left := s.lookFor(w); len(left) > 0 {
			s.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(left, "; "))
			continue
		}
		s.endWait(w, Succeeded, w.result.Outcome, "")
	}
}
