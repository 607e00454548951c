package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/grant"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// Peers: package mirror judges their messages. This file records the result, and tells peers the
// status of this instance. changes.go publishes its own changes, and following.go handles what follows
// from a change of a peer.

// peering is what peers reported, and what this instance told them.
type peering struct {
	book      *mirror.Book
	told      mirror.Status // newest status told to peers
	untold    bool          // the status may have changed
	behindWhy string        // why this instance is not in the common target
	newest    string        // newest change and its maker, for a goal that it supersedes
	peerWake  time.Duration // newest moment asked for because of peers
	awaiting  []*waiting    // goals that are done here, and stay open for peers
	ordered   []string      // the peers that lived when the newest disarm was ordered here
	grant     grant.Grant   // of the newest change that is to be followed into an armed state
}

func newBook(net *network.Network, opt Options) *mirror.Book {
	return mirror.New(mirror.Config{
		Name: opt.Name, Instance: opt.Instance, Machine: net.Machine, Required: net.Peers.Required, Plain: net.Peers.Plain,
	})
}

func (s *State) peerChanged(c mirror.Change) {
	before := s.peers.book.Task()
	s.notePeers(s.peers.book.Change(s.now.Steady, c))
	if s.now.Steady < max(s.gap.lateBy, s.gap.drainedAt) && s.peers.book.Task() != before { // it may be as old as the gap
		s.peers.book.Restrain()
	}
	s.tasked(before)
}

func (s *State) peerTold(st mirror.Status) {
	before := s.peers.book.Task()
	p := s.peers.book.Peer(st.Name)
	known := p != nil && p.Alive && !p.Plain
	var was mirror.Status
	if known {
		was = p.Status
	}
	s.notePeers(s.peers.book.Tell(s.now.Steady, st))
	if known && p.Status.Instance != was.Instance { // another process has taken its name
		s.voidsOf(st.Name)
	}
	if !known || !was.Like(&st) {
		s.report.changed = true
	}
	if !known || !slices.Equal(was.Nodes, st.Nodes) {
		s.judgeDrivers()
	}
	s.tasked(before)
}

func (s *State) peerLost(in PeerLost) {
	s.notePeers(s.peers.book.Lose(s.now.Steady, in.Name, in.Instance, in.Why))
	s.voidsOf(in.Name)
	s.judgeDrivers()
	s.peers.untold = true
}

// notePeers records what mirror learnt of peers.
func (s *State) notePeers(notes []mirror.Note) {
	for _, n := range notes {
		e := Entry{Kind: EntryPeer, Event: EventSaid, Node: n.Peer, Sentence: n.Words, Cause: n.Cause}
		switch n.What {
		case mirror.Came:
			e.Event = EventThere
		case mirror.Went:
			e.Event = EventGone
		case mirror.Ignored:
			e.Event = EventFailed
		case mirror.Said, mirror.Ahead, mirror.Clashed:
			s.peers.newest = n.Words
		}
		s.recordPeer(e)
		s.report.changed = true
		if n.What == mirror.Ordered {
			s.obey(n)
		}
	}
}

// tasked notes a new task to follow, and logs the state of its maker if this network is in another
// one.
func (s *State) tasked(before *mirror.Task) {
	s.peers.untold = true
	t := s.peers.book.Task()
	if t == before || t == nil {
		return
	}
	s.peers.behindWhy, s.report.changed = "", true
	s.peers.grant = grant.Grant{}
	if to, _ := s.machine.State(t.Target); to.Armed.Any() {
		s.peers.grant = s.grants.Give(t.From)
	}
	if s.settled == "" {
		s.peers.book.Restrain()
		return
	}
	heading := s.settled
	if s.work != nil {
		heading = s.work.target
	}
	if t.Source == "" || t.Source == s.settled || t.Source == heading {
		return
	}
	words := fmt.Sprintf("%s went from %s, and this network is %s: it takes the shortest way to %s", t.From, t.Source, s.settled, t.Target)
	s.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From, Sentence: words})
}

// mindPeers handles what is due because of peers.
func (s *State) mindPeers() {
	if len(s.peers.book.Peers())+len(s.peers.awaiting) > 0 {
		before := s.peers.book.Task()
		s.notePeers(s.peers.book.Tick(s.now.Steady))
		if s.peers.book.Task() != before {
			s.tasked(before)
		}
		s.mindWaits()
	}
	if when, ok := s.peers.book.Next(s.needsPeers()); ok && when != s.peers.peerWake {
		s.peers.peerWake = when
		s.wakeWhole(when)
	}
}

// peerWarnings lists the warnings about peers.
func (s *State) peerWarnings() []string {
	list := s.peers.book.Warnings()
	if s.behind() && !s.alone() {
		list = append(list, s.behindWords())
	}
	return list
}

