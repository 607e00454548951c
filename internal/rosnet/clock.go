//go:build ros

package rosnet

import (
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine"
)

// The least times between two wake-ups of the loop by simulated time, which may be published much faster than anybody
// needs to look at it: while something runs that may have deadlines on it, and while the network rests and all there is
// to see is that the clock moves.
const (
	clockEvery  = 20 * time.Millisecond
	clockAtRest = 250 * time.Millisecond
)

// clock is what the node's clock last said. The node's own would have to be asked on rclgo's goroutine, for each input.
type clock struct {
	mu  sync.Mutex
	sim rclgo.SimTime
	due bool // the loop is to be woken
}

// Clock returns a clock that adds to one of real time what the node's clock shows while use_sim_time is true.
func (w *World) Clock(steady func() engine.Time) func() engine.Time {
	w.steady = steady
	return func() engine.Time {
		t := steady()
		w.clock.mu.Lock()
		sim := w.clock.sim
		w.clock.mu.Unlock()
		if sim.Active {
			t.Simulated, t.Heard, t.ROS = true, sim.Messages > 0, 0
		}
		if t.Heard {
			t.ROS = time.Duration(sim.Now.UnixNano())
		}
		return t
	}
}

// startClock begins to follow the node's clock, and to wake the loop as simulated time moves.
func (w *World) startClock() error {
	if err := w.node.OnSimTime(w.hearClock); err != nil {
		return err
	}
	w.owns(func() error { return w.node.OnSimTime(nil) })
	return nil
}

// hearClock takes a move of the node's clock. It is on rclgo's goroutine and must not block.
func (w *World) hearClock(sim rclgo.SimTime) {
	c := &w.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	news := sim.Active != c.sim.Active || (sim.Messages > 0) != (c.sim.Messages > 0)
	c.sim = sim
	if c.due {
		return
	}
	c.due = true
	every := clockEvery
	if s := w.newest.Load(); s != nil && s.Work.Target == "" && !news {
		every = clockAtRest
	}
	time.AfterFunc(every, w.clockMoved)
}

// clockMoved wakes the loop, which looks at the clock by itself. What moves after this is told by the next one.
func (w *World) clockMoved() {
	w.clock.mu.Lock()
	w.clock.due = false
	w.clock.mu.Unlock()
	w.post(engine.Tick{})
}
