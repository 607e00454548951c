package engine

import (
	"strings"
	"time"

	"rstate/internal/engine/belief"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// Times for simulated time.
const (
	clockIn     = 5 * time.Second // longest wait for the first message of a simulated clock
	clockStands = time.Second     // a simulated clock that has not moved for so long stands still
)

func (c *nodeClock) mode() ClockMode {
	switch {
	case !c.ros:
		return ClockSteady
	case c.stands:
		return ClockHeld
	}
	return ClockROS
}

// follow compares the clocks of a new moment with the last one. Deadlines start again when they
// change to another clock, and when their clock jumps back.
func (s *State) follow(was Time) {
	c, before := &s.clock, s.clock
	if c.expect(was, s.now) {
		s.wakeWhole(s.now.Steady + clockIn)
	}
	if c.move(was, s.now) {
		s.restartDeadlines()
	}
	if c.ros && !c.stands && c.look <= s.now.Steady {
		c.look = c.moved + clockStands
		s.wakeWhole(c.look)
	}
	if c.rates != before.rates {
		s.restartRates()
	}
	if c.silent != before.silent {
		s.recordClock()
	}
	s.report.changed = s.report.changed || c.mode() != before.mode()
}

// expect reports whether simulated time is expected now and was not, or was heard until now.
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

// elapse looks at every node that is due. A simulated deadline has no moment on the steady clock,
// so while one is open each input looks at its node.
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
		if l := &s.nodes[i].part; l.open() && l.deadline.follows && s.passed(l.deadline) {
			s.touch(i)
		}
	}
}

// wake asks for an input at the next moment that is due.
func (s *State) wake() {
	if len(s.turn.wakes) > 0 && !s.closing.gone {
		s.do(WakeAt{s.turn.wakes[0].when + s.gap.uncounted})
	}
}

// Stall is the longest gap of the loop after which its beliefs still hold.
const Stall = 500 * time.Millisecond

// drain is how long after a stall a goal counts as sent before its end: sockets hold what came
// meanwhile, and a goal has no time of sending.
const drain = time.Second

// Perishable reports whether an effect must not be carried out after a gap of more than Stall:
// effects that raise, and messages that keep nodes armed.
func Perishable(e Effect) bool {
	switch e := e.(type) {
	case CallNode, SendLease, CallCheck:
		return true
	case ArmNode:
		return e.Arm
	}
	return false
}

// stalled begins anew, as a start does. No belief, request or work holds any more, except which
// nodes are present and the last settled state.
func (s *State) stalled(in Stalled) {
	if s.closing.ended != nil {
		return
	}
	if s.yields() { // what it had armed may be the other instance's by now
		s.exit(codeNameTaken, s.closing.stop.why)
		return
	}
	s.gap.stall, s.peers.behindWhy = in.String(), in.String()
	s.gap.newestStall, s.gap.drainedAt = in.String(), s.now.Steady+drain
	for k := range s.gap.keeps {
		s.gap.keeps[k].in.old = in.String()
	}
	stall := Entry{Kind: EntryStall, Event: EventStalled, Sentence: in.String()}
	if !s.shutting() {
		stall.State = s.machine.Start().State()
	}
	s.record(stall)
	s.stopLoop(stepper.Abort, in.String())
	s.endLease()
	s.peers.book.Forget()
	if s.shutting() { // a shutdown always arrives, wherever the nodes are
		s.forgetAll()
		s.lay(finalizing, s.work.target)
		return
	}
	if t, ok := s.leaves(); ok && len(s.mayBeArmed()) > 0 {
		s.noteLowered(ByPolicy, t.Name, in.String())
	}
	s.endGoals(in.String())
	if s.settled != "" {
		s.fixed.opt.Last = s.settled
	}
	s.work, s.settled, s.startup.writes = nil, "", false
	s.judge = s.machine.Start()
	s.forgetAll()
	s.begin()
	s.touchAll()
	s.showState()
	for i := range s.nodes {
		if s.closing.stop != nil && s.nodes[i].arm.Belief() != Disarmed {
			s.disarm(i) // no time is left for reads
		}
	}
}

// forgetAll drops all beliefs about nodes except their presence. Every node that can be armed may
// be.
func (s *State) forgetAll() {
	for i := range s.nodes {
		n := &s.nodes[i]
		n.forget()
		s.retest(i)
		n.part, n.place.deviant, n.place.wasArmed = part{}, "", false
		if n.there() && n.spec.Arm != nil {
			n.arm.Appear(s.turn.number)
		}
	}
}

