package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// node is a name in the network, with the processes that bear it.
type node struct {
	world  *World
	index  int
	spec   *network.Node
	script Script
	used   []int // how often each On was
	procs  []*proc
	epochs uint64

	// Other processes that serve its arm, and what was shown and told of them.
	served       bool
	servers      []*proc
	lastServer   uint64
	shownServers bool
	serversShown engine.ServersSeen
	serversTold  bool
	serversKnown []*proc
	falsely      time.Duration // since when it is shown as disarmed while one of them is armed; negative: it is not

	arms, disarms, readings, watchings int
	requests                           uint64     // to arm or to disarm, that its processes took
	measured                           []measured // by its checks
	share                              float64    // of the rates that are asked for, at which they come
	fails                              bool       // its checked services say no
	careless                           bool       // it offers what is unsafe although it is not armed
	exposed                            bool       // the graph shows what is unsafe
	// a process left it armed without a lease, and none has been disarmed since
	energised bool
	held      time.Duration // until when messages to it and from it wait
	overruled time.Duration // since when a guard has disarmed it; negative: it was armed since

	// What the coordinator was told of it.
	graph    bool            // its side of the graph shows it
	told     bool            // it was told last that the node is there
	came     time.Duration   // since when
	epoch    uint64          // of the newest process
	count    int             // of processes
	known    []uint64        // the epochs of which it has had evidence in its present life
	newest   uint64          // the number of the newest evidence,
	evidence lifecycle.State // what that said,
	// where it has announced to be, or where the answer to its newest step says that it has led
	claims    lifecycle.State
	heard     time.Duration // when it was made,
	heardAt   time.Duration // and since when it has said the same
	last      time.Duration // when anything came
	wordAt    time.Duration // when a word of the present process came
	said      time.Duration // when an answer to arming or disarming came
	mute      bool          // the journal says that it is unresponsive
	offersAt  time.Duration // when it offered what is unsafe; negative: it does not
	abandoned bool          // the process that left it armed is gone

	// What the coordinator has asked of it.
	armedBy uint64        // the life that has asked it to arm last
	armCall uint64        // the newest request, where that was to arm and was not refused; else 0
	armAt   time.Duration // when that was made
	// When it was first asked to disarm after that.
	disarmAt time.Duration
	flight   []*Call
	wire     map[uint64]*Call

	foreign     time.Duration // when another tool, a birth or a death last changed it
	givenUp     bool          // its part of the present transition is over, and was not done
	moved       time.Duration // when another tool last moved it; long ago: none has
	found       int           // the highest level at which the present transition may have found it
	silentSince time.Duration // since when nothing of it is to be heard; negative: something is
	unfitSince  time.Duration // since when its checks ought to fail; negative: they ought not
}

func (n *node) living() (list []*proc) {
	for _, p := range n.procs {
		if p.alive {
			list = append(list, p)
		}
	}
	return list
}

// seen is how many of its processes the graph shows.
func (n *node) seen() (count int) {
	for _, p := range n.procs {
		if p.seen {
			count++
		}
	}
	return count
}

// process is the oldest living one, or nil.
func (n *node) process() *proc {
	if i := slices.IndexFunc(n.procs, func(p *proc) bool { return p.alive }); i >= 0 {
		return n.procs[i]
	}
	return nil
}

// truth is where the node is, and whether a process lives; of two of one name the older counts.
func (n *node) truth() (lifecycle.State, bool) {
	if p := n.process(); p != nil {
		return p.state, true
	}
	return lifecycle.Unknown, false
}

// some reports whether a living process is as asked.
func (n *node) some(is func(*proc) bool) bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && is(p) })
}

func (n *node) armed() bool { return n.serves(func(p *proc) bool { return p.armed }) }

// armsKnown reports whether a process is armed that the coordinator knows of (S2: one that discovery has not shown yet
// cannot be asked to disarm). One that has left the graph counts until a later process of its name has spoken for it
// (A3, A6).
func (n *node) armsKnown() bool {
	return n.serves(func(p *proc) bool {
		if p.server {
			return p.armed && slices.Contains(n.serversKnown, p)
		}
		return p.armed && p.epoch <= n.epoch && !(p.cut && !p.seen && p.spoken)
	})
}

func (n *node) speaks() bool { return n.some(func(p *proc) bool { return !p.frozen && !p.cut }) }

// overtaken reports whether a process has done an older request to arm or to disarm after a newer one (A3: a node may
// do two at once, and only the node itself could tell).
func (n *node) overtaken() bool { return n.serves(func(p *proc) bool { return p.late }) }

// belated reports whether a process has done an older disarm after it was armed, so late that no coordinator waits for
// it (A3).
func (n *node) belated() bool { return n.serves(func(p *proc) bool { return p.tardy }) }

func (n *node) disarmed() {
	n.energised, n.abandoned = false, false
	for _, p := range n.procs {
		p.spoken = p.cut
	}
}

func (n *node) birth(state lifecycle.State, armed bool) *proc {
	w := n.world
	n.epochs++
	if state == lifecycle.Unknown {
		state = lifecycle.Unconfigured
	}
	n.disturbed()
	seen := w.now + w.draw(w.opt.Discovery)
	p := &proc{node: n, epoch: n.epochs, state: state, armed: armed, alive: true, matched: seen + n.script.Matched,
		clock: w.ahead()}
	n.procs = append(n.procs, p)
	w.note("%s is born (%v)", n.spec.Name, state)
	w.queue.push(seen, func() {
		if p.seen = !p.cut; p.seen && slices.Contains(n.procs, p) {
			n.announce()
			p.catchUp()
			p.matches()
			p.mayBeMistaken()
		}
	})
	return p
}

// announce tells the coordinator which processes bear the name, as the graph has it now.
func (n *node) announce() {
	var newest *proc
	var epochs []uint64
	for _, p := range n.procs {
		if !p.seen {
			continue
		}
		if epochs = append(epochs, p.epoch); newest == nil || p.epoch > newest.epoch {
			newest = p
		}
	}
	n.tellServed(epochs)
	n.showServers()
	if newest == nil {
		if n.graph {
			n.graph = false
			if n.index == outside {
				return
			}
			n.world.brain.take(letter{engine.NodeLost{Node: n.index, Why: "left the graph"},
				func() { n.told = false; n.departs() }})
		}
		return
	}
	n.graph = true
	if n.index == outside {
		return
	}
	seen := engine.NodeSeen{Node: n.index, Epoch: newest.epoch, Count: len(epochs), Epochs: epochs}
	n.world.brain.take(letter{seen, func() {
		if n.told && n.epoch != seen.Epoch {
			n.departs()
		}
		if !n.told {
			n.came = n.world.now
		}
		n.told, n.epoch, n.count = true, seen.Epoch, seen.Count
	}})
}
