package engine

import "rstate/internal/network"

// The journal knows which nodes may be armed.

// noteArms records the nodes that may be armed and the call that disarms them, because the next
// start may have another network file. Until a start has read the nodes, nothing can be armed and
// the old lines of the journal stand.
func (s *State) noteArms() {
	for _, i := range s.fixed.armable {
		n := &s.nodes[i]
		may := n.arm.Belief() != Disarmed || s.aboutToArm(i)
		if may == n.place.noted || may && s.settled == "" || !may && n.epoch == 0 {
			continue
		}
		n.place.noted = may
		e := s.nodeEntry(i, EntryNode, EventDisarmed, "is disarmed")
		if may {
			e = s.nodeEntry(i, EntryNode, EventMayBeArmed, "may be armed from now on")
			e.Disarm = DisarmCall{Service: n.spec.Arm.Service, Type: n.spec.Arm.Type, Lease: n.spec.Arm.DeadMan == network.DeadManLease}
		}
		s.record(e)
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
