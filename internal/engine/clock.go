package engine

import (
	"time"

	"rstate/internal/network"
)

// The times of simulated time itself.
const (
	clockIn     = 5 * time.Second // the longest that the first message of a simulated clock is waited for
	clockStands = time.Second     // a simulated clock that has not moved for so long stands
)

// ClockMode is how the deadlines of nodes are counted.
type ClockMode string

// The modes.
const (
	ClockSteady ClockMode = "steady" // they count real time
	ClockROS    ClockMode = "ros"    // they count simulated time
	ClockHeld   ClockMode = "held"   // simulated time stands still, and holds them
)

// nodeClock is what is known of the clock that deadlines of nodes count.
type nodeClock struct {
	ros    bool          // they count simulated time
	rates  bool          // rates of topics do: it is heard
	stands bool          // which does not move
	silent bool          // simulated time is wished for and nothing is heard of it
	since  time.Duration // when it was first wished for
	moved  time.Duration // when it last moved
	look   time.Duration // when to see whether it stands
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

// follow looks at the clocks of a new moment. Deadlines start again when they are to count another clock, and when
// theirs jumps back; the first message of a simulated clock is no time that has passed, but a beginning.
func (s *State) follow(was Time) {
	c, now := &s.clock, s.now
	before := c.mode()
	if now.Simulated && (!was.Simulated || was.Heard && !now.Heard) { // it is wished for, or again
		c.since, c.moved = now.Steady, now.Steady
		s.wakeWhole(now.Steady + clockIn)
	}
	ros := now.Simulated && (now.Heard || now.Steady < c.since+clockIn)
	begins := ros != c.ros || ros && (now.Heard != was.Heard || now.ROS < was.ROS)
	if c.ros = ros; ros && (now.Heard != was.Heard || now.ROS != was.ROS) {
		c.moved = now.Steady
	}
	c.stands = ros && (!now.Heard || now.Steady >= c.moved+clockStands)
	if ros && !c.stands && c.look <= now.Steady {
		c.look = c.moved + clockStands
		s.wakeWhole(c.look)
	}
	if begins {
		s.restartDeadlines()
	}
	if rates := ros && now.Heard; rates != c.rates {
		c.rates = rates
		s.restartRates()
	}
	if silent := now.Simulated && !ros; silent != c.silent {
		c.silent = silent
		s.recordClock()
	}
	s.report.changed = s.report.changed || c.mode() != before
}

// noClock is the warning that simulated time is wished for in vain.
const noClock = "use_sim_time is true and nothing is heard on /clock, so deadlines count real time; start the simulation, or set use_sim_time to false"

func (s *State) recordClock() {
	s.report.changed = true
	switch {
	case s.clock.silent:
		s.record(Entry{Kind: EntryClock, Event: EventFailed, Sentence: noClock})
	case s.clock.ros:
		s.record(Entry{Kind: EntryClock, Event: EventDone, Sentence: "/clock is heard: deadlines count simulated time"})
	default:
		s.record(Entry{Kind: EntryClock, Event: EventDone, Sentence: "use_sim_time is false: deadlines count real time"})
	}
}

// deadline is a moment on the clock that it counts.
type deadline struct {
	at      time.Duration
	allow   time.Duration // how long it was, so that it can start again
	follows bool          // it counts the clock of nodes, whichever that is; else real time
	set     bool
}

// onROS says whether a deadline counts simulated time now.
func (s *State) onROS(d deadline) bool { return d.follows && s.clock.ros }

// counted is what the clock of a deadline shows.
func (s *State) counted(d deadline) time.Duration {
	if s.onROS(d) {
		return s.now.ROS
	}
	return s.now.Steady
}

// follows says whether the deadlines of node i are on the clock of nodes. What arms, disarms or shuts down counts real
// time always: it must come to an end whatever becomes of a simulation.
func (s *State) follows(i int) bool {
	w := s.work
	return s.nodes[i].spec.Clock != network.SteadyClock && !w.phase.ends && !w.arms && !s.isDisarm(w.command)
}

// allow returns the deadline of node i that ends after d from now.
func (s *State) allow(i int, d time.Duration) deadline {
	return s.startNow(i, deadline{allow: d, follows: s.follows(i), set: true})
}

// allowSteady is for what never counts simulated time.
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

// left is how long a deadline has to go, by the clock that it counts.
func (s *State) left(d deadline) time.Duration { return max(0, d.at-s.counted(d)) }

// held says whether a clock that stands holds the deadline.
func (s *State) held(d deadline) bool { return d.set && s.onROS(d) && s.clock.stands }

// age is how much of its time a call to node i has had. Where simulated time counts, what it leapt over does not.
func (s *State) age(i int, c *call) time.Duration {
	steady := s.now.Steady - c.began.Steady
	if s.follows(i) && s.clock.ros {
		return min(steady, max(0, s.now.ROS-c.began.ROS))
	}
	return steady
}

// restartDeadlines gives every deadline that follows the clock of nodes its full length again, and so what counts from
// when a call went out.
func (s *State) restartDeadlines() {
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.call != nil {
			n.call.began = s.now
		}
		if d := &n.leg.deadline; d.set && d.follows {
			*d = s.startNow(i, *d)
		}
	}
}

// at asks for another look at node i at a moment on the steady clock.
func (s *State) at(i int, when time.Duration) {
	s.turn.wakes.push(wakeup{when, i})
}

// elapse looks at every node whose moment has come. Simulated deadlines have none on the steady clock, so while one is
// open each input looks.
func (s *State) elapse() {
	for len(s.turn.wakes) > 0 && s.turn.wakes[0].when <= s.now.Steady {
		w := s.turn.wakes.pop()
		if w.node >= 0 {
			s.touch(w.node)
		}
	}
	if !s.clock.ros || s.work == nil {
		return
	}
	for i := range s.nodes {
		if l := &s.nodes[i].leg; l.open() && l.deadline.follows && s.passed(l.deadline) {
			s.touch(i)
		}
	}
}

// wake asks to be called again when the next moment comes.
func (s *State) wake() {
	if len(s.turn.wakes) > 0 && !s.closing.gone {
		s.do(WakeAt{s.turn.wakes[0].when + s.gap.uncounted})
	}
}

// wakeup is a moment at which a node, or with -1 the whole, is looked at.
type wakeup struct {
	when time.Duration
	node int
}

// wakes is a heap, the earliest first; of one moment the first in the file, so that a run replays. It is one of our own
// because container/heap would make a copy of each on the side, and there is one for every request.
type wakes []wakeup

func (w wakeup) before(o wakeup) bool {
	return w.when < o.when || w.when == o.when && w.node < o.node
}

func (w *wakes) push(x wakeup) {
	h := append(*w, x)
	for k := len(h) - 1; k > 0; {
		up := (k - 1) / 2
		if !h[k].before(h[up]) {
			break
		}
		h[k], h[up] = h[up], h[k]
		k = up
	}
	*w = h
}

func (w *wakes) pop() wakeup {
	h := *w
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for k := 0; ; {
		least := k
		for _, down := range [2]int{2*k + 1, 2*k + 2} {
			if down < last && h[down].before(h[least]) {
				least = down
			}
		}
		if least == k {
			break
		}
		h[k], h[least] = h[least], h[k]
		k = least
	}
	*w = h
	return first
}
