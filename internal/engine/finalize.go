package engine

import (
	"cmp"
	"strings"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// finalized ends a shutdown, which always arrives, cleanly or not.
func (s *State) finalized() bool {
	w := s.work
	var left []string
	for i := range s.nodes {
		n := &s.nodes[i]
		unclean := n.there() && n.spec.Lifecycle && !(n.firm && n.state == lifecycle.Finalized)
		switch {
		case unclean && (!n.spec.Optional || n.arm.Belief() != Disarmed):
			left = append(left, n.spec.Name)
		case n.arm.Belief() != Disarmed:
			left = append(left, n.spec.Name+", which may still be armed")
		}
	}
	for _, name := range s.leftArmed() {
		left = append(left, name+", which may be armed since an earlier run")
	}
	s.settle(w.target)
	s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: w.target, Settled: true}, false)
	s.closing.ended = &ending{at: s.now.Steady + lingerFinal, left: left}
	s.wakeWhole(s.closing.ended.at)
	switch {
	case w.fault.resorted:
		s.closing.ended.failed = w.why
		s.endGoal(w, Aborted, OutcomeFinalized, w.why+"; the network was shut down")
	case len(left) > 0:
		s.endGoal(w, Aborted, OutcomeFinalized, "shut down, but not finalized: "+strings.Join(left, ", "))
	default:
		s.endGoal(w, Succeeded, OutcomeDone, "every node is finalized")
	}
	return true
}

func (s *State) end() bool {
	s.endDisarmGoals()
	if s.now.Steady < s.closing.ended.at {
		return false
	}
	switch {
	case len(s.closing.ended.left) > 0:
		s.exit(5, "not finalized: "+strings.Join(s.closing.ended.left, ", "))
	case s.closing.ended.failed != "":
		s.exit(5, s.closing.ended.failed+"; the network was shut down")
	default:
		end, _ := s.machine.State(s.settled)
		s.exit(s.exitCode(end))
	}
	return true
}

func (s *State) exit(code int, why string) {
	s.endWaits()
	s.endOpenGoals()
	s.rejectKept(why)
	s.closing.gone = true
	s.noteArms()
	s.tell()
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate ends", Cause: why})
	s.do(Exit{Code: code, Why: why})
}

// finalizeBusy asks a node whose call is late to shut down: no node holds another beyond a
// deadline.
func (s *State) finalizeBusy(i int) {
	n := &s.nodes[i]
	l := &n.part
	if l.result.did == "shutdown" {
		s.giveUp(i, VerdictLate, "no answer to shutdown")
		return
	}
	from := n.state
	if !from.Primary() {
		from = n.call.From
	}
	l.result.did, l.deadline = "shutdown", s.allowSteady(i, n.spec.Deadline.Shutdown)
	n.firm = true
	n.state = from
	s.send(i, lifecycle.Shutdown(from))
}

// stopAsked begins the end of the process: goals end, and armed nodes are disarmed. The other nodes
// stay as they are, or are shut down if the file says so. The next start adopts them.
func (s *State) stopAsked(in StopAsked) {
	why := in.Why
	if s.closing.stop != nil || s.closing.gone {
		return
	}
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate is to stop", Cause: why})
	if !s.startup.named { // this instance does not hold the name yet
		s.exit(0, "rstate stops: "+why)
		return
	}
	if s.closing.ended != nil {
		s.closing.ended.at = s.now.Steady
		return
	}
	if t, ok := s.shutdown(); s.shutting() || cmp.Or(in.OnExit, s.net.OnExit) == network.ExitShutdown && ok {
		s.stopInFull(t, why)
		return
	}
	s.closing.stop = &stopping{by: s.now.Steady + exitDisarm, why: why}
	s.stopLoop(stepper.Abort, "rstate stops")
	s.wakeWhole(s.closing.stop.by)
	s.endOpenGoals()
	s.disarmForExit()
}

// stopInFull begins the end of the process with a shutdown of the network.
func (s *State) stopInFull(t machine.Transition, why string) {
	s.closing.stop = &stopping{by: s.now.Steady + exitInFull, why: why}
	s.wakeWhole(s.closing.stop.by)
	if !s.shutting() { // a stop does not interrupt a shutdown
		s.preempt("rstate stops")
		s.start(t, nil, "rstate stops", s.judge.Preempt)
	}
	s.endOpenGoals()
}

// disarmForExit disarms what may be armed before the process ends.
func (s *State) disarmForExit() {
	w := s.work
	rearms := w != nil && w.phase.rearms // it would go on, whichever client asked for it
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
	s.dropLoop()
}

// stopWhenSafe ends the process when nothing is armed, or at the deadline for that.
func (s *State) stopWhenSafe() bool {
	if s.yields() {
		return s.yielded()
	}
	armed := s.mayBeArmed()
	late := s.now.Steady >= s.closing.stop.by
	shutting := s.shutting()
	switch {
	case late && len(armed) > 0:
		s.exit(5, "rstate stops; not confirmed to be disarmed: "+strings.Join(armed, ", "))
	case late && shutting:
		s.exit(5, "rstate stops; not every node is finalized")
	case len(armed) > 0 || shutting:
		return false
	case s.work != nil && s.isDisarm(s.work.command) && !late:
		return false // the state that follows from it has to be shown first
	case len(s.leftArmed()) > 0:
		s.exit(5, "rstate stops: "+s.closing.stop.why+"; "+s.leftRefuses())
	default:
		s.exit(0, "rstate stops: "+s.closing.stop.why)
	}
	return true
}
