package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/plan"
)

// What is asked of nodes.

// heardIn is how old the word of a node may be when a step is asked of it: a round of the watch and 2 s (E3).
const heardIn = 7 * time.Second

// mayCall looks at a step that the engine has decided to ask of a node.
func (c *checker) mayCall(n *node, e engine.CallNode) {
	w := c.world
	do, name, to := e.Transition.Label, n.spec.Name, e.Transition.Target()
	shutdown := do == lifecycle.Shutdown(lifecycle.Active).Label // F5: asked of every endpoint, whatever is known of it
	lowersLost := n.lost() && to.Level() < n.evidence.Level()    // F2: asked of every endpoint that is left
	switch {
	case !n.told:
		c.fault("%s is asked of %s, which is not there", do, name)
	case shutdown:
	case n.count == 1 && n.alone() && !slices.Contains(n.known, n.epoch):
		c.fault("%s is asked of %s, of whose present process nothing was heard", do, name)
	case !lowersLost && w.now > n.last+heardIn:
		c.fault("%s is asked of %s, of which nothing was heard for %v", do, name, w.now-n.last)
	case w.brain.anew >= 0 && n.heard < w.brain.anew:
		c.fault("%s is asked of %s on what was heard before a stall", do, name)
	case n.alone() && !n.changed() && n.occupied():
		c.fault("%s is asked of %s beside another request", do, name)
	}
	c.order(n, e.Transition)
	c.bidden(n, e.Transition)
}

// calls notes a step that is asked of a node.
func (c *checker) calls(n *node, e engine.CallNode) *Call {
	w := c.world
	call := &Call{At: w.now, Node: n.spec.Name, Do: e.Transition.Label, to: e.Transition.Target(), excused: n.changed(),
		epoch: n.epoch}
	w.trace.Calls = append(w.trace.Calls, call)
	c.queued("%s is asked of %s", call.Do, call.Node)
	c.ours(n, call)
	n.wire[e.Call], n.claims = call, lifecycle.Unknown
	n.flight = append(n.flight, call)
	return call
}

// lost reports whether three probes were not answered (S3).
func (n *node) lost() bool { return n.spec.Probe > 0 && n.world.now >= n.last+3*time.Second }

// alone reports whether only the process of which the coordinator was told bears the name (E4: of two, either may
// answer).
func (n *node) alone() bool {
	return len(n.procs) == 1 && n.procs[0].alive && n.procs[0].epoch == n.epoch
}

func (n *node) occupied() bool {
	n.flight = slices.DeleteFunc(n.flight, func(o *Call) bool { return o.Fate != "" })
	p := n.procs[0]
	return p.busy || slices.ContainsFunc(n.flight, func(o *Call) bool { return o.epoch == p.epoch })
}

// illegal notes a request that its node could not take. The coordinator could not know that of a node that was changed
// from outside, or has two processes (E4), and a shutdown is asked in any case (F5).
func (c *checker) illegal(n *node, p *proc, r request) {
	hurried := r.do.Label == "shutdown" && (p.busy || p.state == lifecycle.Finalized)
	if !hurried && len(n.procs) == 1 && !r.entry.excused && n.foreign < r.entry.At {
		c.fault("%s was asked of %s, which is %v", r.do.Label, n.spec.Name, p.state)
	}
}

// queued reports what was decided before a gap and is done after it (A8).
func (c *checker) queued(format string, args ...any) {
	if held := c.world.brain.held; held > engine.Stall {
		c.fault(format+" %v after that was wished", append(args, held)...)
	}
}

// ours looks whether the coordinator may ask anything of nodes (S1): another instance's nodes only to disarm what it
// armed.
func (c *checker) ours(n *node, call *Call) {
	switch {
	case !c.named:
		c.fault("%s is asked of %s before the name is taken", call.Do, call.Node)
	case c.ousted && (call.Do != plan.DisarmStep || n.armedBy != c.world.brain.life):
		c.fault("%s is asked of %s, which is another's by now", call.Do, call.Node)
	}
}

func (c *checker) takes() {
	if c.named || c.ousted {
		c.fault("the name is taken twice, or is another's")
	}
	c.named = true
}

// rival notes whether the coordinator has to leave the network to another instance (S1).
func (c *checker) rival(in engine.NameTaken) {
	b := &c.world.brain
	older := in.Instance < b.instance()
	switch {
	case in.Instance == b.instance() || b.gone:
	case c.named:
		c.ousted = c.ousted || in.Answered && (older || in.Stood)
	default:
		c.ousted = c.ousted || in.Answered || in.Renews && (in.Holds || older)
	}
}

