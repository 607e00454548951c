package coordinator

import (
	"time"

	"rstate/internal/engine"
)

const (
	// apart is how much time may pass between the readings of the two clocks for one moment.
	apart = time.Millisecond
	// readings bounds how often the clocks are read for one moment. With that many preemptions in a row the wall
	// clock looks as if it was set, which only refuses.
	readings = 100
	// compareEvery is how often the brain compares the clocks at least. Without inputs it would take a wall clock
	// that was set by little for one that is slewed.
	compareEvery = 10 * time.Second
)

// SteadyClock returns a clock that starts at zero now and has no ROS time of its own.
func SteadyClock() Clock { return ClockOf(time.Now) }

// ClockOf is SteadyClock with the wall clock as a function. It is for tests: none of them may set the clock of
// its machine.
func ClockOf(wall func() time.Time) Clock {
	start := time.Now()
	return moments(func() time.Duration { return time.Since(start) }, func() time.Time { return wall().Round(0) })
}

// moments returns a clock that reads a steady and a wall clock at one moment. A process that is preempted between
// the two readings reads them again, so that the wall clock never looks as if it was set.
func moments(steady func() time.Duration, wall func() time.Time) Clock {
	return func() (t engine.Time) {
		for range readings {
			t.Steady = steady()
			t.Wall = wall()
			if steady()-t.Steady <= apart {
				break
			}
		}
		t.ROS = t.Steady
		return t
	}
}
