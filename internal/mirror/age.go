package mirror

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/patient"
)

// The limits of following a peer into an armed state. Both count the age of what the peer said,
// however late it came.
const (
	// FollowIn is the greatest age of a change at which an instance begins to follow it into an
	// armed state.
	FollowIn = 2 * time.Second * patient.Factor
	// window is for how long a book remembers how fast a message of a peer can be. It is that of a
	// receiver of the lease.
	window = 10 * time.Second
)

// clock compares the steady clock of one instance with ours, as a receiver of the arm lease does:
// the fastest message of the window gives the distance of the two clocks. An age that follows from
// it is too small by the transport time of that message at most, and never too large.
type clock struct {
	ways  []way         // candidates for the fastest message of the window, the slowest last
	spoke time.Duration // when the newest message was sent, by its clock
}

type way struct{ at, took time.Duration } // receipt, and receipt minus sending

// note takes a message that was sent at a moment of its clock and received at one of ours.
func (c *clock) note(at, sent time.Duration) {
	if len(c.ways) == 0 || sent > c.spoke {
		c.spoke = sent
	}
	w := way{at, at - sent}
	for len(c.ways) > 0 && c.ways[len(c.ways)-1].took >= w.took {
		c.ways = c.ways[:len(c.ways)-1]
	}
	c.ways = append(c.ways, w)
	for w.at-c.ways[0].at > window {
		c.ways = c.ways[1:]
	}
}

// age is how long ago a moment of its clock was.
func (c *clock) age(now, then time.Duration) (age time.Duration, ok bool) {
	if len(c.ways) == 0 {
		return 0, false
	}
	return now - then - c.ways[0].took, true
}

// hearClock takes when a message was sent, by the clock of an instance that is known.
func (b *Book) hearClock(now time.Duration, p *Peer, instance string, sent time.Duration) {
	if p != nil && !p.Plain && p.Status.Instance == instance {
		p.clock.note(now, sent)
	}
}

// Age is how old a change is, however late it came. ok is false if nothing is known of the clock of
// its maker.
func (b *Book) Age(now time.Duration, name, instance string, made time.Duration) (age time.Duration, ok bool) {
	p := b.Peer(name)
	if p == nil || p.Plain || p.Status.Instance != instance {
		return 0, false
	}
	return p.clock.age(now, made)
}

// TooOld says why a task is not followed into an armed state any more; empty: it may be.
func (b *Book) TooOld(now time.Duration, t *Task) string {
	if !b.arms(t.Target) || t.CatchUp || t.Unarmed {
		return ""
	}
	age, ok := b.Age(now, t.From, t.Instance, t.Made)
	switch {
	case !ok:
		return fmt.Sprintf("when %s was armed is not known; send arm", t.From)
	case age > FollowIn:
		return fmt.Sprintf("%s was armed %v ago, which is too old to follow; send arm", t.From,
			age.Truncate(100*time.Millisecond))
	}
	return ""
}

// Vouches says why a peer whose change this network follows into an armed state does not vouch for
// it now; empty: it does. The peer has to be there, in step, in that state itself or in one that
// arms as much, and heard within the last second. Its newest change must not have led out of it.
func (b *Book) Vouches(now time.Duration, name, instance, armed string) string {
	p := b.Peer(name)
	switch {
	case p == nil || p.Plain || p.Status.Instance != instance:
		return "it is not there any more"
	case !p.Alive:
		return "it is lost: " + p.Why
	case !p.Same:
		return "it follows another machine"
	case !p.InStep:
		return "it has not said anything since this rstate stood still"
	case p.Status.Leaving:
		return "it is about to end"
	}
	if state := p.state(); !b.arms(state) || b.conf.Machine.Raises(state, armed) {
		return "it is " + state
	}
	if p.said.n == Count(p.Status.Seen, instance) && p.said.n > 0 && !b.arms(p.said.target) {
		return "it goes to " + p.said.target // the status of before was the last one that came
	}
	if age, _ := p.clock.age(now, p.clock.spoke); age > Fresh {
		return fmt.Sprintf("it has said nothing for %v", age.Truncate(100*time.Millisecond))
	}
	return ""
}

// state is the newest state that a peer has told of: by its status or, where that is older, by its
// newest change.
func (p *Peer) state() string {
	if p.said.n > Count(p.Status.Seen, p.Status.Instance) {
		return p.said.state
	}
	return p.Status.State
}

// said is the newest change of a peer, the state in which the peer was then, and the one to which it went.
type said struct {
	n             uint64
	state, target string
}

// hearState takes the state in which a peer was when it published a change.
func (b *Book) hearState(p *Peer, c *Change) {
	if n := Count(c.Seen, c.Instance); p != nil && p.Status.Instance == c.Instance && n >= p.said.n {
		p.said = said{n, c.State, c.TargetState}
	}
}

