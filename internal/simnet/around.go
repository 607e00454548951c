package simnet

import (
	"fmt"
	"time"

	"rstate/internal/engine"
)

// What is around the coordinator: the simulated clock, the disk of the journal, and the operating system.

const clockEvery = 100 * time.Millisecond

// epoch is the wall time at virtual time zero; any will do, so long as it is one.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is the simulated clock: it may stand and jump. The steady one is the world's own time.
type clock struct {
	simulated bool
	heard     bool // it has sent something, and its publisher is there
	runs      bool
	base      time.Duration // what it showed when it was last touched
	since     time.Duration // when that was
	turned    time.Duration // when it was last heard for the first time, or no more
}

func (c *clock) at(now time.Duration) time.Duration {
	if !c.runs {
		return c.base
	}
	return c.base + now - c.since
}

func (c *clock) set(now, shows time.Duration, runs bool) { c.base, c.since, c.runs = shows, now, runs }

func (w *World) time() engine.Time {
	t := engine.Time{Steady: w.now + w.brain.ahead, Wall: epoch.Add(w.now)}
	if w.clock.simulated {
		t.Simulated, t.Heard = true, w.clock.heard
		if t.Heard {
			t.ROS = w.clock.at(w.now)
		}
	}
	return t
}

func (w *World) useClock(on bool) {
	if on == w.clock.simulated {
		return
	}
	w.clock.simulated, w.clock.heard, w.clock.turned = on, false, w.now
	w.brain.deliver(engine.Tick{})
	if on {
		w.clockTick()
	}
}

// clockTick is a message of the simulated clock; one that stands sends none.
func (w *World) clockTick() {
	if !w.clock.simulated {
		return
	}
	if w.clock.runs {
		if !w.clock.heard {
			w.clock.heard, w.clock.turned = true, w.now
		}
		w.brain.deliver(engine.Tick{})
	}
	w.queue.push(w.now+clockEvery, w.clockTick)
}

// endClock ends the publisher of the simulated clock, which the graph tells.
func (w *World) endClock() {
	w.clock.set(w.now, w.clock.at(w.now), false)
	w.clock.heard, w.clock.turned = false, w.now
	w.brain.deliver(engine.Tick{})
}

// Disk is what the journal is written to. The zero value is a fast one.
type Disk struct {
	Takes  time.Duration // to be safe; zero: 1 ms
	Silent bool          // it never answers
	Fault  string        // it takes nothing, and says this
}

func (d Disk) String() string {
	switch {
	case d.Fault != "":
		return "broken: " + d.Fault
	case d.Silent:
		return "silent"
	}
	return fmt.Sprintf("good, in %v", or(d.Takes, time.Millisecond))
}

type disk struct {
	Disk
	world *World
}

// bad reports whether what is written now is lost with the process.
func (d *disk) bad() bool { return d.Silent || d.Fault != "" }

func (d *disk) tell(b *brain) {
	if d.Fault != "" {
		b.deliver(engine.JournalChanged{Err: d.Fault})
	}
}

func (d *disk) set(to Disk) {
	news := d.Fault != to.Fault
	d.Disk = to
	if news {
		d.world.brain.deliver(engine.JournalChanged{Err: to.Fault})
	}
}

func (d *disk) sync(b *brain, ticket uint64) {
	life := b.life
	d.world.queue.push(d.world.now+or(d.Takes, time.Millisecond), func() {
		if life == b.life && !d.Silent {
			b.take(letter{engine.JournalSynced{Ticket: ticket, Err: d.Fault}, func() { d.world.check.syncedAt = -1 }})
		}
	})
}

// What the operating system tells of the ends of processes: faster than the graph, not always, and sometimes of a
// process that was mistaken for the node's.

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

// mayBeMistaken may tell, some time in the life of the process, that it has ended.
func (p *proc) mayBeMistaken() {
	w := p.node.world
	if p.node.index == outside || w.chances.Float64() >= w.opt.Ends.Wrong {
		return
	}
	w.queue.push(w.now+time.Duration(w.chances.Int64N(int64(20*time.Second))), func() {
		if p.alive && p.seen && !p.cut && !p.deaf() && p.node.spec.Lifecycle { // a plain node cannot be asked
			p.mistaken = true
			w.note("%s is mistaken for one that ends", p.node.spec.Name)
			p.tellEnd(0)
		}
	})
}

func (p *proc) tellEnd(within time.Duration) {
	w := p.node.world
	w.queue.push(w.now+within, func() {
		if p.seen && p.node.index != outside {
			p.endTold = w.now
			w.brain.take(letter{in: engine.NodeEnded{Node: p.node.index, Epoch: p.epoch}})
		}
	})
}
