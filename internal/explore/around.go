package explore

import (
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
	w.guardsHear(i, m)
	s := &w.sides[i]
	for k := range s.nodes {
		if p := s.nodes[k].living(); s.nodes[k].leased() && p != nil {
			ends := m.Proved + m.Valid + hop
			w.plan(hop, event{kind: evLease, side: i, node: k, epoch: p.epoch, req: request{ends: ends}})
		}
	}
}

func (w *world) holdLease(e event) {
	p := w.sides[e.side].nodes[e.node].proc(e.epoch)
	if p == nil || !p.alive || p.deferIfSuspended(e) || e.req.ends <= p.ends {
		return
	}
	p.ends = e.req.ends
	w.plan(max(p.ends-w.now, 0), event{kind: evLapse, side: e.side, node: e.node, epoch: e.epoch})
}

// lapse disarms a process whose lease has ended.
func (w *world) lapse(e event) {
	p := w.sides[e.side].nodes[e.node].proc(e.epoch)
	if p == nil || !p.alive || p.deferIfSuspended(e) || p.ends > w.now || !p.armed {
		return
	}
	p.armed = false
	w.tell("%s disarms by itself: its lease has ended", w.sides[e.side].nodes[e.node].spec.Name)
}
