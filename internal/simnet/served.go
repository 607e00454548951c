package simnet

import "rstate/internal/engine"

// Nodes that serve the arms of others, as arm.served_by says. What is armed is in truth the node of the file here, and its
// process answers: this world has no second process behind an arm. The world tells the coordinator of what is to serve it.

// tellServers tells, at a start, of servers that are no nodes of the network: these are always there.
func (b *brain) tellServers() {
	for i := range b.world.net.Nodes {
		if n := &b.world.net.Nodes[i]; n.Arm != nil && n.Arm.ServedBy != "" && b.world.net.Index(n.Arm.ServedBy) < 0 {
			b.deliver(engine.ServersSeen{Node: i, Meant: []uint64{1}})
		}
	}
}

// tellServed tells of a node that serves the arms of others which processes it has.
func (n *node) tellServed(epochs []uint64) {
	if n.index == outside {
		return
	}
	for _, name := range n.spec.Serves {
		n.world.brain.deliver(engine.ServersSeen{Node: n.world.net.Index(name), Meant: epochs, Why: "it left the graph"})
	}
}
