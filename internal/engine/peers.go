package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// Peers: what they say is judged in package mirror. Here it is noted, and here is what this instance says of itself: on the
// lifecycle topic, once for each change that was made here, and in its status. What follows from a peer's change is in
// follow.go.

func newBook(net *network.Network, opt Options) *mirror.Book {
	return mirror.New(mirror.Config{
		Name: opt.Name, Instance: opt.Instance, Machine: net.Machine, Required: net.Peers.Required, Plain: net.Peers.Plain,
	})
}

func (s *State) peerChanged(c mirror.Change) {
	before := s.peers.book.Task()
	s.notePeers(s.peers.book.Change(s.now.Steady, c))
	if s.now.Steady < s.gap.lateBy && s.peers.book.Task() != before {
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
	s.judgeDrivers()
	s.peers.untold = true
}

// notePeers writes down what was learnt of peers.
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
		s.record(e)
		s.report.changed = true
	}
}

// tasked notes that there is something new to follow, and tells where its maker was elsewhere than this network is.
func (s *State) tasked(before *mirror.Task) {
	s.peers.untold = true
	t := s.peers.book.Task()
	if t == before || t == nil {
		return
	}
	s.peers.behindWhy, s.report.changed = "", true
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

// judgeDrivers notes which of our nodes a peer drives too.
func (s *State) judgeDrivers() {
	for i := range s.nodes {
		n := &s.nodes[i]
		driver := ""
		for _, p := range s.peers.book.Peers() {
			if p.Alive && slices.Contains(p.Status.Nodes, n.spec.Name) { // one who leaves may be at it still
				driver = p.Status.Name
			}
		}
		if driver != n.kin.driver {
			n.kin.driver = driver
			s.report.changed = true
			s.touch(i)
		}
	}
}

// change puts a message on the lifecycle topic, for the work that it comes from. One that counts is a change that peers
// follow; others only keep what is latched there true. What follows a peer is silent until it makes a change of its own.
func (s *State) change(w *work, c Change, counts bool) {
	if counts {
		s.peers.book.Make(s.now.Steady, c.TargetState, c.Event)
		s.peers.newest = "a change that was made here: to " + c.TargetState
		s.peers.untold, s.report.changed = true, true // what is shown was shown when the state was entered, before this counted
		if w != nil {
			w.news.silent, w.news.said = false, c.TargetState
		}
	}
	if w != nil && w.news.silent {
		return
	}
	c.State = s.judge.State()
	c.Settled = c.State == s.settled
	c.Seen = s.peers.book.Seen()
	c.Cause = s.report.cause
	s.do(PublishChange{c})
}

// isNews says whether the beginning of a lowering is a change that peers follow. One that takes nothing away, from here or
// from where all are to be, is not; nor is one that follows a peer.
func (s *State) isNews(w *work, t machine.Transition) bool {
	switch {
	case w.news.from != "":
		return false
	case w.goal == nil:
		return s.spreads(w, t.To)
	}
	return t.Always || s.machine.Lowers(w.origin, t.To) || s.machine.Lowers(s.peers.book.Target(), t.To)
}

// takenBack says whether peers have to hear that a command was cancelled: they were told of it, and of nothing newer since.
func (s *State) takenBack(w *work) bool {
	return w.news.said != "" && s.peers.book.Target() == w.news.said
}

// spreads says whether peers have to follow what nobody commanded: somebody requires this network, and it ends lower than
// all are to be. What fails while it catches up with others is its own affair, and so is its end.
func (s *State) spreads(w *work, to string) bool {
	common := s.peers.book.Target()
	return common != "" && s.machine.Lowers(common, to) && s.closing.stop == nil && !w.news.catches && !s.peers.book.Caught() && len(s.peers.book.RequiredBy()) > 0
}

// behind says whether this network is not where the changes lead that it has seen, and is not on its way.
func (s *State) behind() bool {
	common := s.peers.book.Target()
	if common == "" || s.settled == "" || s.busy() || s.peers.book.Task() != nil {
		return false
	}
	return s.settled != common || s.unconfirmed() != "" && s.machine.Disarmed(common) == common
}

// alone says whether no peer is known, nor asked for: there is nobody whom this network could be behind.
func (s *State) alone() bool { return len(s.peers.book.Peers())+len(s.net.Peers.Required) == 0 }

// behindBecause says why it is behind.
func (s *State) behindBecause() string {
	if s.settled != s.peers.book.Target() {
		return cmp.Or(s.peers.behindWhy, s.report.cause) // what was done last has led here
	}
	return s.unconfirmed()
}

// status is what peers are told.
func (s *State) status() mirror.Status {
	st := mirror.Status{
		Name: s.fixed.opt.Name, Instance: s.fixed.opt.Instance, Started: s.startup.started, State: s.judge.State(), Target: s.peers.book.Target(),
		Settled: s.settled != "" && !s.busy(), Seen: s.peers.book.Seen(), Loops: s.peers.book.Loops(), Machine: s.machine.Name, Hash: s.peers.book.Hash(),
		Nodes: s.fixed.names, MayBeArmed: append(s.mayBeArmed(), s.leftArmed()...), Requires: s.net.Peers.Required, ProofAge: -1, Behind: s.behind(),
		Leaving: s.closing.stop != nil || s.closing.gone,
	}
	switch {
	case st.Target != "":
	case s.settled != "" && mirror.Empty(st.Seen): // else there are changes that were never followed here: nobody is to follow this state for them
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

// tell tells peers what has changed. Nothing is said before the name is ours. Most inputs change nothing that they are told,
// and a large network has many: a status is made only where one may differ.
func (s *State) tell() {
	if !s.startup.named || !s.peers.untold && !s.closing.gone && s.armedNow() == len(s.peers.told.MayBeArmed) {
		return
	}
	s.peers.untold = false
	if st := s.status(); !st.Like(&s.peers.told) {
		// Any of these may have changed since a state was shown in this step, or without a word about it.
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

// mindPeers looks at what is due because of peers.
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

// peerWarnings are what a person should know of peers.
func (s *State) peerWarnings() []string {
	list := s.peers.book.Warnings()
	if s.behind() && !s.alone() {
		list = append(list, s.behindWords())
	}
	return list
}

func (s *State) behindWords() string {
	words := fmt.Sprintf("the network is %s, and the changes of its simulation lead to %s", s.settled, s.peers.book.Target())
	if why := s.behindBecause(); why != "" {
		words += ": " + why
	}
	return words
}

// peerViews shows all that is known of peers, and who is required and was never heard.
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

// Peers without which nothing is armed: what they have to be before, and what follows when one is not so any more.

// needsPeers says whether required peers have to prove themselves now.
func (s *State) needsPeers() bool {
	return len(s.net.Peers.Required) > 0 && s.proving() && s.closing.ended == nil
}

// unfitPeers lists what stands against being in an armed state, of required peers.
func (s *State) unfitPeers(armed string) []mirror.Unfit {
	if len(s.net.Peers.Required) == 0 {
		return nil
	}
	return s.peers.book.Unfit(s.now.Steady, s.machine.Disarmed(armed))
}

// lacksPeers says which required peers keep a command from being taken; empty: none does, or it arms nothing.
func (s *State) lacksPeers(t machine.Transition) string {
	if to, _ := s.machine.State(t.To); !to.Armed.Any() || t.To == s.settled {
		return ""
	}
	return sentence(s.unfitPeers(t.To))
}

func sentence(list []mirror.Unfit) string {
	if len(list) == 0 {
		return ""
	}
	words := make([]string, len(list))
	for k, u := range list {
		words[k] = u.String()
	}
	return "required peers: " + strings.Join(words, "; ")
}

// allowPeers gives required peers time to follow to where arming begins: the command before it has just been told them.
func (s *State) allowPeers() {
	if w := s.work; w.arms && len(s.net.Peers.Required) > 0 {
		w.arm.peersBy = s.now.Steady + s.net.Peers.Deadline
		s.wakeWhole(w.arm.peersBy)
	}
}

// peersPending says whether arming still waits for a required peer.
func (s *State) peersPending() bool {
	w := s.work
	return s.now.Steady < w.arm.peersBy && len(s.unfitPeers(w.target)) > 0
}

// judgePeers fails an arming whose required peers are not fit.
func (s *State) judgePeers() {
	for _, u := range s.unfitPeers(s.work.target) {
		v := VerdictRefused
		if u.Lost {
			v = VerdictGone
		}
		s.work.fault.blame = append(s.work.fault.blame, NodeResult{Node: u.Name, Verdict: v, Evidence: u.Why})
		s.work.fault.failing = true
	}
}

// watchRequired disarms, or ends an arming, when a required peer is not fit any more, and says whether it did. What a peer
// has commanded is followed first.
func (s *State) watchRequired() bool {
	if !s.needsPeers() || s.closing.stop != nil {
		return false
	}
	switch w := s.work; {
	case w != nil && !w.phase.rests:
		if !w.arm.judged || w.fault.failing {
			return false
		}
		s.judgePeers()
		return w.fault.failing
	default:
		if list := s.unfitPeers(s.settled); len(list) > 0 {
			s.disarmForSafety(sentence(list))
		}
		return s.busy()
	}
}
