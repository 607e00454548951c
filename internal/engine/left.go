package engine

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/network"
)

// Nodes that an earlier run may have left armed, and that this network file does not arm by the same call. No state says
// anything of them, so they hold nothing up but arming: each is asked to disarm, every second, until it confirms.

// Left is such a node, with the call that the journal recorded.
type Left struct {
	Node, Service, Type string
	Lease               bool // it follows the arm lease of the coordinator that armed it, which has ended
}

// leftIn is how long a disarm goal waits for leftovers.
const leftIn = 3 * time.Second

// leaseOver is the least time for which a lease of another run counts as holding. That run may have had a longer `proof`
// than this one.
const leaseOver = 10 * time.Second

// othersHold notes that another run may have renewed its lease just now.
func (s *State) othersHold() {
	s.hold.othersEnd = s.now.Steady + max(leaseOver, s.net.Proof+leaseSlack)
}

// leftover is what is known of one Left.
type leftover struct {
	Left
	call     uint64        // the newest request
	asked    bool          // there was one
	sent     time.Duration // when
	refused  string        // what the node said when it answered no
	absent   bool          // nobody offered the call when it was last asked
	disarmed bool
}

func leftoversOf(list []Left) []leftover {
	all := make([]leftover, len(list))
	for k, l := range list {
		all[k].Left = l
	}
	return all
}

// disarmLeft asks each leftover that has not confirmed, once the name is ours.
func (s *State) disarmLeft() {
	if len(s.hold.leftovers) == 0 || !s.mayWrite() {
		return
	}
	for k := range s.hold.leftovers {
		l := &s.hold.leftovers[k]
		if l.disarmed || l.asked && s.now.Steady < l.sent+disarmEvery {
			continue
		}
		l.call, l.asked, l.sent = s.next(), true, s.now.Steady
		s.do(DisarmLeft{Left: k, Call: l.call, Node: l.Node})
		s.wakeWhole(s.now.Steady + disarmEvery)
	}
}

func (s *State) leftAnswered(in LeftAnswered) {
	l := &s.hold.leftovers[in.Left]
	if l.disarmed || in.Call > l.call {
		return
	}
	was := *l
	l.absent, l.refused = in.Absent, ""
	switch {
	case in.Success, in.Absent && l.Lease && s.now.Steady >= s.hold.othersEnd:
		l.disarmed = true
		s.record(Entry{Kind: EntryNode, Event: EventDisarmed, Node: l.Node, Sentence: l.Node + " is disarmed, which an earlier run may have left armed"})
	case !in.Absent:
		l.refused = arming.Refusal(in.Message)
	}
	if *l != was {
		s.report.changed, s.peers.untold = true, true
	}
}

// leftArmed names the leftovers that are not known to be disarmed.
func (s *State) leftArmed() []string {
	var names []string
	for k := range s.hold.leftovers {
		if !s.hold.leftovers[k].disarmed {
			names = append(names, s.hold.leftovers[k].Node)
		}
	}
	return names
}

// recordLeft notes at a start what the journal says of nodes that this network file does not arm.
func (s *State) recordLeft() {
	s.othersHold()
	for _, l := range s.hold.leftovers {
		s.record(Entry{
			Kind: EntryNode, Event: EventMayBeArmed, Node: l.Node, Service: l.Service, Type: l.Type, Lease: l.Lease,
			Sentence: l.Node + " may be armed", Cause: "an earlier run may have left it armed, and " + cmp.Or(s.net.File, "the network file") + " does not arm it",
		})
	}
}

// leftWords says of each leftover that it may be armed, and what helps.
func (s *State) leftWords() []string {
	var list []string
	for _, l := range s.hold.leftovers {
		if l.disarmed {
			continue
		}
		words := l.Node + " may be armed: an earlier run may have left it so, and the network file does not arm it"
		switch {
		case l.refused != "":
			words += "; it is asked to disarm every second and " + l.refused
		case l.absent:
			words += fmt.Sprintf("; no process offers %s: start the node, or, if it is disarmed for certain, move the journal away and start rstate again", l.Service)
		default:
			words += "; it is asked to disarm every second"
		}
		list = append(list, words)
	}
	return list
}

// leftRefuses says why nothing is armed beside leftovers; empty: there is none.
func (s *State) leftRefuses() string {
	names := s.leftArmed()
	if len(names) == 0 {
		return ""
	}
	return "not known to be disarmed since an earlier run: " + strings.Join(names, ", ")
}

// noteArms records which nodes may be armed, with the call that disarms them: the next start may have another network file.
// While a start has not read the nodes nothing can be armed, and what the journal says stands.
func (s *State) noteArms() {
	for _, i := range s.fixed.armable {
		n := &s.nodes[i]
		may := n.arm.Belief() != Disarmed || s.aboutToArm(i)
		if may == n.noted || may && s.settled == "" || !may && n.epoch == 0 {
			continue
		}
		n.noted = may
		e := s.nodeEntry(i, EntryNode, EventDisarmed, "is disarmed")
		if may {
			e = s.nodeEntry(i, EntryNode, EventMayBeArmed, "may be armed from now on")
			e.Service, e.Type, e.Lease = n.spec.Arm.Service, n.spec.Arm.Type, n.spec.Arm.DeadMan == network.DeadManLease
		}
		s.record(e)
	}
}

// aboutToArm reports whether the running work is to arm node i and has not failed yet.
func (s *State) aboutToArm(i int) bool {
	w := s.work
	if w == nil || !w.proves() || w.fault.failing {
		return false
	}
	target, _ := s.machine.State(w.target)
	return s.net.Arms(target, i) && s.nodes[i].there()
}
