package engine

import "time"

// A late loop: the process ran, but its loop did not turn. Unlike after a stall, every input since
// then was received in order, and waits to be read. So the engine keeps beliefs, work and goals,
// and does not count this time as silence of a node. Proofs and the lease count it, because nodes
// count it too.

// discount leaves the time of a late loop out of the engine's clock, which lengthens every wait and
// deadline by it. It returns the moment as the engine counts it.
func (ro *roster) discount(now Time, in Input) Time {
	now.Steady -= ro.gap.uncounted
	late, ok := in.(Late)
	if !ok || !ro.startup.begun {
		return now
	}
	gap := max(0, min(late.For, now.Steady-ro.now.Steady))
	now.Steady -= gap
	ro.gap.uncounted += gap
	ro.ageProofs(gap)
	return now
}

// ageProofs makes each proof from before a gap older by the gap, which the engine's clock leaves out.
func (ro *roster) ageProofs(gap time.Duration) {
	older := func(at *time.Duration) {
		if *at != 0 {
			*at -= gap
		}
	}
	for i := range ro.nodes {
		n := &ro.nodes[i]
		older(&n.provenAt)
		older(&n.at)
		for k := range n.reading.reads {
			older(&n.reading.reads[k].sent)
		}
		n.arm.Age(gap)
	}
	ro.hold.leased.age(gap)
}

// late undoes the effects that were not sent, so that the engine decides them anew from what it
// knows now.
func (s *State) late(in Late) {
	if s.closing.ended != nil {
		return
	}
	if s.yields() { // another instance may hold the network by now; see S1
		s.exit(codeNameTaken, s.closing.stop.why)
		return
	}
	s.record(Entry{Kind: EntryStall, Event: EventLate, Sentence: in.String()})
	s.peers.book.Restrain()
	s.gap.lateBy = s.now.Steady + drain
	if s.clock.ros { // discount does not change simulated time
		s.restartDeadlines()
	}
	s.restartRates()
	for _, e := range in.Unsent {
		s.takeBackEffect(e)
	}
	s.touchAll()
	s.changed = true
	s.lateWhileArming(in.String())
	s.lapse(in.String())
}

// lateWhileArming ends an arming for which a node was asked to arm before the loop was late. One for
// which none was begins anew, because what proved it is old.
func (co *course) lateWhileArming(why string) {
	w := co.work
	if w == nil || !w.proves() || w.fault.failing {
		return
	}
	asked := func(n *node) bool { return n.arm.Belief() != Disarmed && co.grants.Holds(n.permit) }
	switch {
	case len(co.named(asked)) > 0:
		co.endEra(why)
		w.fault.blame = append(w.fault.blame,
			NodeResult{Node: co.opt.Name, Verdict: VerdictLate, Evidence: advised("gave it up: "+why, seeLoad)})
		w.fault.failing = true
	case w.arm.proven:
		ticket, unsafe := w.arm.ticket, w.arm.unsafe
		co.lay(w.phase, w.target)
		w.arm.ticket, w.arm.unsafe = ticket, unsafe
	}
}

// takeBackEffect restores the belief from before an effect that was not carried out.
func (co *course) takeBackEffect(e Effect) {
	switch e := e.(type) {
	case SendLease:
		co.hold.leased.unsay()
		co.hold.leaseAt = co.now.Steady
	case CallCheck:
		if c := &co.nodes[e.Node].checks[e.Check]; c.ticket == e.Ticket {
			c.open, c.asked = false, false
		}
	case ArmNode:
		n := &co.nodes[e.Node]
		restored := n.arm.TakeBack(e.Call)
		if restored && n.part.arm && n.part.status == partWorking {
			n.part.status = partWaiting
		}
	case CallNode:
		n := &co.nodes[e.Node]
		if c := n.call; c != nil && c.Number == e.Call {
			n.call, n.calls.newest, n.part.stepped = nil, nil, false
			co.doubt(e.Node)
		}
	}
}

// rereadsLate reports whether nodes have time to prove themselves again after a late loop: no lease
// has told any node yet that it may stay armed, so nothing rests on the proofs.
func (co *course) rereadsLate() bool {
	return co.now.Steady < co.gap.lateBy && co.busy() && !co.hold.leased.said
}