// peerViews lists all known peers, and the required peers that were never heard.
func (s *State) peerViews() []PeerView {
	var list []PeerView
	for _, p := range s.peers.book.Peers() {
		st := &p.Status
		list = append(list, PeerView{
			Name: st.Name, Instance: st.Instance, Required: slices.Contains(s.net.Peers.Required, st.Name), Alive: p.Alive,
			SameMachine: p.Same, State: st.State, Settled: st.Settled, Intact: st.Intact, Target: st.Target, Behind: st.Behind,
			Leaving: st.Leaving, Seen: st.Seen, Nodes: st.Nodes, Lag: s.peers.book.Lagging(s.now.Steady, p), Age: s.now.Steady - p.At,
			Cause: peerCause(p),
		})
	}
	for _, name := range s.net.Peers.Required {
		if s.peers.book.Peer(name) == nil {
			list = append(list, PeerView{Name: name, Required: true, State: machine.Unknown, Lag: -1, Age: -1, Cause: "is not there"})
		}
	}
	slices.SortFunc(list, func(a, b PeerView) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func peerCause(p *mirror.Peer) string {
	if !p.Alive && !p.Plain {
		return "is lost: " + p.Why
	}
	return p.Status.Cause
}

// alone reports whether no peer is known or required, so that this network cannot be behind.
func (s *State) alone() bool { return len(s.peers.book.Peers())+len(s.net.Peers.Required) == 0 }

// status is the status for peers.
func (s *State) status() mirror.Status {
	st := mirror.Status{
		Name: s.fixed.opt.Name, Instance: s.fixed.opt.Instance, Started: s.startup.started, State: s.judge.State(), Target: s.peers.book.Target(),
		Settled: s.settled != "" && !s.busy(), Seen: s.peers.book.Seen(), Loops: s.peers.book.Loops(), Machine: s.machine.Name, Hash: s.peers.book.Hash(),
		Nodes: s.fixed.names, MayBeArmed: append(s.mayBeArmed(), s.leftArmed()...), Requires: s.net.Peers.Required, ProofAge: -1, Behind: s.behind(),
		Leaving: s.closing.stop != nil || s.closing.gone, Steady: s.now.Steady, Orders: s.peers.book.Orders(),
	}
	switch {
	case st.Target != "":
	case s.settled != "" && mirror.Empty(st.Seen):
		// Else changes exist that this instance never followed, so no peer may follow it.
		st.Target = s.settled
	default:
		st.Target = machine.Unknown
	}
	if st.Intact = s.intact(); !st.Intact {
		st.Cause = strings.Join(s.deviations(), "; ")
	}
	if st.Behind {
		st.Cause = s.behindBecause()
	}
	for i := range s.nodes {
		if age, ok := s.proofAge(i); ok && !s.nodes[i].spec.Optional {
			st.ProofAge = max(st.ProofAge, age)
		}
	}
	return st
}

// tell sends the status to peers if it has changed. It sends nothing before this instance holds the
// name. Most inputs change no part of the status, so it is made only after those that may.
func (s *State) tell() {
	if !s.startup.named || !s.peers.untold && !s.closing.gone && s.armedNow() == len(s.peers.told.MayBeArmed) {
		return
	}
	s.peers.untold = false
	if st := s.status(); !st.Like(&s.peers.told) {
		// Any of these may have changed in this step after the state was shown.
		s.report.changed = s.report.changed || st.Behind != s.peers.told.Behind || st.Target != s.peers.told.Target || !slices.Equal(st.Seen, s.peers.told.Seen)
		s.peers.told = st
		s.do(TellPeers{st})
	}
}

// armedNow counts the nodes that may be armed.
func (s *State) armedNow() int {
	count := len(s.leftArmed())
	for _, i := range s.fixed.armable {
		if s.nodes[i].arm.Belief() != Disarmed {
			count++
		}
	}
	return count
}

// behind reports whether this network is not in the common target, and not on its way there.
func (s *State) behind() bool {
	common := s.peers.book.Target()
	if common == "" || s.settled == "" || s.busy() || s.peers.book.Task() != nil {
		return false
	}
	apart := s.settled != common && s.settled != s.machine.Adopted(common) || s.peers.book.Torn() != ""
	return apart || s.unconfirmed() != "" && s.machine.Disarmed(common) == common
}

// behindBecause says why this network is behind.
func (s *State) behindBecause() string {
	if s.settled != s.peers.book.Target() {
		return cmp.Or(s.peers.behindWhy, s.report.cause) // the last work has led here
	}
	return cmp.Or(s.unconfirmed(), s.peers.book.Torn())
}

func (s *State) behindWords() string {
	words := fmt.Sprintf("the network is %s, and the changes of its simulation lead to %s", s.settled, s.peers.book.Target())
	if why := s.behindBecause(); why != "" {
		words += ": " + why
	}
	return words
}
