package engine

import (
	"time"

	"rstate/internal/engine/belief"
	"rstate/internal/network"
)

// Deadlines of nodes, on the clock that they count.

// deadline is a moment on the clock that it counts.
type deadline struct {
	at          time.Duration
	allow       time.Duration // its length, for a restart
	onNodeClock bool          // it counts the clock of nodes, whichever that is; else real time
	set         bool
}

// onROS reports whether a deadline counts simulated time now.
func (a *agenda) onROS(d deadline) bool { return d.onNodeClock && a.clock.ros }

// counted is the time on the clock of a deadline.
func (a *agenda) counted(d deadline) time.Duration {
	if a.onROS(d) {
		return a.now.ROS
	}
	return a.now.Steady
}

// countsNodeClock reports whether the deadlines of node i count the clock of nodes. Arming, disarming and
// shutting down always count real time, because they must end whatever happens to a simulation.
func (co *course) countsNodeClock(i int) bool {
	w := co.work
	return co.nodes[i].spec.Clock != network.SteadyClock && w.phase != finalizing && !w.arms && !co.isDisarm(w.command)
}

// allow returns the deadline of node i that ends after d from now.
func (co *course) allow(i int, d time.Duration) deadline {
	return co.startNow(i, deadline{allow: d, onNodeClock: co.countsNodeClock(i), set: true})
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
	if co.countsNodeClock(i) && co.clock.ros {
		return min(steady, max(0, co.now.ROS-c.BeganROS))
	}
	return steady
}

// restartDeadlines restarts every deadline that counts the clock of nodes at its full length, and
// the ages of calls too.
func (ro *roster) restartDeadlines() {
	for i := range ro.nodes {
		n := &ro.nodes[i]
		if n.call != nil {
			n.call.Began, n.call.BeganROS = ro.now.Steady, ro.now.ROS
		}
		if d := &n.part.deadline; d.set && d.onNodeClock {
			*d = ro.startNow(i, *d)
		}
	}
}
