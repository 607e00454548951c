package coordinator

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
)

// TestA1ClocksAreReadAtOneMoment: a preemption between the two readings never moves one clock against the other.
func TestA1ClocksAreReadAtOneMoment(t *testing.T) {
	origin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var now time.Duration // the true time, which each reading takes some of
	var costs []time.Duration
	read := func() time.Duration {
		if len(costs) > 0 {
			now += costs[0]
			costs = costs[1:]
		}
		return now
	}
	clock := moments(read, func() time.Time { return origin.Add(read()) })
	const ms = time.Millisecond
	for name, c := range map[string][]time.Duration{
		"at once":                     {ms / 10, ms / 10, ms / 10},
		"preempted before the wall":   {0, 700 * ms},
		"preempted after the wall":    {0, 0, 700 * ms},
		"preempted twice":             {0, 50 * ms, 0, 0, 30 * ms, 40 * ms},
		"preempted before it begins":  {time.Hour},
		"preempted in another moment": {0, 0, 2 * ms, 0, 2 * ms, 0, ms / 2, ms / 2},
	} {
		costs = c
		got := clock()
		if off := got.Wall.Sub(origin) - got.Steady; off < 0 || off > apart || got.ROS != got.Steady {
			t.Errorf("%s: read %v at %v, which is %v off", name, got.Wall, got.Steady, off)
		}
	}
	costs = make([]time.Duration, 10_000)
	for k := range costs {
		costs[k] = time.Second
	}
	clock() // it returns
}

// TestA1TheWallClockHasNoSteadyPart: times of it are compared as they show, also after they were set.
func TestA1TheWallClockHasNoSteadyPart(t *testing.T) {
	off := time.Duration(0)
	clock := ClockOf(func() time.Time { return time.Now().Add(off) })
	before := clock()
	off = -time.Hour
	if after := clock(); !after.Wall.Before(before.Wall) || after.Steady < before.Steady {
		t.Errorf("%v, and after it was set back %v", before, after)
	}
}

// TestA1TheClocksAreComparedWithoutInputs: the brain is stepped every ten seconds at least.
func TestA1TheClocksAreComparedWithoutInputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last, longest time.Duration
		s := script(onStop(func(now engine.Time, _ engine.Input) []engine.Effect {
			longest = max(longest, now.Steady-last)
			last = now.Steady
			return nil
		}))
		c := New(s, s, SteadyClock(), &Heart{}, zap.NewNop())
		done := make(chan error, 1)
		go func() { _, err := c.Run(t.Context()); done <- err }()
		time.Sleep(time.Minute)
		c.Post(engine.StopAsked{})
		if err := <-done; err != nil {
			t.Error(err)
		}
		if longest < compareEvery || longest > compareEvery+2*Beat {
			t.Errorf("the longest time between two steps was %v", longest)
		}
	})
}
