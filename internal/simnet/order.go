package simnet

import (
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/plan"
)

// order looks whether those that go before a node are where it goes, or were given up.
func (g *guard) order(n *node, t lifecycle.Transition) {
	w := g.world
	if n.turn == len(w.trace.States) {
		return // it had its turn, and is asked again
	}
	n.turn = len(w.trace.States)
	raises := t == lifecycle.Configure || t == lifecycle.Activate
	switch {
	case !raises:
	case w.brain.shown == "" || w.brain.shown == machine.Unknown:
		g.fault("%s is asked of %s before the start has ended", t.Label, n.spec.Name)
	case g.recovers() && t.Target().Level() > n.began && !n.changed() && len(n.procs) < 2: // of two either may have said where it is
		g.fault("%s is asked of %s, which was lower when the transition began", t.Label, n.spec.Name)
	case g.recovers() && t == lifecycle.Activate && n.spec.Arm != nil && n.armed() && !n.changed() && !n.overtaken() && len(n.procs) < 2:
		g.fault("%s is asked of %s, which is armed, on the way back", t.Label, n.spec.Name)
	}
	if g.recovers() && raises {
		return // nodes go back to where each was
	}
	if n.foreign >= g.begun {
		return // somebody else has brought it out of its turn
	}
	if w.brain.shown != "" {
		if s, _ := w.net.Machine.State(w.brain.shown); !s.Passing {
			return // one node is brought to its place
		}
	}
	others := w.order.Before[n.index]
	if raises {
		others = w.order.After[n.index]
	}
	for _, j := range others {
		o := w.nodes[j]
		state, alive := o.truth()
		if !alive || !o.told || g.given[o.spec.Name] || o.changed() || !o.spec.Lifecycle || len(o.procs) > 1 {
			continue
		}
		if o.came > g.begun {
			continue // E5: who is missing when a transition begins is skipped, and joins after it
		}
		if !raises && o.last <= max(w.brain.began, w.brain.anew) && !g.takenDown(j) {
			continue // the start gave it up: it has said nothing since, and what was asked of it before is forgotten
		}
		if g.makesWay(j, state, t) || g.makesWay(j, g.claimed(o), t) {
			continue
		}
		g.fault("%s is asked of %s while %s is %v", t.Label, n.spec.Name, o.spec.Name, state)
	}
}

// takenDown reports whether the engine takes node i for one that goes down although it has said nothing since the start or the
// stall that gave it up (S2, A8): then it holds those below until it is given up again (E1). Such a node goes with the transition,
// and on the way back of one that is cancelled or has failed it goes the other way. Nothing is above unconfigured on a way there.
func (g *guard) takenDown(i int) bool {
	m := g.world.net.Machine
	if !g.recovers() {
		return g.lowers
	}
	back := m.Disarmed(g.origin)
	if g.bottom {
		back = m.Initial
	}
	s, _ := m.State(back)
	want, _ := g.world.net.Want(s, i)
	return !g.lowers || want.Level() <= lifecycle.Unconfigured.Level()
}

// recovers reports whether the nodes go back to where each was.
func (g *guard) recovers() bool { return g.back || g.world.brain.shown == g.world.net.Machine.Error }

// makesWay says whether node i, where it is, does not hold a step of another that it goes before.
func (g *guard) makesWay(i int, state lifecycle.State, t lifecycle.Transition) bool {
	if t == lifecycle.Configure || t == lifecycle.Activate {
		return state.Level() >= t.Target().Level() || g.inPlace(i, state)
	}
	return state != lifecycle.Unknown && !above(state, t.Target()) || g.inPlace(i, state) || g.goesUp(i, state)
}

// goesUp reports whether the transition raises node i: on the way down only nodes that go down hold others (E1).
func (g *guard) goesUp(i int, state lifecycle.State) bool {
	s, _ := g.world.net.Machine.State(g.target)
	want, wanted := g.world.net.Want(s, i)
	return wanted && len(s.Nodes.Groups) > 0 && want.Level() > state.Level() && state.Primary()
}

// inPlace says whether node i is where a state of many levels, to which or back to which the network goes, wants it: it
// has nowhere to go, and holds nobody.
func (g *guard) inPlace(i int, state lifecycle.State) bool {
	for _, name := range []string{g.target, g.origin} {
		s, ok := g.world.net.Machine.State(name)
		if want, wanted := g.world.net.Want(s, i); ok && len(s.Nodes.Groups) > 0 && (!wanted || want == state) {
			return true
		}
	}
	return false
}

func above(state, target lifecycle.State) bool {
	switch state {
	case lifecycle.Deactivating, lifecycle.ShuttingDown:
		state = lifecycle.Active
	case lifecycle.CleaningUp:
		state = lifecycle.Inactive
	}
	return state.Level() > target.Level()
}

// claimed is where the node said that its newest step has led, true or not; Unknown: it has not said so.
func (g *guard) claimed(n *node) lifecycle.State {
	calls := g.world.trace.Calls
	for k := len(calls) - 1; k >= 0; k-- {
		if c := calls[k]; c.Node == n.spec.Name && c.Do != plan.ArmStep && c.Do != plan.DisarmStep {
			if !c.agreed {
				return lifecycle.Unknown
			}
			return c.to
		}
	}
	return lifecycle.Unknown
}
