package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// What is armed, and on what proof.

func (c *checker) armsNode(n *node, e engine.ArmNode) *Call {
	w := c.world
	call := &Call{At: w.now, Node: n.spec.Name, Do: plan.DisarmStep}
	n.armCall = 0
	if !e.Arms() && n.disarmAt < n.armAt {
		n.disarmAt = w.now
	}
	if e.Arms() {
		call.Do = plan.ArmStep
		c.queued("%s is asked of %s", call.Do, call.Node)
		c.unwritten(call)
		c.shownBefore(n)
		c.leasedBefore(n)
		c.unguarded(n, "asked to arm")
		n.armedBy, n.armCall, n.armAt = w.brain.life, e.Call, w.now
	}
	c.ours(n, call)
	w.trace.Calls = append(w.trace.Calls, call)
	if !n.told && (e.Arms() || !n.served) {
		c.fault("%s is asked of %s, which is not there", call.Do, call.Node)
	}
	return call
}

func (n *node) answersArm(in engine.ArmAnswered) {
	if !n.foreignArm() {
		n.said = n.world.now
	}
	if in.Call == n.armCall && !in.Success {
		n.armCall = 0
	}
}

// mayOffer reports whether the node may offer what is unsafe (A9): it is armed, its lease has ended and the coordinator
// could not know (A6), it was asked to arm since the arming began, has not refused, and offered nothing before that, or
// it began to offer it between an arm and the disarm that it does not confirm.
func (n *node) mayOffer(since time.Duration) bool {
	return n.armAt < n.offersAt && n.offersAt < n.disarmAt || n.armed() || n.lapsed() ||
		n.armCall != 0 && n.armAt >= since && n.offersAt > n.armAt
}

// shownBefore looks whether a snapshot that names a node as perhaps armed was published before the node is asked to arm
// (A1).
func (c *checker) shownBefore(n *node) {
	if c.display == nil || c.display.Nodes[n.index].Armed == engine.Disarmed {
		c.fault("%s is asked to arm, and is shown as disarmed", n.spec.Name)
	}
}

// leasedBefore looks whether a lease that vouches for a node left before the node is asked to arm (A8), whether or not
// the middleware has taken it. When the newest message has perished in a gap, the engine says the next one within 0.1
// s, and may ask a node to arm meanwhile.
func (c *checker) leasedBefore(n *node) {
	if !c.leaseGone && c.world.now-c.world.brain.held > c.leasedTill {
		c.fault("%s is asked to arm, and the newest lease vouches until %v", n.spec.Name, c.leasedTill)
	}
}

// mayArm looks at an arming that the engine has decided on: a client or a peer has asked for it, every required node
// was seen in its place since it began, and nothing that is known stands against it (A1, A9, P7, S2).
func (c *checker) mayArm(n *node) {
	w := c.world
	asked := slices.ContainsFunc(w.trace.Goals, func(a *Goal) bool {
		// A5
		return a.taken && !a.Finished && !a.Orphaned &&
			(c.asksToArm(a.Command) && a.Asked >= c.toldAt || c.wasArmed && (c.refused || a.isCanceled()))
	})
	if !asked && !c.follows {
		c.fault("%s is armed, and no client or peer has asked for it", n.spec.Name)
	}
	if gone := c.maker.goneFor(); !asked && gone > vouchedWithin {
		c.fault("%s is armed because %s has armed, which was killed %v ago", n.spec.Name, c.maker.world.opt.Name, gone)
	}
	if w.stops.heardAt >= 0 {
		c.fault("%s is armed, and a stop was heard at %v that is not acknowledged", n.spec.Name, w.stops.heardAt)
	}
	if n.misserved() {
		c.fault("%s is armed, and %d processes serve its arm", n.spec.Name, len(n.serversKnown))
	}
	for _, name := range w.armedLeftovers() {
		c.fault("%s is armed beside %s, which an earlier run left armed", n.spec.Name, name)
	}
	for _, name := range w.net.Peers.Required {
		if since, known := c.unfitPeers[name]; known && since >= 0 && w.now > since+unfitWithin {
			c.fault("%s is armed, and %s, which is required, is not fit since %v", n.spec.Name, name, since)
		}
	}
	for _, o := range w.nodes {
		if c.unproven(o, c.target, c.since) {
			c.fault("%s is armed without fresh proof of %s", n.spec.Name, o.spec.Name)
		}
		if o.offersAt >= 0 && o.careless && !o.mayOffer(c.since) {
			c.fault("%s is armed, and %s is known to offer %v", n.spec.Name, o.spec.Name, o.spec.Unsafe)
		}
		if since := o.unfitSince; since >= 0 && since < c.since-o.slowest()-time.Second && o.told && !o.spec.Optional &&
			!w.clock.simulated {
			c.fault("%s is armed, and %s fails its checks since %v", n.spec.Name, o.spec.Name, since)
		}
	}
}

// unproven reports whether a required node was not seen where the state wants it since the arming began.
func (c *checker) unproven(n *node, state string, since time.Duration) bool {
	return !n.spec.Optional && n.spec.Lifecycle && (!n.told || c.strays(n, state) || n.heard < since)
}

// strays reports whether the node was last heard elsewhere than where the state wants it. A node that is armed is
// active.
func (c *checker) strays(n *node, state string) bool {
	s := c.stateOf(state)
	want, wanted := c.world.net.WantAt(s, n.index, n.evidence)
	return wanted && n.evidence != want || c.world.net.Arms(s, n.index) && n.evidence != lifecycle.Active
}

func (c *checker) leadsTo(command string) (state string, isState bool) {
	m := c.world.net.Machine
	name, isState, _ := m.Command(machine.ReadWord(command))
	if t, ok := m.Transition(name); ok && !isState {
		name = t.To
	}
	return name, isState
}

