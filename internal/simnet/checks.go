package simnet

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// What checks look at: topics that come at a rate, and services that pass or do not.

// countEvery is how often the coordinator gets a count.
const countEvery = 100 * time.Millisecond

// topic is one checked topic in truth. Its publisher publishes while it is active.
type topic struct {
	came float64       // messages so far
	at   time.Duration // on the publisher's clock, until when they are counted
	sim  bool          // that is the simulated one
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
	for k := range n.topics {
		t := &n.topics[k]
		if d := now - t.at; d > 0 && t.sim == sim {
			t.came += d.Seconds() * n.spec.Checks[k].Rate * share
		}
		t.at, t.sim = now, sim
	}
}

// listens begins or ends the counting of topics for one life of the coordinator. The first count is posted, as all that
// it hears: what it wished beside counting is done before.
func (w *World) listens(on bool) {
	w.listening++
	if listening, life := w.listening, w.brain.life; on {
		w.queue.push(w.now, func() { w.count(listening, life) })
	}
}

func (w *World) count(listening int, life uint64) {
	if listening != w.listening || life != w.brain.life {
		return
	}
	for _, n := range w.nodes {
		n.flow()
		for k, c := range n.spec.Checks {
			if !c.Counted() {
				continue
			}
			in := engine.TopicCounted{Node: n.index, Check: k, Count: uint64(n.topics[k].came)}
			if len(n.living()) == 0 {
				in.Fault = "has no publisher"
			}
			w.brain.take(letter{in: in})
		}
	}
	w.queue.push(w.now+countEvery, func() { w.count(listening, life) })
}

func (p *proc) check(r request) {
	n := p.node
	answer := engine.CheckAnswered{Node: n.index, Check: r.check, Ticket: r.id}
	if n.fails {
		answer.Fault = "answered no: it has a fault"
	}
	p.answer(r, answer, 0)
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
