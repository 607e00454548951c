package simnet

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/network"
)

// leaseGrace is how much later than its proof is good for a node may still be armed: a message is on its way.
const leaseGrace = 300 * time.Millisecond

// leaseWait is how long a node that was told to arm waits for a lease.
const leaseWait = time.Second

// Leased is what was said of the lease at a moment.
type Leased struct {
	At time.Duration
	lease.Message
}

// OtherLease is another instance of our name that holds a lease of that term.
type OtherLease struct{ Term uint64 }

func (a OtherLease) String() string { return fmt.Sprintf("somebody else holds lease %d", a.Term) }
func (a OtherLease) act(w *World)   { w.brain.deliver(engine.LeaseHeard{Term: a.Term}) }

// follows says whether the node disarms by itself when its lease ends.
func (n *node) follows() bool { return n.spec.Arm != nil && n.spec.Arm.DeadMan == network.DeadManLease }

// leased puts a message of the lease on its way to everybody. It is best effort: what gets lost is not sent again.
func (w *World) leased(m lease.Message) {
	w.guard.vouches(m)
	w.leasedAt = w.now
	w.trace.Leases = append(w.trace.Leases, Leased{w.now, m})
	for _, n := range w.nodes {
		for _, p := range n.living() {
			if !n.follows() || w.chance(w.opt.Noise.Request) {
				continue
			}
			w.queue.push(w.now+w.latency(), func() { p.run(func() { p.hold(m) }) })
		}
	}
	w.queue.push(w.now+m.Valid+leaseGrace, w.guard.lapsed)
}

// hold takes a message of the lease, and looks again when that ends.
func (p *proc) hold(m lease.Message) {
	w := p.node.world
	if p.cut || !p.lease.Take(w.now+p.clock, m) {
		return
	}
	w.queue.push(p.lease.Ends()-p.clock, func() { p.run(p.lapse) })
}

// lapse disarms a node whose lease has ended.
func (p *proc) lapse() {
	w := p.node.world
	if p.armed && !p.lease.Holds(w.now+p.clock) {
		p.armed, p.lapsed = false, true
		p.node.expose()
		w.note("%s disarms by itself: its lease has ended", p.node.spec.Name)
	}
}

// vouches looks whether what a lease rests on was so: nobody who has to prove himself had fallen silent before the proof.
func (g *guard) vouches(m lease.Message) {
	w := g.world
	if w.now-m.Proved > m.Valid {
		g.fault("lease %d is renewed on a proof of %v ago", m.Term, w.now-m.Proved)
	}
	for _, n := range w.nodes {
		if !g.arms { // somebody may be busy with his own arming
			break
		}
		if n.silentSince >= 0 && n.told && n.proves() && !n.spec.Optional && n.armed() && m.Proved > n.silentSince && len(n.procs) == 1 {
			g.fault("lease %d vouches for %v, and %s is silent since %v", m.Term, m.Proved, n.spec.Name, n.silentSince)
		}
	}
}

// lapsed looks whether everybody has disarmed who follows a lease that nobody has held for too long.
func (g *guard) lapsed() {
	w := g.world
	if w.now-w.leasedAt < w.net.Proof+leaseGrace {
		return
	}
	for _, n := range w.nodes {
		for _, p := range n.living() {
			if n.follows() && p.armed && !p.frozen && w.now > p.armedAt+leaseWait && p.lease.Ends() > 0 && !p.lease.Holds(w.now+p.clock) {
				g.fault("%s is armed, and its lease ended at %v", n.spec.Name, p.lease.Ends()-p.clock)
			}
		}
	}
}

// lapsed says whether the node has disarmed by itself.
func (n *node) lapsed() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.lapsed })
}
