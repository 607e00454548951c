package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/network"
)

// leaseWait is how long a node that was told to arm waits for a lease before it says no.
const leaseWait = time.Second

// armCall is a call to arm or disarm that a process carries out.
type armCall struct {
	r    request
	how  Reply
	turn uint64
}

// lacksLease reports whether a call to arm has to wait: the node follows a lease, and none holds.
func (p *proc) lacksLease() bool { return p.node.leased() && !p.lease.Holds(p.node.world.now+p.clock) }

func (p *proc) awaitLease(c armCall) {
	w := p.node.world
	p.waits = &c
	w.queue.push(w.now+leaseWait, func() {
		p.run(func() {
			if p.waits == &c {
				p.givesUp("no arm lease holds")
			}
		})
	})
}

// givesUp refuses the call to arm that waits for a lease, if there is one.
func (p *proc) givesUp(why string) {
	if c := p.waits; c != nil {
		p.waits, c.how.No, c.how.Says = nil, true, why
		p.ends(*c)
	}
}

// leaseHeard arms a node whose call to arm waits for a lease, if one holds now.
func (p *proc) leaseHeard() {
	if c := p.waits; c != nil && !p.lacksLease() {
		p.waits = nil
		p.ends(*c)
	}
}

// Leased is one message of the lease, and when it was sent.
type Leased struct {
	At time.Duration
	lease.Message
}

func (w *World) hearsLease(term uint64) {
	counts := term <= lease.Jump // one that has no holder is refused
	w.brain.take(letter{engine.LeaseHeard{Term: term}, func() {
		if counts {
			w.check.term.heard = max(w.check.term.heard, term)
		}
	}})
}

// heldUp is the lease before a middleware that does not take it: of the messages that wait only the newest is kept.
type heldUp struct {
	till    time.Duration
	waiting bool
	sent    *lease.Message // the newest that was taken
}

// takes reports whether the middleware takes a message. Where it does not, the coordinator learns what has left
// instead, as soon as one message replaces another.
func (w *World) takes(m lease.Message) bool {
	h := &w.heldUp
	if w.now >= h.till {
		h.waiting, h.sent = false, &m
		return true
	}
	if h.waiting {
		unsent := engine.LeaseUnsent{Term: m.Term}
		if h.sent != nil && h.sent.Term == m.Term {
			unsent.Sent, unsent.Proved = true, h.sent.Proved
		}
		w.queue.push(w.now, func() { w.brain.deliver(unsent) })
	}
	h.waiting = true
	return false
}

// leased says whether the node disarms by itself when its lease ends.
func (n *node) leased() bool { return n.spec.Arm != nil && n.spec.Arm.DeadMan == network.DeadManLease }

// said is a message of the lease with the true time of its proof: whose clock that was counted may be hours ahead.
type said struct {
	lease.Message
	proved time.Duration
	life   uint64 // of the coordinator that said it
	sent   time.Duration
	waited bool // in a queue: it shows no transport time
}

// vouch is one message of the lease that a process got.
type vouch struct {
	said
	at time.Duration
}

// leased puts a message of the lease on its way to everybody. It is best effort: what gets lost is not sent again, and
// what comes late or twice may come after all that was said since.
func (w *World) leased(m lease.Message) {
	w.check.numbers(m)
	w.check.leasedTill, w.check.leaseGone = m.Proved-w.brain.ahead+m.Valid, false
	if !w.takes(m) {
		return
	}
	s := said{Message: m, proved: m.Proved - w.brain.ahead, life: w.brain.life, sent: w.now}
	w.check.vouches(s)
	w.leasedGuards(m)
	w.trace.Leases = append(w.trace.Leases, Leased{w.now, m})
	if w.opt.Noise.Lease > 0 {
		w.latched = append(w.latched, s)
		w.latched = w.latched[max(0, len(w.latched)-latched):]
	}
	for _, n := range w.nodes {
		for _, p := range n.takers() {
			if !n.leased() || w.chance(w.opt.Noise.Request) {
				continue
			}
			late := w.chance(w.opt.Noise.Lease)
			if !late || w.chance(0.5) { // else it comes late instead of twice
				w.queue.push(w.now+w.latency(), n.through(func(waited bool) { p.hear(s, waited) }))
			}
			if late {
				w.lateLease(p, s)
			}
		}
	}
}