func (c *checker) asksToArm(command string) bool {
	to, _ := c.leadsTo(command)
	return c.stateOf(to).Armed.Any()
}

// disarms reports whether a command leads out of an armed state to its disarmed one.
func (c *checker) disarms(command string) bool {
	m := c.world.net.Machine
	name, isState, _ := m.Command(machine.ReadWord(command))
	return !isState && slices.ContainsFunc(m.States, func(s machine.State) bool {
		t, ok := m.Disarm(s.Name)
		return s.Armed.Any() && ok && t.Name == name
	})
}

func (c *checker) armedRightly(state string, s machine.State) {
	w := c.world
	for i, n := range w.nodes {
		if c.unproven(n, state, c.armsSince) {
			c.fault("%s is shown without fresh proof of %s", state, n.spec.Name)
		}
		if w.net.Arms(s, i) && !n.spec.Optional && !n.armed() && !n.changed() && !n.serversChanged() &&
			!n.lapsed() && !n.belated() {
			c.fault("%s is shown and %s is not armed", state, n.spec.Name)
		}
	}
}

// armed looks whether what is shown as armed may still be (A2).
func (c *checker) armed() {
	w := c.world
	for _, n := range w.nodes {
		n.judgeFitness()
		c.served(n)
	}
	c.stoppedRightly()
	if !c.arms || !w.brain.up || w.brain.broken {
		return
	}
	patience, slack := 3*time.Second, time.Duration(0)
	// E2: reads are lost, and asked again
	if noise := w.opt.Noise; noise.Request > 0 || noise.Answer > 0 || noise.Slow > 0 {
		patience, slack = 20*time.Second, 20*time.Second
	}
	for _, n := range w.nodes {
		age := w.now - w.brain.held - max(n.heard, n.said) // a yes to arming is a proof, too
		if n.armed() {
			c.unguarded(n, "shown as armed")
		}
		c.overruled(n)
		unfit := n.slowest() + time.Second + n.spec.Deadline.Arm + slack
		switch {
		case n.spec.Optional:
		case !n.told:
			c.fault("%s is shown and %s is gone", w.brain.shown, n.spec.Name)
		case n.proves() && age > w.net.Proof:
			c.fault("%s is shown and the newest proof of %s is %v old", w.brain.shown, n.spec.Name, age)
		case n.spec.Lifecycle && c.strays(n, w.brain.shown) && w.now > max(n.heardAt, w.brain.awake)+patience:
			c.fault("%s is shown and %s is %v", w.brain.shown, n.spec.Name, n.evidence)
		case n.unfitSince >= 0 && w.now > max(n.unfitSince, w.clock.turned, w.brain.awake, c.since)+unfit && !n.mayStand():
			c.fault("%s is shown and %s fails its checks since %v", w.brain.shown, n.spec.Name, n.unfitSince)
		}
	}
}

// mayStand reports whether what the node's checks count may stand still (E8).
func (n *node) mayStand() bool { _, simulated := n.clock(); return simulated }

// proves reports whether the node is asked again and again while anything is armed (A2).
func (n *node) proves() bool { return n.spec.Lifecycle && (n.spec.Arm != nil || n.spec.Probe > 0) }

func (n *node) slowest() (longest time.Duration) {
	for _, k := range n.spec.Checks {
		if k.Rate > 0 {
			longest = max(longest, time.Second, time.Duration(4/k.Rate*float64(time.Second)))
		}
		longest = max(longest, k.Age)
	}
	return longest
}

// judgeFitness notes since when the node's checks ought to fail, and since when nothing of it is to be heard.
func (n *node) judgeFitness() {
	n.silentSince = n.world.since(!n.speaks(), n.silentSince)
	if len(n.spec.Checks) > 0 {
		share := n.publishes() // A1: half of a slow topic may pass by chance
		unfit := slices.ContainsFunc(n.spec.Checks,
			func(k network.Check) bool {
				if k.When != network.Always || k.Warn {
					return false
				}
				switch k.Kind() {
				case network.CheckRate:
					return share < 0.5
				case network.CheckAge, network.CheckField:
					return share < 0.1
				}
				return n.fails
			})
		n.unfitSince = n.world.since(unfit, n.unfitSince)
	}
}

func (w *World) since(is bool, was time.Duration) time.Duration {
	switch {
	case !is:
		return -1
	case was >= 0:
		return was
	}
	return w.now
}

// abandons reports whether a process that goes now leaves behind what nothing but a later one can disarm (A3), as the
// coordinator could know: the graph has shown it, and it has not said since that it was disarmed.
func (p *proc) abandons() bool {
	return p.seen && p.armed && !p.late && p.node.spec.Arm != nil && p.node.spec.Arm.DeadMan == network.DeadManNone
}

func (n *node) restarts() {
	n.told, n.graph, n.known, n.abandoned = false, false, nil, false
	n.exposed, n.offersAt = false, -1
	n.energised = slices.ContainsFunc(n.serving(), func(p *proc) bool { return (!p.alive || p.cut) && p.abandons() })
}

func (n *node) departs() { n.abandoned, n.armCall = n.abandoned || n.energised, 0 }

// abandoned looks whether a node is believed to be disarmed of which no process has said so since one left armed (A3).
func (c *checker) abandoned(snap engine.Snapshot) {
	for i, n := range c.world.nodes {
		if n.abandoned && snap.Nodes[i].Armed == engine.Disarmed && !n.overtaken() {
			c.fault("%s is believed to be disarmed, and has left armed without a lease", n.spec.Name)
		}
	}
}