// unread says why only disarm and shutdown are accepted while the nodes are read.
func (s *State) unread() string {
	why := "the nodes have not all been read yet"
	if s.gap.stall != "" {
		why = s.gap.stall + ", and " + why
	}
	if missing := s.waitingFor(); len(missing) > 0 { // else the start waits for the name
		why += ": " + strings.Join(missing, "; ")
	}
	return why
}

// A late loop: the process ran, but its loop did not turn. Unlike after a stall, every input since
// then was received in order, and waits to be read. So the engine keeps beliefs, work and goals,
// and does not count this time as silence of a node. Proofs and the lease count it, because nodes
// count it too.

// discount leaves the time of a late loop out of the engine's clock, which lengthens every wait and
// deadline by it. It returns the moment as the engine counts it.
func (s *State) discount(now Time, in Input) Time {
	now.Steady -= s.gap.uncounted
	late, ok := in.(Late)
	if !ok || !s.startup.begun {
		return now
	}
	gap := max(0, min(late.For, now.Steady-s.now.Steady))
	now.Steady -= gap
	s.gap.uncounted += gap
	s.agesBy(gap)
	return now
}

// agesBy makes each proof from before a gap older by the gap, which the engine's clock leaves out.
func (s *State) agesBy(gap time.Duration) {
	older := func(at *time.Duration) {
		if *at != 0 {
			*at -= gap
		}
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		older(&n.proof)
		older(&n.at)
		for k := range n.reading.reads {
			older(&n.reading.reads[k].sent)
		}
		n.arm.Age(gap)
	}
	s.hold.leased.age(gap)
}

// late undoes the effects that were not sent, so that the engine decides them anew from what it
// knows now.
func (s *State) late(in Late) {
	if s.closing.ended != nil {
		return
	}
	if s.yields() { // another instance may hold the network by now; see S1
		s.exit(codeNameTaken, s.closing.stop.why)
		return
	}
	s.record(Entry{Kind: EntryStall, Event: EventLate, Sentence: in.String()})
	s.peers.book.Restrain()
	s.gap.lateBy = s.now.Steady + drain
	if s.clock.ros { // discount does not change simulated time
		s.restartDeadlines()
	}
	s.restartRates()
	for _, e := range in.Unsent {
		s.takeBackEffect(e)
	}
	s.touchAll()
	s.report.changed = true
	s.lapse(in.String())
}

// takeBackEffect restores the belief from before an effect that was not carried out.
func (s *State) takeBackEffect(e Effect) {
	switch e := e.(type) {
	case SendLease:
		s.hold.leased.unsay()
		s.hold.leaseAt = s.now.Steady
	case CallCheck:
		if c := &s.nodes[e.Node].checks[e.Check]; c.ticket == e.Ticket {
			c.open, c.asked = false, false
		}
	case ArmNode:
		n := &s.nodes[e.Node]
		if n.arm.Unsent(e.Call) && n.part.arm && n.part.status == partWorking {
			n.part.status = partWaiting
		}
	case CallNode:
		n := &s.nodes[e.Node]
		if c := n.call; c != nil && c.Number == e.Call {
			n.call, n.calls.newest, n.part.stepped = nil, nil, false
			s.doubt(e.Node)
		}
	}
}

// StoodFor is how long after a stall this instance does not claim the name: another instance may
// have taken it.
const StoodFor = 5 * time.Second

// Pulse reports whether a loop stands still, or has lately. The world beats it wherever the loop
// turns, and asks it before it tells other instances of the name that this one lives. Pulse reports
// a gap no later than the loop itself, and at most one beat earlier. An instance that gets Stalled
// yields to any answer, and has given none since. So of two instances that meet after a stall, one
// stays.
type Pulse struct {
	beat  time.Time // last beat
	stood time.Time // end of the last gap between two beats that was too long
}

// Beat notes that the loop turns.
func (p *Pulse) Beat(now time.Time) {
	if !p.beat.IsZero() && apart(p.beat, now) > Stall {
		p.stood = now
	}
	p.beat = now
}

// Stood reports whether the loop stands still, or did a moment ago.
func (p *Pulse) Stood(now time.Time) bool {
	if p.beat.IsZero() {
		return false
	}
	return apart(p.beat, now) > Stall || !p.stood.IsZero() && now.Sub(p.stood) < StoodFor
}

// apart is the time between two moments, on the clock that has moved further: the steady clock
// stops while the machine is suspended, and the other clock can be set.
func apart(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}
