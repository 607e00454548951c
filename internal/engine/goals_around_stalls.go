package engine

import (
	"fmt"

	"rstate/internal/machine"
)

// Goals around a stall. A goal that may have been sent before the end of the stall raises nothing.
// A goal that comes while the daemon reads the nodes again waits, unless it arms: a client that
// arms has to know what is armed.

// deferred is a goal that waits for the reads after a stall.
type deferred struct{ in GoalAsked }

// deferGoal lets a goal wait until the nodes are read after a stall. At a start, and if it arms, the
// goal is rejected.
func (s *State) deferGoal(in GoalAsked, to machine.State) {
	switch {
	case s.gap.stall == "":
		s.reject(in, s.armWords(machine.Transition{To: to.Name}, s.unread(), waitForRead))
	case to.Armed.Any():
		s.reject(in, s.unread()+"; a goal that arms does not wait for that: send it again when the network has settled")
	default:
		s.gap.deferred = append(s.gap.deferred, deferred{in})
	}
}

// release answers the goals that waited as soon as that is possible, and reports whether there were
// any.
func (s *State) release() bool {
	ends := s.closing.stop != nil || s.closing.ended != nil || s.shutting()
	if len(s.gap.deferred) == 0 || (s.settled == "" || len(s.ending) > 0) && !ends {
		return false
	}
	list := s.gap.deferred
	s.gap.deferred = nil
	for _, k := range list {
		if why := s.overtaken(k.in); why != "" && !ends {
			s.reject(k.in, why)
			continue
		}
		s.asked(k.in)
	}
	return true
}

// awaitsVerdict reports whether a goal that leads to a state has to wait for the test of a process
// that may have ended, which takes 0.1 s. Until then the network may look intact without being so.
// A lowering never waits.
func (ro *roster) awaitsVerdict(to string) bool {
	return len(ro.ending) > 0 && ro.closing.stop == nil && !ro.machine.Lowers(ro.settled, to)
}

// rejectDeferred answers the goals that waited and cannot run.
func (s *State) rejectDeferred(why string) {
	for _, k := range s.gap.deferred {
		s.reject(k.in, why)
	}
	s.gap.deferred = nil
}

// dated marks a goal that may have been sent before the end of a stall.
func (ro *roster) dated(in GoalAsked) GoalAsked {
	if in.old == "" && ro.now.Steady < ro.gap.drainedAt {
		in.old = ro.gap.newestStall
	}
	return in
}

// tooOld says why a goal that leads to a state is rejected for its age; empty: it is not.
func (ro *roster) tooOld(in GoalAsked, to string) string {
	if in.old == "" || ro.settled == "" || ro.machine.Lowers(ro.settled, to) || to == ro.settled && ro.intact() {
		return ""
	}
	return fmt.Sprintf("it may have been sent before rstate could receive it (%s), so it raises nothing; send it again",
		in.old)
}
