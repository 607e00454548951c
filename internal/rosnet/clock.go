//go:build ros

package rosnet

import (
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
)

// The minimum times between two wake-ups of the loop by simulated time, which may be published much
// faster than needed. clockEvery holds while work runs that may have deadlines on simulated time.
// clockAtRest holds while the network is at rest and only the clock moves.
const (
	clockEvery  = 20 * time.Millisecond
	clockAtRest = 250 * time.Millisecond
)

// clockQuiet is how long a clock without a publisher in the graph says nothing before it counts as ended.
const clockQuiet = time.Second

// clock is the last reading of the node's clock. The node's clock itself would have to be read on
// rclgo's goroutine, for each input.
type clock struct {
	mu     sync.Mutex
	sim    rclgo.SimTime
	due    bool   // a wake-up of the loop is scheduled
	led    bool   // the graph has shown a publisher of it
	before uint64 // how many messages had come when the graph showed no publisher any more
}

// heard reports whether simulated time is heard: a clock whose publisher has ended is not.
func (c *clock) heard() bool { return c.sim.Messages > c.before }

// take takes a new reading, and reports whether simulated time begins or ends with it.
func (c *clock) take(sim rclgo.SimTime) (news bool) {
	active, heard := c.sim.Active, c.heard()
	if sim.Messages < c.sim.Messages { // use_sim_time was set anew
		c.led, c.before = false, 0
	}
	c.sim = sim
	return sim.Active != active || c.heard() != heard
}

// lead takes how many publishers the graph shows, and reports whether simulated time ends with it, or whether that is
// to be looked at again: as long as messages come there is a publisher, whatever the graph shows.
func (c *clock) lead(now time.Time, publishers int) (ends, waits bool) {
	switch {
	case publishers > 0:
		c.led = true
	case !c.led || !c.heard():
	case now.Sub(c.sim.Heard) < clockQuiet:
		return false, true
	default:
		c.before = c.sim.Messages
		return true, false
	}
	return false, false
}

// Clock returns a clock that adds simulated time to the steady clock while use_sim_time is true.
func (w *World) Clock(steady func() engine.Time) func() engine.Time {
	w.steady, w.booted = steady, coordinator.BootTime()-steady().Steady
	return func() engine.Time {
		t := steady()
		w.clock.mu.Lock()
		sim, heard := w.clock.sim, w.clock.heard()
		w.clock.mu.Unlock()
		if sim.Active {
			t.Simulated, t.Heard, t.ROS = true, heard, 0
		}
		if t.Heard {
			t.ROS = time.Duration(sim.Now.UnixNano())
		}
		return t
	}
}

// sinceStart is the time of the engine's steady clock.
func (w *World) sinceStart() time.Duration {
	if w.steady == nil {
		return 0
	}
	return w.steady().Steady
}

// startClock follows the node's clock and wakes the loop as simulated time moves.
func (w *World) startClock() error {
	if err := w.node.OnSimTime(w.hearClock); err != nil {
		return err
	}
	w.owns(func() error { return w.node.OnSimTime(nil) })
	return nil
}

// hearClock takes a new reading of the node's clock. It runs on rclgo's goroutine and must not
// block.
func (w *World) hearClock(sim rclgo.SimTime) {
	c := &w.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	news := c.take(sim)
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

// lookForClock looks whether the publisher of simulated time is there. It returns false where that is to be looked
// at again soon. Watcher only.
func (w *World) lookForClock(now time.Time) bool {
	c := &w.clock
	c.mu.Lock()
	sim := c.sim
	c.mu.Unlock()
	if !sim.Active {
		return true
	}
	publishers, err := w.node.CountPublishers(sim.Topic)
	if err != nil {
		w.log.Warn("cannot read the graph", zap.String("topic", sim.Topic), zap.Error(err))
		return true
	}
	c.mu.Lock()
	ends, waits := c.lead(now, publishers)
	c.mu.Unlock()
	if ends {
		w.post(engine.Tick{})
	}
	return !waits
}

// clockMoved wakes the loop, which reads the clock itself. A later reading schedules the next
// wake-up.
func (w *World) clockMoved() {
	defer w.survive("clock")
	w.clock.mu.Lock()
	w.clock.due = false
	w.clock.mu.Unlock()
	w.post(engine.Tick{})
}
