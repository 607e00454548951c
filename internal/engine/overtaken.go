package engine

// A node may do two requests at once, and so a disarm after the arm that was sent later. It is disarmed then, though it
// has said yes to being armed. So nothing is armed while it owes the answer to a disarm, unless that is late; and whoever
// says yes to such a one after he has said that he is armed is not known to be armed any more.

// awaitsDisarms says whether node i may still be about to do a disarm that was sent before. One that has no answer when
// its time is over counts as lost.
func (s *State) awaitsDisarms(i int) bool {
	n := &s.nodes[i]
	sent, ok := n.arm.LastOpenDisarm()
	by := sent + n.spec.Deadline.Disarm
	if !ok || s.now.Steady >= by {
		return false
	}
	s.at(i, by)
	return true
}

// staysUnconfirmed says whether node i, which is to be armed, is told to disarm again and again and does not confirm it. Each
// repetition is waited for anew, so the wait as a whole has an end too.
func (s *State) staysUnconfirmed(i int) bool {
	n := &s.nodes[i]
	if !n.arm.Duty() {
		return false
	}
	by := max(n.arm.Since(), s.work.since) + n.spec.Deadline.Disarm
	if s.now.Steady < by {
		s.at(i, by)
		return false
	}
	return true
}

// disarmedSince says whether node i, which was asked to arm and said yes, may have been disarmed after that.
func (n *node) disarmedSince() bool { return n.arm.Ours() && n.arm.Belief() == MayBeArmed }