// latched is how many messages of the lease are kept for those who come late.
const latched = 50

// lateLease lets a message of the lease come seconds late; another coordinator of our name hears it then, too.
func (w *World) lateLease(p *proc, s said) {
	w.queue.push(w.now+w.draw(Range{100 * time.Millisecond, 5 * time.Second}), func() {
		w.note("lease %d (%d) comes late to %s", s.Term, s.Seq, p.node.spec.Name)
		p.hear(s, false)
		if s.life != w.brain.life {
			w.hearsLease(s.Term)
		}
	})
}

// catchUp gives a process that has just been found a message of the lease that a writer has kept, however old it is.
func (p *proc) catchUp() {
	w := p.node.world
	if n := len(w.latched); n > 0 && p.node.leased() {
		s := w.latched[w.IntN(n)]
		w.note("%s is given lease %d (%d), which was kept for it", p.node.spec.Name, s.Term, s.Seq)
		w.queue.push(w.now+w.latency(), p.node.through(func(waited bool) { p.hear(s, waited) }))
	}
}

// hear lets a process take a message of the lease, when it runs.
func (p *proc) hear(s said, waited bool) {
	came := p.node.world.now
	p.run(func() {
		s.waited = waited || p.node.world.now > came
		p.hold(s)
	})
}

func (p *proc) hold(s said) {
	w := p.node.world
	if p.cut {
		return
	}
	s.Proved += lease.Rest // clocks begin long before the first arm
	over := slices.ContainsFunc(p.over, func(o said) bool { return o.Instance == s.Instance && o.Term == s.Term })
	p.hearNone(s)
	if p.lease.Take(w.now+p.clock, s.Message) {
		if over {
			w.check.fault("lease %d of %s, which has run out, lives again", s.Term, p.node.spec.Name)
		}
		p.hearLease(s)
		w.check.isTold(p, s)
		p.leaseHeard()
	}
	w.queue.push(max(w.now, p.lease.Ends()-p.clock), func() { p.run(p.lapse) })
}

// hearNone lets a process that hears of a source for the first time have heard before that it holds no lease, as a daemon
// says once a second. Such messages took as long as this one, or as the slowest if it waited. They name the moment of
// sending, and not that of a proof (A6).
func (p *proc) hearNone(s said) {
	if slices.ContainsFunc(p.sources, func(one lease.Source) bool { return one.Is(s.Message) }) {
		return
	}
	var source lease.Source
	w := p.node.world
	came, left := w.now, s.Proved+s.sent-s.proved // by the sender's clock
	if s.waited {
		came = s.sent + w.opt.Latency.Max
	}
	for _, ago := range []time.Duration{lease.Apart, 0} {
		at, m := came+p.clock-ago, lease.Message{Instance: s.Instance, Writer: s.Writer, Proved: left - ago}
		p.lease.Take(at, m)
		source.Take(at, m)
		p.told = append(p.told, vouch{said{Message: m, proved: s.sent - ago, sent: s.sent - ago}, came - ago})
	}
	p.sources = append(p.sources, source)
}

// hearLease takes a message to its source alone.
func (p *proc) hearLease(s said) {
	k := slices.IndexFunc(p.sources, func(one lease.Source) bool { return one.Is(s.Message) })
	p.sources[k].Take(p.node.world.now+p.clock, s.Message)
}

func (p *proc) lapse() {
	w := p.node.world
	if p.lease.Holds(w.now + p.clock) {
		return
	}
	for k := range p.sources { // a lease may hold no more because that of another source has ended
		if one := &p.sources[k]; !one.Holds(w.now + p.clock) {
			p.over = append(p.over, said{Message: one.Newest})
		}
	}
	if p.armed {
		p.armed, p.lapsed = false, true
		w.trace.Lapses = append(w.trace.Lapses, w.now)
		p.node.expose()
		w.note("%s disarms by itself: its lease has ended", p.node.spec.Name)
	}
}

