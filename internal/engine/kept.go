package engine

import (
	"fmt"

	"rstate/internal/machine"
)

// Goals around a stall. Those that were sent before its end may be of a time that nobody remembers: they raise nothing.
// Those that come while the nodes are read again wait for that, but for arm: whoever arms has to know what is armed.

// kept is a goal that waits until the nodes are read after a stall.
type kept struct{ in GoalAsked }

// dated notes on a goal that it may have been sent before the end of a stall.
func (s *State) dated(in GoalAsked) GoalAsked {
	if in.old == "" && s.now.Steady < s.gap.drainedAt {
		in.old = s.gap.newestStall
	}
	return in
}

// tooOld says why a goal that leads to a state is not taken because of its age; empty: it is.
func (s *State) tooOld(in GoalAsked, to string) string {
	if in.old == "" || s.settled == "" || s.machine.Lowers(s.settled, to) || to == s.settled && s.intact() {
		return ""
	}
	return fmt.Sprintf("it may have been sent before rstate could receive it (%s), so it raises nothing; send it again", in.old)
}

// keep lets a goal wait until the nodes are read after a stall. At a start, and where it arms, it is rejected.
func (s *State) keepGoal(in GoalAsked, to machine.State) {
	switch {
	case s.gap.stall == "":
		s.reject(in, s.unread())
	case to.Armed.Any():
		s.reject(in, s.unread()+"; a goal that arms does not wait for that: send it again when the network has settled")
	default:
		s.gap.keeps = append(s.gap.keeps, kept{in})
	}
}

// release answers the goals that waited as soon as they can be, and reports whether there were any.
func (s *State) release() bool {
	ends := s.closing.stop != nil || s.closing.ended != nil || s.work != nil && s.work.phase.ends
	if len(s.gap.keeps) == 0 || (s.settled == "" || len(s.turn.ending) > 0) && !ends {
		return false
	}
	list := s.gap.keeps
	s.gap.keeps = nil
	for _, k := range list {
		s.asked(k.in)
	}
	return true
}

// awaitsVerdict reports whether a goal that leads to a state waits: a process is said to have ended, and whether that is so is
// known within 0.1 s. Until then the network may look intact without being so. A lowering never waits.
func (s *State) awaitsVerdict(to string) bool {
	return len(s.turn.ending) > 0 && s.closing.stop == nil && !s.machine.Lowers(s.settled, to)
}

// rejectKept answers those that nothing will come of.
func (s *State) rejectKept(why string) {
	for _, k := range s.gap.keeps {
		s.reject(k.in, why)
	}
	s.gap.keeps = nil
}
