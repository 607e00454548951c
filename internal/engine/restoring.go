package engine

import "slices"

// Phases that lead back after a failure: restoring is the first rung of recovery, and returning has no
// error processing.

// concludeRestoring judges the first rung.
func (s *State) concludeRestoring() bool {
	switch w := s.work; {
	case !w.fault.failing:
		outcome := OutcomeRestored
		if s.passedLifeless() != "" {
			outcome = OutcomeUnconfigured
		}
		s.giveBack(outcome, w.target)
	case w.fault.spared:
		s.leaveAsIs()
	case w.target != s.machine.Initial:
		s.secondRung(w.fault.back + " cannot be restored")
	default:
		s.lastResort()
	}
	return true
}

// A lowering that failed is taken back by raising nodes. No node is raised before each one that
// made it fail has shown that it lives: where it has not, the origin cannot be restored, and what
// was raised would go down again at once.

// inDoubt reports whether node i made a lowering fail, and has not shown since that it lives.
func (co *course) inDoubt(i int) bool {
	n, w := &co.nodes[i], co.work
	return w.phase == restoring && w.lowers && n.part.open() && n.spec.Lifecycle &&
		n.reading.probing.heard < w.fault.failedAt && slices.Contains(w.fault.suspects, i)
}

// heldByDoubt reports whether node i is not raised yet because of such a node.
func (co *course) heldByDoubt(i int) bool {
	return slices.ContainsFunc(co.work.fault.suspects, func(j int) bool { return j != i && co.inDoubt(j) })
}

// suspected lets nodes go on that may have been held by node i.
func (co *course) suspected(i int) {
	if co.work != nil && slices.Contains(co.work.fault.suspects, i) {
		co.touchAll()
	}
}

// returnQuietly rolls the nodes back without error processing. A mirrored change may take its
// target instead; then no node moves.
func (s *State) returnQuietly() {
	w := s.work
	s.endEra(w.why)
	f := w.fault.after
	if w.news.from != "" && f.Rest == w.target {
		s.quietlyBack()
		return
	}
	w.target = f.Rest
	s.recordState(EventTurned, w.why+": back to "+w.target)
	s.lay(returning, w.target)
}

// concludeReturning judges the rollback of a command that failed without error processing.
func (s *State) concludeReturning() bool {
	w := s.work
	if !w.fault.failing || !w.fault.after.Rungs {
		s.quietlyBack()
		return true
	}
	s.enterError()
	if w.target == s.machine.Initial {
		s.lastResort()
		return true
	}
	s.secondRung(w.fault.back + " cannot be restored")
	return true
}

// quietlyBack settles after such a rollback, and begins the command that follows, if there is one.
// The goal waits for its end.
func (s *State) quietlyBack() {
	w := s.work
	rest, next := w.fault.after.Rest, w.fault.after.Then
	outcome := OutcomeRestored
	if w.fault.failing {
		outcome = OutcomeHeld
	}
	if end, _ := s.machine.State(rest); end.Final { // a mirrored end arrives, cleanly or not
		s.concludeFinalizing()
		return
	}
	s.settle(rest)
	s.change(w, Change{SourceState: w.origin, TargetState: rest, Settled: true}, s.spreads(w, rest))
	if next == "" {
		s.endGoal(w, Aborted, outcome, w.why+"; "+outcomeWords(outcome, rest))
		return
	}
	g := w.goal
	if g != nil {
		g.failed, g.path, g.rests = w.why, nil, false
		g.blame = append(g.blame, w.fault.blame...)
	}
	w.goal = nil
	s.beginUncommanded(next, g, w.why)
}
