package engine

import (
	"strings"
	"time"

	"rstate/internal/network"
)

// stopping is the end of the process, asked for from outside.
type stopping struct {
	by     time.Duration
	why    string
	yields bool // to another instance of our name
	stood  bool // after having stood still, so that nothing is ours any more
}

// stopAsked begins to end: goals end, what is armed is disarmed, and the nodes stay as they are unless the file says
// that they are shut down. The next start adopts them.
func (s *State) stopAsked(why string) {
	if s.closing.stop != nil || s.closing.gone {
		return
	}
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate is to stop", Cause: why})
	if !s.startup.named { // nothing is ours yet
		s.exit(0, "rstate stops: "+why)
		return
	}
	if s.closing.ended != nil {
		s.closing.ended.at = s.now.Steady
		return
	}
	shut, can := s.machine.Shutdown()
	shutting := s.work != nil && s.work.phase.ends // is not taken back for a stop
	if shutting || (s.net.OnExit == network.ExitShutdown && can) {
		s.closing.stop = &stopping{by: s.now.Steady + exitInFull, why: why}
		s.wakeWhole(s.closing.stop.by)
		if !shutting {
			s.preempt("rstate stops")
			s.start(shut, nil, "rstate stops", s.judge.Preempt)
		}
		s.endOpenGoals()
		return
	}
	s.closing.stop = &stopping{by: s.now.Steady + exitDisarm, why: why}
	s.wakeWhole(s.closing.stop.by)
	s.endOpenGoals()
	rearms := s.work != nil && s.work.phase.rearms // which would go on, whoever asked for it
	switch {
	case s.work != nil && s.isDisarm(s.work.command) && !s.work.takenBack && !rearms:
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

func (s *State) endOpenGoals() {
	message := "rstate stops"
	if s.yields() {
		message = s.closing.stop.why
	}
	s.endGoals(message)
}

// endGoals aborts every goal that is open.
func (s *State) endGoals(why string) {
	for len(s.goals.open) > 0 {
		g := s.goals.open[0]
		if s.work != nil && s.work.goal == g {
			s.work.goal = nil
		}
		s.finishGoal(g, Aborted, Result{Outcome: OutcomePreempted, Message: why, Nodes: s.report.results})
	}
	s.goals.pending, s.peers.awaiting = nil, nil
}

// stopWhenSafe ends the process once nothing is armed, or when waiting for that has lasted long enough.
func (s *State) stopWhenSafe() bool {
	if s.yields() {
		return s.yielded()
	}
	armed := s.mayBeArmed()
	late := s.now.Steady >= s.closing.stop.by
	shutting := s.work != nil && s.work.phase.ends
	switch {
	case late && len(armed) > 0:
		s.exit(5, "rstate stops; not confirmed to be disarmed: "+strings.Join(armed, ", "))
	case late && shutting:
		s.exit(5, "rstate stops; not every node is finalized")
	case len(armed) > 0 || shutting:
		return false
	case s.work != nil && s.isDisarm(s.work.command) && !late:
		return false // the state that follows from it is still to be shown
	case len(s.leftArmed()) > 0:
		s.exit(5, "rstate stops: "+s.closing.stop.why+"; "+s.leftRefuses())
	default:
		s.exit(0, "rstate stops: "+s.closing.stop.why)
	}
	return true
}
