package simnet

import (
	"time"

	"rstate/internal/engine"
)

// What the guard knows of the default watch (S5): which nodes are shown as unresponsive, and which ought to be.

const (
	heardIn     = 7 * time.Second  // a step is asked of a node that was heard in the last round of the watch (E3)
	silentLeast = 4 * time.Second  // a node that was heard less long ago is not unresponsive
	silentMost  = 12 * time.Second // 9 s by the rule; a node that fell silent is known to the guard a little later
)

// word notes that the coordinator hears something that is of the node itself.
func (n *node) word(in engine.Input) {
	switch in := in.(type) {
	case engine.EventHeard:
		if in.Epoch != 0 && in.Epoch != n.epoch {
			return
		}
	case engine.StateRead, engine.CallAnswered, engine.ArmAnswered:
	default:
		return
	}
	n.wordAt = n.world.now
}

// mute looks at what the journal says of a node's silence.
func (g *guard) mute(e engine.Entry) {
	w := g.world
	switch {
	case e.Kind == engine.EntryStep:
		g.stepAt = w.now
	case e.Kind == engine.EntryStart, e.Kind == engine.EntryStall && e.Event == engine.EventStalled:
		for _, n := range w.nodes {
			n.mute = false
		}
	case e.Kind != engine.EntryNode:
	case e.Event == engine.EventThere, e.Event == engine.EventGone:
		if n := w.find(e.Node); n != nil {
			n.mute = false
		}
	case e.Event == engine.EventSilent:
		n := w.named(e.Node)
		if n.mute {
			g.fault("the journal has %s become unresponsive twice", e.Node)
		}
		if ago := w.now - w.brain.held - n.wordAt; ago < silentLeast {
			g.fault("the journal has %s become unresponsive, which was heard %v ago", e.Node, ago)
		}
		n.mute = true
	case e.Event == engine.EventAnswers:
		n := w.named(e.Node)
		if !n.mute {
			g.fault("the journal has %s answer again, which was not unresponsive", e.Node)
		}
		if n.wordAt != w.now-w.brain.held {
			g.fault("the journal has %s answer again, of which nothing is heard", e.Node)
		}
		n.mute = false
	}
}

// silence looks, at the end of a run, whether each node that has been silent for long is shown as unresponsive. The watch rests while
// a transition runs or nodes are restored, and while something is under way to the node (S5).
func (g *guard) silence(snap engine.Snapshot) {
	w := g.world
	for i, n := range w.nodes {
		v := snap.Nodes[i]
		since := max(w.quiet, n.silentSince, n.wordAt, n.came, g.stepAt, w.brain.awake)
		watched := n.spec.Lifecycle && n.spec.Probe == 0 && n.told && len(n.procs) == 1 && v.State.Primary()
		underWay := snap.Target != "" || v.Doing != "" || v.Armed != engine.Disarmed
		if watched && !underWay && n.silentSince >= 0 && w.now > since+silentMost && v.Present && v.Silent == "" {
			g.fault("%s is silent since %v, and not shown as unresponsive", n.spec.Name, since)
		}
		if v.Silent != "" && !n.mute {
			g.fault("%s is shown as unresponsive, and the journal does not say so", n.spec.Name)
		}
	}
}

// chancesOf draws what becomes of a read of the watch from a source of its own, until what it returns is called.
func (w *World) chancesOf(r request) (end func()) {
	if !r.watch {
		return func() {}
	}
	random := w.random
	w.random = w.watching
	return func() { w.random = random }
}
