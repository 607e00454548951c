package simnet

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// What checks look at: topics, services, parameters and files, which pass unless the story says otherwise.

// measured is what one check looks at in truth. The publisher of a topic publishes while it is active.
type measured struct {
	came  float64        // messages so far
	last  time.Duration  // when the newest came; negative: none has
	at    time.Duration  // on the publisher's clock, until when they are counted
	sim   bool           // that is the simulated one
	value network.Scalar // of the field or parameter; nothing: one that passes
}

func measuredOf(spec *network.Node) []measured {
	list := make([]measured, len(spec.Checks))
	for k := range list {
		list[k].last = -1
	}
	return list
}

// ratedAs is how often a topic comes at a share of 1: as the check asks, or four times in the age that it allows.
func ratedAs(c *network.Check) float64 {
	if c.Rate > 0 {
		return c.Rate
	}
	return 4 / c.Age.Seconds()
}

// passing is a value that is within a bound.
func passing(b network.Bound) network.Scalar {
	v := network.Number(0)
	switch {
	case b.Is != nil:
		return *b.Is
	case b.Above != nil && b.Below != nil:
		v.Number = (*b.Above + *b.Below) / 2
	case b.Above != nil:
		v.Number = *b.Above + 1
	case b.Below != nil:
		v.Number = *b.Below - 1
	}
	return v
}

// measures is what check k would read now.
func (n *node) measures(k int) network.Scalar {
	if v := n.measured[k].value; v.Kind != network.NoScalar {
		return v
	}
	return passing(n.spec.Checks[k].Bound)
}

func (n *node) publishes() float64 {
	for _, p := range n.procs {
		if p.alive && !p.frozen && !p.cut && (p.state == lifecycle.Active || !n.spec.Lifecycle) {
			return n.share
		}
	}
	return 0
}

// clock is what the node's publishers count: the simulated clock, once it is heard.
func (n *node) clock() (now time.Duration, simulated bool) {
	w := n.world
	if w.clock.simulated && w.clock.heard && n.spec.Clock == "ros" {
		return w.clock.at(w.now), true
	}
	return w.now, false
}

func (n *node) flow() {
	now, sim := n.clock()
	share := n.publishes()
	for k := range n.measured {
		t, c := &n.measured[k], &n.spec.Checks[k]
		if d := now - t.at; d > 0 && t.sim == sim && c.Counted() {
			before := uint64(t.came)
			if t.came += d.Seconds() * ratedAs(c) * share; uint64(t.came) > before {
				t.last = n.world.now
			}
		}
		t.at, t.sim = now, sim
	}
}

// countBegins is how long the first count may take: the publishers have to be looked for.
var countBegins = Range{0, 20 * time.Millisecond}

// counts begins, paces or ends the counting of topics for one life of the coordinator.
func (w *World) counts(every time.Duration) {
	w.counting++
	if counting, life := w.counting, w.brain.life; every > 0 {
		w.queue.push(w.now+w.counters.draw(countBegins), func() { w.count(every, counting, life) })
	}
}

func (w *World) count(every time.Duration, counting int, life uint64) {
	if counting != w.counting || life != w.brain.life {
		return
	}
	for _, n := range w.nodes {
		n.flow()
		for k, c := range n.spec.Checks {
			if !c.Counted() {
				continue
			}
			t := &n.measured[k]
			in := engine.TopicCounted{Node: n.index, Check: k, Count: uint64(t.came), Age: -1, Value: n.measures(k)}
			if t.last >= 0 {
				in.Age = w.now - t.last
			}
			if len(n.living()) == 0 {
				in.Fault = "has no publisher"
			}
			w.brain.take(letter{in: in})
		}
	}
	w.queue.push(w.now+every, func() { w.count(every, counting, life) })
}

func (p *proc) check(r request) {
	n := p.node
	answer := engine.CheckAnswered{Node: n.index, Check: r.check, Ticket: r.id, Value: n.measures(r.check)}
	if n.fails {
		answer.Fault = "answered no: it has a fault"
	}
	p.answer(r, answer, 0)
}

// asks asks for a check: the host for a file, and the node for all else.
func (w *World) asks(e engine.CallCheck) {
	n := w.nodes[e.Node]
	if n.spec.Checks[e.Check].Kind() != network.CheckFile {
		w.send(n, request{kind: 'k', id: e.Ticket, check: e.Check})
		return
	}
	answer := engine.CheckAnswered{Node: e.Node, Check: e.Check, Ticket: e.Ticket}
	if n.fails {
		answer.Fault = "does not exist"
	}
	life := w.brain.life
	w.queue.push(w.now, func() {
		if life == w.brain.life {
			w.brain.take(letter{in: answer})
		}
	})
}

// expose lets the graph show, after a while, what the node offers.
func (n *node) expose() {
	w := n.world
	if len(n.spec.Unsafe) == 0 {
		return
	}
	w.queue.push(w.now+w.draw(w.opt.Discovery), n.tellUnsafe)
}

func (n *node) tellUnsafe() {
	w := n.world
	on := len(n.living()) > 0 && (n.careless || n.armed())
	if on == n.exposed || n.index == outside {
		return
	}
	n.exposed = on
	seen := engine.UnsafeSeen{Node: n.index}
	if on {
		seen.Names = n.spec.Unsafe
	}
	w.brain.take(letter{in: seen, hear: func() { n.offersAt = map[bool]time.Duration{true: w.now, false: -1}[on && n.careless] }})
}

// Checks is how many checks the network file gives a node.
func (w *World) Checks(node string) int { return len(w.named(node).spec.Checks) }

// Shows is how often the coordinator has shown a snapshot.
func (w *World) Shows() int { return w.shows }

// Published is the newest snapshot that the coordinator has shown.
func (w *World) Published() engine.Snapshot { return *w.brain.published }
