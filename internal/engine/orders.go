package engine

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/mirror"
	"rstate/internal/patient"
)

// A disarm is an order to every instance. Each instance counts its own orders, and tells the count to its
// peers. An instance that hears a higher count disarms, whatever else is known of that peer.

// orderWait is how long the result of a disarm waits for living peers.
const orderWait = time.Second * patient.Factor

// order counts a disarm that a client asked for. Peers learn of it in this step.
func (pe *peering) order(ag *agenda) {
	pe.book.Order()
	pe.ordered = pe.reachablePeers()
	pe.untold, ag.changed = true, true
}

// reachablePeers names the living peers that can carry out an order, also those with another machine.
func (pe *peering) reachablePeers() []string {
	var names []string
	for _, p := range pe.book.Peers() {
		if p.Alive && !p.Plain {
			names = append(names, p.Status.Name)
		}
	}
	return names
}

// disarmAtEnd answers a disarm after the network has ended, or while this process ends. What may be
// armed is being disarmed already.
func (cl *clients) disarmAtEnd(in GoalAsked) {
	cl.peers.order(&cl.agenda)
	cl.peers.book.Disarm()
	armed := append(cl.mayBeArmed(), cl.hold.armedLeftovers()...)
	g := cl.accept(in, nil)
	if len(armed) > 0 {
		cl.finishGoal(g, Aborted, Result{Outcome: OutcomeHeld, Message: "not confirmed: " + strings.Join(armed, ", ")})
		return
	}
	if others := cl.armedWords(); others != "" { // the order is theirs too, and this instance ends before they confirm
		words := "peers behind: rstate is about to end, and they have not confirmed" + others
		cl.finishGoal(g, Aborted, Result{Outcome: OutcomePeersBehind, Message: words})
		return
	}
	words := "no node that is present is armed; rstate is about to end"
	cl.finishGoal(g, Succeeded, Result{Success: true, Outcome: OutcomeAlready, Message: words})
}

// obey carries out an order of a peer: one way, and without a change that other peers would follow.
func (s *State) obey(n mirror.Note) {
	s.endEra(n.Words)
	if s.closing.ended != nil || s.closing.stop != nil || s.closing.gone {
		return // what may be armed is being disarmed already
	}
	switch w := s.work; {
	case s.settled == "", w == nil && !s.armedHere():
		s.repeatDisarms()
	case w == nil:
		s.disarmFor(n)
	default:
		s.obeyAtWork(w, n)
	}
}

// obeyAtWork carries out the order of a peer while work runs. Work that lowers goes on, one way; a disarm
// takes the place of work that arms.
func (s *State) obeyAtWork(w *work, n mirror.Note) {
	turns := w.takenBack || w.phase == rearming
	switch {
	case w.phase == finalizing, w.lowers && !turns:
		w.oneWay = w.oneWay || s.isDisarm(w.command)
	case !w.arms && w.phase == forward && s.armsLater(w.goal):
		s.takeBackAs(w, OutcomeSuperseded, "superseded by "+n.Peer+": disarm")
	case w.arms, turns, s.armedHere():
		s.disarmFor(n)
		return
	}
	s.repeatDisarms()
}

// repeatDisarms asks every node that may be armed once more to disarm.
func (ro *roster) repeatDisarms() {
	for _, i := range ro.armable {
		if ro.nodes[i].arm.Belief() != Disarmed && ro.mayWrite() {
			ro.disarm(i)
		}
	}
}

// disarmFor begins a one-way disarm that a peer has ordered.
func (s *State) disarmFor(n mirror.Note) {
	t, ok := s.leaves()
	if !ok {
		return
	}
	if w := s.work; w != nil {
		s.reportResults()
		s.endGoal(w, Aborted, OutcomeSuperseded, "superseded by "+n.Peer+": "+t.Name)
		s.work = nil
	}
	task := mirror.Task{From: n.Peer, Event: t.Name, Cause: n.Cause}
	t.To = s.machine.Disarmed(s.settled)
	if open := s.peers.book.Task(); open != nil && open.Target == t.To {
		task.Number = open.Number
	}
	s.mirror(t, &task, s.judge.Preempt)
}

