package engine

import (
	"time"

	"rstate/internal/network"
)

// The journal knows which nodes may be armed.

// noteArms records the nodes that may be armed and the call that disarms them, because the next
// start may have another network file. Until a start has read the nodes, nothing can be armed and
// the old lines of the journal stand.
func (s *State) noteArms() {
	for _, i := range s.fixed.armable {
		n := &s.nodes[i]
		now := s.noteOf(i)
		if now == n.place.noted || now != notedDisarmed && s.settled == "" || now == notedDisarmed && n.epoch == 0 {
			continue
		}
		n.place.noted = now
		e := s.nodeEntry(i, EntryNode, EventMayBeArmed, "may be armed from now on")
		switch now {
		case notedDisarmed:
			s.record(s.nodeEntry(i, EntryNode, EventDisarmed, "is disarmed"))
			continue
		case notedArmed:
			e = s.nodeEntry(i, EntryNode, EventMayBeArmed, "has confirmed its arm")
		}
		e.Disarm = DisarmCall{
			Service: n.spec.Arm.Service, Type: n.spec.Arm.Type, Lease: n.spec.Arm.DeadMan == network.DeadManLease,
			Proof: s.net.Proof, Armed: now == notedArmed,
		}
		s.record(e)
	}
}

// noted is what the journal says of a node's being armed.
type noted uint8

const (
	notedDisarmed noted = iota
	notedMay            // it may be armed: it is to be asked, or was
	notedArmed          // it was armed, and every request to arm was answered
)

// noteOf is what the journal has to say of node i. That it was armed stays true until it is disarmed or asked again.
func (s *State) noteOf(i int) noted {
	n := &s.nodes[i]
	may := n.arm.Belief() != Disarmed
	switch {
	case may && !n.arm.Pending() && (n.arm.Belief() == IsArmed || n.place.noted == notedArmed):
		return notedArmed
	case may || s.aboutToArm(i):
		return notedMay
	}
	return notedDisarmed
}

// settlesOf is how long after a disarm a late arm of the node may take effect.
func settlesOf(spec *network.Node) time.Duration {
	if spec.Arm == nil {
		return 0
	}
	return spec.Arm.Settles
}

// Noted is a node that the journal says may be armed.
type Noted struct {
	Node  string
	Lease bool          // it follows the arm lease of the run that armed it
	Proof time.Duration // for how long such a lease is good
	Open  bool          // a request to arm may not have been handled yet
}

// inherits takes what the journal says of nodes that an earlier run may have left armed.
func (s *State) inherits() {
	for _, p := range s.fixed.opt.Noted {
		i := s.net.Index(p.Node)
		if i < 0 || s.nodes[i].spec.Arm == nil {
			continue
		}
		n := &s.nodes[i]
		if n.place.noted = notedArmed; p.Open {
			n.place.noted = notedMay
		}
		if p.Lease {
			ends := s.now.Steady + max(leaseOver, p.Proof+leaseSlack)
			n.arm.Outlive(ends)
			s.at(i, ends)
		} else {
			n.arm.Abandon()
		}
		n.arm.Inherit(p.Open)
	}
}

// aboutToArm reports whether the running work will arm node i and has not failed.
func (s *State) aboutToArm(i int) bool {
	w := s.work
	if w == nil || !w.proves() || w.fault.failing {
		return false
	}
	target, _ := s.machine.State(w.target)
	return s.net.Arms(target, i) && s.nodes[i].there()
}
