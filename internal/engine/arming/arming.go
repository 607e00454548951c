// Package arming is what an instance believes of one node's being armed, and what it has asked of the node's process to change
// that. Arming and disarming are exempt from the rule of one request at a time: nothing that a node does holds a disarm up.
// So answers overtake each other, and a node may carry out a disarm after an arm that was sent later. Package arming decides
// what an answer means; table.go has every kind of answer in every standing of the node.
//
// It knows neither the network nor other nodes, and sends nothing: the engine sends, and says so by ArmSent and DisarmSent.
//
// It may import the standard library only.
package arming

import (
	"slices"
	"time"
)

// Belief is what is known of a node's being armed.
type Belief string

// The beliefs. A node that may be armed is treated as armed wherever that is the safer way.
const (
	Disarmed   Belief = "disarmed"
	MayBeArmed Belief = "may be armed"
	IsArmed    Belief = "armed"
)

// Every is the time between two disarms of a node that does not confirm.
const Every = time.Second

// kept is how many disarms without an answer are remembered.
const kept = 8

// Node is the belief about one node. Use New to make one.
type Node struct {
	belief  Belief
	duty    bool          // to be disarmed, again and again until the node confirms
	since   time.Duration // since when it has that duty
	refused string        // what the node said when it answered no
	vouched time.Duration // when it last said that it is armed: it has been busy with that
	ours    bool          // this instance has asked the process to arm since it was known anew
	clean   bool          // it was known to be disarmed when the newest arm went out
	unknown bool          // its process was neither read nor disarmed since it came: an earlier run may have armed it
	left    bool          // a process of it left the graph perhaps armed, and no lease ends that
	lowered time.Duration // when the node was last taken down because it does not confirm
	goneBy  time.Duration // of a node that is gone: when the lease has run out that it may have
	asked   asked
	before  *Node // what it was before the newest arm, in case that is not sent
}

// asked is what a process was asked. It is under way still when all that was believed is given up: a slow node may carry out
// an arm long after.
type asked struct {
	call       uint64        // the newest arm or disarm
	void       uint64        // an answer to a call up to this one tells nothing of the present
	arm        uint64        // the newest arm; a yes to any later disarm undoes it
	at         time.Duration // when the newest went out
	armAt      time.Duration // when the newest arm went out
	open       bool          // the newest has no answer yet
	armOpen    bool          // the newest arm has none
	unanswered []request     // disarms that have none; the newest last
}

type request struct {
	call uint64
	at   time.Duration
}

// New returns the belief about a node of which nothing is known: nothing is armed that is not there.
func New() Node { return Node{belief: Disarmed} }

// Appear notes that a process came, or is to be known anew, after so many calls. A process that an earlier life armed, or
// another instance, or that was armed before it was cut off, may be armed still.
func (n *Node) Appear(calls uint64) {
	*n = Node{belief: MayBeArmed, unknown: true, left: n.left, asked: n.asked}
	n.asked.void, n.asked.open = calls, false
}

// Vanish notes that the process is no more. What it had armed is not armed by its successor.
func (n *Node) Vanish() { n.become(Node{belief: Disarmed}) }

// Abandon notes that the process is gone, perhaps armed, and that no lease ends that.
func (n *Node) Abandon() { n.become(Node{belief: MayBeArmed, left: true}) }

// Outlive notes that the process is gone from the graph, and may be armed until its lease has run out.
func (n *Node) Outlive(ends time.Duration) { n.become(Node{belief: MayBeArmed, goneBy: ends}) }

// OutliveMore notes that the process may have heard of the lease since Outlive.
func (n *Node) OutliveMore(ends time.Duration) { n.goneBy = max(n.goneBy, ends) }

// Replace notes that another process has taken the place of the node's. left says that the former one may be armed still.
func (n *Node) Replace(left bool) {
	if n.left = left; !left {
		n.Vanish()
	}
}

// ForgetCalls notes that the process is a new one, which was asked nothing yet.
func (n *Node) ForgetCalls() { n.asked = asked{} }

// become takes what is believed now. What the process was asked stays.
func (n *Node) become(now Node) {
	now.asked, now.asked.open = n.asked, false
	*n = now
}

// Demand notes that the node is to be disarmed until it confirms. It reports whether that is new.
func (n *Node) Demand(now time.Duration) bool {
	first := !n.duty
	if first {
		n.since = now
	}
	n.duty, n.refused = true, ""
	return first
}

