package engine

import "rstate/internal/lifecycle"

// Whose turn it is: the order of the file, upwards and downwards.

// blocked says whether node i has to wait for another: on the way up for those that it comes after, on the way down
// for those that come after it and are on their way down too.
func (s *State) blocked(i int) bool {
	n := &s.nodes[i]
	l := &n.leg
	if l.stepped {
		return false
	}
	if s.work.legs.disarming > 0 && s.now.Steady < s.work.legs.holdUntil {
		s.at(i, s.work.legs.holdUntil)
		return true
	}
	if !l.wants {
		return false
	}
	if s.inDoubt(i) {
		return false // it is only read
	}
	l.down = s.goesDown(i)
	if !l.down && s.heldByDoubt(i) {
		return true
	}
	if l.down {
		return s.heldFromAbove(i)
	}
	if n.falling() {
		return false // it holds those below, and is waited for from now on
	}
	for _, j := range s.fixed.order.After[i] {
		if s.nodes[j].leg.open() {
			return true
		}
	}
	return false
}

// heldFromAbove says whether one that comes after node i has yet to go down before it. One that goes up itself, or is
// not there, does not hide those above it.
func (s *State) heldFromAbove(i int) bool {
	s.turn.looks++
	return s.lookAbove(i)
}

func (s *State) lookAbove(i int) bool {
	for _, j := range s.fixed.order.Before[i] {
		n := &s.nodes[j]
		working := n.leg.open() && n.leg.wants
		if working && (s.goesDown(j) || n.falls()) {
			return true
		}
		if n.looked != s.turn.looks && (working || !n.there()) {
			n.looked = s.turn.looks
			if s.lookAbove(j) {
				return true
			}
		}
	}
	return false
}

// isNext reports whether node i waits only for steps that began within the last second. It is read meanwhile: when its turn
// comes, that read is still fresh. A step that takes longer would make the read stale, so it is not repeated.
func (s *State) isNext(i int) bool {
	before := s.fixed.order.After[i]
	if s.nodes[i].leg.down {
		before = s.fixed.order.Before[i]
	}
	for _, j := range before {
		n := &s.nodes[j]
		if n.leg.open() && (n.call == nil || s.now.Steady >= n.call.sent+freshFor) {
			return false
		}
	}
	return true
}

// falls says whether a step that takes the node down is under way: it may be one from before, on which the node goes up
// again, or one that somebody else has asked for. Nobody whom such a step ends waits for it to begin, so no two wait for each other.
func (n *node) falls() bool {
	c := n.underWay()
	return n.falling() || c != nil && c.do.Target().Level() < c.from.Level()
}

// falling reports whether the node says that it is on its way down without a request of ours: an earlier life of this process or
// another tool has asked for it.
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

// underWay is the step that the node is taking as far as is known: one in flight, or one that was answered with no and
// of which it is not known yet where that left the node.
func (n *node) underWay() *call {
	if n.call != nil {
		return n.call
	}
	return n.leg.refused
}

// goesDown says whether node i keeps the order of the way down. One that has nowhere to go, or is not known, goes with
// the command: every node has one direction, so that no two wait for each other.
func (s *State) goesDown(i int) bool {
	n := &s.nodes[i]
	low, high, want := n.state.Level(), n.state.Level(), n.leg.want.Level()
	known := n.state.Primary()
	if c := n.underWay(); c != nil {
		low, high = min(c.from.Level(), c.do.Target().Level()), max(c.from.Level(), c.do.Target().Level())
		known = true
	}
	switch {
	case known && high > want:
		return true
	case known && low < want:
		return false
	case want <= lifecycle.Unconfigured.Level():
		return true // whatever it is, it is not raised
	}
	return s.work.lowers != s.work.phase.returns
}
