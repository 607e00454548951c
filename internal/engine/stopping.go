package engine

import (
	"cmp"
	"strings"
	"time"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/patient"
	"rstate/internal/stepper"
)

// The end of this process.

// closing is how the instance ends.
type closing struct {
	stop  *stopping
	ended *ending // set in a final state
	gone  bool    // Exit was sent
}

// stopping is a request from outside to end the process.
type stopping struct {
	by     time.Duration
	why    string
	yields bool // to another instance of the name
	stood  bool // it stood still before, so it owns nothing any more
}

// How long the end of the process takes at most.
const (
	exitDisarm = 2 * time.Second * patient.Factor // for disarms to be confirmed when the process is to end
	exitInFull = 4 * time.Second * patient.Factor // for a shutdown when the process is to end
)

// stopAsked begins the end of the process: goals end, and armed nodes are disarmed. The other nodes
// stay as they are, or are shut down if the file says so. The next start adopts them.
func (s *State) stopAsked(in StopAsked) {
	why := in.Why
	if s.closing.stop != nil || s.closing.gone {
		return
	}
	s.endEra("rstate stops")
	s.changed = true // no command is legal any more
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate is to stop", Cause: why})
	if !s.startup.named { // this instance does not hold the name yet
		s.exit(0, "rstate stops: "+why)
		return
	}
	if s.closing.ended != nil {
		s.closing.ended.at = s.now.Steady
		return
	}
	s.loop.stopDecides(why)
	if t, ok := s.shutdown(); s.shutting() || cmp.Or(in.OnExit, s.net.OnExit) == network.ExitShutdown && ok {
		s.stopInFull(t, why)
		return
	}
	s.closing.stop = &stopping{by: s.now.Steady + exitDisarm, why: why}
	s.loop.stop(&s.agenda, stepper.Abort, "rstate stops")
	s.wakeWhole(s.closing.stop.by)
	s.endOpenGoals()
	s.disarmForExit()
}

// stopInFull begins the end of the process with a shutdown of the network.
func (s *State) stopInFull(t machine.Transition, why string) {
	s.closing.stop = &stopping{by: s.now.Steady + exitInFull, why: why}
	s.wakeWhole(s.closing.stop.by)
	if s.shutting() { // a stop does not interrupt a shutdown
		s.endAtOnce("rstate stops")
	} else {
		s.preempt("rstate stops")
		s.start(t, nil, "rstate stops", s.judge.Preempt)
	}
	s.endOpenGoals()
}

// disarmForExit disarms what may be armed before the process ends.
func (s *State) disarmForExit() {
	w := s.work
	rearms := w != nil && w.phase == rearming // it would go on, whichever client asked for it
	switch {
	case w != nil && s.isDisarm(w.command) && !w.takenBack && !rearms:
	case len(s.mayBeArmed()) == 0 && !rearms:
		s.work = nil // it might begin something in this very turn, such as to arm
	case s.settled == "": // the start is not over: there is no state to disarm from, only nodes
		s.work = nil
		for i := range s.nodes {
			if s.nodes[i].arm.Belief() != Disarmed {
				s.disarm(i)
			}
		}
	default:
		s.disarmForSafety("rstate stops")
	}
}

// stopWhenSafe ends the process when nothing is armed, or at the deadline for that.
func (s *State) stopWhenSafe() bool {
	if s.yields() {
		return s.exitYielding()
	}
	armed := s.named(func(n *node) bool { return n.arm.Belief() != Disarmed && !(n.arm.Wary() && n.mayBeMute()) })
	late := s.now.Steady >= s.closing.stop.by
	shutting := s.shutting()
	switch {
	case late && len(armed) > 0:
		s.exit(5, "rstate stops; not confirmed to be disarmed: "+strings.Join(armed, ", "))
	case late && shutting:
		s.exit(s.unclean("rstate stops; not every node is finalized"))
	case len(armed) > 0 || shutting:
		return false
	case s.work != nil && s.isDisarm(s.work.command) && !late:
		return false // the state that follows from it has to be shown first
	case len(s.hold.armedLeftovers()) > 0:
		s.exit(5, "rstate stops: "+s.closing.stop.why+"; "+s.hold.leftoversForbid())
	default:
		s.exit(s.exitCode(0, "rstate stops: "+s.closing.stop.why))
	}
	return true
}

func (s *State) exit(code int, why string) {
	s.endWaits()
	s.endOpenGoals()
	s.rejectDeferred(why)
	s.closing.gone = true
	s.noteArms()
	s.tell()
	s.record(Entry{Kind: EntryEnd, Event: EventEnded, Outcome: s.outcome().String(), Sentence: "rstate ends", Cause: why})
	s.do(Exit{Code: code, Why: why, Outcome: s.outcome().String()})
}
