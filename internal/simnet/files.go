package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// A restart with another network file: its nodes, and the nodes of the files before it, which live on.

// Swap puts another network file in the place of the coordinator's: the next start reads it.
type Swap struct {
	Net *network.Network
	How string // what is different, for a person
}

func (a Swap) String() string { return "the next start reads another file: " + a.How }
func (a Swap) act(w *World)   { w.file = a.Net }

// outside is the index of a node that the network file does not have.
const outside = -1

// newNode returns the i-th node of the network, whose process is yet to be born.
func (w *World) newNode(i int) *node {
	spec := &w.net.Nodes[i]
	script := w.opt.Scripts[spec.Name]
	return &node{
		world: w, index: i, spec: spec, script: script, used: make([]int, len(script.On)), wire: map[uint64]*Call{},
		topics: make([]topic, len(spec.Checks)), share: 1, unfitSince: -1, silentSince: -1,
	}
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
			n := w.newNode(i)
			w.nodes = append(w.nodes, n)
			if !n.script.Never {
				w.queue.push(w.now+n.script.Born, func() { n.birth(n.script.State, n.script.Armed) })
			}
			continue
		}
		n := old[k]
		old = slices.Delete(old, k, k+1)
		n.index, n.spec = i, &w.net.Nodes[i]
		n.topics = make([]topic, len(n.spec.Checks))
		w.nodes = append(w.nodes, n)
	}
	for _, n := range old {
		n.index, n.told = outside, false
	}
	w.former, w.trace.nodes = old, w.nodes
	w.end.rereads()
	for _, n := range w.leftArmed() {
		w.note("%s is not armed by the file that is read now, and is armed: it was left so", n.spec.Name)
	}
}

// rereads notes what the file of this instance says now.
func (e *end) rereads() {
	if e != nil {
		e.hash, e.least = e.world.net.Machine.Hash(), disarmed(e.world.net.Machine)
	}
}

// leftArmed are the nodes that the file does not arm, and that are armed.
func (w *World) leftArmed() []*node {
	var list []*node
	for _, n := range slices.Concat(w.former, w.nodes) {
		byRequest := func(p *proc) bool { return p.alive && p.armed && p.armedAt > 0 } // one that is born armed is in no journal
		if !n.inFile() && slices.ContainsFunc(n.procs, byRequest) {
			list = append(list, n)
		}
	}
	return list
}

// find returns the node of that name in this file or in one before it, or nil.
func (w *World) find(name string) *node {
	for _, list := range [][]*node{w.nodes, w.former} {
		if k := slices.IndexFunc(list, func(n *node) bool { return n.spec.Name == name }); k >= 0 {
			return list[k]
		}
	}
	return nil
}

// inFile says whether the file that was read last arms the node.
func (n *node) inFile() bool { return n.index != outside && n.spec.Arm != nil }

// another says whether what a fingerprint names is not the network of the file that was read last; the empty one is the first.
func (w *World) another(means string) bool {
	if means == "" {
		return w.files > 0
	}
	return means != w.net.Fingerprint()
}

// disarmFormer asks a node to disarm that the file does not arm, and that an earlier run may have left armed.
func (w *World) disarmFormer(e engine.DisarmLeft) {
	n := w.find(e.Node)
	c := &Call{At: w.now, Node: e.Node, Do: plan.DisarmStep}
	w.trace.Calls = append(w.trace.Calls, c)
	n.leftAsked = w.now
	if n.process() == nil {
		life := w.brain.life
		w.queue.push(w.now+w.latency(), func() {
			if life == w.brain.life {
				w.brain.deliver(engine.LeftAnswered{Left: e.Left, Call: e.Call, Absent: true})
			}
		})
		return
	}
	w.send(n, request{kind: 'a', id: e.Call, left: e.Left + 1, entry: c})
}

// besideLeft reports a fault if a node is about to be armed while a node of an earlier file may be armed (S2). What the disk has
// not taken, the next start cannot know (J3).
func (g *guard) besideLeft(n *node) {
	for _, o := range g.world.leftArmed() {
		if o.armedBy > 0 && !o.overtaken() && !g.world.brain.lossy {
			g.fault("%s is armed beside %s, which an earlier run left armed", n.spec.Name, o.spec.Name)
		}
	}
}

// leftAlone looks at rest whether a node that an earlier run has left armed is asked to disarm every second (S2, A3).
func (g *guard) leftAlone() {
	w := g.world
	if !g.named || g.left || g.stopped || w.brain.gone || w.now < w.brain.began+leftWithin || w.now < w.brain.awake+leftWithin {
		return
	}
	for _, o := range w.leftArmed() {
		if o.armedBy > 0 && !o.overtaken() && !w.brain.lossy && w.now > o.leftAsked+leftWithin {
			g.fault("%s is armed, which an earlier run left so, and was not asked to disarm since %v", o.spec.Name, o.leftAsked)
		}
	}
}

// leftWithin is how long after a start, and after the request before it, a node that was left armed is asked to disarm.
const leftWithin = 5 * time.Second
