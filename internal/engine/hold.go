package engine

import (
	"strings"
	"time"

	"rstate/internal/lease"
	"rstate/internal/network"
)

// The lease: from the first arming on, and as long as the network is armed, whoever is armed is told ten times a second
// how old the oldest proof is. A node that hears nothing any more disarms by itself.

// leaseSlack is how much later than here a lease may end at a node: as long as a message takes at its fastest.
const leaseSlack = 100 * time.Millisecond

// holds says whether the lease is to be held. Who yields vouches for nobody: a node that he cannot disarm does so itself.
func (s *State) holds() bool {
	if s.yields() {
		return false
	}
	if w := s.work; w != nil && !w.phase.rests {
		return w.proves() && w.arm.proven
	}
	here, _ := s.machine.State(s.settled)
	return here.Armed.Any() && s.closing.ended == nil
}

// holdLease begins, renews and ends the lease. It is not renewed on a proof that is too old: what follows from that is
// decided elsewhere, and the lease runs out meanwhile.
func (s *State) holdLease() {
	on := s.holds()
	switch {
	case !on && s.hold.lease.Held():
		s.endLease()
		s.report.changed = true
	case on && !s.hold.lease.Held():
		s.hold.lease.Begin()
		s.hold.leased = leaseSaid{}
		s.hold.leaseAt, s.report.changed = s.now.Steady, true
	}
	if !on || s.now.Steady < s.hold.leaseAt {
		return
	}
	s.hold.leaseAt = s.now.Steady + lease.Every
	s.wakeWhole(s.hold.leaseAt)
	proved := s.oldestProof()
	if s.now.Steady-proved > s.net.Proof {
		return
	}
	s.hold.leaseEnds = max(s.hold.leaseEnds, proved+s.net.Proof+leaseSlack)
	s.hold.leased.say(proved, s.now.Steady)
	m := s.hold.lease.Next(proved+s.gap.uncounted, s.net.Proof)
	m.Instance = s.fixed.opt.Instance
	s.do(SendLease{m})
}

// unrenewable reports whether no lease can be sent now, so that a node that is armed would not hear of one.
func (s *State) unrenewable() bool { return s.now.Steady-s.oldestProof() > s.net.Proof }

// undead names the nodes that may be armed and that nothing disarms when this process is gone; empty: none.
func (s *State) undead() string {
	var names []string
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.abandons() && n.there() {
			names = append(names, n.spec.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " stays armed if rstate dies: it follows no lease (dead_man: none)"
}

// unwatched names the required nodes that nobody asks while others are armed; empty: none, or nothing is armed.
func (s *State) unwatched() string {
	if !s.holds() {
		return ""
	}
	var names []string
	for i := range s.nodes {
		if n := &s.nodes[i]; n.there() && n.spec.Unwatched() {
			names = append(names, n.spec.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return network.UnwatchedWords(names)
}

// outlived says whether the lease has run out that a node had which is gone. While an endpoint of it is in the graph, it may
// hear the lease that is renewed.
func (s *State) outlived(i int) bool {
	n := &s.nodes[i]
	if n.there() || n.abandoned() || n.arm.Belief() == Disarmed || s.now.Steady < n.arm.GoneBy() {
		return false
	}
	if n.reachable() && s.now.Steady < s.hold.leaseEnds {
		s.at(i, s.hold.leaseEnds)
		return false
	}
	return true
}
