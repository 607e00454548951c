package engine

import (
	"time"

	"rstate/internal/engine/belief"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// Deadlines of nodes, on the clock that they count, and how long the running work can still take.

// deadline is a moment on the clock that it counts.
type deadline struct {
	at      time.Duration
	allow   time.Duration // its length, for a restart
	follows bool          // it counts the clock of nodes, whichever that is; else real time
	set     bool
}

// onROS reports whether a deadline counts simulated time now.
func (s *State) onROS(d deadline) bool { return d.follows && s.clock.ros }

// counted is the time on the clock of a deadline.
func (s *State) counted(d deadline) time.Duration {
	if s.onROS(d) {
		return s.now.ROS
	}
	return s.now.Steady
}

// follows reports whether the deadlines of node i count the clock of nodes. Arming, disarming and
// shutting down always count real time, because they must end whatever happens to a simulation.
func (s *State) follows(i int) bool {
	w := s.work
	return s.nodes[i].spec.Clock != network.SteadyClock && !w.phase.ends && !w.arms && !s.isDisarm(w.command)
}

// allow returns the deadline of node i that ends after d from now.
func (s *State) allow(i int, d time.Duration) deadline {
	return s.startNow(i, deadline{allow: d, follows: s.follows(i), set: true})
}

// allowSteady is allow for requests that never count simulated time.
func (s *State) allowSteady(i int, d time.Duration) deadline {
	return s.startNow(i, deadline{allow: d, set: true})
}

// startNow gives a deadline its full length from now.
func (s *State) startNow(i int, d deadline) deadline {
	d.at = s.counted(d) + d.allow
	if !s.onROS(d) {
		s.at(i, d.at)
	}
	return d
}

func (s *State) passed(d deadline) bool { return d.set && s.counted(d) >= d.at }

// left is the time that remains of a deadline, on its clock.
func (s *State) left(d deadline) time.Duration { return max(0, d.at-s.counted(d)) }

// held reports whether a clock that stands still holds the deadline.
func (s *State) held(d deadline) bool { return d.set && s.onROS(d) && s.clock.stands }

// age is how long a call to node i has run. A leap of simulated time does not count.
func (s *State) age(i int, c *belief.Call) time.Duration {
	steady := s.now.Steady - c.Began
	if s.follows(i) && s.clock.ros {
		return min(steady, max(0, s.now.ROS-c.BeganROS))
	}
	return steady
}

// restartDeadlines restarts every deadline that follows the clock of nodes at its full length, and
// the ages of calls too.
func (s *State) restartDeadlines() {
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.call != nil {
			n.call.Began, n.call.BeganROS = s.now.Steady, s.now.ROS
		}
		if d := &n.part.deadline; d.set && d.follows {
			*d = s.startNow(i, *d)
		}
	}
}

// timeLeft is the longest time that the running work can still take by the deadlines of its nodes,
// and whether a clock that stands still holds one of them. It does not include recovery.
func (s *State) timeLeft() (left time.Duration, held bool) {
	if s.work == nil {
		return 0, false
	}
	ends := make([]time.Duration, len(s.nodes))
	for i := range s.nodes {
		left = max(left, s.endsIn(i, ends))
		held = held || s.nodes[i].part.open() && s.held(s.nodes[i].part.deadline)
	}
	return left, held
}

// endsIn is the longest time until node i is done: its own, after that of the nodes before it. ends
// caches results; a negative entry marks a node that is being computed, which counts as no
// predecessor.
func (s *State) endsIn(i int, ends []time.Duration) time.Duration {
	l := &s.nodes[i].part
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

// needs is the longest time that node i may take for its remaining steps, by its deadlines.
func (s *State) needs(i int) (sum time.Duration) {
	n := &s.nodes[i]
	l, d := &n.part, n.spec.Deadline
	at := n.state
	switch {
	case n.call == nil && l.again.tries > 0: // in the pause before it is asked again
		at = n.calls.newest.Do.Target()
		sum = s.left(l.deadline)
	case n.call != nil:
		at = n.call.Do.Target()
		sum = d.Of(n.call.Do)
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
