package engine

import (
	"fmt"
	"time"
)

// A late loop: the process ran, and its loop did not turn. Unlike after a stall, what came meanwhile was received, in its
// order, and waits to be read. So beliefs, work and goals are kept, and the time in which the loop did not listen does not
// count as silence of anybody. Proofs and the lease count it: nodes did, too.

// discount takes the time of a late loop out of the engine's clock: every wait and deadline is that much longer. It
// returns the moment as the engine counts it.
func (s *State) discount(now Time, in Input) Time {
	now.Steady -= s.gap.uncounted
	late, ok := in.(Late)
	if !ok || !s.startup.begun {
		return now
	}
	gap := max(0, min(late.For, now.Steady-s.now.Steady))
	now.Steady -= gap
	s.gap.uncounted += gap
	s.agesBy(gap)
	return now
}

// agesBy takes into account that what was proven before a gap is older than the engine's clock says.
func (s *State) agesBy(gap time.Duration) {
	older := func(at *time.Duration) {
		if *at != 0 {
			*at -= gap
		}
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		older(&n.proof)
		older(&n.at)
		for k := range n.reads {
			older(&n.reads[k].sent)
		}
		n.arm.Age(gap)
	}
	s.hold.leased.age(gap)
}

// late takes back what was not sent, so that it is decided anew from what is known by now.
func (s *State) late(in Late) {
	if s.closing.ended != nil {
		return
	}
	if s.yields() { // who stood still touches nothing that another may hold by now; see S1
		s.exit(codeNameTaken, s.closing.stop.why)
		return
	}
	s.record(Entry{Kind: EntryStall, Event: EventLate, Sentence: in.String()})
	s.peers.book.Restrain()
	s.gap.lateBy = s.now.Steady + drain
	if s.clock.ros { // discount leaves nothing out of that one
		s.restartDeadlines()
	}
	s.restartRates()
	for _, e := range in.Unsent {
		s.takeBackEffect(e)
	}
	s.touchAll()
	s.report.changed = true
	s.lapse(in.String())
}

// rereadsLate reports whether nodes have time to prove themselves again after a late loop: no lease has told any node that
// it may stay armed, so nothing rests on the proofs yet.
func (s *State) rereadsLate() bool {
	return s.now.Steady < s.gap.lateBy && s.busy() && !s.hold.leased.said
}

// takeBackEffect believes again what was believed before an effect that was not carried out.
func (s *State) takeBackEffect(e Effect) {
	switch e := e.(type) {
	case SendLease:
		s.hold.leased.unsay()
		s.hold.leaseAt = s.now.Steady
	case CallCheck:
		if c := &s.nodes[e.Node].checks[e.Check]; c.ticket == e.Ticket {
			c.open, c.asked = false, false
		}
	case ArmNode:
		n := &s.nodes[e.Node]
		if n.arm.Unsent(e.Call) && n.leg.arm && n.leg.status == legWorking {
			n.leg.status = legWaiting
		}
	case CallNode:
		n := &s.nodes[e.Node]
		if c := n.call; c != nil && c.number == e.Call {
			n.call, n.newest, n.leg.stepped = nil, nil, false
			s.doubt(e.Node)
		}
	}
}

// leaseSaid is what the newest message of the present term said, and the one before it.
type leaseSaid struct {
	proved, before time.Duration
	at             time.Duration // when the newest was said
	said, saidTwo  bool
	unsent         bool // a newer message waits for the middleware
}

func (l *leaseSaid) say(proved, now time.Duration) {
	*l = leaseSaid{proved: proved, at: now, before: l.proved, said: true, saidTwo: l.said}
}

// unsay takes the newest message back: it was not sent.
func (l *leaseSaid) unsay() { *l = leaseSaid{proved: l.before, at: l.at, said: l.saidTwo} }

func (l *leaseSaid) age(gap time.Duration) {
	l.proved, l.before, l.at = l.proved-gap, l.before-gap, l.at-gap
}

// leaseUnsent counts the lease from the newest message that has left, and disarms if that is too old.
func (s *State) leaseUnsent(in LeaseUnsent) {
	if !s.hold.lease.Held() || in.Term != s.hold.lease.Term() {
		return
	}
	proved := in.Proved - s.gap.uncounted
	s.hold.leased = leaseSaid{proved: proved, before: proved, at: s.hold.leased.at, said: in.Left, saidTwo: in.Left, unsent: true}
	s.lapse("")
}

func (s *State) endLease() {
	s.hold.lease.End()
	s.hold.leased = leaseSaid{}
}

// lapse ends what a lease is held for that was not renewed in time, and reports whether it did: by now nodes that follow
// it disarm by themselves, so it is not renewed, and all are disarmed one way.
func (s *State) lapse(why string) bool {
	if !s.hold.lease.Held() || !s.holds() || !s.hold.leased.said && s.busy() {
		return false
	}
	proved := s.hold.leased.proved
	if !s.hold.leased.said {
		proved = s.oldestProof()
	}
	if s.now.Steady-proved <= s.net.Proof {
		return false
	}
	switch {
	case why == "" && s.hold.leased.unsent:
		why = "the middleware does not take it"
	case why == "":
		why = fmt.Sprintf("no proof of the last %v", s.net.Proof)
	}
	why = "the arm lease was not renewed in time: " + why
	s.endLease()
	if w := s.work; w != nil && !w.phase.rests {
		w.fault.blame = append(w.fault.blame, NodeResult{Node: s.fixed.opt.Name, Verdict: VerdictLate, Evidence: "ended it: " + why})
		w.fault.failing = true
	} else {
		s.disarmForSafety(why)
	}
	return true
}
