package simnet

import (
	"time"

	"rstate/internal/engine"
)

const clockEvery = 100 * time.Millisecond

// epoch is the wall time at virtual time zero; any will do, so long as it is one.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is the simulated clock: it may stand and jump. The steady one is the world's own time.
type clock struct {
	simulated bool
	heard     bool // it has sent something
	runs      bool
	base      time.Duration // what it showed when it was last touched
	since     time.Duration // when that was
}

func (c *clock) at(now time.Duration) time.Duration {
	if !c.runs {
		return c.base
	}
	return c.base + now - c.since
}

func (c *clock) set(now, shows time.Duration, runs bool) { c.base, c.since, c.runs = shows, now, runs }

func (w *World) time() engine.Time {
	t := engine.Time{Steady: w.now + w.brain.ahead, Wall: epoch.Add(w.now)}
	if w.clock.simulated {
		t.Simulated, t.Heard = true, w.clock.heard
		if t.Heard {
			t.ROS = w.clock.at(w.now)
		}
	}
	return t
}

func (w *World) useClock(on bool) {
	if on == w.clock.simulated {
		return
	}
	w.clock.simulated, w.clock.heard = on, false
	w.brain.deliver(engine.Tick{})
	if on {
		w.clockTick()
	}
}

// clockTick is a message of the simulated clock; one that stands sends none.
func (w *World) clockTick() {
	if !w.clock.simulated {
		return
	}
	if w.clock.runs {
		w.clock.heard = true
		w.brain.deliver(engine.Tick{})
	}
	w.queue.push(w.now+clockEvery, w.clockTick)
}