// finds notes the highest level at which a transition may have found each node: where it is, where a step that is under
// way leads it (F4), or where the state at rest wants it.
func (c *checker) finds(s machine.State) {
	for i, n := range c.world.nodes {
		n.found = n.evidence.Level()
		for _, p := range n.procs {
			n.found = max(n.found, p.state.Level())
		}
		for _, o := range n.flight {
			if o.Fate == "" || o.At >= n.heard {
				n.found = max(n.found, o.to.Level())
			}
		}
		for _, d := range c.turn.calls { // in this turn, before this
			if d.Node == i {
				n.found = max(n.found, d.Transition.Target().Level())
			}
		}
		if want, ok := c.world.net.Want(s, i); ok && !s.Passing {
			n.found = max(n.found, want.Level())
		}
	}
}

// joins is for how long a node waits for an optional one that appears during the transition.
const joins = 2 * time.Second

// order looks whether a step comes in its turn (E1), and whether error processing raises a node above where the
// transition found it (F2) or activates one that is armed (A3).
func (c *checker) order(n *node, t lifecycle.Transition) {
	w := c.world
	raises := t == lifecycle.Configure || t == lifecycle.Activate
	known := !n.changed()
	switch {
	case raises && (c.state == "" || c.state == machine.Unknown):
		c.fault("%s is asked of %s before the start has ended", t.Label, n.spec.Name)
	case raises && known && c.state == w.net.Machine.Error && t.Target().Level() > n.found:
		c.fault("%s is asked of %s, which was lower when the transition began", t.Label, n.spec.Name)
	case t == lifecycle.Activate && known && c.state == w.net.Machine.Error && n.spec.Arm != nil && n.armsKnown() &&
		!n.overtaken():
		c.fault("%s is asked of %s, which is armed, on the way back", t.Label, n.spec.Name)
	}
	if !c.smooth || n.foreign >= c.shownAt {
		return // E1, E6: each node goes back to where it was, or another tool has brought it out of its turn
	}
	others := w.order.Before[n.index]
	if raises {
		others = w.order.After[n.index]
	}
	target := c.stateOf(c.target)
	for _, j := range others {
		o := w.nodes[j]
		state, alive := o.truth()
		want, wanted := w.net.WantAt(target, j, state)
		if !alive || !o.told || len(o.procs) > 1 || !o.spec.Lifecycle || !wanted ||
			o.last <= max(w.brain.began, w.brain.anew) {
			// E5, S2: it was not there, or has not been heard since a start; E4: of two, either may have answered
			continue
		}
		if o.spec.Optional && o.came > c.shownAt && w.now >= o.came+joins {
			continue // E1: one that appears meanwhile is waited for, for two reads at most
		}
		if told := o.procs[0].endTold; told > 0 && o.last <= told {
			continue // S4: the kernel says that it has ended, and it does not answer, as its link keeps what it says
		}
		if o.givenUp || o.changed() || o.moved > c.shownAt-time.Second {
			// E1, E6: its part is over, or another tool has moved it, and its announcements may still be under way
			continue
		}
		level := t.Target().Level()
		// E2: what it has answered or announced last counts, even if that is not true, or not any more.
		claims := o.claims != lifecycle.Unknown && !holds(o.claims, level, want.Level(), raises)
		if !claims && holds(state, level, want.Level(), raises) {
			c.fault("%s is asked of %s while %s is %v", t.Label, n.spec.Name, o.spec.Name, state)
		}
	}
}

// bidden looks whether a client has asked for what raises a node above the state in which the network rests (R4). Among
// peers the command may be another instance's.
func (c *checker) bidden(n *node, t lifecycle.Transition) {
	if t != lifecycle.Configure && t != lifecycle.Activate || c.rests == "" || c.world.end != nil || c.world.peered ||
		c.commanded() {
		return
	}
	if want, _ := c.world.net.Want(c.stateOf(c.rests), n.index); t.Target().Level() > want.Level() {
		c.fault("%s is asked of %s without a command, and the network is %s", t.Label, n.spec.Name, c.rests)
	}
}

// holds reports whether a node in a state, which the network wants at a level, holds a step of another node to a level.
func holds(state lifecycle.State, level, want int, raises bool) bool {
	at := state.Level()
	switch state { // while it is lowered it holds those below it
	case lifecycle.Deactivating, lifecycle.ShuttingDown:
		at = lifecycle.Active.Level()
	case lifecycle.CleaningUp:
		at = lifecycle.Inactive.Level()
	}
	return raises && (at < min(level, want) || !state.Primary()) || !raises && at > max(level, want)
}

// unwritten looks whether what arms waits for the journal, a second at most (J2).
func (c *checker) unwritten(call *Call) {
	if c.syncedAt >= 0 && c.smooth && c.world.now < c.syncedAt+time.Second {
		c.fault("%s is asked of %s before the journal is safe", call.Do, call.Node)
	}
}
