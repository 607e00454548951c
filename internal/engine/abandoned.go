package engine

import (
	"strings"

	"rstate/internal/network"
)

// A node that follows no lease and leaves the graph while it may be armed is abandoned: its process
// has ended, or is cut off. What it has energised may stay so, no request reaches it, and no lease
// runs out. So it may be armed until a later process of its name says that it is not, or is
// finalized. It holds nothing meanwhile, because there is nothing to wait for. A user has two other
// ways out: shut down the network, which names the node, or remove it from the file.

// whyAbandoned tells the user why such a node may be armed.
const whyAbandoned = "left the graph and follows no lease: it may be armed until a process of its name says that it is not"

// whyGone is that for several, whatever serves their arms.
const whyGone = "left the graph, or what serves its arm did, and follows no lease: it may be armed until a process of its name says that it is not"

// departed notes that the process that serves the arm of node i has ended or is cut off. A node that follows the lease
// may stay armed until the lease has run out. If this run has not seen the node disarmed, that may
// be the lease of another run.
func (ro *roster) departed(i int) {
	a := &ro.nodes[i].arm
	ends := ro.hold.leaseEnds
	if !a.Clean() {
		ends = max(ends, ro.hold.othersEnd)
	}
	switch {
	case ro.nodes[i].abandons():
		a.Abandon()
	case a.Belief() == Disarmed || ro.now.Steady >= ends:
		a.Vanish()
	default:
		a.Outlive(ends)
		ro.at(i, ends)
	}
}

// abandons reports whether only a later process could disarm the node if its process went now.
func (n *node) abandons() bool {
	return n.spec.Arm != nil && n.spec.Arm.DeadMan == network.DeadManNone && n.arm.Belief() != Disarmed
}

// abandoned reports whether a node may be armed and cannot be asked: it is absent, and has no lease
// that ends.
func (n *node) abandoned() bool { return n.arm.Abandoned() && !n.served() }

// undead names the nodes that may be armed and that stay armed if this process dies; empty: none.
func (ro *roster) undead() string {
	covered := func(n *node) bool {
		return ro.net.Arming.Guard == network.GuardRequired && ro.guard.book.Lacks(ro.now.Steady, n.spec.Arm.Service) == ""
	}
	names := ro.named(func(n *node) bool { return n.abandons() && n.served() && !covered(n) })
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " stays armed if rstate dies: it follows no lease (dead_man: none)"
}
