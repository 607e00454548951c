package engine

import "rstate/internal/network"

// Phase: the second rung of recovery, and the last resort after it.

// secondRung unconfigures every node.
func (s *State) secondRung(why string) {
	w := s.work
	w.target = s.machine.Initial
	s.recordState(EventTurned, why+": every node to "+w.target)
	s.lay(unconfiguring, w.target)
}

// unconfigureConcluded judges the second rung.
func (s *State) unconfigureConcluded() bool {
	switch w := s.work; {
	case !w.fault.failing:
		s.giveBack(OutcomeUnconfigured, w.target)
	case w.fault.spared:
		s.leaveAsIs()
	default:
		s.lastResort()
	}
	return true
}

// lastResort shuts the network down, or holds it, as the file says, because both rungs failed.
func (s *State) lastResort() {
	w := s.work
	if s.net.LastResort == network.ResortHold {
		s.giveBack(OutcomeHeld, s.machine.Disarmed(w.origin))
		return
	}
	t, ok := s.shutdown()
	if !ok {
		s.giveBack(OutcomeHeld, s.machine.Disarmed(w.origin))
		return
	}
	must(s.judge.Preempt(t.Name))
	s.recordState(EventTurned, s.unreached(w)+": shutting down")
	w.news.event = t.Name
	s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: t.To}, s.spreads(w, t.To))
	w.fault.resorted = t.To != s.command(w.command, w.origin).To
	w.target = t.To
	s.lay(finalizing, t.To)
}
