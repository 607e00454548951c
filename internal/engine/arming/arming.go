// Package arming is what an instance believes of one node's being armed, and the ledger of its
// requests to arm and disarm. Such requests are exempt from the rule of one request at a time: a
// disarm waits for nothing that the node does. So answers overtake each other, and a node may handle
// a disarm after an arm that was sent later. Package arming decides what an answer means; table.go
// has every kind of answer in every standing of the node, ledger.go what proves that it is disarmed.
//
// It knows neither the network nor other nodes, and sends nothing. The engine sends, and reports it
// by ArmSent and DisarmSent. Whether arming is permitted is decided in package grant.
//
// It may import the standard library only.
package arming

import "time"

// Belief is whether a node is armed, as far as is known.
type Belief string

// The beliefs. A node that may be armed counts as armed wherever that is safer.
const (
	Disarmed   Belief = "disarmed"
	MayBeArmed Belief = "may be armed"
	IsArmed    Belief = "armed"
)

// Every is the time between two disarms of a node that does not confirm.
const Every = time.Second

// Node is the belief about one node. Use New to make one.
type Node struct {
	belief  Belief
	settles time.Duration // how long after a disarm an unanswered arm may still take effect
	duty    bool          // its disarm is repeated until it confirms
	since   time.Duration // when that duty began
	refused string        // the words of its refusal
	vouched time.Duration // when it last said that it is armed; it was busy with that
	ours    bool          // this instance has asked the process to arm since its last Appear
	clean   bool          // it was known to be disarmed when the newest arm was sent
	// The process was neither read nor disarmed yet: an earlier run may have armed it.
	unknown bool
	// A former process left the graph, perhaps armed, without a lease that ends.
	abandoned bool
	// The process has taken the name of another one, and was never asked to arm.
	successor bool
	// No journal says whether an earlier run has armed the process, in whatever state it is.
	wary    bool
	roused  time.Duration // when such a process became able to confirm
	lowered time.Duration // when it was last lowered for not confirming
	goneBy  time.Duration // when the last possible lease of a process that is gone has run out
	asked   ledger
	before  *Node // its belief before the newest arm, in case that is not sent
}

// New returns the belief about an unknown node: an absent node is disarmed. settles is how long
// after a disarm a request to arm that was not answered may still take effect.
func New(settles time.Duration) Node { return Node{belief: Disarmed, settles: settles} }

// Inherit notes that an earlier run has left the node armed, perhaps. open says that a request to arm
// may not have been handled yet.
func (n *Node) Inherit(open bool) {
	n.belief = MayBeArmed
	if open {
		n.asked.arms = append(n.asked.arms, request{})
	}
}

// Doubt notes that no journal says whether an earlier run has armed the first process that appears.
func (n *Node) Doubt() { n.wary = true }

// Appear notes a new process, or one to learn anew, after so many calls. It may still be armed: by
// an earlier run, by another instance, or from before it was cut off.
func (n *Node) Appear(calls uint64) {
	n.become(Node{
		belief: MayBeArmed, unknown: true,
		abandoned: n.abandoned, goneBy: n.goneBy, successor: n.successor, wary: n.wary,
	})
	n.asked.void, n.asked.first = calls, 0
}

// Vanish notes that the process has ended. Its successor is not armed by what it did.
func (n *Node) Vanish() { n.become(Node{belief: Disarmed}) }

// Abandon notes that the process is gone, perhaps armed, without a lease that ends.
func (n *Node) Abandon() { n.become(Node{belief: MayBeArmed, abandoned: true}) }

// Outlive notes that the process has left the graph, and may be armed until its lease has run out.
func (n *Node) Outlive(ends time.Duration) { n.become(Node{belief: MayBeArmed, goneBy: ends}) }

// OutliveMore notes that the process may have heard the lease since Outlive.
func (n *Node) OutliveMore(ends time.Duration) { n.goneBy = max(n.goneBy, ends) }

// Succeed notes another process, after so many calls. heir says that a former process had its name. It may be that
// one all the same: one that was cut off and is back, or one that is left of two of its name. So a request to arm
// without an answer may still take effect in it.
func (n *Node) Succeed(calls uint64, heir bool) {
	open := len(n.asked.arms) > 0
	n.asked = ledger{born: calls}
	if open {
		n.asked.arms = append(n.asked.arms, request{})
	}
	n.successor, n.wary = heir, n.wary && !heir
}

// become replaces the belief and keeps the ledger.
func (n *Node) become(now Node) {
	now.settles, now.asked, now.asked.open = n.settles, n.asked, false
	*n = now
}

// Demand begins the duty to disarm the node until it confirms. It reports whether that is new.
func (n *Node) Demand(now time.Duration) bool {
	first := !n.duty
	if first {
		n.since = now
	}
	n.duty, n.refused = true, ""
	return first
}

// Drop ends the duty to disarm the node, because another instance has it now.
func (n *Node) Drop() { n.duty = false }

// TurnBack ends the duty to disarm because the node is to be armed again. It may have handled one
// of several requests and refused another, so it is not known to be armed.
func (n *Node) TurnBack() {
	if n.duty && n.belief == IsArmed {
		n.belief = MayBeArmed
	}
	n.duty, n.refused = false, ""
}

// Confirm notes that the node is certainly disarmed. What it was asked has no effect any more.
func (n *Node) Confirm() {
	n.belief, n.duty, n.unknown, n.abandoned, n.wary, n.roused, n.goneBy = Disarmed, false, false, false, false, 0, 0
	n.asked.settle()
}