// Drop ends the duty to disarm the node, which another instance has from now on.
func (n *Node) Drop() { n.duty = false }

// TurnBack ends the duty to disarm because the node is to be armed again. Of several requests it may have carried out one and
// refused another, so it is not known to be armed.
func (n *Node) TurnBack() {
	if n.duty && n.belief == IsArmed {
		n.belief = MayBeArmed
	}
	n.duty, n.refused = false, ""
}

// Confirm notes that the node is disarmed for certain.
func (n *Node) Confirm() {
	n.belief, n.duty, n.unknown, n.left = Disarmed, false, false, false
}

// Meet notes that the process was read. It reports whether the node has to be disarmed because an earlier run may have armed
// it.
func (n *Node) Meet() bool {
	n.unknown = false
	return !n.duty
}

// Lower notes that the node is taken down because it does not confirm.
func (n *Node) Lower(now time.Duration) { n.lowered = now }

// DisarmSent notes a disarm that goes out.
func (n *Node) DisarmSent(call uint64, now time.Duration) {
	a := &n.asked
	a.call, a.at, a.open = call, now, true
	if len(a.unanswered) >= kept {
		a.unanswered = a.unanswered[1:]
	}
	a.unanswered = append(a.unanswered, request{call, now})
}

// ArmSent notes an arm that goes out. From that moment on the node may be armed.
func (n *Node) ArmSent(call uint64, now time.Duration) {
	before := *n
	before.before, before.asked.unanswered = nil, slices.Clone(n.asked.unanswered)
	n.before = &before
	a := &n.asked
	a.call, a.at, a.open = call, now, true
	a.arm, a.armAt, a.armOpen = call, now, true
	n.clean = n.belief == Disarmed
	n.ours, n.duty, n.refused, n.belief = true, false, "", MayBeArmed
}

// Unsent notes that the newest request, an arm, was not sent. It reports whether that was so.
func (n *Node) Unsent(call uint64) bool {
	if n.asked.call != call || n.before == nil {
		return false
	}
	*n = *n.before
	return true
}

// Age takes into account that all that was noted is older by a gap than the engine's clock says.
func (n *Node) Age(gap time.Duration) {
	older := func(at *time.Duration) {
		if *at != 0 {
			*at -= gap
		}
	}
	for ; n != nil; n = n.before {
		older(&n.vouched)
		older(&n.asked.armAt)
		older(&n.asked.at)
		for k := range n.asked.unanswered {
			older(&n.asked.unanswered[k].at)
		}
	}
}

// Belief returns what is known of the node's being armed.
func (n *Node) Belief() Belief { return n.belief }

// Duty reports whether the node is being disarmed until it confirms, and Since since when.
func (n *Node) Duty() bool           { return n.duty }
func (n *Node) Since() time.Duration { return n.since }

// Refused returns what the node said when it answered no to the newest request; empty: it did not.
func (n *Node) Refused() string { return n.refused }

// Open reports whether the newest request has no answer yet, and Sent when that went out.
func (n *Node) Open() bool          { return n.asked.open }
func (n *Node) Sent() time.Duration { return n.asked.at }

// ArmSentAt returns when the newest arm went out.
func (n *Node) ArmSentAt() time.Duration { return n.asked.armAt }

// Vouched returns when the node last said that it is armed.
func (n *Node) Vouched() time.Duration { return n.vouched }

// Ours reports whether this instance has asked the process to arm.
func (n *Node) Ours() bool { return n.ours }

// Clean reports whether this instance knew the node to be disarmed when the newest arm went out.
func (n *Node) Clean() bool { return n.clean }

// Unknown reports whether an earlier run may have armed the process, which was not read yet.
func (n *Node) Unknown() bool { return n.unknown }

// Left reports whether a former process left the graph perhaps armed, without a lease that ends.
func (n *Node) Left() bool { return n.left }

// GoneBy returns when the lease has run out that a node may have which is gone.
func (n *Node) GoneBy() time.Duration { return n.goneBy }

// Lowered returns when the node was last taken down because it does not confirm; 0: it was not.
func (n *Node) Lowered() time.Duration { return n.lowered }

// LastOpenDisarm returns when the newest disarm without an answer went out; ok is false if each has one.
func (n *Node) LastOpenDisarm() (at time.Duration, ok bool) {
	if k := len(n.asked.unanswered); k > 0 {
		return n.asked.unanswered[k-1].at, true
	}
	return 0, false
}
