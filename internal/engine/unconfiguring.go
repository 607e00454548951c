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
func (co *course) lifeless(i int) bool {
	n, w := &co.nodes[i], co.work
	if !w.phase.undoes || w.target != co.machine.Initial || !n.there() || !n.spec.Lifecycle || n.gaveSign() {
		return false
	}
	heard := n.reading.probing.heard
	return heard < w.fault.failedAt || co.now.Steady-heard >= 2*readEvery
}

const lifelessWords = " gives no sign of life: it counts as lost"

// failOrPass gives up node i, or ends the part of a lifeless node without it.
func (co *course) failOrPass(i int, v Verdict, evidence string) {
	if !co.lifeless(i) {
		co.fail(i, v, evidence)
		return
	}
	l := &co.nodes[i].part
	if !l.open() {
		co.reopen(i)
	}
	l.passed = true
	co.finish(i, partDone, VerdictGone, evidence+", and"+lifelessWords)
}

// revive gives a node that was passed over and shows that it lives the time of its call anew.
func (ro *roster) revive(i int) {
	if n := &ro.nodes[i]; n.part.passed && n.call != nil {
		n.call.Began, n.call.BeganROS = ro.now.Steady, ro.now.ROS
	}
}

// passedLifeless names the nodes that were passed over, in words for the result.
func (co *course) passedLifeless() string {
	words := ""
	for i := range co.nodes {
		if n := &co.nodes[i]; n.part.passed && co.work.phase.undoes {
			words += "; " + n.spec.Name + lifelessWords
		}
	}
	return words
}

// concludeUnconfiguring judges the second rung.
func (s *State) concludeUnconfiguring() bool {
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
