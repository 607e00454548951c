package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// What the guard knows of arming: who may be armed, who may stay so, and until when that has to be noticed.

// mayArm looks at an arming that is about to go out: a goal that is still open must have asked for it, and every
// required node must have been seen where it is wanted since the arming began.
func (g *guard) mayArm(n *node) {
	w := g.world
	asked := slices.ContainsFunc(w.trace.Goals, func(a *Goal) bool {
		return a.Accepted && !a.Finished && !a.Orphaned && (g.asksToArm(a.Command) || g.takesBack(a))
	})
	if !asked && !g.follows {
		g.fault("%s is armed, and nobody asked for it", n.spec.Name)
	}
	g.besideLeft(n)
	for _, l := range w.left {
		if l.Armed {
			g.fault("%s is armed beside %s, which an earlier run left armed", n.spec.Name, l.Node)
		}
	}
	for _, name := range w.net.Peers.Required {
		if since, known := g.unfitPeers[name]; known && since >= 0 && w.now > since+unfitWithin {
			g.fault("%s is armed, and %s, which is required, is not fit since %v", n.spec.Name, name, since)
		}
	}
	for _, o := range w.nodes {
		if o.spec.Optional || !o.spec.Lifecycle {
			continue
		}
		if !o.told || g.strays(o, g.target) || o.heard < g.since {
			g.fault("%s is armed without fresh proof of %s", n.spec.Name, o.spec.Name)
		}
	}
	g.unsafeKnown(n)
	for _, o := range w.nodes { // a node that does not say yes, or was too slow all the while, cannot have passed
		if since := o.unfitSince; since >= 0 && since < g.since-o.slowest()-time.Second && o.told && !o.spec.Optional && !w.clock.simulated {
			g.fault("%s is armed, and %s fails its checks since %v", n.spec.Name, o.spec.Name, since)
		}
	}
}

// strays reports whether the node was last heard elsewhere than where the state wants it. A node that can be armed is
// always wanted active there.
func (g *guard) strays(n *node, state string) bool {
	s, _ := g.world.net.Machine.State(state)
	want, wanted := g.world.net.Want(s, n.index)
	return wanted && n.evidence != want || s.Armed.Any() && g.world.net.Arms(s, n.index) && n.evidence != lifecycle.Active
}

// asksToArm says whether the command, or the state, leads to one that arms.
func (g *guard) asksToArm(command string) bool {
	m := g.world.net.Machine
	name, isState, _ := m.Command(command)
	if t, ok := m.Transition(name); ok && !isState {
		name = t.To
	}
	s, _ := m.State(name)
	return s.Armed.Any()
}

// takesBack says whether a goal that disarmed may lead back to armed: it was cancelled, or a node has refused.
func (g *guard) takesBack(a *Goal) bool {
	canceled := slices.ContainsFunc(a.Cancels, func(c engine.AnswerCancel) bool { return c.Accepted })
	return g.wasArmed && (canceled || g.refused)
}

// armed looks whether what is shown as armed may still be: every required node is there, and none was heard to be
// elsewhere for longer than it takes to ask it again.
func (g *guard) armed() {
	w := g.world
	if !g.arms || !w.brain.up || w.brain.broken {
		return
	}
	patience := 3 * time.Second
	if n := w.opt.Noise; n.Request > 0 || n.Answer > 0 || n.Slow > 0 {
		patience = 20 * time.Second // reads are lost as everything else is
	}
	for _, n := range w.nodes {
		if !n.spec.Optional && n.told {
			g.unfit(n, patience > 3*time.Second)
			g.aged(n)
		}
		switch {
		case n.spec.Optional:
		case !n.told:
			g.fault("%s is shown and %s is gone", w.brain.shown, n.spec.Name)
		case n.spec.Lifecycle && g.strays(n, w.brain.shown) && w.now > max(n.heardAt, w.brain.awake)+patience:
			g.fault("%s is shown and %s is %v", w.brain.shown, n.spec.Name, n.evidence)
		}
	}
}

// provenTo looks, at the moment on which the network is shown to be armed, whether every required node was seen active since
// the arming began, and who has to prove himself lately enough.
func (g *guard) provenTo(state string) {
	w := g.world
	for _, n := range w.nodes {
		switch {
		case n.spec.Optional || !n.spec.Lifecycle:
		case g.strays(n, state) || n.heard < g.since:
			g.fault("%s is shown without fresh proof of %s", state, n.spec.Name)
		case n.proves() && w.now-w.brain.held-n.heard > w.net.Proof:
			g.fault("%s is shown and %s has not proven itself since %v", state, n.spec.Name, n.heard)
		}
	}
}

// aged looks whether the network is still armed on a proof that is too old. A yes to arming is one, too.
func (g *guard) aged(n *node) {
	w := g.world
	if age := w.now - w.brain.held - max(n.heard, n.said); n.proves() && age > w.net.Proof && w.brain.shown != "" {
		g.fault("%s is shown and the newest proof of %s is %v old", w.brain.shown, n.spec.Name, age)
	}
}

// fitness looks what is true of every node's checks.
func (g *guard) fitness() {
	for _, n := range g.world.nodes {
		n.judgeFitness()
		switch {
		case n.speaks():
			n.silentSince = -1
		case n.silentSince < 0:
			n.silentSince = g.world.now
		}
	}
}

// unfit looks whether a node that ought to fail its checks, or cannot prove itself, is still armed with the others. Reads
// and counts take their time, and more where messages are lost; a clock that stands holds rates.
func (g *guard) unfit(n *node, noise bool) {
	w := g.world
	var slack time.Duration
	if noise {
		slack = 20 * time.Second
	}
	since := max(n.unfitSince, w.brain.awake, g.since)
	if allow := n.slowest() + time.Second + n.spec.Deadline.Arm + slack; n.unfitSince >= 0 && w.now > since+allow && !w.clock.simulated {
		g.fault("%s is shown and %s fails its checks since %v", w.brain.shown, n.spec.Name, n.unfitSince)
	}
	since = max(n.silentSince, w.brain.awake, g.settledAt)
	if allow := w.net.Proof + 10*time.Millisecond; n.silentSince >= 0 && n.proves() && w.now > since+allow {
		g.fault("%s is shown and %s has shown nothing of itself since %v", w.brain.shown, n.spec.Name, n.silentSince)
	}
}

// proves says whether the node has to be asked again and again while anything is armed.
func (n *node) proves() bool { return n.spec.Lifecycle && (n.spec.Arm != nil || n.spec.Probe > 0) }

// slowest is the time that it takes to know the rates of the node's topics.
func (n *node) slowest() time.Duration {
	longest := time.Duration(0)
	for _, c := range n.spec.Checks {
		if c.Rate > 0 {
			longest = max(longest, time.Second, time.Duration(4/c.Rate*float64(time.Second)))
		}
	}
	return longest
}
