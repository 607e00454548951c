package engine

import (
	"fmt"
	"time"

	"rstate/internal/lease"
)

// The lease: from the first arming on, and as long as the network is armed, the daemon tells armed
// nodes ten times a second how old the oldest proof is. A node that hears nothing any more disarms
// itself.

// leaseSlack is how much later than here a lease may end at a node: as long as a message takes at
// its fastest.
const leaseSlack = 100 * time.Millisecond

// holding is the arm lease, and leases that other runs may hold.
type holding struct {
	*facts

	lease     lease.Sender
	leaseAt   time.Duration // when its next message is due
	leaseEnds time.Duration // when the newest message has run out everywhere
	leased    leaseSaid     // its newest message
	leftovers []leftoverNode
	// When every lease of an earlier run, or of another instance of the name, has run out.
	othersEnd time.Duration
}

// holds reports whether the daemon holds the lease. A yielding instance does not renew it: a node
// that the instance cannot disarm then disarms itself.
func (co *course) holds() bool {
	if co.yields() || !co.proving() {
		return false
	}
	return co.busy() && co.work.arm.proven || !co.busy() && co.closing.ended == nil
}

// holdLease begins, renews and ends the lease. It does not renew the lease on a proof that is too
// old. The consequence of such a proof is decided elsewhere; the lease runs out meanwhile.
func (co *course) holdLease() {
	on := co.holds()
	if !on || !co.hold.lease.Held() {
		co.guard.book.Ended()
	}
	switch {
	case !on && co.hold.lease.Held():
		co.hold.endLease()
		co.changed = true
	case on && !co.hold.lease.Held():
		co.hold.lease.Begin()
		co.hold.leased = leaseSaid{}
		co.hold.leaseAt, co.changed = co.now.Steady, true
	}
	if !on || co.now.Steady < co.hold.leaseAt {
		return
	}
	co.wakeWhole(co.now.Steady + lease.Every)
	proved, of := co.oldestProver()
	if co.now.Steady-proved > co.net.Proof {
		return // the first proof that is fresh again renews it at once, before any request to arm
	}
	co.hold.leaseAt = co.now.Steady + lease.Every
	co.hold.leaseEnds = max(co.hold.leaseEnds, proved+co.net.Proof+leaseSlack)
	first := !co.hold.leased.said
	co.hold.leased.say(proved, co.now.Steady, of)
	m := co.hold.lease.Next(proved+co.gap.uncounted, co.net.Proof)
	m.Instance = co.opt.Instance
	co.noteLeaseSent(m, first)
	co.do(SendLease{m})
}

// unrenewable reports whether no lease can be sent now, so that an armed node would not hear one.
func (ro *roster) unrenewable() bool { return ro.now.Steady-ro.oldestProof() > ro.net.Proof }

func (ho *holding) endLease() {
	ho.lease.End()
	ho.leased = leaseSaid{}
}

// lapse ends a lease that was not renewed in time, and reports whether it did. Nodes that follow
// the lease disarm themselves by then, so the daemon does not renew it and disarms all nodes one
// way.
func (s *State) lapse(why string) bool {
	if !s.hold.lease.Held() || !s.holds() || !s.hold.leased.said && s.busy() {
		return false
	}
	proved, of := s.hold.leased.proved, s.hold.leased.of
	if !s.hold.leased.said {
		proved, of = s.oldestProver()
	}
	if s.now.Steady-proved <= s.net.Proof {
		return false
	}
	switch {
	case why == "" && s.hold.leased.unsent:
		why = "the middleware does not take it"
	case why == "":
		why = fmt.Sprintf("no proof of the last %v%s", s.net.Proof, proverWords(of, s.now.Steady-proved))
	}
	why = "the arm lease was not renewed in time: " + why
	s.hold.endLease()
	if w := s.work; w != nil && w.phase != reconciling {
		w.fault.blame = append(w.fault.blame,
			NodeResult{Node: s.opt.Name, Verdict: VerdictLate, Evidence: advised("ended it: "+why, seeLoad)})
		w.fault.failing = true
	} else {
		s.disarmForSafety(why)
	}
	return true
}

// proverWords names the node whose proof is too old. A disarm always says whose it was.
func proverWords(name string, age time.Duration) string {
	if name == "" { // such a proof is made in each turn of the loop
		return ": the loop did not turn in time"
	}
	return fmt.Sprintf("; that of %s is %v old", name, age.Round(time.Millisecond))
}

// leaseUnsent counts the lease from the newest message that has left, and disarms if that message
// is too old.
func (s *State) leaseUnsent(in LeaseUnsent) {
	if !s.hold.lease.Held() || in.Term != s.hold.lease.Term() {
		return
	}
	proved := in.Proved - s.gap.uncounted
	s.hold.leased = leaseSaid{proved: proved, before: proved, of: s.hold.leased.of, at: s.hold.leased.at, said: in.Sent,
		saidTwo: in.Sent, unsent: true}
	s.lapse("")
}

// leaseAges returns the age of the newest message of the lease that is held, and how long that is
// good for; negative: none is held, or nothing was said of it yet.
func (ho *holding) leaseAges(ag *agenda) (age, left time.Duration) {
	if !ho.lease.Held() || !ho.leased.said {
		return -1, -1
	}
	return ag.now.Steady - ho.leased.at, max(0, ho.leased.proved+ho.net.Proof-ag.now.Steady)
}

// leaseSaid is the newest message of the present term, and the one before it.
type leaseSaid struct {
	proved, before time.Duration
	of             string        // the node of that proof; empty: no node was asked for one
	at             time.Duration // when the newest was sent
	said, saidTwo  bool
	unsent         bool // a newer message waits for the middleware
}

func (l *leaseSaid) say(proved, now time.Duration, of string) {
	*l = leaseSaid{proved: proved, of: of, at: now, before: l.proved, said: true, saidTwo: l.said}
}

// unsay removes the newest message, which was not sent.
func (l *leaseSaid) unsay() { *l = leaseSaid{proved: l.before, of: l.of, at: l.at, said: l.saidTwo} }

func (l *leaseSaid) age(gap time.Duration) {
	l.proved, l.before, l.at = l.proved-gap, l.before-gap, l.at-gap
}

// leaseOver is the least time for which a lease of another run counts as holding. That run may have
// had a longer `proof` than this one.
const leaseOver = 10 * time.Second

// leaseOf is for how long a lease of another run with that proof may hold.
func leaseOf(proof time.Duration) time.Duration { return max(leaseOver, proof+leaseSlack) }

// noteOtherLease notes that another run may have renewed its lease just now.
func (ho *holding) noteOtherLease(ag *agenda) { ho.othersEnd = ag.now.Steady + leaseOf(ho.net.Proof) }

// outlived reports whether the last lease of a lost node has run out. While the graph shows an
// endpoint of the node, it may hear each renewal.
func (ro *roster) outlived(i int) bool {
	n := &ro.nodes[i]
	if n.served() || n.abandoned() || n.arm.Belief() == Disarmed || ro.now.Steady < n.arm.GoneBy() {
		return false
	}
	return !n.askable() || !ro.waitUntil(i, ro.hold.leaseEnds)
}
