package engine

import (
	"time"

	"rstate/internal/lifecycle"
)

// timeLeft is the longest that the running work can still take by the deadlines of its nodes, and whether a clock that
// stands holds one of them. What a failure would add is not in it.
func (s *State) timeLeft() (left time.Duration, held bool) {
	if s.work == nil {
		return 0, false
	}
	ends := make([]time.Duration, len(s.nodes))
	for i := range s.nodes {
		left = max(left, s.endsIn(i, ends))
		held = held || s.nodes[i].leg.open() && s.held(s.nodes[i].leg.deadline)
	}
	return left, held
}

// endsIn is in how long node i is done at the latest: its own time, after that of those that go before it. What is
// known already is kept in ends; a node that is being looked at, below 0, is none that goes before another.
func (s *State) endsIn(i int, ends []time.Duration) time.Duration {
	l := &s.nodes[i].leg
	if !l.open() || ends[i] != 0 {
		return max(0, ends[i])
	}
	ends[i] = -1
	var before time.Duration
	if !l.stepped {
		down := l.wants && s.goesDown(i)
		first := s.fixed.order.After[i]
		if down {
			first = s.fixed.order.Before[i]
		}
		for _, j := range first {
			if !down || s.goesDown(j) {
				before = max(before, s.endsIn(j, ends))
			}
		}
	}
	ends[i] = before + s.needs(i)
	return ends[i]
}

// needs is how long node i may take for what it still has to do, by its deadlines.
func (s *State) needs(i int) (sum time.Duration) {
	n := &s.nodes[i]
	l, d := &n.leg, n.spec.Deadline
	at := n.state
	switch {
	case n.call != nil:
		at = n.call.do.Target()
		sum = d.Of(n.call.do)
		if l.deadline.set {
			sum = s.left(l.deadline)
		}
		sum = max(sum, s.missedBy(i)-s.now.Steady)
	case l.disarm:
		sum = s.left(l.deadline)
	case l.arm && l.deadline.set:
		return s.left(l.deadline)
	}
	if way, ok := lifecycle.Way(at, l.want); ok && l.wants && n.spec.Lifecycle {
		for _, t := range way {
			sum += d.Of(t)
		}
	}
	if target, _ := s.machine.State(s.work.target); s.work.arms && s.net.Arms(target, i) && n.arm.Belief() != IsArmed {
		sum += d.Arm
	}
	return sum
}