// Meet notes that the process was read. active says that it can be armed in its state. It reports whether
// the node must be disarmed because an earlier run may have armed it. If no journal says whether that run
// did, its request may still be open.
func (n *Node) Meet(active bool) bool {
	n.unknown = false
	if n.wary && active && !n.asked.inherited() {
		n.asked.arms = append(n.asked.arms, request{})
	}
	return !n.duty
}

// Lower notes that the node is lowered because it does not confirm.
func (n *Node) Lower(now time.Duration) { n.lowered = now }

// DisarmSent notes that a disarm was sent.
func (n *Node) DisarmSent(call uint64, now time.Duration) { n.asked.disarm(call, now) }

// ArmSent notes that an arm was sent. From that moment the node may be armed.
func (n *Node) ArmSent(call uint64, now time.Duration) {
	before := *n
	before.before, before.asked = nil, n.asked.clone()
	n.before = &before
	n.asked.armed(call, now)
	n.clean = n.belief == Disarmed
	n.ours, n.successor, n.duty, n.refused, n.belief = true, false, false, "", MayBeArmed
}

// TakeBack notes that an arm, the newest request, was not sent. It reports whether that was so.
func (n *Node) TakeBack(call uint64) bool {
	if n.asked.call != call || n.before == nil {
		return false
	}
	*n = *n.before
	return true
}

// Clone returns a copy that shares no memory with the node.
func (n *Node) Clone() Node {
	c := *n
	c.asked = n.asked.clone()
	if n.before != nil {
		before := n.before.Clone()
		c.before = &before
	}
	return c
}

// Age makes everything noted older by a gap that the engine's clock leaves out.
func (n *Node) Age(gap time.Duration) {
	for ; n != nil; n = n.before {
		if n.vouched != 0 {
			n.vouched -= gap
		}
		n.asked.age(gap)
	}
}

// Belief returns whether the node is armed, as far as is known.
func (n *Node) Belief() Belief { return n.belief }

// Settling reports whether the node has confirmed that it is disarmed, while a request to arm has no
// answer, which may still take effect.
func (n *Node) Settling() bool { return n.belief == MayBeArmed && n.duty && n.asked.first != 0 }

// Pending reports whether a request to arm has no answer.
func (n *Node) Pending() bool { return len(n.asked.arms) > 0 }

// Rouse notes that the process can confirm from now on, if it could not before.
func (n *Node) Rouse(now time.Duration) { n.roused = now }

// Roused returns when the process became able to confirm, which it has not done yet; 0: it did not.
func (n *Node) Roused() time.Duration { return n.roused }

// SettledAt returns when a node that settles can prove that it is disarmed.
func (n *Node) SettledAt() time.Duration { return n.asked.first + n.settles }

// Next returns when the disarm of the node is to be repeated; ok is false if it is not.
func (n *Node) Next() (at time.Duration, ok bool) {
	at = n.asked.at + Every
	if n.Settling() {
		at = max(at, n.SettledAt())
	}
	return at, n.duty && n.belief != Disarmed
}

// Duty reports whether the node's disarm is repeated until it confirms.
func (n *Node) Duty() bool { return n.duty }

// Since returns when the disarm was first requested.
func (n *Node) Since() time.Duration { return n.since }

// Refused returns the node's words if it refused the newest request; empty: it did not.
func (n *Node) Refused() string { return n.refused }

// Asked returns how many disarms of the process have no answer.
func (n *Node) Asked() int { return len(n.asked.unanswered) }

// Open reports whether the newest request has no answer yet.
func (n *Node) Open() bool { return n.asked.open }

// Sent returns when the newest request was sent.
func (n *Node) Sent() time.Duration { return n.asked.at }

// ToDisarm reports whether the newest request was a disarm.
func (n *Node) ToDisarm() bool { return n.asked.call > n.asked.arm }

// ArmSentAt returns when the newest arm was sent.
func (n *Node) ArmSentAt() time.Duration { return n.asked.armAt }

// Vouched returns when the node last said that it is armed.
func (n *Node) Vouched() time.Duration { return n.vouched }

// Ours reports whether this instance has asked the process to arm.
func (n *Node) Ours() bool { return n.ours }

// Clean reports whether this instance knew the node to be disarmed when the newest arm was sent.
func (n *Node) Clean() bool { return n.clean }

// Unknown reports whether an earlier run may have armed the process, which was not read yet.
func (n *Node) Unknown() bool { return n.unknown }

// Abandoned reports whether a former process left the graph, perhaps armed, without a lease that ends.
func (n *Node) Abandoned() bool { return n.abandoned }

// Successor reports whether the process has taken the name of another one, and was never asked to
// arm.
func (n *Node) Successor() bool { return n.successor }

// Wary reports whether no journal says whether an earlier run has armed the process.
func (n *Node) Wary() bool { return n.wary }

// GoneBy returns when the last possible lease of a process that is gone has run out; 0: none is gone.
func (n *Node) GoneBy() time.Duration { return n.goneBy }

// Lowered returns when the node was last lowered for not confirming; 0: it was not.
func (n *Node) Lowered() time.Duration { return n.lowered }

// LastOpenDisarm returns when the newest unanswered disarm was sent; ok is false if there is none.
func (n *Node) LastOpenDisarm() (at time.Duration, ok bool) {
	if k := len(n.asked.unanswered); k > 0 {
		return n.asked.unanswered[k-1].at, true
	}
	return 0, false
}
