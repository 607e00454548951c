package engine

import "fmt"

// Nodes whose parts are done while others are open.

// keep watches a node whose part is done while other parts are open. It makes the node's state firm,
// and brings the node back once if it leaves.
func (s *State) keep(i int) {
	n := &s.nodes[i]
	l, w := &n.part, s.work
	switch {
	case s.unfitSince(i):
	case !n.there():
		s.keepAbsent(i)
	case !n.spec.Lifecycle && s.sharesName(i):
		s.fail(i, VerdictRefused, n.severalWords())
	case !l.wants || !n.spec.Lifecycle:
	case l.passed && (s.lostBefore(i) || s.lifeless(i)):
	case l.result.absent() && (!w.phase.commands || w.lowers):
		s.revive(i)
		s.reopen(i) // it is back, and has to be lowered like the others
		s.press(i)
	case s.unusable(i):
	case !l.short:
		s.keepInPlace(i)
	}
}

// keepAbsent opens the part of a node again that has gone since its part was done. If it counted as absent before, what
// was uncertain of a process that has appeared and gone since is so no more.
func (s *State) keepAbsent(i int) {
	n := &s.nodes[i]
	rests, r := !n.part.wants || !n.spec.Lifecycle, &n.part.result
	if rests && r.verdict == VerdictDone || !rests && !r.absent() {
		s.reopen(i)
		s.absent(i)
		return
	}
	s.makeSure(i)
}

// unfitSince gives up a node that was proven and is no longer fit to be armed, and reports whether
// it did.
func (s *State) unfitSince(i int) bool {
	n := &s.nodes[i]
	if !s.work.proves() || !s.work.arm.proven || n.part.result.verdict != VerdictDone || !n.there() {
		return false
	}
	if why := s.unfit(i); why != "" {
		s.fail(i, VerdictLate, why)
		return true
	}
	if n.disarmedSince() {
		s.fail(i, VerdictUnknown, "has answered to an earlier disarm after it was armed")
		return true
	}
	return false
}

// keepInPlace makes the claimed state of a node firm.
func (s *State) keepInPlace(i int) {
	n := &s.nodes[i]
	l := &n.part
	switch {
	case n.firm && n.state == l.want:
		s.makeSure(i)
	case n.firm && n.state.Primary():
		s.astray(i)
	case l.sure: // in transition: its announcement or a read will say where it goes
		s.poll(i)
	case s.now.Steady >= n.at+confirmIn || n.state != l.want:
		if !l.deadline.set {
			l.deadline = s.waitsFor(i)
		}
		if s.passed(l.deadline) && !s.mayHaveEnded(i) {
			if evidence := "said yes, and answers no get_state since"; !s.passLifeless(i, evidence) {
				s.fail(i, VerdictUnknown, evidence)
			}
			return
		}
		s.poll(i)
	default:
		s.at(i, n.at+confirmIn)
	}
}

func (s *State) makeSure(i int) {
	l := &s.nodes[i].part
	if l.sure {
		return
	}
	l.sure = true
	if s.work.parts.unsure--; s.work.parts.unsure == 0 && s.work.arm.proven {
		s.touchAll()
	}
}

// astray gives a node its step again, once, if it left its state after the step (E6).
func (s *State) astray(i int) {
	n := &s.nodes[i]
	again := n.part.again.redone
	s.reopen(i)
	switch {
	case s.work.proves():
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v: arming starts no node", n.state, n.part.want))
		return
	case again:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v again, not %v", n.state, n.part.want))
		return
	}
	n.part.again.redone = true
	n.part.stepped, n.part.started = false, false // others may have to go first by now
	s.press(i)
}
