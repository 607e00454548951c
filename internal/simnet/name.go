package simnet

import "rstate/internal/engine"

// Who holds the coordinator's name: what others of it say, and the guard's part in it.

func (a Rival) act(w *World) {
	if a.Instance == "" {
		w.brain.deliver(engine.NameSeen{})
		return
	}
	in := engine.NameTaken(a)
	w.brain.take(letter{in, func() { w.guard.rival(in) }})
}

func (a Child) act(w *World) {
	n := w.named(a.Node)
	if n.index == outside {
		return
	}
	if a.Simulation == "" {
		w.brain.deliver(engine.ChildSeen{Node: n.index})
		return
	}
	w.brain.deliver(engine.ChildFound{Node: n.index, Epoch: n.epochs, Simulation: a.Simulation, Way: a.Way})
}

// listens notes that a life of the coordinator begins.
func (g *guard) listens() {
	g.named, g.left, g.given, g.arms, g.term = false, false, nil, false, terms{}
	g.follows, g.heardOf, g.mirrored, g.stopped, g.standstill = false, nil, false, false, g.world.now
}

// takes notes that it takes its name.
func (g *guard) takes() {
	if g.named || g.left {
		g.fault("the name is taken twice, or is another's")
	}
	g.named = true
}

// rival notes whether the coordinator has to leave the network to somebody else: it holds the name and is proven to, and
// is the older or has taken over meanwhile; or the coordinator itself does not hold it yet and the other one lives.
func (g *guard) rival(in engine.NameTaken) {
	b := &g.world.brain
	older := in.Instance < b.instance()
	switch {
	case in.Instance == b.instance() || b.gone:
	case g.named:
		g.left = g.left || in.Proven && (older || in.Stood)
	default:
		g.left = g.left || in.Proven || in.Renews && (in.Holds || older)
	}
}

// ours looks at a request to a node that is about to go out.
func (g *guard) ours(c *Call) {
	switch n := g.world.named(c.Node); {
	case !g.named:
		g.fault("%s is asked of %s before the name is taken", c.Do, c.Node)
	case g.left && (c.Do != "disarm" || n.armedBy != g.world.brain.life):
		g.fault("%s is asked of %s, which is another's by now", c.Do, c.Node)
	}
}
