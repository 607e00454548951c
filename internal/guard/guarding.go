package guard

import (
	"slices"
	"time"

	"rstate/internal/engine/guards"
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

// pledges is how many leases a guard follows at a time.
const pledges = 16

// handed is how long after the daemon's word that it has given back its lease a message of that lease may still be on
// its way.
const handed = 150 * time.Millisecond

// guarding is the state of a guard: a pure value, with times of one steady clock. The lease alone tells it whether
// nodes are armed. The coordinator's state only distinguishes a lease that was returned, with all nodes disarmed, from
// one that broke off.
//
// Anyone in the domain can publish a lease. So the guarding follows the lease of each source by itself: what one source
// says never extends, ends or returns the lease of another one, and each that breaks off is a reason to disarm.
type guarding struct {
	pledges  []pledge // the one that was heard last is the last
	shown    []standing
	latest   []guards.Listed // by the newest word of a coordinator, whether or not it holds a lease
	owes     bool            // a lease was forgotten that held or owed
	watch    watch
	services []duty
	since    time.Duration // of the present disarming
	toldTill time.Duration // until then the guard says that it disarms
	leaving  guards.Leaving
	runs     []string // of coordinators of which a state was heard, the newest last
	news     bool     // a run or a term was heard for the first time, or a disarming has begun
}

// pledge is the lease of one source.
type pledge struct {
	lease.Source
	process  string // that sends it, as far as the middleware knows
	holds    bool   // it holds, and was not given back
	owes     bool   // it broke off, and a node has not confirmed since
	returned time.Duration
}

// duty is one service that disarms a node.
type duty struct {
	name      string
	confirmed bool
	sent      time.Duration // when it was asked last
	asked     bool          // in the present disarming
	seen      bool          // it has had a server
}

// standing is what a coordinator says of itself.
type standing struct {
	instance string
	process  string // that sent it, as the middleware knows
	term     uint64 // of the lease that it holds; 0: none
	doubt    bool   // a node that it arms may be armed, or cannot be seen by it
	list     []guards.Listed
}

func newGuarding(services []string) *guarding {
	w := &guarding{}
	for _, name := range services {
		w.services = append(w.services, duty{name: name})
	}
	return w
}

// heard takes a message of the lease. A new term cancels the disarming that its own source owes: the coordinator arms
// again only after it has seen all nodes disarmed.
func (w *guarding) heard(at time.Duration, m lease.Message, process string) {
	w.look(at)
	var c pledge
	k := slices.IndexFunc(w.pledges, func(c pledge) bool { return c.Is(m) })
	if k >= 0 {
		c = w.pledges[k]
	}
	before := c.Newest.Term
	c.process = process
	taken := c.Take(at, m)
	if !taken && !m.Idle() {
		return
	}
	switch {
	case !taken: // that no lease is held returns none: it may be older than the lease
	case k < 0 || m.Term != before:
		c.holds, c.owes, w.news = true, false, true
	case !c.holds && !c.owes && at >= c.returned+handed: // given back, and it goes on
		c.holds = true
	}
	if k < 0 && len(w.pledges) == pledges {
		if k = w.forget(at, taken); k < 0 {
			return
		}
	}
	if k >= 0 {
		w.pledges = slices.Delete(w.pledges, k, k+1)
	}
	w.pledges = append(w.pledges, c)
	w.look(at)
	w.settle()
}

// forget chooses the lease to forget: one that neither holds nor owes anything, or for another lease the one that was
// heard first. The end of a lease that is forgotten will not be seen, so it counts as broken off.
func (w *guarding) forget(at time.Duration, leased bool) int {
	if k := slices.IndexFunc(w.pledges, func(c pledge) bool { return !c.holds && !c.owes }); k >= 0 || !leased {
		return k
	}
	w.disarm(at)
	w.owes = true
	return 0
}

// told takes a coordinator's word. Its words come in order: after one that shows the present term, one that shows none
// means that the term was ended in good order. Without the first it may be from before the arming. Only the word of the
// process that sends the lease counts.
func (w *guarding) told(at time.Duration, s standing) {
	w.meets(s.instance)
	w.latest = s.list
	k := slices.IndexFunc(w.shown, func(o standing) bool { return o.instance == s.instance && o.process == s.process })
	var before standing
	if k >= 0 {
		before = w.shown[k]
		w.shown = slices.Delete(w.shown, k, k+1)
	}
	keep := before
	if s.term > 0 {
		keep = s
	}
	if keep.term > 0 {
		w.shown = append(w.shown, keep)
		w.shown = w.shown[max(0, len(w.shown)-pledges):]
	}
	if s.term > 0 || s.doubt || before.term == 0 {
		return
	}
	for i := range w.pledges {
		c := &w.pledges[i]
		if c.Newest.Instance == s.instance && c.process == s.process && c.Newest.Term == before.term {
			c.holds, c.owes, c.returned = false, false, at
		}
	}
	w.settle()
}

// shownTerm is the term of the newest word that a lease is held; 0: there was none.
func (w *guarding) shownTerm() uint64 {
	if len(w.shown) == 0 {
		return 0
	}
	return w.shown[len(w.shown)-1].term
}

// processPart is the length of that part in DDS.
const processPart = 12

// look notes which leases have ended.
func (w *guarding) look(at time.Duration) {
	for i := range w.pledges {
		if c := &w.pledges[i]; !c.Holds(at) && c.holds {
			c.holds, c.owes = false, true
			w.disarm(at)
		}
	}
	w.settle()
}

// settle says what the guard is at.
func (w *guarding) settle() {
	owes := func(c pledge) bool { return c.owes }
	holds := func(c pledge) bool { return c.holds }
	switch {
	case w.owes || slices.ContainsFunc(w.pledges, owes):
		w.watch = watchDisarming
	case slices.ContainsFunc(w.pledges, holds):
		w.watch = watchHolding
	default:
		w.watch = watchIdle
	}
}

// newest is the message that counted last, of the leases that hold or that broke off.
func (w *guarding) newest() (m lease.Message) {
	for _, c := range w.pledges {
		if c.holds || c.owes || m.Instance == "" {
			m = c.Newest
		}
	}
	return m
}

// leave disarms because the guard ends: afterwards nothing detects that the lease ends.
func (w *guarding) leave(at time.Duration) {
	w.look(at)
	for i := range w.pledges {
		if c := &w.pledges[i]; c.holds {
			c.holds, c.owes = false, true
			w.disarm(at)
		}
	}
	w.settle()
}

// disarm begins a disarming, or begins it anew: a node that confirmed before may have been armed since.
func (w *guarding) disarm(at time.Duration) {
	w.since, w.toldTill, w.news = at, at+guards.ToldFor, true
	for i := range w.services {
		w.services[i].confirmed, w.services[i].asked = false, false
	}
}

// due says which services are to be asked to disarm now, and takes it that they are.
func (w *guarding) due(at time.Duration) (list []int) {
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
func (w *guarding) confirms(i int, sent time.Duration) {
	if w.watch != watchDisarming || sent < w.since {
		return
	}
	w.services[i].confirmed = true
	if len(w.unconfirmed()) > 0 {
		return
	}
	w.owes = false
	for i := range w.pledges {
		w.pledges[i].owes = false
	}
	w.settle()
}

// unconfirmed names the services that have not confirmed.
func (w *guarding) unconfirmed() (names []string) {
	for _, d := range w.services {
		if w.watch == watchDisarming && !d.confirmed {
			names = append(names, d.name)
		}
	}
	return names
}

// next is when there is something to look at, unless something comes before.
func (w *guarding) next() (at time.Duration, ok bool) {
	first := func(when time.Duration) {
		if !ok || when < at {
			at, ok = when, true
		}
	}
	for i := range w.pledges {
		if w.pledges[i].holds {
			first(w.pledges[i].Ends())
		}
	}
	for _, d := range w.services {
		if w.watch == watchDisarming && !d.confirmed {
			first(d.sent + askAgain)
		}
	}
	return at, ok
}
