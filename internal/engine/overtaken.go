package engine

import (
	"slices"
	"time"
)

// A node may do two requests at once, and so a disarm after the arm that was sent later. It is disarmed then, though it
// has said yes to being armed. So nothing is armed while it owes the answer to a disarm, unless that is late; and whoever
// says yes to such a one after he has said that he is armed is not known to be armed any more.

// disarmsKept is how many disarms without an answer are remembered.
const disarmsKept = 8

// owes notes a disarm that goes out.
func (a *arming) owes(call uint64, sent time.Duration) {
	if len(a.disarms) >= disarmsKept {
		a.disarms = a.disarms[1:]
	}
	a.disarms = append(a.disarms, read{ticket: call, sent: sent})
}

// settles notes an answer, and says whether it is the first one to a disarm that had none.
func (a *arming) settles(call uint64) bool {
	k := slices.IndexFunc(a.disarms, func(r read) bool { return r.ticket == call })
	if k < 0 {
		return false
	}
	a.disarms = slices.Delete(a.disarms, k, k+1)
	return true
}

// awaitsDisarms says whether node i may still be about to do a disarm that was sent before. One that has no answer when
// its time is over counts as lost.
func (s *State) awaitsDisarms(i int) bool {
	n := &s.nodes[i]
	if len(n.arm.disarms) == 0 {
		return false
	}
	by := n.arm.disarms[len(n.arm.disarms)-1].sent + n.spec.Deadline.Disarm
	if s.now.Steady >= by {
		return false
	}
	s.at(i, by)
	return true
}

// staysUnconfirmed says whether node i, which is to be armed, is told to disarm again and again and does not confirm it. Each
// repetition is waited for anew, so the wait as a whole has an end too.
func (s *State) staysUnconfirmed(i int) bool {
	n := &s.nodes[i]
	if !n.arm.duty {
		return false
	}
	by := max(n.arm.dutySince, s.work.since) + n.spec.Deadline.Disarm
	if s.now.Steady < by {
		s.at(i, by)
		return false
	}
	return true
}

// disarmedSince says whether node i, which was asked to arm and said yes, may have been disarmed after that.
func (n *node) disarmedSince() bool { return n.arm.ours && n.arm.belief == MayBeArmed }
