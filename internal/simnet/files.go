package simnet

import (
	"maps"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// A restart with another network file: its nodes, and the nodes of the files before it, which live on.

// Swap puts another network file in the place of the coordinator's: the next start reads it.
type Swap struct {
	Net *network.Network
	How string // what is different, for a person
}

func (a Swap) String() string { return a.How }
func (a Swap) act(w *World)   { w.file = a.Net }

// outside is the index of a node that the network file does not have.
const outside = -1

// Leftover is a node that is not of the network, and that an earlier run may have left armed.
type Leftover struct {
	engine.Leftover
	Armed   bool          // it is
	Born    time.Duration // when its process starts
	Never   bool          // its process never starts
	Replies []Reply       // one per request to disarm, the last for all that follow; none: yes at once
}

func (w *World) remembers(l Leftover) {
	spec := network.DefaultNode(l.Node)
	n := w.newNode(outside, &spec, Script{Armed: l.Armed, Born: l.Born, Never: l.Never, State: lifecycle.Active,
		Disarm: l.Replies})
	n.armedBy = 1
	w.former = append(w.former, n)
	w.brain.armed[l.Node], w.brain.disarms[l.Node] = true, l.Leftover
}

func (w *World) newNode(i int, spec *network.Node, script Script) *node {
	n := &node{overruled: -1,
		world: w, index: i, spec: spec, script: script, used: make([]int, len(script.On)), wire: map[uint64]*Call{},
		measured: measuredOf(spec), share: 1, unfitSince: -1, silentSince: -1, offersAt: -1,
		moved: -time.Hour, served: slices.Contains(w.opt.Servers, spec.Name), falsely: -1,
	}
	if !script.Never {
		w.queue.push(w.now+script.Born, func() { n.birth(script.State, script.Armed && !n.foreignArm()) })
	}
	if n.foreignArm() {
		w.queue.push(w.now, n.serve)
	}
	return n
}

// reads takes the file that lies there at a start. Processes live on, whether it names them or not.
func (w *World) reads() {
	if w.file == nil || w.file == w.net {
		return
	}
	w.files++
	old := append(w.nodes, w.former...)
	w.net, w.order, w.nodes, w.former = w.file, plan.OrderOf(w.file), nil, nil
	w.trace.net = w.net
	for i := range w.net.Nodes {
		k := slices.IndexFunc(old, func(n *node) bool { return n.spec.Name == w.net.Nodes[i].Name })
		if k < 0 {
			w.nodes = append(w.nodes, w.newNode(i, &w.net.Nodes[i], w.opt.Scripts[w.net.Nodes[i].Name]))
			continue
		}
		n := old[k]
		old = slices.Delete(old, k, k+1)
		n.index, n.spec = i, &w.net.Nodes[i]
		n.measured = measuredOf(n.spec)
		w.nodes = append(w.nodes, n)
	}
	for _, n := range old {
		n.index, n.told = outside, false
	}
	w.former, w.trace.nodes = old, w.nodes
	w.end.rereads()
	for _, name := range w.armedLeftovers() {
		w.note("%s is not armed by the file that is read now, and is armed: it was left so", name)
	}
}

func (e *end) rereads() {
	if e != nil {
		e.hash, e.least = e.world.net.Machine.Hash(), disarmed(e.world.net.Machine)
	}
}

// armedLeftovers are the nodes that the file does not arm, that a life of the coordinator has armed by a request, and
// that are armed (S2). What the disk has not taken, the next start cannot know (J3).
func (w *World) armedLeftovers() []string {
	var names []string
	for _, n := range slices.Concat(w.former, w.nodes) {
		// one that is born armed is in no journal
		byRequest := func(p *proc) bool { return p.alive && p.armed && (p.armedAt > 0 || n.index == outside) }
		if !n.inFile() && n.armedBy > 0 && !n.overtaken() && !w.brain.lossy && slices.ContainsFunc(n.procs, byRequest) {
			names = append(names, n.spec.Name)
		}
	}
	return names
}

func (w *World) find(name string) *node {
	for _, list := range [][]*node{w.nodes, w.former} {
		if k := slices.IndexFunc(list, func(n *node) bool { return n.spec.Name == name }); k >= 0 {
			return list[k]
		}
	}
	return nil
}

func (n *node) inFile() bool { return n.index != outside && n.spec.Arm != nil }

// another says whether what a fingerprint names is not the network of the file that was read last; the empty one is the
// first.
func (w *World) another(means string) bool {
	if means == "" {
		return w.files > 0
	}
	return means != w.net.Fingerprint()
}

func (w *World) leftovers() []engine.Leftover {
	var list []engine.Leftover
	for _, name := range slices.Sorted(maps.Keys(w.brain.armed)) {
		if n := w.find(name); n != nil && !n.inFile() {
			list = append(list, w.brain.disarms[name])
		}
	}
	return list
}

func (w *World) disarmLeftover(e engine.DisarmLeftover) {
	n, life := w.find(e.Node), w.brain.life
	c := &Call{At: w.now, Node: e.Node, Do: plan.DisarmStep}
	if !w.check.named || w.check.ousted {
		w.check.fault("a disarm is asked of %s before the name is taken, or after it is another's", e.Node)
	}
	w.leftoverAsked[e.Node] = w.now
	w.trace.Calls = append(w.trace.Calls, c)
	if n.process() != nil {
		w.send(n, request{kind: 'a', id: e.Call, leftover: e.Leftover + 1, several: n.seen() > 1, entry: c})
		return
	}
	w.queue.push(w.now+w.latency(), func() {
		if life == w.brain.life {
			w.brain.deliver(engine.LeftoverAnswered{Leftover: e.Leftover, Call: e.Call, Absent: true})
		}
	})
}
