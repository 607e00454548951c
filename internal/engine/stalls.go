package engine

import (
	"strings"
	"time"

	"rstate/internal/latch"
	"rstate/internal/machine"
	"rstate/internal/patient"
	"rstate/internal/stepper"
)

// Times in which the process did not run, and the pulse that shows them.

// gap describes times in which the process or the loop did not run.
type gap struct {
	stall       string        // the newest stall, until the nodes have been read after it
	newestStall string        // its description; drainedAt is after its end
	deferred    []deferred    // goals that wait for the reads
	drainedAt   time.Duration // until then goals count as sent before the end of a stall
	uncounted   time.Duration // how long the loop was late, which this clock omits
	lateBy      time.Duration // until then an input may be from the time in which the loop was late
}

// Stall is the longest gap of the loop after which its beliefs still hold.
const Stall = 500 * time.Millisecond * patient.Factor

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
		return e.Arms()
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
	s.endEra(in.String())
	s.gap.stall, s.peers.behindWhy = in.String(), in.String()
	s.gap.newestStall, s.gap.drainedAt = in.String(), s.now.Steady+drain
	s.wakeWhole(s.gap.drainedAt)
	for k := range s.gap.deferred {
		s.gap.deferred[k].in.old, s.gap.deferred[k].in.era = in.String(), s.grants.Era()
	}
	stall := Entry{Kind: EntryStall, Event: EventStalled, Sentence: in.String()}
	if !s.shutting() {
		stall.State = s.machine.Start().State()
	}
	s.record(stall)
	if s.shutting() && s.work.waits {
		s.endAtOnce(in.String())
	} else {
		s.stopLoopAtOnce(in.String())
	}
	s.hold.endLease()
	s.resumeStops()
	s.latchGap(latch.Gap{From: s.now.Wall.Add(-in.For), To: s.now.Wall, For: in.For})
	s.peers.book.Forget()
	if s.shutting() { // a shutdown always arrives, wherever the nodes are
		s.forgetAll()
		s.work.through = ""
		s.lay(finalizing, s.work.target)
		return
	}
	if t, ok := s.leaves(); ok && len(s.mayBeArmed()) > 0 {
		s.noteLowered(ByPolicy, t.Name, in.String())
	}
	s.endGoals(in.String())
	if s.settled != "" {
		s.startup.last = s.settled
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

// stopLoopAtOnce stops the loop at once. If the loop has ended, and the network has not settled since, the
// driver of the loop learns that nothing has come of that end.
func (s *State) stopLoopAtOnce(why string) {
	here, _ := s.machine.State(s.settled)
	if l := &s.loop; !l.runs && l.run > 0 && here.Loop != machine.NoLoop {
		s.do(StopLoop{Run: l.run, Want: stepper.Abort, Why: why})
		return
	}
	s.loop.stop(&s.agenda, stepper.Abort, why)
}

// mindDrain shows it when goals do not count as sent before the end of a stall any more (A10).
func (ro *roster) mindDrain(was Time) {
	if was.Steady < ro.gap.drainedAt && ro.now.Steady >= ro.gap.drainedAt {
		ro.changed = true
	}
}

// forgetAll drops all beliefs about nodes except their presence. Every node that can be armed may
// be.
func (ro *roster) forgetAll() {
	for i := range ro.nodes {
		n := &ro.nodes[i]
		n.forget()
		ro.retest(i)
		n.part, n.place.deviant, n.place.wasArmed = part{}, "", false
		if n.spec.Arm != nil && n.served() {
			n.arm.Appear(ro.number)
		}
	}
}

// unread says why only disarm and shutdown are accepted while the nodes are read.
func (ro *roster) unread() string {
	why := "the nodes have not all been read yet"
	if ro.gap.stall != "" {
		why = ro.gap.stall + ", and " + why
	}
	if missing := ro.waitingFor(); len(missing) > 0 { // else the start waits for the name
		why += ": " + strings.Join(missing, "; ")
	}
	return why
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

// Stands reports whether the loop stands still.
func (p *Pulse) Stands(now time.Time) bool { return !p.beat.IsZero() && apart(p.beat, now) > Stall }

// Stood reports whether the loop stands still, or did a moment ago.
func (p *Pulse) Stood(now time.Time) bool {
	return p.Stands(now) || !p.stood.IsZero() && now.Sub(p.stood) < StoodFor
}

// apart is the time between two moments, on the clock that has moved further: the steady clock
// stops while the machine is suspended, and the other clock can be set.
func apart(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}
