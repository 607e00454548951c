package simnet

import (
	"fmt"

	"rstate/internal/engine"
)

// Advertise makes a node offer what it must not offer unless armed, or leave that. A node that is armed offers it.
type Advertise struct {
	Node string
	Not  bool
}

func (a Advertise) String() string {
	if a.Not {
		return a.Node + " offers nothing unsafe any more"
	}
	return a.Node + " offers what is unsafe"
}

func (a Advertise) act(w *World) {
	n := w.named(a.Node)
	n.careless = !a.Not
	n.expose()
}

// expose lets the graph show, after a while, what the node offers.
func (n *node) expose() {
	w := n.world
	if len(n.spec.Unsafe) == 0 {
		return
	}
	w.queue.push(w.now+w.draw(w.opt.Discovery), n.tellUnsafe)
}

// tellUnsafe tells the coordinator what is offered now, if that is news.
func (n *node) tellUnsafe() {
	w := n.world
	on := len(n.living()) > 0 && (n.careless || n.armed())
	if on == n.exposed || n.index == outside {
		return
	}
	n.exposed = on
	seen := engine.UnsafeSeen{Node: n.index}
	if on {
		seen.Names = n.spec.Unsafe
	}
	w.brain.take(letter{in: seen, hear: func() { n.knownUnsafe, n.unsafeAt = on && n.careless, w.now }})
}

func (n *node) forgetUnsafe() { n.exposed, n.knownUnsafe = false, false }

// unsafeKnown is a fault if the coordinator arms a node although it was told of an unsafe offer. The coordinator cannot tell
// that the offer of a node is wrong if the node was armed and has disarmed by itself, or if it may be arming.
func (g *guard) unsafeKnown(armed *node) {
	for _, n := range g.world.nodes {
		if n.knownUnsafe && n.careless && !n.armed() && !n.lapsed() && !g.mayBeArming(n) {
			g.fault("%s is armed, and %s is known to offer %s", armed.spec.Name, n.spec.Name, fmt.Sprint(n.spec.Unsafe))
		}
	}
}

// armAsked notes the newest request to arm or to disarm the node.
func (n *node) armAsked(e engine.ArmNode) {
	if n.armCall = 0; e.Arm {
		n.armCall, n.armAt, n.armedBy = e.Call, n.world.now, n.world.brain.life
	}
}

// armAnswered notes what the coordinator is told of a request.
func (n *node) armAnswered(in engine.ArmAnswered) {
	n.said = n.world.now
	if in.Call == n.armCall {
		n.armCall = 0
	}
}

// mayBeArming reports whether the offer of a node came after the present arming had asked the node to arm, and the node has
// not answered. By A3 the node may be armed then, and by A9 an armed node may offer what it lists. An offer that came before
// the request, or that is still there after a no, keeps counting.
func (g *guard) mayBeArming(n *node) bool {
	return n.armCall != 0 && n.armAt >= g.since && n.unsafeAt > n.armAt
}