// Orders lists how many disarm orders of each instance are known, in the order of the instances.
// The list is never changed: a newer one takes its place.
func (b *Book) Orders() []Seen { return slices.Clip(b.orders) }

// Ordered is how many disarm orders were given here.
func (b *Book) Ordered() uint64 { return Count(b.orders, b.conf.Instance) }

// Order counts a disarm order that was given here. Disarm is what follows from it.
func (b *Book) Order() {
	given := []Seen{{b.conf.Instance, b.Ordered() + 1}}
	b.orders, b.obeyed = Merge(b.orders, given), Merge(b.obeyed, given)
}

// hearOrders takes the counts of orders from a message of an instance: that of its own, and those of
// known instances that are not alive here. These cannot say it themselves any more: one may have ended before its
// order was heard, and its next process, or a peer that had heard it, passes it on.
func (b *Book) hearOrders(name, instance string, orders []Seen) []Note {
	notes := b.hearOrder(name, Seen{instance, Count(orders, instance)}, name+" orders every instance to disarm")
	for _, s := range orders {
		if s.Instance != instance && !b.living(s.Instance) && b.ordersOf(s.Instance) >= 0 {
			words := fmt.Sprintf("%s passes on an order to disarm of %s, which has ended", name, s.Instance)
			notes = append(notes, b.hearOrder(name, s, words)...)
		}
	}
	return notes
}

// hearForgetful takes the first message of a new run, if it does not list the orders of the run before it. Its journal is
// lost or not whole, and that run may have ordered to disarm when nothing was heard of it any more. So it counts as
// one that has, unless it had said that it ends.
func (b *Book) hearForgetful(name, instance string, orders []Seen) []Note {
	p := b.Peer(name)
	if p == nil || p.Plain || p.Status.Leaving || !b.conf.Machine.CanArm() || b.ordersOf(instance) >= 0 {
		return nil // the last: that run is not new
	}
	was := p.Status.Instance
	if slices.ContainsFunc(orders, func(s Seen) bool { return s.Instance == was }) {
		return nil
	}
	b.Disarm()
	words := fmt.Sprintf("%s has started anew, and does not know what its run before (%s) ordered: "+
		"that counts as an order to disarm; its journal is lost or not whole, see its log", name, was)
	return []Note{{What: Ordered, Peer: name, Words: words}}
}

// ordersOf is the place of an instance among those whose orders are known; -1: they are not.
func (b *Book) ordersOf(instance string) int {
	return slices.IndexFunc(b.orders, func(s Seen) bool { return s.Instance == instance })
}

// hearOrder takes the count of the orders that an instance has given. A count that is heard for the first
// time is only noted: the order may be of any age.
func (b *Book) hearOrder(name string, given Seen, words string) []Note {
	instance, n := given.Instance, given.N
	k := b.ordersOf(instance)
	if k >= 0 && n <= b.orders[k].N {
		return nil
	}
	b.orders = prune(Merge(b.orders, []Seen{{instance, n}}), b.living)
	if k < 0 {
		return nil
	}
	b.obeyed = prune(Merge(b.obeyed, []Seen{{instance, n}}), b.living)
	b.Disarm()
	return []Note{{What: Ordered, Peer: name, Words: words}}
}

// Disarm lowers the common target, and what is to be followed, to the state that they are with
// nothing armed. It is no change that peers follow.
func (b *Book) Disarm() {
	b.target = b.conf.Machine.Disarmed(b.target)
	if b.task != nil && b.arms(b.task.Target) {
		t := *b.task
		t.Target, t.Unarmed = b.conf.Machine.Disarmed(t.Target), true
		b.task = &t
	}
}

// overruled says that what leads into an armed state was said before an order of another instance,
// or of this one, was heard there; empty: it was not. Orders that were only noted do not count, nor
// do those of instances that are not alive: one that started later cannot know of them.
func (b *Book) overruled(name, target string, orders []Seen) string {
	if !b.arms(target) {
		return ""
	}
	for _, s := range b.obeyed {
		if s.N > Count(orders, s.Instance) && b.living(s.Instance) {
			return fmt.Sprintf("%s had not heard of a disarm that was ordered: this network is not armed with it; send arm", name)
		}
	}
	return ""
}

// Unconfirmed says why a peer is not known to have carried out all disarm orders that were given
// here; empty: it has.
func (b *Book) Unconfirmed(p *Peer) string {
	st := &p.Status
	switch {
	case Count(st.Orders, b.conf.Instance) < b.Ordered():
		return "has not heard of the disarm"
	case len(st.MayBeArmed) > 0:
		return "may still be armed: " + strings.Join(st.MayBeArmed, ", ")
	case p.Same && b.arms(st.State):
		return "is still " + st.State
	}
	return ""
}