// vouches looks at a message of the lease that is about to go out: nothing older than its proof vouches for it (A6),
// and it is not of another time or another instance (A8, S1).
func (c *checker) vouches(m said) {
	w := c.world
	c.queued("lease %d is renewed", m.Term)
	switch {
	case c.ousted:
		c.fault("lease %d is renewed, and the network is another's by now", m.Term)
	case w.now-w.brain.held-m.proved > m.Valid:
		c.fault("lease %d is renewed on a proof of %v ago", m.Term, w.now-m.proved)
	case w.brain.anew >= 0 && m.proved < w.brain.anew:
		c.fault("lease %d rests on what was so before a stall", m.Term)
	}
	for _, n := range w.nodes {
		if proof := max(n.heard, n.said); c.arms && n.told && n.proves() && !n.spec.Optional && m.proved > proof {
			c.fault("lease %d vouches for %v, and the newest proof of %s is of %v", m.Term, m.proved, n.spec.Name,
				proof)
		}
	}
}

// terms is what one life of the coordinator has said and heard of terms: a new one is above all of them.
type terms struct{ number, seq, heard uint64 }

// numbers checks the term of a message when the engine sends it, whether or not the middleware takes it (A8). By A6 the
// engine chooses the term at each arming, above the terms that it has heard of by then.
func (c *checker) numbers(m lease.Message) {
	switch t := &c.term; {
	case m.Term == t.number && m.Seq > t.seq:
		t.seq = m.Seq
	case m.Term <= t.number || m.Term <= t.heard:
		c.fault("lease %d (%d) comes after lease %d (%d), and %d was heard of", m.Term, m.Seq, t.number, t.seq, t.heard)
	default:
		t.number, t.seq = m.Term, m.Seq
	}
}

// begins notes a message that was decided and not sent after a gap (A8): its term was chosen by what was heard before.
func (t *terms) begins(number, seq uint64) {
	if number > t.number && number > t.heard {
		t.number, t.seq = number, seq
	}
}

// isTold reckons, in true time, until when a process may be armed by what it has been told: so long after its newest
// proof was made as a proof is good for, and as the fastest message took that did not wait, from its proof on, since a
// message does not say how long its proof had waited for it. Clocks may go apart by a thousandth. What clocks show is no
// matter. Of what came after newer ones nothing is learned, as little as the arithmetic of the lease learns of it.
func (c *checker) isTold(p *proc, s said) {
	w := c.world
	p.told = append(p.told, vouch{s, w.now})
	took := s.sent - s.proved + w.opt.Latency.Max
	if !s.waited {
		took = w.now - s.proved
	}
	for k := len(p.told) - 1; k >= 0; k-- {
		v := p.told[k]
		if w.now-v.at > lease.Window {
			p.told = p.told[k+1:]
			break
		}
		if v.Instance == s.Instance && !v.waited {
			took = min(took, v.at-v.proved+(w.now-v.at)/1000)
		}
	}
	if s.sent < p.newest.sent && p.vouched > 0 {
		return // it is no news
	}
	p.newest, p.vouched = s, s.proved+s.Valid+took
	w.queue.push(p.vouched+leaseSlack, func() { c.outlives(p) })
}

// leaseSlack is how much later than it has to a node may be seen to be armed: of one moment this or that comes first.
// A receiver allows for clocks that go apart since the fastest message.
const leaseSlack = time.Millisecond + lease.Window/lease.Drift

// outlives looks whether a process is armed for which no lease vouches any more.
func (c *checker) outlives(p *proc) {
	now := c.world.now - leaseSlack
	if p.node.leased() && p.alive && p.armed && !p.frozen && p.armedAt > 0 && now >= p.vouched {
		c.fault("%s is armed, and what vouches for it ended at %v", p.node.spec.Name, p.vouched)
	}
}

// lapsed says whether the node has disarmed by itself.
func (n *node) lapsed() bool {
	return slices.ContainsFunc(n.serving(), func(p *proc) bool { return p.lapsed })
}
