package simnet

import (
	"slices"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// What a process leaves energised that follows no lease, and what the coordinator may believe of it.

// abandons says whether a process that goes now leaves behind what nothing but a later one can disarm, as whoever looked
// could know: the graph has shown it, and it has not said since that it was disarmed, only to do an older request to arm.
func (p *proc) abandons() bool {
	n := p.node
	return p.seen && p.armed && !p.late && n.spec.Arm != nil && n.spec.Arm.DeadMan == network.DeadManNone
}

// tended notes that a process has been disarmed, or is finalized: nothing is energised any more of what was left.
func (n *node) tended() { n.energised, n.knownLeft = false, false }

// forgetsWhoLeft notes that a coordinator begins which knows nothing of those that left before it: only of whom the graph shows yet.
func (n *node) forgetsWhoLeft() {
	n.knownLeft = false
	n.energised = slices.ContainsFunc(n.procs, func(p *proc) bool { return (!p.alive || p.cut) && p.abandons() })
}

// departs notes that the coordinator hears that a process of the node is no more. No request to arm is under way to a new one.
func (n *node) departs() { n.knownLeft, n.armCall = n.knownLeft || n.energised, 0 }

// abandoned looks whether somebody is believed to be disarmed of whom nobody has said so since a process left armed.
func (g *guard) abandoned(snap engine.Snapshot) {
	for i, n := range g.world.nodes {
		if n.knownLeft && snap.Nodes[i].Armed == engine.Disarmed && !n.overtaken() {
			g.fault("%s is believed to be disarmed, and has left armed without a lease", n.spec.Name)
		}
	}
}

// ends notes where a process has come to that a transition has taken there.
func (p *proc) ends(at lifecycle.State) {
	if at == lifecycle.Finalized {
		p.node.tended()
	}
}
