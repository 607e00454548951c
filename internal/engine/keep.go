package engine

import "fmt"

// keep watches a node whose leg is done while others are still on their way: it is made sure of, and one that leaves
// its place is brought back once.
func (s *State) keep(i int) {
	n := &s.nodes[i]
	l := &n.leg
	if s.work.proves() && s.work.arm.proven && l.verdict == VerdictDone && n.there() {
		if why := s.unfit(i); why != "" {
			s.reopen(i)
			s.giveUp(i, VerdictLate, why)
			return
		}
		if n.disarmedSince() {
			s.reopen(i)
			s.giveUp(i, VerdictUnknown, "has answered to an earlier disarm after it was armed")
			return
		}
	}
	switch {
	case !l.wants || !n.spec.Lifecycle:
		if !n.there() && l.verdict == VerdictDone {
			s.reopen(i)
			s.absent(i)
		}
	case !n.there():
		if l.verdict != VerdictGone && l.verdict != VerdictSkipped {
			s.reopen(i)
			s.absent(i)
		}
	case l.passed && s.lostBefore(i):
	case (l.verdict == VerdictGone || l.verdict == VerdictSkipped) && (!s.work.phase.commands || s.work.lowers):
		s.reopen(i) // it is back, and goes down as the others do
		s.press(i)
	case l.replaced && s.work.phase.commands:
		s.reopen(i)
		s.giveUp(i, VerdictGone, "its process died and another took its place")
	case n.count > 1 && s.work.proves():
		s.reopen(i)
		s.giveUp(i, VerdictRefused, fmt.Sprintf("%d living nodes bear this name", n.count))
	case l.short:
	case n.firm && n.state == l.want:
		s.makeSure(i)
	case n.firm && n.state.Primary():
		s.astray(i)
	case l.sure: // on its way somewhere: its event or a read will say whither
		s.poll(i)
	case s.now.Steady >= n.at+confirmIn || n.state != l.want:
		if !l.deadline.set {
			l.deadline = s.waits(i)
		}
		if s.passed(l.deadline) && !s.mayHaveEnded(i) {
			s.reopen(i)
			s.giveUp(i, VerdictUnknown, "said yes, and answers no get_state since")
			return
		}
		s.poll(i)
	default:
		s.at(i, n.at+confirmIn)
	}
}

func (s *State) makeSure(i int) {
	l := &s.nodes[i].leg
	if l.sure {
		return
	}
	l.sure = true
	if s.work.legs.unsure--; s.work.legs.unsure == 0 && s.work.arm.proven {
		s.touchAll()
	}
}

// astray brings a node back that left its place after its step, once.
func (s *State) astray(i int) {
	n := &s.nodes[i]
	again := n.leg.redone
	s.reopen(i)
	switch {
	case s.work.proves():
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v: arming starts no node", n.state, n.leg.want))
		return
	case again:
		s.giveUp(i, VerdictErrored, fmt.Sprintf("is %v again, not %v", n.state, n.leg.want))
		return
	}
	n.leg.redone = true
	s.press(i)
}

// reopen takes back that a leg is done.
func (s *State) reopen(i int) {
	l := &s.nodes[i].leg
	s.makeSure(i)
	l.short, l.passed = false, false
	l.status, l.started = legWaiting, l.stepped // one that had nothing to do yet has not had its turn
	l.deadline = s.waits(i)
	s.work.legs.open++
}
