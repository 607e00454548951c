package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
)

// What is believed at rest, and what the journal says.

const (
	leftoverWithin = 5 * time.Second  // a node that an earlier run left armed is asked to disarm every second (S2)
	silentLeast    = 4 * time.Second  // a node that was heard less long ago is not unresponsive
	silentMost     = 12 * time.Second // S5 says 9 s; the checker may know of the silence a little later
)

func (c *checker) atEnd() {
	w := c.world
	waits := w.net.Loop != nil && w.brain.up && len(w.brain.state.Snapshot().OpenGoals) > 0
	for _, a := range w.trace.Goals {
		if waits && (w.opens(a.Command) || w.defers(a.Command)) {
			continue // it stays open while the loop runs, or until it goes on
		}
		if !a.Finished && !a.Rejected && !a.Orphaned {
			c.fault("%s never ends", a.Handle)
		}
		if len(a.Cancels) != a.asked {
			c.fault("%s has %d answers to %d cancels", a.Handle, len(a.Cancels), a.asked)
		}
	}
	if !w.brain.up || w.brain.stalled || w.brain.broken || w.quiet < 0 {
		return
	}
	snap := w.brain.state.Snapshot()
	c.silence(snap)
	for _, name := range w.armedLeftovers() {
		asked := max(w.brain.began, w.brain.awake, w.leftoverAsked[name])
		if c.named && !c.ousted && !c.stopped && w.now > asked+leftoverWithin {
			c.fault("%s is armed, which an earlier run left so, and was not asked to disarm since %v", name, asked)
		}
	}
	c.atRest(snap)
}

// atRest compares the nodes with the state in which the network rests, and with what is shown of them.
func (c *checker) atRest(snap engine.Snapshot) {
	w, s := c.world, c.stateOf(snap.Settled)
	c.abandoned(snap)
	for i, n := range w.nodes {
		truth, alive := n.truth()
		want, wanted := w.net.WantAt(s, i, truth)
		switch {
		case !n.told || n.changed() || !alive: // the coordinator has not heard of it
		case n.spec.Arm != nil && snap.Nodes[i].Armed == engine.Disarmed && n.armsKnown() && !n.overtaken():
			c.fault("%s is armed and believed to be disarmed", n.spec.Name)
		case len(n.procs) == 1 && snap.Intact && !n.spec.Optional && n.spec.Lifecycle && wanted && truth != want:
			c.fault("%s counts as intact while %s is %v", snap.Settled, n.spec.Name, truth)
		}
	}
}

// recorded looks, when the coordinator dies, whether its journal names each node that it has armed (S2). A node that is
// suspended disarms by itself as soon as it goes on, if its lease has ended (A6). A disk that takes nothing stops
// nothing (J3).
func (c *checker) recorded() {
	w := c.world
	if w.brain.lossy {
		return
	}
	names := w.armedLeftovers()
	for _, n := range w.nodes {
		for _, p := range n.serving() {
			if p.alive && p.armed && n.armedBy > 0 && (!p.server || slices.Contains(n.serversKnown, p)) && !n.overtaken() &&
				!(p.frozen && n.leased() && w.now >= p.vouched) {
				names = append(names, n.spec.Name)
			}
		}
	}
	for _, name := range names {
		if !w.brain.armed[name] {
			c.fault("the coordinator dies, %s is armed, and the journal does not say so", name)
		}
	}
}

// journalOfSilence looks at what the journal says of unresponsive nodes (S5).
func (c *checker) journalOfSilence(e engine.Entry) {
	w := c.world
	n := w.find(e.Node)
	now := w.now - w.brain.held
	switch {
	case e.Kind == engine.EntryStep:
		c.stepAt = w.now
	case e.Kind == engine.EntryStart, e.Kind == engine.EntryStall && e.Event == engine.EventStalled:
		for _, n := range w.nodes {
			n.mute = false
		}
	case e.Kind != engine.EntryNode || n == nil:
	case e.Event == engine.EventThere, e.Event == engine.EventGone:
		n.mute = false
	case e.Event == engine.EventSilent:
		if n.mute || now < n.wordAt+silentLeast {
			c.fault("the journal has %s become unresponsive, twice or after it was heard at %v", e.Node, n.wordAt)
		}
		n.mute = true
	case e.Event == engine.EventAnswers:
		if !n.mute || n.wordAt != now {
			c.fault("the journal has %s answer again, which was not unresponsive, or is not heard", e.Node)
		}
		n.mute = false
	}
}

// silence looks at rest whether each node that has been silent for long is shown as unresponsive. The watch rests while
// something is under way to the node or nodes are restored, and A2 asks for the proof of what may be armed (S5).
func (c *checker) silence(snap engine.Snapshot) {
	w := c.world
	for i, n := range w.nodes {
		v := snap.Nodes[i]
		since := max(w.quiet, n.silentSince, n.wordAt, n.came, c.stepAt, w.brain.awake)
		watched := n.spec.Lifecycle && n.spec.Probe == 0 && n.told && len(n.procs) == 1 && v.State.Primary() &&
			v.Present
		underWay := snap.Work.Target != "" || v.Doing != "" || v.Armed != engine.Disarmed
		if watched && !underWay && n.silentSince >= 0 && w.now > since+silentMost && v.Silent == "" {
			c.fault("%s is silent since %v, and not shown as unresponsive", n.spec.Name, since)
		}
		if v.Silent != "" && !n.mute {
			c.fault("%s is shown as unresponsive, and the journal does not say so", n.spec.Name)
		}
	}
}
