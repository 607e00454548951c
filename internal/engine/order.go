package engine

import (
	"slices"

	"rstate/internal/engine/belief"
	"rstate/internal/lifecycle"
)

// The order of the steps: the order of the file on the way up, and the reverse on the way down.

// awaitTurn notes whether the next step of node i lowers it, and reports whether it has to wait. On the way up it waits
// for the nodes that it comes after; on the way down for the nodes that come after it and go down too.
func (co *course) awaitTurn(i int) bool {
	n := &co.nodes[i]
	l := &n.part
	if l.stepped {
		return false
	}
	if co.work.parts.disarming > 0 && co.waitUntil(i, co.work.parts.holdUntil) {
		return true
	}
	if !l.wants {
		return false
	}
	if co.inDoubt(i) {
		return false // it only needs a read
	}
	l.down = co.goesDown(i)
	if !l.down && co.heldByDoubt(i) {
		return true
	}
	if l.down {
		return co.heldFromAbove(i)
	}
	if n.falling() {
		return false // it holds the nodes below it, and its wait begins
	}
	return co.waitsForOthers(i)
}

// waitsForOthers reports whether a node that node i comes after is not done, or has only just appeared.
func (co *course) waitsForOthers(i int) bool {
	return slices.ContainsFunc(co.sequence.After[i],
		func(j int) bool { return co.nodes[j].part.open() || co.joinsLate(i, j) })
}

// joinsLate reports whether node j was passed over as absent, is there now, and will be given its step as soon as it
// was read. A node that comes after it waits for that, for the time of two reads at most.
func (co *course) joinsLate(i, j int) bool {
	n := &co.nodes[j]
	astray := n.there() && n.spec.Lifecycle && n.part.wants && n.state != n.part.want
	return astray && n.part.result.absent() && co.work.phase == forward && !co.work.proves() &&
		co.waitUntil(i, n.reading.several+2*readEvery)
}

// heldFromAbove reports whether a node that comes after node i still has to go down. A node that
// goes up or is absent passes on the hold of the nodes above it.
func (co *course) heldFromAbove(i int) bool {
	co.looks++
	return co.lookAbove(i)
}

func (co *course) lookAbove(i int) bool {
	for _, j := range co.sequence.Before[i] {
		n := &co.nodes[j]
		working := n.part.open() && n.part.wants
		if working && (co.goesDown(j) || n.falls()) {
			return true
		}
		if n.look.looked != co.looks && (working || !n.there()) {
			n.look.looked = co.looks
			if co.lookAbove(j) {
				return true
			}
		}
	}
	return false
}

// isNext reports whether node i waits only for steps that began within the last second. It is read
// meanwhile: when its turn comes, that read is still fresh. A step that takes longer would make the
// read stale, so it is not repeated.
func (ro *roster) isNext(i int) bool {
	for _, j := range ro.sequence.First(i, ro.nodes[i].part.down) {
		n := &ro.nodes[j]
		if n.part.open() && (n.call == nil || ro.now.Steady >= n.call.Sent+freshFor) {
			return false
		}
	}
	return true
}

// falls reports whether a step that lowers the node runs: one from before, after which the node
// goes up again, or one that another client has asked for. This cannot deadlock: a node never waits
// for a step that depends on it.
func (n *node) falls() bool {
	c := n.underWay()
	return n.falling() || c != nil && c.Do.Target().Level() < c.From.Level()
}

// falling reports whether the node says that it is on its way down without a request of ours. An
// earlier life of this process or another tool has asked for it.
func (n *node) falling() bool {
	if n.underWay() != nil {
		return false
	}
	switch n.state {
	case lifecycle.Deactivating, lifecycle.CleaningUp, lifecycle.ShuttingDown:
		return true
	}
	return false
}

// goesDown reports whether node i keeps the order of the way down. A node without a step, or with
// an unknown state, follows the direction of the command. So every node has one direction, and no
// two wait for each other.
func (co *course) goesDown(i int) bool {
	n := &co.nodes[i]
	low, high, want := n.state.Level(), n.state.Level(), n.part.want.Level()
	known := n.state.Primary()
	if c := n.underWay(); c != nil {
		low, high = min(c.From.Level(), c.Do.Target().Level()), max(c.From.Level(), c.Do.Target().Level())
		known = true
	}
	switch {
	case known && high > want:
		return true
	case known && low < want:
		return false
	case want <= lifecycle.Unconfigured.Level():
		return true // an unknown state is never raised
	}
	return co.work.lowers != (co.work.phase.heads == backward)
}

// underWay is the step that the node takes as far as is known: a call in flight, or a refused call
// after which the node was not read yet.
func (n *node) underWay() *belief.Call {
	if n.call != nil {
		return n.call
	}
	return n.part.refused
}
