package engine

import (
	"slices"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// A node that follows no lease and leaves the graph while it may be armed. Whether its process has ended or only cannot be
// seen, what it had energised may still be: nobody can be asked, and no lease runs out. So it may be armed until a later
// process of its name says that it is not, or is finalized; and it holds nobody up meanwhile, as there is nothing to wait
// for. Two other ways out are a person's: to shut the network down, which names it, or to take it out of the file.

// whyAbandoned says of such a node why it may be armed, for a person.
const whyAbandoned = "left the graph and follows no lease: it may be armed until a process of its name says that it is not"

// departed notes that the process of node i has ended, or is cut off. A node that follows the lease may live on, armed, until
// the lease has run out. If this run has not seen the node disarmed, that may be the lease of another run.
func (s *State) departed(i int) {
	a := &s.nodes[i].arm
	ends := s.hold.leaseEnds
	if !a.Clean() {
		ends = max(ends, s.hold.othersEnd)
	}
	switch {
	case s.nodes[i].abandons():
		a.Abandon()
	case a.Belief() == Disarmed || s.now.Steady >= ends:
		a.Vanish()
	default:
		a.Outlive(ends)
		s.at(i, ends)
	}
}

// abandons says whether the process of a node leaves behind, if it goes now, what nothing but a later one can disarm.
func (n *node) abandons() bool {
	return n.spec.Arm != nil && n.spec.Arm.DeadMan == network.DeadManNone && n.arm.Belief() != Disarmed
}

// abandoned says whether a node may be armed and cannot be asked: it is gone, without a lease that ends.
func (n *node) abandoned() bool { return n.arm.Left() && !n.there() }

// owesDisarm says whether a node may be armed and is waited for to say otherwise. Of an abandoned one nobody waits for that,
// nor of a new process that is not configured yet: it is asked, but may not be able to say before it is.
func (n *node) owesDisarm() bool {
	return n.arm.Belief() != Disarmed && !n.abandoned() && !(n.arm.Left() && n.state == lifecycle.Unconfigured)
}

// perhapsArmed names the nodes that are not known to be disarmed: those that can be asked, or will be known in time, and
// those that are abandoned.
func (s *State) perhapsArmed() (asked, gone []string) {
	for i := range s.nodes {
		switch n := &s.nodes[i]; {
		case n.arm.Belief() == Disarmed:
		case n.abandoned():
			gone = append(gone, n.spec.Name)
		default:
			asked = append(asked, n.spec.Name)
		}
	}
	return asked, gone
}

// blameAbandoned notes in the running work, once, that node i is not known to be disarmed.
func (s *State) blameAbandoned(i int) {
	n := &s.nodes[i]
	r := NodeResult{Node: n.spec.Name, Step: "disarm", Verdict: VerdictGone, Evidence: whyAbandoned, From: s.work.foundIn(i), State: n.state}
	if slices.Contains(s.work.fault.blame, r) {
		return
	}
	s.work.fault.blame = append(s.work.fault.blame, r)
	s.recordResult(i, r)
}
