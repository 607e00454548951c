package engine

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rstate/internal/engine/arming"
)

// Nodes that an earlier run may have left armed, and that this network file does not arm by the
// same call. No state mentions them, so they hold nothing but arming. The daemon asks each of them
// every second to disarm, until it confirms.

// Left is one of these nodes, with the call from the journal.
type Left struct {
	Node, Service, Type string
	Lease               bool // it follows the arm lease of the run that armed it, which has ended
}

// leftover is what is known of one Left.
type leftover struct {
	Left
	call     uint64        // newest request
	asked    bool          // there was a request
	sent     time.Duration // when the newest request was sent
	refused  string        // the node's refusal
	absent   bool          // no node offered the call when it was last asked
	disarmed bool
}

// leftIn is how long a disarm goal waits for leftovers.
const leftIn = 3 * time.Second

func leftoversOf(list []Left) []leftover {
	all := make([]leftover, len(list))
	for k, l := range list {
		all[k].Left = l
	}
	return all
}

// disarmLeft asks each leftover that has not confirmed, once this instance holds the name.
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
	case in.Success && !in.Several, in.Absent && l.Lease && s.now.Steady >= s.hold.othersEnd:
		l.disarmed = true
		s.record(Entry{Kind: EntryNode, Event: EventDisarmed, Node: l.Node, Sentence: l.Node + " is disarmed, which an earlier run may have left armed"})
	case in.Several:
		l.refused = "more than one process offers " + l.Service
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

// recordLeft records at a start which nodes the journal calls armed, and this network file does not
// arm.
func (s *State) recordLeft() {
	s.othersHold()
	for _, l := range s.hold.leftovers {
		s.record(Entry{
			Kind: EntryNode, Event: EventMayBeArmed, Node: l.Node, Disarm: DisarmCall{Service: l.Service, Type: l.Type, Lease: l.Lease},
			Sentence: l.Node + " may be armed", Cause: "an earlier run may have left it armed, and " + cmp.Or(s.net.File, "the network file") + " does not arm it",
		})
	}
}

// leftWords says for each leftover that it may be armed, and what to do.
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

// leftRefuses says why leftovers forbid arming; empty: there is none.
func (s *State) leftRefuses() string {
	names := s.leftArmed()
	if len(names) == 0 {
		return ""
	}
	return "not known to be disarmed since an earlier run: " + strings.Join(names, ", ")
}
