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
	*facts

	book      *mirror.Book
	told      mirror.Status // newest status told to peers
	untold    bool          // the status may have changed
	behindWhy string        // why this instance is not in the common target
	newest    string        // newest change and its maker, for a goal that it supersedes
	made      time.Duration // when the newest change was made here, by the clock that is sent with it
	peerWake  time.Duration // newest moment asked for because of peers
	silent    []string      // the required peers that had said nothing for long, as shown
	awaiting  []*waiting    // goals that are done here, and stay open for peers
	ordered   []string      // the peers that lived when the newest disarm was ordered here
	grant     grant.Grant   // of the newest change that is to be followed into an armed state
}

func newBook(net *network.Network, opt Options) *mirror.Book {
	return mirror.New(mirror.Config{
		Name: opt.Name, Instance: opt.Instance, Machine: net.Machine, Required: net.Peers.Required,
		Plain: net.Peers.Plain, Ordered: opt.Ordered,
	})
}

func (s *State) peerChanged(c mirror.Change) {
	before, target := s.peers.book.Task(), s.peers.book.Target()
	s.notePeers(s.peers.book.Change(s.now.Steady, c))
	if after := s.peers.book.Target(); s.machine.Lowers(target, after) {
		s.endEraForPeer(c.Name)
	}
	// it may be as old as the gap
	if s.now.Steady < max(s.gap.lateBy, s.gap.drainedAt) && s.peers.book.Task() != before {
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
	s.hearStops(st)
	if known && p.Status.Instance != was.Instance { // another process has taken its name
		s.endEraOf(st.Name)
	}
	if known && s.machine.Disarmed(was.State) != was.State && s.machine.Disarmed(st.State) == st.State {
		s.endEraForPeer(st.Name)
	}
	if !known || !was.Like(&st) {
		s.changed = true
	}
	if !known || !slices.Equal(was.Nodes, st.Nodes) {
		s.judgeDrivers()
	}
	s.tasked(before)
}

func (s *State) peerLost(in PeerLost) {
	s.notePeers(s.peers.book.Lose(s.now.Steady, in.Name, in.Instance, in.Why))
	s.endEraOf(in.Name)
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
		s.changed = true
		if n.What == mirror.Ordered {
			s.obey(n)
		}
	}
}

// tasked notes a new task to follow, and logs the state of its maker if this network is in another
// one.
func (co *course) tasked(before *mirror.Task) {
	co.peers.untold = true
	t := co.peers.book.Task()
	if t == before || t == nil {
		return
	}
	co.peers.behindWhy, co.changed = "", true
	co.peers.grant = grant.Grant{}
	if to, _ := co.machine.State(t.Target); to.Armed.Any() {
		co.peers.grant = co.grants.Give(t.From)
	}
	if co.settled == "" {
		co.peers.book.Restrain()
		return
	}
	heading := co.settled
	if co.work != nil {
		heading = co.work.target
	}
	if t.Source == "" || t.Source == co.settled || t.Source == heading {
		return
	}
	words := fmt.Sprintf("%s went from %s, and this network is %s: it takes the shortest way to %s", t.From, t.Source,
		co.settled, t.Target)
	co.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From, Sentence: words})
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
	if silent := s.peers.book.Silent(s.now.Steady); !slices.Equal(silent, s.peers.silent) {
		s.peers.silent, s.changed = silent, true
	}
	if when, ok := s.peers.book.Next(s.now.Steady, s.needsPeers()); ok && when != s.peers.peerWake {
		s.peers.peerWake = when
		s.wakeWhole(when)
	}
}

// peerWarnings lists the warnings about peers.
func (co *course) peerWarnings() []string {
	list := co.peers.book.Warnings()
	if co.behind() && !co.peers.alone() {
		list = append(list, co.behindWords())
	}
	return list
}

