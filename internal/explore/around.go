package explore

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
)

// count tells the daemon how many messages of the checked topics have come.
func (w *world) count(e event) {
	s := &w.sides[e.side]
	if !s.up {
		return
	}
	for k := range s.nodes {
		n := &s.nodes[k]
		p := n.living()
		for c := range n.spec.Checks {
			check := &n.spec.Checks[c]
			if check.Topic == "" {
				continue
			}
			if p != nil && !p.frozen && p.state == lifecycle.Active {
				n.came += (w.now - n.at).Seconds() * check.Rate * n.share
			}
			in := engine.TopicCounted{Node: k, Check: c, Count: uint64(n.came), Age: -1}
			if p == nil {
				in.Fault = "has no publisher"
			}
			w.deliver(e.side, in)
		}
		n.at = w.now
	}
	w.plan(s.counts, event{kind: evCount, side: e.side})
}

// leases sends a message of the lease to every node that follows it, and to guards.
func (w *world) leases(i int, m lease.Message) {
	s := &w.sides[i]
	m.Instance = s.instance()
	w.guardsHear(i, m)
	for k := range s.nodes {
		if m.Valid > 0 && s.nodes[k].leased() {
			s.nodes[k].leaseTill = w.now + m.Valid + hop
		}
		if p := s.nodes[k].living(); s.nodes[k].leased() && p != nil {
			w.plan(hop, event{kind: evLease, side: i, node: k, epoch: p.epoch, by: byNode, msg: &m})
		}
	}
}

func (w *world) holdLease(e event) {
	p := w.sides[e.side].nodes[e.node].proc(e.epoch)
	if p == nil || !p.alive || p.deferIfSuspended(e) {
		return
	}
	if !p.lease.Take(w.now, *e.msg) {
		return
	}
	p.looks(w.now)
	w.plan(max(p.lease.Ends()-w.now, 0), event{kind: evLapse, side: e.side, node: e.node, epoch: e.epoch})
}

// looks asks the lease of a process whether it holds, and notes what has lapsed.
func (p *proc) looks(now time.Duration) (holds bool) {
	holds = p.lease.Holds(now)
	if n := p.lease.Lapses(); n != p.lapses {
		p.lapses, p.lapsed = n, true
	}
	return holds
}

// lapse disarms a process whose lease has ended.
func (w *world) lapse(e event) {
	n := &w.sides[e.side].nodes[e.node]
	p := n.proc(e.epoch)
	if p == nil || !p.alive || p.deferIfSuspended(e) || p.looks(w.now) && !p.lapsed || !p.armed {
		return
	}
	p.armed = false
	w.tell("%s disarms by itself: its lease has ended", n.spec.Name)
}

const (
	leaseWait = time.Second           // how long a node that was asked to arm waits for a lease before it says no
	looksEach = 20 * time.Millisecond // how often it looks meanwhile
)

// lacksLease reports whether a request to arm still waits for a lease. One that has waited for too long, or that a
// newer request has overtaken, is refused.
func (w *world) lacksLease(e *event, n *node, p *proc) bool {
	r := &e.req
	if !r.arm || r.refuse || !n.leased() || p.foreign || p.state != lifecycle.Active || p.looks(w.now) {
		return false
	}
	if r.until == 0 {
		r.until = w.now + leaseWait
	}
	r.refuse = w.now >= r.until || p.newest != r.id
	return !r.refuse
}
