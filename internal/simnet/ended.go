package simnet

import (
	"time"

	"rstate/internal/engine"
)

// What the operating system tells of the ends of processes: faster than the graph, not always, and sometimes of a process
// that was mistaken for the node's.

// Ends is how the operating system tells the ends of processes.
type Ends struct {
	Told  float64 // the share of ends that the coordinator hears at once
	Wrong float64 // the share of living processes that are mistaken for ended ones while they answer
}

const toldIn = 5 * time.Millisecond

func (p *proc) ended() {
	w := p.node.world
	if p.node.index != outside && w.chances.Float64() < w.opt.Ends.Told {
		p.tellEnd(time.Duration(w.chances.Int64N(int64(toldIn))))
	}
}

// mistaken may tell, some time in the life of the process, that it has ended.
func (p *proc) mistaken() {
	w := p.node.world
	if p.node.index == outside || w.chances.Float64() >= w.opt.Ends.Wrong {
		return
	}
	w.queue.push(w.now+time.Duration(w.chances.Int64N(int64(20*time.Second))), func() {
		if p.alive && p.seen && !p.cut && !p.deaf() && p.node.spec.Lifecycle { // a plain node cannot be asked
			w.note("%s is mistaken for one that ends", p.node.spec.Name)
			p.tellEnd(0)
		}
	})
}

func (p *proc) tellEnd(within time.Duration) {
	w := p.node.world
	w.queue.push(w.now+within, func() {
		if p.seen && p.node.index != outside {
			w.brain.take(letter{in: engine.NodeEnded{Node: p.node.index, Epoch: p.epoch}})
		}
	})
}
