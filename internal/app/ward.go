package app

import (
	"time"

	"rstate/internal/lease"
)

// askAgain is how long a guard waits for a node to confirm that it is disarmed before it asks
// again.
const askAgain = time.Second

// watch is what a guard is at.
type watch int

const (
	watchIdle      watch = iota // nothing is armed, as far as it has heard
	watchHolding                // a lease holds
	watchDisarming              // it has ended, and a node has not confirmed yet
)

// ward is the state of a guard: a pure value, with times of one steady clock. The lease alone tells
// it whether nodes are armed. The coordinator's state only distinguishes a lease that was returned,
// with all nodes disarmed, from one that broke off.
type ward struct {
	lease    lease.Receiver
	now      lease.Message // the newest that counted
	watch    watch
	shown    standing // the coordinator's newest word that it holds a lease
	services []duty
	since    time.Duration // of the present disarming
}

// duty is one service that disarms a node.
type duty struct {
	name      string
	confirmed bool
	sent      time.Duration // when it was asked last
	asked     bool          // in the present disarming
}

// standing is what a coordinator says of itself.
type standing struct {
	instance string
	term     uint64 // of the lease that it holds; 0: none
	doubt    bool   // a node that it arms may be armed, or cannot be seen by it
}

func newWard(services []string) *ward {
	w := &ward{}
	for _, name := range services {
		w.services = append(w.services, duty{name: name})
	}
	return w
}

// heard takes a message of the lease. A new term cancels the pending disarming of an old one: the
// coordinator arms again only after it has seen all nodes disarmed.
func (w *ward) heard(at time.Duration, m lease.Message) {
	w.look(at)
	if !w.lease.Take(at, m) {
		return
	}
	if m.Instance != w.now.Instance || m.Term != w.now.Term {
		w.watch = watchHolding
	}
	w.now = m
	w.look(at)
}

// told takes the coordinator's word. Its words come in order: after one that shows the present
// term, one that shows none means that the term was ended in good order. Without the first it may
// be from before the arming.
func (w *ward) told(s standing) {
	seen := w.shown.instance == w.now.Instance && w.shown.term == w.now.Term
	switch {
	case s.term > 0:
		w.shown = s
	case seen && s.instance == w.now.Instance && !s.doubt:
		w.watch = watchIdle
	}
}

// look notes that the lease has ended, if it has.
func (w *ward) look(at time.Duration) {
	if w.watch == watchHolding && !w.lease.Holds(at) {
		w.disarm(at)
	}
}

// leave disarms because the guard ends: afterwards nothing detects that the lease ends.
func (w *ward) leave(at time.Duration) {
	if w.look(at); w.watch == watchHolding {
		w.disarm(at)
	}
}

func (w *ward) disarm(at time.Duration) {
	w.watch, w.since = watchDisarming, at
	for i := range w.services {
		w.services[i].confirmed, w.services[i].asked = false, false
	}
}

// due says which services are to be asked to disarm now, and takes it that they are.
func (w *ward) due(at time.Duration) (list []int) {
	if w.watch != watchDisarming {
		return nil
	}
	for i := range w.services {
		d := &w.services[i]
		if !d.confirmed && (!d.asked || at >= d.sent+askAgain) {
			d.sent, d.asked = at, true
			list = append(list, i)
		}
	}
	return list
}

// confirms takes a yes of service i to a request of that moment. One from before the present
// disarming says nothing: the node may have been armed since.
func (w *ward) confirms(i int, sent time.Duration) {
	if w.watch != watchDisarming || sent < w.since {
		return
	}
	w.services[i].confirmed = true
	if len(w.unconfirmed()) == 0 {
		w.watch = watchIdle
	}
}

// unconfirmed names the services that have not confirmed.
func (w *ward) unconfirmed() (names []string) {
	for _, d := range w.services {
		if w.watch == watchDisarming && !d.confirmed {
			names = append(names, d.name)
		}
	}
	return names
}

// next is when there is something to look at, unless something comes before.
func (w *ward) next() (at time.Duration, ok bool) {
	switch w.watch {
	case watchHolding:
		return w.lease.Ends(), true
	case watchDisarming:
		for _, d := range w.services {
			if !d.confirmed && (!ok || d.sent+askAgain < at) {
				at, ok = d.sent+askAgain, true
			}
		}
	}
	return at, ok
}
