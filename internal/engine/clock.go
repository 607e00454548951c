package engine

import "time"

// The clock that the deadlines of nodes count: real or simulated time.

// Times for simulated time.
const (
	clockIn     = 5 * time.Second // longest wait for the first message of a simulated clock
	clockStands = time.Second     // a simulated clock that has not moved for so long stands still
)

// ClockMode is how the deadlines of nodes are counted.
type ClockMode string

// The modes.
const (
	ClockSteady ClockMode = "steady" // real time
	ClockROS    ClockMode = "ros"    // simulated time
	ClockHeld   ClockMode = "held"   // simulated time, which stands still and holds the deadlines
)

// nodeClock is what is known of the clock that deadlines of nodes count.
type nodeClock struct {
	ros    bool          // deadlines count simulated time
	rates  bool          // topic rates count simulated time: it is heard
	stands bool          // the clock does not move
	silent bool          // simulated time is configured but not heard
	since  time.Duration // when simulated time was first expected
	moved  time.Duration // when the clock last moved
	look   time.Duration // when to check whether it stands
}

func (c *nodeClock) mode() ClockMode {
	switch {
	case !c.ros:
		return ClockSteady
	case c.stands:
		return ClockHeld
	}
	return ClockROS
}

// compareClocks compares the clocks of a new moment with the last one. Deadlines start again when they
// change to another clock, and when their clock jumps back.
func (ro *roster) compareClocks(was Time) {
	c, before := &ro.clock, ro.clock
	if begins := c.expect(was, ro.now); begins {
		ro.wakeWhole(ro.now.Steady + clockIn)
	}
	if restarts := c.move(was, ro.now); restarts {
		ro.restartDeadlines()
	}
	if c.ros && !c.stands && c.look <= ro.now.Steady {
		c.look = c.moved + clockStands
		ro.wakeWhole(c.look)
	}
	if c.rates != before.rates {
		ro.restartRates()
	}
	if c.silent != before.silent {
		ro.recordClock()
	}
	ro.changed = ro.changed || c.mode() != before.mode()
}

// expect notes when the engine begins to expect simulated time, and reports whether it begins now.
func (c *nodeClock) expect(was, now Time) bool {
	begins := now.Simulated && (!was.Simulated || was.Heard && !now.Heard)
	if begins {
		c.since, c.moved = now.Steady, now.Steady
	}
	return begins
}

// move takes a new moment, and reports whether the clock is another one or jumped back. The first
// message of a simulated clock starts it; no time has passed by it.
func (c *nodeClock) move(was, now Time) (restarts bool) {
	ros := now.Simulated && (now.Heard || now.Steady < c.since+clockIn)
	restarts = ros != c.ros || ros && (now.Heard != was.Heard || now.ROS < was.ROS)
	if ros && (now.Heard != was.Heard || now.ROS != was.ROS) {
		c.moved = now.Steady
	}
	c.ros, c.rates, c.silent = ros, ros && now.Heard, now.Simulated && !ros
	c.stands = ros && (!now.Heard || now.Steady >= c.moved+clockStands)
	return restarts
}

func (st *standing) recordClock() {
	st.changed = true
	switch {
	case st.clock.silent:
		st.record(Entry{Kind: EntryClock, Event: EventFailed, Sentence: noClock})
	case st.clock.ros:
		st.record(Entry{Kind: EntryClock, Event: EventDone,
			Sentence: "/clock is heard: deadlines count simulated time"})
	default:
		st.record(Entry{Kind: EntryClock, Event: EventDone,
			Sentence: "use_sim_time is false: deadlines count real time"})
	}
}

// noClock is the warning that simulated time is configured but not heard.
const noClock = "use_sim_time is true and nothing is heard on /clock, so deadlines count real time; start the simulation, or set use_sim_time to false"