// awaitOrder holds the clients of a disarm that is done here until the living peers have carried it out,
// for a second at most. Clients that wait for peers go on with a goal of their own.
func (cl *clients) awaitOrder(g *goal, r Result, others func(*goal)) {
	cl.noteDone(g)
	g.here = r
	if waits := len(g.waiters); waits > 0 {
		if waits < len(g.handles) {
			cl.split(g, r)
		}
		others(g)
		return
	}
	cl.awaitConfirmations(g, r)
}

// split gives those clients of a goal that do not wait for peers a goal of their own.
func (cl *clients) split(g *goal, r Result) {
	own := *g
	own.waiters, own.ids = nil, slices.Clone(g.ids)
	own.handles = slices.DeleteFunc(slices.Clone(g.handles),
		func(h string) bool { return slices.Contains(g.waiters, h) })
	g.handles = slices.Clone(g.waiters)
	cl.goals.open = slices.Insert(cl.goals.open, slices.Index(cl.goals.open, g), &own)
	cl.awaitConfirmations(&own, r)
}

func (cl *clients) awaitConfirmations(g *goal, r Result) {
	g.here = r
	w := &waiting{goal: g, result: r, order: true, by: cl.now.Steady + orderWait}
	for _, name := range mergedNames(cl.peers.ordered, cl.peers.reachablePeers()) {
		w.peers = append(w.peers, awaited{name: name})
	}
	cl.peers.awaiting, cl.changed = append(cl.peers.awaiting, w), true
	cl.wakeWhole(w.by)
	cl.mindWait(w)
}

func mergedNames(a, b []string) []string {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}

// confirming reports whether a goal is a disarm that waits for peers to carry it out.
func (pe *peering) confirming(g *goal) bool {
	w := pe.waiting(g)
	return w != nil && w.order
}

// mindOrder ends the wait of a disarm when all peers have carried it out, or at its deadline.
func (cl *clients) mindOrder(w *waiting) {
	if cl.armsAgain() {
		cl.endWait(w, Aborted, OutcomeSuperseded, "superseded by "+cl.peers.newest+cl.armedWords())
		return
	}
	missing := cl.peers.unconfirmedPeers(w)
	switch {
	case len(missing) == 0:
		cl.endWait(w, Succeeded, w.result.Outcome, "")
	case cl.now.Steady >= w.by:
		cl.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(missing, "; "))
	}
}

// armsAgain reports whether a command that is newer than the newest order arms.
func (co *course) armsAgain() bool {
	common := co.peers.book.Target()
	w := co.work
	return co.machine.Disarmed(common) != common || co.armedHere() && (w == nil || !w.lowers) ||
		w != nil && w.arms && !w.lowers
}

// armedWords names what may be armed, here and at peers; empty: nothing.
func (le *league) armedWords() string {
	names := append(le.mayBeArmed(), le.hold.armedLeftovers()...)
	for _, p := range le.peers.book.Peers() {
		if p.Alive {
			names = append(names, p.Status.MayBeArmed...)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; may be armed: " + strings.Join(names, ", ")
}

// unconfirmedPeers names the peers that are not known to have carried out the newest order, and says why.
func (pe *peering) unconfirmedPeers(w *waiting) []string {
	var missing []string
	for k := range w.peers {
		a := &w.peers[k]
		if !a.there {
			a.why = pe.unconfirmedPeer(a.name)
			a.there = a.why == ""
		}
		if !a.there {
			missing = append(missing, a.name+" "+a.why)
		}
	}
	return missing
}

func (pe *peering) unconfirmedPeer(name string) string {
	p := pe.book.Peer(name)
	switch {
	case p == nil || p.Plain:
		return "is not there"
	case p.Status.Leaving && len(p.Status.MayBeArmed) == 0: // an instance that ends arms nothing any more
		return ""
	}
	why := pe.book.Unconfirmed(p)
	if why != "" && !p.Alive {
		return "is lost: " + p.Why
	}
	return why
}
