package engine

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/network"
	"rstate/internal/patient"
)

// Nodes that an earlier run may have left armed, and that this network file does not arm by the
// same call. No state mentions them, so they hold nothing but arming. The daemon asks each of them
// every second to disarm, until it confirms.

// Leftover is one of these nodes, with the call from the journal.
type Leftover struct {
	Node, Service, Type string
	Lease               bool          // it follows the arm lease of the run that armed it, which has ended
	Proof               time.Duration // for how long that lease is good
	Open                bool          // a request to arm may not have been handled yet
}

// leftoverNode is what is known of one Leftover.
type leftoverNode struct {
	Leftover
	call     uint64        // newest request
	asked    bool          // there was a request
	sent     time.Duration // when the newest request was sent
	refused  string        // the node's refusal
	absent   bool          // no node offered the call when it was last asked
	disarmed bool
	ends     time.Duration // when that lease has run out
	first    time.Duration // when it confirmed first; 0: it did not
}

// leftoversIn is how long a disarm goal waits for leftovers.
const leftoversIn = 3 * time.Second * patient.Factor

func leftoversOf(list []Leftover) []leftoverNode {
	all := make([]leftoverNode, len(list))
	for k, l := range list {
		all[k].Leftover = l
	}
	return all
}

// disarmLeftovers asks each leftover that has not confirmed, once this instance holds the name.
func (ro *roster) disarmLeftovers() {
	if len(ro.hold.leftovers) == 0 || !ro.mayWrite() {
		return
	}
	for k := range ro.hold.leftovers {
		l := &ro.hold.leftovers[k]
		if l.disarmed || l.asked && ro.now.Steady < l.sent+disarmEvery {
			continue
		}
		l.call, l.asked, l.sent = ro.next(), true, ro.now.Steady
		ro.do(DisarmLeftover{Leftover: k, Call: l.call, Node: l.Node})
		ro.wakeWhole(ro.now.Steady + disarmEvery)
	}
}

func (le *league) leftoverAnswered(in LeftoverAnswered) {
	l := &le.hold.leftovers[in.Leftover]
	if l.disarmed || in.Call > l.call {
		return
	}
	was := *l
	l.absent, l.refused = in.Absent, ""
	yes := in.Success && !in.Several
	if yes && l.first == 0 {
		l.first = le.now.Steady
	}
	switch {
	case yes && l.settling(in.Call):
		l.refused = "may obey a request to arm of the earlier run yet"
	case yes, in.Absent && l.Lease && le.now.Steady >= max(l.ends, le.hold.othersEnd):
		l.disarmed = true
		le.record(Entry{Kind: EntryNode, Event: EventDisarmed, Node: l.Node, Disarm: DisarmCall{Service: l.Service},
			Sentence: l.Node + " is disarmed, which an earlier run may have left armed"})
	case in.Several:
		l.refused = "more than one process offers " + l.Service
	case !in.Absent:
		l.refused = arming.Refusal(in.Message)
	}
	if *l != was {
		le.changed, le.peers.untold = true, true
	}
}

// settling reports whether a yes to a call proves nothing yet: while a request to arm of the earlier run may be open, a
// second one does that was asked for so long after the first as such a request may take.
func (l *leftoverNode) settling(call uint64) bool {
	return l.Open && (call != l.call || l.sent < l.first+network.DefaultSettles)
}

// armedLeftovers names the leftovers that are not known to be disarmed.
func (ho *holding) armedLeftovers() []string {
	var names []string
	for k := range ho.leftovers {
		if !ho.leftovers[k].disarmed {
			names = append(names, ho.leftovers[k].Node)
		}
	}
	return names
}

// recordLeftovers records at a start which nodes the journal calls armed, and this network file does not
// arm.
func (ro *roster) recordLeftovers() {
	ro.hold.noteOtherLease(&ro.agenda)
	for k := range ro.hold.leftovers {
		l := &ro.hold.leftovers[k]
		l.ends = ro.now.Steady + leaseOf(l.Proof)
		ro.record(Entry{
			Kind: EntryNode, Event: EventMayBeArmed, Node: l.Node,
			Disarm: DisarmCall{Service: l.Service, Type: l.Type, Lease: l.Lease, Proof: l.Proof,
				Armed: !l.Open},
			Sentence: l.Node + " may be armed",
			Cause: "an earlier run may have left it armed, and " + cmp.Or(ro.net.File, "the network file") +
				" does not arm it",
		})
	}
}

// leftoverWarnings says for each leftover that it may be armed, and what to do.
func (ho *holding) leftoverWarnings() []string {
	var list []string
	for _, l := range ho.leftovers {
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

// leftoversForbid says why leftovers forbid arming; empty: there is none.
func (ho *holding) leftoversForbid() string {
	names := ho.armedLeftovers()
	if len(names) == 0 {
		return ""
	}
	return "not known to be disarmed since an earlier run: " + strings.Join(names, ", ")
}
