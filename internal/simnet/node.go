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

	arms, disarms, readings, watchings int
	leftAsked                          time.Duration // when it was last asked to disarm without being in the file
	armedBy                            uint64        // the life of the coordinator that has asked it to arm last
	requests                           uint64        // to arm or to disarm
	topics                             []topic
	share                              float64 // of the rates of its checked topics that they come at
	careless                           bool    // it offers what is unsafe although it is not armed
	exposed                            bool    // the graph shows what is unsafe
	knownUnsafe                        bool    // and the coordinator was told, and it is not for being armed
	fails                              bool    // its checked services say no
	energised                          bool    // a process left it armed without a lease, and none has been disarmed since
	knownLeft                          bool    // and the coordinator has heard that this one is no more

	// What the guard knows of it.
	graph    bool            // the coordinator's side of the graph shows it
	told     bool            // the coordinator was told last that it is there
	came     time.Duration   // since when
	epoch    uint64          // as the coordinator was told last
	count    int             // the same
	known    []uint64        // the epochs of which the coordinator has had evidence in its present life
	heard    time.Duration   // when the newest evidence that the coordinator has was made
	heardAt  time.Duration   // when it began to come
	last     time.Duration   // when it came last
	newest   uint64          // its number
	evidence lifecycle.State // what that said
	foreign  time.Duration   // when somebody else last changed where it is
	turn     int             // how many states had been shown when it was first asked of this transition
	began    int             // the level to which the present transition may take it back
	said     time.Duration   // when it last answered to arming or disarming
	armCall  uint64          // the newest request, where that was to arm and has no answer yet; else 0
	armAt    time.Duration   // when it was made
	unsafeAt time.Duration   // when the coordinator was last told whether it offers what is unsafe
	flight   []*Call         // transitions on their way to it or running in it
	wire     map[uint64]*Call

	wordAt time.Duration // when the coordinator last heard a word of the node itself
	mute   bool          // the journal says that it is unresponsive

	silentSince time.Duration // since when nothing of it is to be heard; negative: something is
	unfitSince  time.Duration // since when its checks ought to fail; negative: they ought not
}

// living returns the processes that are not dead.
func (n *node) living() []*proc {
	var list []*proc
	for _, p := range n.procs {
		if p.alive {
			list = append(list, p)
		}
	}
	return list
}

// truth is where the node is, and whether anybody lives; of two of one name the older counts.
func (n *node) truth() (lifecycle.State, bool) {
	for _, p := range n.procs {
		if p.alive {
			return p.state, true
		}
	}
	return lifecycle.Unknown, false
}

// process is the oldest living one, or nil.
func (n *node) process() *proc {
	for _, p := range n.procs {
		if p.alive {
			return p
		}
	}
	return nil
}

func (n *node) armed() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && p.armed })
}

// speaks says whether something of it can be heard.
func (n *node) speaks() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && !p.frozen && !p.cut })
}

// overtaken says whether a process has done an older request to arm or to disarm after a newer one.
func (n *node) overtaken() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && p.late })
}

// belated says whether a process has done an older disarm after it was armed, and so late that nobody waits for it.
func (n *node) belated() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && p.tardy })
}

// birth starts a process of that name.
func (n *node) birth(state lifecycle.State, armed bool) *proc {
	w := n.world
	n.epochs++
	if state == lifecycle.Unknown {
		state = lifecycle.Unconfigured
	}
	n.foreign = w.now
	seen := w.now + w.draw(w.opt.Discovery)
	p := &proc{node: n, epoch: n.epochs, state: state, armed: armed, alive: true, matched: seen + n.script.Matched, clock: w.ahead()}
	n.procs = append(n.procs, p)
	w.note("%s is born (%v)", n.spec.Name, state)
	w.queue.push(seen, func() {
		if p.seen = !p.cut; p.seen && slices.Contains(n.procs, p) {
			n.announce()
			p.catchUp()
			p.mistaken()
		}
	})
	return p
}

// announce tells the coordinator who bears the name, as the graph has it now.
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
	if newest == nil {
		if n.graph {
			n.graph = false
			if n.index == outside {
				return
			}
			n.world.brain.take(letter{engine.NodeLost{Node: n.index, Why: "left the graph"}, func() { n.told = false; n.departs() }})
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
