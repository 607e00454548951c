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
	w.brain.take(letter{in: seen, hear: func() { n.knownUnsafe = on && n.careless }})
}

func (n *node) forgetUnsafe() { n.exposed, n.knownUnsafe = false, false }

// unsafeKnown is a fault of whoever arms although he has been told what is offered. Of a node that was armed and has disarmed by
// itself nobody can tell that it offers what it may not.
func (g *guard) unsafeKnown(armed *node) {
	for _, n := range g.world.nodes {
		if n.knownUnsafe && n.careless && !n.armed() && !n.lapsed() {
			g.fault("%s is armed, and %s is known to offer %s", armed.spec.Name, n.spec.Name, fmt.Sprint(n.spec.Unsafe))
		}
	}
}
