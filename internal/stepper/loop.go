package stepper

import (
	"slices"
	"time"
)

// Loop is the state of a loop. Use New to make one. It is not safe for concurrent use.
type Loop struct {
	conf  Config
	parts []part // as in conf.Participants

	running  bool
	between  bool // it runs, and waits for Begin
	phase    Phase
	open     int    // calls without an answer
	calls    uint64 // calls so far; the newest has this id
	wish     wish   // the strongest of the cycle
	due      wish   // the strongest of participants and triggers in the last cycle
	keeps    bool   // the next start takes over what is due: the caller has not acted on it
	clock    clock
	cycle    uint64 // the number of the cycle that began last
	done     uint64 // cycles that have ended since the last reset
	total    uint64 // cycles that have ever ended
	untold   bool   // of a reset: the participants go back before the next cycle
	run      run
	triggers []pending
	alarm    time.Duration // when the Tick is due that was asked for
	now      time.Duration // of the input
	out      Effects
}

// run is what a start begins.
type run struct {
	limit  uint64 // end the loop after so many cycles; 0: never
	cycles uint64 // that have ended
	began  time.Duration
	stat   Stat // of its cycles
}

// part is what is known of one participant.
type part struct {
	lost   bool
	open   bool          // its newest call has no answer
	call   uint64        // its newest call
	called time.Duration // when that was made
	missed uint64        // its newest call that was open when a loop ended
	late   uint64        // answers to such calls
	extra  uint64        // other answers that were ignored
	stats  [phases]Stat
}

// New returns a loop at simulated time zero that does not run.
func New(conf Config) *Loop {
	conf.Participants = slices.Clone(conf.Participants)
	return &Loop{conf: conf, parts: make([]part, len(conf.Participants))}
}

// Step takes one input at a time of a steady clock, and returns the effects.
func (l *Loop) Step(now time.Duration, in Input) Effects {
	l.now = now
	l.out = Effects{Phases: l.out.Phases[:0], Calls: l.out.Calls[:0]}
	switch in := in.(type) {
	case Start:
		l.start(in)
	case Begin:
		l.proceed()
	case Wanted:
		l.wanted(in)
	case Overtaken:
		l.keeps = l.keeps || !l.running
	case Answered:
		l.answered(in)
	case Lost:
		l.lost(in)
	case Respawned:
		l.respawned(in.Participant)
	case Broken:
		if l.running {
			l.fail(-1, in.Why)
		}
	case TriggerSet:
		l.setTrigger(in.Trigger)
	case TriggerCleared:
		l.clearTrigger(in.ID)
	case Tick:
		l.tick()
	}
	return l.out
}

// ignore counts an answer that no call waits for.
func (p *part) ignore(call uint64) {
	if call == p.missed && call != 0 {
		p.late++
		p.missed = 0
		return
	}
	p.extra++
}

// abandon ends the call of a participant with the loop.
func (p *part) abandon() {
	if p.open {
		p.open, p.missed = false, p.call
	}
}

// Running reports whether the loop runs.
func (l *Loop) Running() bool { return l.running }

// Phase returns the phase of a loop that runs, or the last one.
func (l *Loop) Phase() Phase { return l.phase }

// Cycle returns the number of the cycle that runs, or of the last one. It begins with 1 at each reset.
func (l *Loop) Cycle() uint64 { return l.cycle }

// Cycles returns how many cycles have ended since the loop was made.
func (l *Loop) Cycles() uint64 { return l.total }

// Now returns the simulated time at which the cycle that runs began, or the next one will begin.
func (l *Loop) Now() time.Duration { return l.clock.now() }

// DT returns how much simulated time a cycle covers; 0: the loop was never started.
func (l *Loop) DT() time.Duration { return l.clock.dt }

// Waiting returns since when a call of a participant is open; ok is false if none is.
func (l *Loop) Waiting(i int) (since time.Duration, ok bool) {
	return l.parts[i].called, l.parts[i].open
}

// Stat returns how long a participant took for a phase.
func (l *Loop) Stat(i int, p Phase) Stat { return l.parts[i].stats[p] }

// CycleStat returns how long cycles took. Last is that of the last cycle that has ended.
func (l *Loop) CycleStat() Stat { return l.run.stat }

// Ignored returns how many answers of a participant were ignored: late is how many came to the
// call that was open when the loop last ended, other is how many came again or to no call.
func (l *Loop) Ignored(i int) (late, other uint64) { return l.parts[i].late, l.parts[i].extra }

// Triggers returns how many triggers are pending.
func (l *Loop) Triggers() (n int) {
	for _, p := range l.triggers {
		if !p.acted {
			n++
		}
	}
	return n
}