// peerViews lists all known peers, and the required peers that were never heard.
func (pe *peering) peerViews(ag *agenda) []PeerView {
	var list []PeerView
	for _, p := range pe.book.Peers() {
		st := &p.Status
		list = append(list, PeerView{
			Name: st.Name, Instance: st.Instance, Required: slices.Contains(pe.net.Peers.Required, st.Name),
			Alive:       p.Alive,
			SameMachine: p.Same, State: st.State, Settled: st.Settled, Intact: st.Intact, Target: st.Target,
			Behind:  st.Behind,
			Leaving: st.Leaving, Seen: st.Seen, Nodes: st.Nodes, Lag: pe.book.Lagging(ag.now.Steady, p),
			Age:   ag.now.Steady - p.At,
			Cause: peerCause(p),
		})
	}
	for _, name := range pe.net.Peers.Required {
		if pe.book.Peer(name) == nil {
			list = append(list, PeerView{Name: name, Required: true, State: machine.Unknown, Lag: -1, Age: -1,
				Cause: "is not there"})
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
func (pe *peering) alone() bool { return len(pe.book.Peers())+len(pe.net.Peers.Required) == 0 }

// status is the status for peers.
func (co *course) status() mirror.Status {
	st := mirror.Status{
		Name: co.opt.Name, Instance: co.opt.Instance, Started: co.startup.started, State: co.judge.State(),
		Target:  co.peers.book.Target(),
		Settled: co.settled != "" && !co.busy(), Seen: co.peers.book.Seen(), Loops: co.peers.book.Loops(),
		Machine: co.machine.Name, Hash: co.peers.book.Hash(),
		Nodes: co.names, MayBeArmed: append(co.mayBeArmed(), co.hold.armedLeftovers()...), Requires: co.net.Peers.Required,
		ProofAge: -1, Behind: co.behind(),
		Leaving: co.closing.stop != nil || co.closing.gone, Steady: co.now.Steady, Orders: co.peers.book.Orders(),
		Stops: co.stops.ledger.List(), StopsUnclear: co.stops.unclear,
	}
	switch {
	case st.Target != "":
	case co.settled != "" && mirror.Empty(st.Seen):
		// Else changes exist that this instance never followed, so no peer may follow it.
		st.Target = co.settled
	default:
		st.Target = machine.Unknown
	}
	if st.Intact = co.intact(); !st.Intact {
		st.Cause = strings.Join(co.deviations(), "; ")
	}
	if st.Behind {
		st.Cause = co.behindBecause()
	}
	for i := range co.nodes {
		if age, ok := co.proofAge(i); ok && !co.nodes[i].spec.Optional {
			st.ProofAge = max(st.ProofAge, age)
		}
	}
	return st
}

// tell sends the status to peers if it has changed. It sends nothing before this instance holds the
// name. Most inputs change no part of the status, so it is made only after those that may.
func (co *course) tell() {
	if !co.startup.named || !co.peers.untold && !co.closing.gone && co.armedNow() == len(co.peers.told.MayBeArmed) {
		return
	}
	co.peers.untold = false
	if st := co.status(); !st.Like(&co.peers.told) {
		// Any of these may have changed in this step after the state was shown.
		co.changed = co.changed || st.Behind != co.peers.told.Behind || st.Target != co.peers.told.Target ||
			!slices.Equal(st.Seen, co.peers.told.Seen)
		co.peers.told = st
		co.do(TellPeers{st})
	}
}

// armedNow counts the nodes that may be armed.
func (ro *roster) armedNow() int {
	count := len(ro.hold.armedLeftovers())
	for _, i := range ro.armable {
		if ro.nodes[i].arm.Belief() != Disarmed {
			count++
		}
	}
	return count
}

// behind reports whether this network is not in the common target, and not on its way there.
func (co *course) behind() bool {
	common := co.peers.book.Target()
	if common == "" || co.settled == "" || co.busy() || co.peers.book.Task() != nil {
		return false
	}
	apart := co.settled != common && co.settled != co.machine.Adopted(common) || co.peers.book.Torn() != ""
	return apart || co.unconfirmed() != "" && co.machine.Disarmed(common) == common
}

// behindBecause says why this network is behind.
func (le *league) behindBecause() string {
	if le.settled != le.peers.book.Target() {
		return cmp.Or(le.peers.behindWhy, le.report.cause) // the last work has led here
	}
	return cmp.Or(le.unconfirmed(), le.peers.book.Torn())
}

func (le *league) behindWords() string {
	words := fmt.Sprintf("the network is %s, and the changes of its simulation lead to %s", le.settled,
		le.peers.book.Target())
	if why := le.behindBecause(); why != "" {
		words += ": " + why
	}
	return words
}
