package simnet

import (
	"maps"
	"slices"
	"time"

	"rstate/internal/engine"
)

// Leftover is a node that is not of the network, and that an earlier run may have left armed.
type Leftover struct {
	engine.Left
	Armed   bool          // it is
	Born    time.Duration // when its process starts
	Never   bool          // its process never starts
	Replies []Reply       // one per request to disarm, the last for all that follow; none: yes at once
}

type leftover struct {
	Leftover
	asked int
}

// leftNow lists those of which the journal says now that they may be armed.
func (w *World) leftNow() []engine.Left {
	var list []engine.Left
	for _, l := range w.left {
		if w.brain.armed[l.Node] {
			list = append(list, l.Left)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.brain.armed)) {
		if n := w.find(name); n != nil && !n.inFile() {
			list = append(list, w.brain.disarms[name])
		}
	}
	return list
}

func (w *World) disarmLeft(e engine.DisarmLeft) {
	if !w.guard.named || w.guard.left {
		w.guard.fault("a disarm is asked of %s before the name is taken, or after it is another's", e.Node)
	}
	k := slices.IndexFunc(w.left, func(l *leftover) bool { return l.Node == e.Node })
	if k < 0 {
		w.disarmFormer(e)
		return
	}
	l, life := w.left[k], w.brain.life
	c := &Call{At: w.now, Node: e.Node, Do: "disarm"}
	w.trace.Calls = append(w.trace.Calls, c)
	answer := engine.LeftAnswered{Left: e.Left, Call: e.Call}
	how := Reply{}
	switch {
	case l.Never || w.now < l.Born:
		answer.Absent = true
	case len(l.Replies) > 0:
		how = l.Replies[min(l.asked, len(l.Replies)-1)]
		l.asked++
	}
	if how.Silent {
		return
	}
	w.queue.push(w.now+how.Takes+w.latency(), func() {
		if !answer.Absent && !how.No {
			l.Armed, answer.Success = false, true
		}
		answer.Message = how.Says
		w.queue.push(w.now+w.latency(), func() {
			if life == w.brain.life && !how.Mute {
				w.brain.deliver(answer)
			}
		})
	})
}

// recorded looks, when the coordinator dies, whether its journal says of each node that it has armed that it may be armed.
func (g *guard) recorded() {
	w := g.world
	if w.brain.lossy {
		return
	}
	for _, n := range w.nodes {
		if n.armed() && n.armedBy > 0 && !n.overtaken() && !n.lapsesLater() && !w.brain.armed[n.spec.Name] {
			g.fault("the coordinator dies, %s is armed, and the journal does not say so", n.spec.Name)
		}
	}
	for _, n := range w.leftArmed() {
		if n.armedBy > 0 && !n.overtaken() && !w.brain.armed[n.spec.Name] {
			g.fault("the coordinator dies, %s is armed since an earlier run, and the journal does not say so", n.spec.Name)
		}
	}
	for _, l := range w.left {
		if l.Armed && !w.brain.armed[l.Node] {
			g.fault("the coordinator dies, %s is armed since an earlier run, and the journal does not say so", l.Node)
		}
	}
}

// lapsesLater reports whether every process that is armed is suspended, and the lease that it follows has ended: it disarms as
// soon as it is continued, and the coordinator counts the lease only (A6).
func (n *node) lapsesLater() bool {
	for _, p := range n.procs {
		if p.alive && p.armed && !(p.frozen && n.follows() && n.world.now >= p.vouched) {
			return false
		}
	}
	return true
}
