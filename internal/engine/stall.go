package engine

import (
	"fmt"
	"strings"
	"time"
)

// Stall is the longest that the loop may stand still. What is believed after more may be of another time.
const Stall = 500 * time.Millisecond

// Stalled says that this process stood still for longer than Stall: it was stopped, or the machine was suspended. What was
// wished before and has not been carried out is not carried out any more; see Perishable.
type Stalled struct{ For time.Duration }

func (Stalled) input() {}

func (t Stalled) String() string {
	return fmt.Sprintf("rstate stood still for %v", t.For.Round(time.Millisecond))
}

// Perishable says whether an effect must not be carried out after a stall: what raises, and what vouches for nodes.
func Perishable(e Effect) bool {
	switch e := e.(type) {
	case CallNode, SendLease, CallCheck:
		return true
	case ArmNode:
		return e.Arm
	}
	return false
}

// stalled begins anew, as at a start: nothing that was known, asked or under way holds any more, but for who is there and
// the state in which the network rested last.
func (s *State) stalled(in Stalled) {
	if s.ended != nil {
		return
	}
	if s.yields() { // what it had armed and not yet disarmed is the other's by now
		s.exit(codeNameTaken, s.stop.why)
		return
	}
	s.stall, s.behindWhy = in.String(), in.String()
	s.record(Entry{Kind: EntryStart, Sentence: in.String() + "; it reads the nodes and joins them as at a start", Cause: "the process was stopped, or its machine suspended"})
	s.lease.End()
	s.book.Forget()
	if w := s.work; w != nil && w.aim == finalizing { // it always arrives, from wherever the nodes are by now
		s.forgetAll()
		s.lay(finalizing, w.target)
		return
	}
	s.endGoals(in.String())
	if s.settled != "" {
		s.opt.Last = s.settled
	}
	s.work, s.settled, s.writes = nil, "", false
	s.judge = s.machine.Start()
	s.forgetAll()
	s.begin()
	s.touchAll()
	s.showState()
	for i := range s.nodes {
		if s.stop != nil && s.nodes[i].arm.belief != Disarmed {
			s.disarm(i) // there is no time to look around in
		}
	}
}

// forgetAll drops what is known of every node but that it is there. Who can be armed may be.
func (s *State) forgetAll() {
	for i := range s.nodes {
		n := &s.nodes[i]
		n.forget()
		n.leg, n.deviant, n.wasArmed = leg{}, "", false
		if n.there() && n.spec.Arm != nil {
			unanswered := n.arm.disarms // it may be about to do them still
			n.arm.appear()
			n.arm.disarms = unanswered
		}
	}
}

// unread says why nothing but disarm and shutdown is taken while the nodes are being read.
func (s *State) unread() string {
	why := "the nodes have not all been read yet"
	if s.stall != "" {
		why = s.stall + ", and what was asked for before that is not done; " + why
	}
	if missing := s.waitingFor(); len(missing) > 0 { // else it is the name that is waited for
		why += ": " + strings.Join(missing, "; ")
	}
	return why
}
