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

// A node that gives no sign of life is no reason to finalize the others. Where recovery takes every node
// to unconfigured, such a node counts like a lost one: the network rests there, not intact, and names it.

// lifeless reports whether recovery takes every node to unconfigured, and node i gives no sign of life.
func (s *State) lifeless(i int) bool {
	n, w := &s.nodes[i], s.work
	if !w.phase.undoes || w.target != s.machine.Initial || !n.there() || !n.spec.Lifecycle || n.gaveSign() {
		return false
	}
	heard := n.reading.probing.heard
	return heard < w.fault.failedAt || s.now.Steady-heard >= 2*readEvery
}

const lifelessWords = " gives no sign of life: it counts as lost"

// passLifeless ends the part of a lifeless node without it, and reports whether it did.
func (s *State) passLifeless(i int, evidence string) bool {
	if !s.lifeless(i) {
		return false
	}
	l := &s.nodes[i].part
	if !l.open() {
		s.reopen(i)
	}
	l.passed = true
	s.finish(i, partDone, VerdictGone, evidence+", and"+lifelessWords)
	return true
}

// revive gives a node that was passed over and shows that it lives the time of its call anew.
func (s *State) revive(i int) {
	if n := &s.nodes[i]; n.part.passed && n.call != nil {
		n.call.Began, n.call.BeganROS = s.now.Steady, s.now.ROS
	}
}

// passedLifeless names the nodes that were passed over, in words for the result.
func (s *State) passedLifeless() string {
	words := ""
	for i := range s.nodes {
		if n := &s.nodes[i]; n.part.passed && s.work.phase.undoes {
			words += "; " + n.spec.Name + lifelessWords
		}
	}
	return words
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
	w.target, w.through = t.To, ""
	s.lay(finalizing, t.To)
}
