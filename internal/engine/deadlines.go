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
func (a *agenda) onROS(d deadline) bool { return d.follows && a.clock.ros }

// counted is the time on the clock of a deadline.
func (a *agenda) counted(d deadline) time.Duration {
	if a.onROS(d) {
		return a.now.ROS
	}
	return a.now.Steady
}

// follows reports whether the deadlines of node i count the clock of nodes. Arming, disarming and
// shutting down always count real time, because they must end whatever happens to a simulation.
func (co *course) follows(i int) bool {
	w := co.work
	return co.nodes[i].spec.Clock != network.SteadyClock && w.phase != finalizing && !w.arms && !co.isDisarm(w.command)
}

// allow returns the deadline of node i that ends after d from now.
func (co *course) allow(i int, d time.Duration) deadline {
	return co.startNow(i, deadline{allow: d, follows: co.follows(i), set: true})
}

// allowSteady is allow for requests that never count simulated time.
func (a *agenda) allowSteady(i int, d time.Duration) deadline {
	return a.startNow(i, deadline{allow: d, set: true})
}

// startNow gives a deadline its full length from now.
func (a *agenda) startNow(i int, d deadline) deadline {
	d.at = a.counted(d) + d.allow
	if !a.onROS(d) {
		a.at(i, d.at)
	}
	return d
}

func (a *agenda) passed(d deadline) bool { return d.set && a.counted(d) >= d.at }

// left is the time that remains of a deadline, on its clock.
func (a *agenda) left(d deadline) time.Duration { return max(0, d.at-a.counted(d)) }

// held reports whether a clock that stands still holds the deadline.
func (a *agenda) held(d deadline) bool { return d.set && a.onROS(d) && a.clock.stands }

// age is how long a call to node i has run. A leap of simulated time does not count.
func (co *course) age(i int, c *belief.Call) time.Duration {
	steady := co.now.Steady - c.Began
	if co.follows(i) && co.clock.ros {
		return min(steady, max(0, co.now.ROS-c.BeganROS))
	}
	return steady
}

// restartDeadlines restarts every deadline that follows the clock of nodes at its full length, and
// the ages of calls too.
func (ro *roster) restartDeadlines() {
	for i := range ro.nodes {
		n := &ro.nodes[i]
		if n.call != nil {
			n.call.Began, n.call.BeganROS = ro.now.Steady, ro.now.ROS
		}
		if d := &n.part.deadline; d.set && d.follows {
			*d = ro.startNow(i, *d)
		}
	}
}

// timeLeft is the longest time that the running work can still take by the deadlines of its nodes,
// and whether a clock that stands still holds one of them. It does not include recovery.
func (co *course) timeLeft() (left time.Duration, held bool) {
	if co.work == nil {
		return 0, false
	}
	ends := make([]time.Duration, len(co.nodes))
	for i := range co.nodes {
		left = max(left, co.endsIn(i, ends))
		held = held || co.nodes[i].part.open() && co.held(co.nodes[i].part.deadline)
	}
	return left, held
}

// endsIn is the longest time until node i is done: its own, after that of the nodes before it. ends
// caches results; a negative entry marks a node that is being computed, which counts as no
// predecessor.
func (co *course) endsIn(i int, ends []time.Duration) time.Duration {
	l := &co.nodes[i].part
	if !l.open() || ends[i] != 0 {
		return max(0, ends[i])
	}
	ends[i] = -1
	var before time.Duration
	if !l.stepped {
		down := l.wants && co.goesDown(i)
		first := co.sequence.After[i]
		if down {
			first = co.sequence.Before[i]
		}
		for _, j := range first {
			if !down || co.goesDown(j) {
				before = max(before, co.endsIn(j, ends))
			}
		}
	}
	ends[i] = before + co.needs(i)
	return ends[i]
}

// needs is the longest time that node i may take for its remaining steps, by its deadlines.
func (co *course) needs(i int) (sum time.Duration) {
	n := &co.nodes[i]
	l, d := &n.part, n.spec.Deadline
	at := n.state
	switch {
	case n.call == nil && l.again.tries > 0: // in the pause before it is asked again
		at = n.calls.newest.Do.Target()
		sum = co.left(l.deadline)
	case n.call != nil:
		at = n.call.Do.Target()
		sum = d.Of(n.call.Do)
		if l.deadline.set {
			sum = co.left(l.deadline)
		}
		sum = max(sum, co.missedBy(i)-co.now.Steady)
	case l.disarm:
		sum = co.left(l.deadline)
	case l.arm && l.deadline.set:
		return co.left(l.deadline)
	}
	if way, ok := lifecycle.Way(at, l.want); ok && l.wants && n.spec.Lifecycle {
		for _, t := range way {
			sum += d.Of(t)
		}
	}
	if target, _ := co.machine.State(co.work.target); co.work.arms && co.net.Arms(target, i) && n.arm.Belief() != IsArmed {
		sum += d.Arm
	}
	return sum
}
