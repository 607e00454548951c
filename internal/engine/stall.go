package engine

import (
	"fmt"
	"strings"
	"time"
)

// Stall is the longest that the loop may stand still. What is believed after more may be of another time.
const Stall = 500 * time.Millisecond

// drain is how long after a stall goals count as sent before its end: the sockets hold what came meanwhile, and nothing in
// a goal tells when it was sent.
const drain = time.Second

// imprecise is the difference between two measures of one gap that is within their precision.
const imprecise = 150 * time.Millisecond

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// Perishable reports whether an effect must not be carried out after a gap of more than Stall: what raises, and what
// vouches for nodes.
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
	if s.closing.ended != nil {
		return
	}
	if s.yields() { // what it had armed and not yet disarmed is the other's by now
		s.exit(codeNameTaken, s.closing.stop.why)
		return
	}
	s.gap.stall, s.peers.behindWhy = in.String(), in.String()
	s.gap.newestStall, s.gap.drainedAt = in.String(), s.now.Steady+drain
	for k := range s.gap.keeps {
		s.gap.keeps[k].in.old = in.String()
	}
	stall := Entry{Kind: EntryStall, Event: EventStalled, Sentence: in.String()}
	if w := s.work; w == nil || !w.phase.ends {
		stall.State = s.machine.Start().State()
	}
	s.record(stall)
	s.endLease()
	s.peers.book.Forget()
	if w := s.work; w != nil && w.phase.ends { // it always arrives, from wherever the nodes are by now
		s.forgetAll()
		s.lay(finalizing, w.target)
		return
	}
	if t, ok := s.leaves(); ok && len(s.mayBeArmed()) > 0 {
		s.noteLowered(ByPolicy, t.Name, in.String())
	}
	s.endGoals(in.String())
	if s.settled != "" {
		s.fixed.opt.Last = s.settled
	}
	s.work, s.settled, s.startup.writes = nil, "", false
	s.judge = s.machine.Start()
	s.forgetAll()
	s.begin()
	s.touchAll()
	s.showState()
	for i := range s.nodes {
		if s.closing.stop != nil && s.nodes[i].arm.Belief() != Disarmed {
			s.disarm(i) // there is no time to look around in
		}
	}
}

// forgetAll drops what is known of every node but that it is there. Who can be armed may be.
func (s *State) forgetAll() {
	for i := range s.nodes {
		n := &s.nodes[i]
		n.forget()
		s.retest(i)
		n.leg, n.deviant, n.wasArmed = leg{}, "", false
		if n.there() && n.spec.Arm != nil {
			n.arm.Appear(s.turn.number)
		}
	}
}

// unread says why nothing but disarm and shutdown is taken while the nodes are being read.
func (s *State) unread() string {
	why := "the nodes have not all been read yet"
	if s.gap.stall != "" {
		why = s.gap.stall + ", and " + why
	}
	if missing := s.waitingFor(); len(missing) > 0 { // else it is the name that is waited for
		why += ": " + strings.Join(missing, "; ")
	}
	return why
}
