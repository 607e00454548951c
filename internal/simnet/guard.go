package simnet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// guard watches what must never be. It knows the truth and what the coordinator has been told; it never tells. What it
// watches:
//
//   - nothing is asked of a node that is not there, on the word of a former process, beside another transition, against
//     the order of the file, where the node cannot take it, or while a start has not ended;
//   - nothing is asked before the name is taken, and nothing but a disarm of what it armed once it is another's;
//   - recovery raises no node above where the transition found it;
//   - nothing is armed that nobody asked for who still waits, after a restart or by healing least of all, nor without
//     fresh proof of every required node; and nothing stays armed once one of them is lost or elsewhere, or the newest
//     proof of it is too old;
//   - nothing is armed while a check fails in truth, nor stays so longer than it takes to notice; and nobody who has to
//     prove himself stays armed for longer than his proof is good for;
//   - nothing is armed while somebody is known to offer what he must not;
//   - nobody is believed to be disarmed who left armed without a lease, before a process of it says so or is finalized;
//   - no lease vouches for what was not so, is renewed for another's network, or comes after one of a higher term; one that
//     has run out never lives again; and who follows the lease is armed no longer than the newest proof that he was told of is good for,
//     reckoned in true time, whatever clocks show and however late, often or old messages come: so also when the coordinator
//     is stopped or dead;
//   - nothing that was wished before the coordinator stood still is done after it if it raises, and nothing is asked on
//     what was heard before;
//   - every goal is answered once, and every one that was accepted ends once, with the truth;
//   - a change that is published without a command is lower than the one before;
//   - no node is shown as unresponsive that was heard a moment ago, and at rest each is that has been silent for long;
//   - at rest, what is believed to be intact or disarmed is so.
type guard struct {
	world     *World
	open      int             // goals that are accepted and not ended
	since     time.Duration   // when the network's present state was shown first
	arms      bool            // it arms
	wasArmed  bool            // the state in which it rested last arms
	refused   bool            // and a node has answered no to arming or disarming since
	settledAt time.Duration   // when it was shown last that it rests
	begun     time.Duration   // when the present transition was, or the state at rest
	target    string          // to which it leads, where it is passing
	origin    string          // the settled one before it
	back      bool            // it is the way back of a cancelled transition
	lowers    bool            // the command that it began with takes the network down
	bottom    bool            // recovery takes every node to unconfigured: the second rung
	given     map[string]bool // nodes that this transition gave up
	lastMade  uint64          // the coordinator's own number of changes
	lastFrom  string          // whose
	lowest    int             // the level of the newest change that counted
	fresh     bool            // a command came since then
	named     bool            // the coordinator has taken its name in this life
	left      bool            // it has had to leave the network to another since
	syncing   bool            // the journal was asked to be safe, and has not answered
	syncedAt  time.Duration   // when it was asked
	term      terms

	follows    bool                     // the newest change heard of a peer arms, and was made while it was heard
	following  bool                     // and an arming has begun since
	heardOf    []mirror.Seen            // how many changes of each have been heard
	lately     []heardOf                // what was heard a moment ago
	standstill time.Duration            // until when the coordinator last stood still, or was not there
	mirrored   bool                     // what runs, or has just ended, can only be the work of another
	restedAt   time.Duration            // when it was last shown that it rests
	goesBack   string                   // where a command that was taken back leads; empty: none is
	stopped    bool                     // it was told to end
	shown      *engine.Snapshot         // the newest, where it was of a moment before the end of a step; nil: it is of its end
	stepAt     time.Duration            // when a node's part of anything last began or ended
	unfitPeers map[string]time.Duration // of those that are required: since when; negative: it is fit
}

func (g *guard) fault(format string, args ...any) {
	g.world.trace.Faults = append(g.world.trace.Faults, fmt.Sprintf("%v: ", g.world.now)+fmt.Sprintf(format, args...))
}

// testimony is what was true when a message was made, and when that was.
type testimony struct {
	epoch  uint64
	made   time.Duration
	number uint64 // of all messages
	state  lifecycle.State
}

// evidence notes what the coordinator is about to hear, and when it was true.
func (g *guard) evidence(n *node, said testimony, in engine.Input) {
	n.last = g.world.now
	n.word(in)
	switch in := in.(type) {
	case engine.StateRead, engine.EventHeard:
		if !slices.Contains(n.known, said.epoch) {
			n.known = append(n.known, said.epoch)
		}
		if said.number >= n.newest {
			if said.state != n.evidence || n.heardAt == 0 {
				n.heardAt = g.world.now
			}
			n.newest, n.heard, n.evidence = said.number, said.made, said.state
			if n.began == unread && said.state.Primary() {
				n.began = said.state.Level()
			}
		}
	case engine.ArmAnswered:
		g.refused = g.refused || !in.Success
		n.armAnswered(in)
	case engine.CallAnswered:
		if c := n.wire[in.Call]; c != nil {
			c.agreed = c.agreed || in.Success
		}
	}
}

// changed says whether somebody else, or a death, has changed the node since the coordinator last heard of it.
func (n *node) changed() bool { return n.foreign >= n.heard }

// illegal notes a request that its node could not take. It is nobody's fault where somebody else came between.
func (g *guard) illegal(n *node, p *proc, r request) {
	hurried := r.do.Label == "shutdown" && (p.busy || p.state == lifecycle.Finalized)
	if hurried || len(n.procs) > 1 || r.entry.excused || n.foreign >= r.entry.At {
		return
	}
	g.fault("%s was asked of %s, which is %v", r.do.Label, n.spec.Name, p.state)
}

func (g *guard) reads(n *node) {
	if !n.told {
		g.fault("%s is read, which is not there", n.spec.Name)
	}
}

// calls looks at a transition that is about to be asked of a node.
func (g *guard) calls(n *node, e engine.CallNode) *Call {
	w := g.world
	c := &Call{At: w.now, Node: n.spec.Name, Do: e.Transition.Label, to: e.Transition.Target(), excused: n.changed(), epoch: n.epoch}
	w.trace.Calls = append(w.trace.Calls, c)
	switch {
	case !n.told:
		g.fault("%s is asked of %s, which is not there", c.Do, c.Node)
	case n.count == 1 && n.alone() && c.Do != "shutdown" && !slices.Contains(n.known, n.epoch):
		g.fault("%s is asked of %s, of whose present process nothing was heard", c.Do, c.Node)
	case c.Do != "shutdown" && !(n.lost() && c.to.Level() < n.evidence.Level()) && w.now-w.brain.held > n.last+heardIn:
		g.fault("%s is asked of %s, of which nothing was heard for %v", c.Do, c.Node, w.now-n.last)
	case c.Do != "shutdown" && w.brain.anew >= 0 && n.heard < w.brain.anew:
		g.fault("%s is asked of %s on what was heard before a stall", c.Do, c.Node)
	case g.beside(n, c):
		g.fault("%s is asked of %s beside another request", c.Do, c.Node)
	}
	g.queued("%s is asked of %s", c.Do, c.Node)
	n.wire[e.Call] = c
	n.flight = append(n.flight, c)
	g.ours(c)
	g.order(n, e.Transition)
	return c
}

// lost reports whether nothing was heard of a node while three probes went to it. By F1 a lowering does not wait for it, and
// its request goes out on the last that was heard.
func (n *node) lost() bool { return n.spec.Probe > 0 && n.world.now >= n.last+3*time.Second }

// queued is a fault where what was wished before a gap is done after it.
func (g *guard) queued(format string, args ...any) {
	if held := g.world.brain.held; held > engine.Stall {
		g.fault(format+" %v after that was wished", append(args, held)...)
	}
}

// goesOn looks whether what was under way has ended with a stall: only a shutting down goes on.
func (g *guard) goesOn() {
	for _, a := range g.world.trace.Goals {
		if a.Accepted && !a.Finished && !a.Orphaned && g.world.brain.up && !g.shutting() {
			g.fault("%s goes on after a stall", a.Handle)
		}
	}
}

// shutting says whether the network is on its way to its end, or there.
func (g *guard) shutting() bool {
	m := g.world.net.Machine
	s, _ := m.State(g.world.brain.shown)
	t, ok := m.Shutdown()
	return s.Final || ok && g.world.brain.shown == t.Via
}

// syncs notes that the journal is to be safe before the command that has begun arms a node.
func (g *guard) syncs() { g.syncing, g.syncedAt = true, g.world.now-g.world.brain.held }

// unwritten looks whether what arms waited for the journal, a second at most.
func (g *guard) unwritten(c *Call) {
	w := g.world
	if !g.syncing || g.back || w.brain.shown == w.net.Machine.Error || w.now >= g.syncedAt+time.Second {
		return
	}
	g.fault("%s is asked of %s before the journal is safe", c.Do, c.Node)
}

// alone says whether nobody lives of that name but the process of which the coordinator was told: of others answers may
// come before they are discovered.
func (n *node) alone() bool {
	living := n.living()
	return len(living) == 1 && living[0].epoch == n.epoch
}

// beside says whether another transition is on its way to the node's one process, or runs in it. A node that is busy too
// long is shut down all the same.
func (g *guard) beside(n *node, c *Call) bool {
	n.flight = slices.DeleteFunc(n.flight, func(o *Call) bool { return o.Fate != "" })
	if len(n.procs) != 1 || c.Do == "shutdown" || n.changed() {
		return false
	}
	p := n.procs[0]
	return p.alive && (p.busy || slices.ContainsFunc(n.flight, func(o *Call) bool { return o.epoch == p.epoch }))
}

// asked says whether a transition was asked of the node of whose end the coordinator has not heard.
func (n *node) asked() bool {
	return slices.ContainsFunc(n.flight, func(o *Call) bool {
		return o.epoch == n.epoch && (o.Fate == "" || o.At >= n.heard)
	})
}

// raised is the level to which a raising request takes the node, of whose end the coordinator has not heard. A lowering
// request does not count: it may be lost, so by F2 the first read says where the transition found the node.
func (n *node) raised() int {
	level := 0
	for _, o := range n.flight {
		raises := o.Do == lifecycle.Configure.Label || o.Do == lifecycle.Activate.Label
		if raises && o.epoch == n.epoch && (o.Fate == "" || o.At >= n.heard) {
			level = max(level, o.to.Level())
		}
	}
	return level
}

func (g *guard) armsNode(n *node, e engine.ArmNode) *Call {
	w := g.world
	c := &Call{At: w.now, Node: n.spec.Name, Do: "disarm"}
	n.armAsked(e)
	if e.Arm {
		c.Do = "arm"
		g.queued("%s is asked of %s", c.Do, c.Node)
		g.mayArm(n)
		g.unwritten(c)
	}
	g.ours(c)
	w.trace.Calls = append(w.trace.Calls, c)
	if !n.told {
		g.fault("%s is asked of %s, which is not there", c.Do, c.Node)
	}
	return c
}

// beliefs compares what is believed at rest with the truth.
func (g *guard) beliefs() {
	w := g.world
	if !w.brain.up || w.brain.stalled || w.brain.broken || w.quiet < 0 {
		return
	}
	g.leftAlone()
	snap := w.brain.state.Snapshot()
	g.abandoned(snap)
	g.silence(snap)
	s, _ := w.net.Machine.State(snap.Settled)
	for i, n := range w.nodes {
		truth, alive := n.truth()
		want, wanted := w.net.Want(s, i)
		if !n.told || n.changed() || !alive || len(n.procs) > 1 {
			continue
		}
		if n.spec.Arm != nil && snap.Nodes[i].Armed == engine.Disarmed && n.armed() && !n.overtaken() {
			g.fault("%s is armed and believed to be disarmed", n.spec.Name)
		}
		if snap.Intact && !n.spec.Optional && n.spec.Lifecycle && wanted && truth != want {
			g.fault("%s is said to be intact while %s is %v", snap.Settled, n.spec.Name, truth)
		}
	}
}

// unread is the level of a node that has not been read yet: the first read says what it was.
const unread = -1

// begins notes to where recovery may take each node back: where a transition found it, or, where the network left a
// state by itself, where that wanted it.
func (g *guard) begins(s machine.State) {
	w := g.world
	for i, n := range w.nodes {
		found := 0
		switch {
		case n.told && (n.count > 1 || n.changed()): // either may be what was found
			found = lifecycle.Active.Level()
		case n.told && n.raised() > 0: // F4: what is in flight is awaited, and leads there
			found = n.raised()
		case n.told && (n.asked() || !slices.Contains(n.known, n.epoch) || !n.evidence.Primary()):
			found = unread
		case n.told:
			found = n.evidence.Level()
		}
		if want, ok := w.net.Want(s, i); !s.Passing && ok {
			found = max(found, want.Level())
		}
		n.began = found
	}
}

func (g *guard) shows(state string, snap engine.Snapshot) {
	w := g.world
	g.target, g.origin = snap.Target, snap.Settled
	g.lowers = w.net.Machine.Lowers(g.origin, g.target) || g.disarms(snap.Command, false)
	g.abandoned(snap)
	if w.end != nil {
		g.mirrors(state, snap)
	}
	w.trace.States, w.trace.Shown = append(w.trace.States, state), append(w.trace.Shown, w.now)
	g.syncing = false // of a command that is over, or not yet asked for
	s, _ := w.net.Machine.State(state)
	g.arms = s.Armed.Any()
	if !s.Passing {
		g.wasArmed, g.refused = g.arms, false
		g.settledAt = w.now
	}
	if state != w.net.Machine.Error {
		g.begins(s)
		g.begun = w.now
	}
	g.back, g.bottom = false, false
	if s.Passing || g.given == nil {
		g.given = map[string]bool{}
		g.since = w.now
	}
	if s.Armed.Any() {
		g.provenTo(state)
		for i, n := range w.nodes {
			if w.net.Arms(s, i) && !n.spec.Optional && !n.armed() && !n.changed() && !n.lapsed() && !n.belated() {
				g.fault("%s is shown and %s is not armed", state, n.spec.Name)
			}
		}
	}
}

// publishes looks at a change: what counts carries the next number, and after a command only goes down.
func (g *guard) publishes(c engine.Change) {
	w := g.world
	w.trace.Changes = append(w.trace.Changes, c)
	if len(c.Seen) == 0 {
		w.trace.counted = append(w.trace.counted, false)
		g.fault("a change is published that says nothing of what was seen: %v", c)
		return
	}
	instance := w.brain.instance()
	made := own(seenOf(c), instance)
	if instance != g.lastFrom {
		g.lastFrom, g.lastMade, g.fresh = instance, 0, true
	}
	level := w.net.Machine.Level(c.TargetState)
	w.trace.counted = append(w.trace.counted, made > g.lastMade)
	g.passesOn(c, made > g.lastMade)
	if made > g.lastMade {
		g.goesBack = ""
	}
	switch {
	case made == g.lastMade:
		return
	case made != g.lastMade+1:
		g.fault("change %d follows change %d", made, g.lastMade)
	case !g.fresh && level >= g.lowest && !g.onItsWay():
		g.fault("published without a command, and no lower than before: %v", c)
	}
	g.lastMade, g.lowest, g.fresh = made, level, false
}

// onItsWay says whether a goal is open that takes several commands, each published for itself.
func (g *guard) onItsWay() bool {
	return slices.ContainsFunc(g.world.trace.Goals, func(a *Goal) bool {
		_, isState, _ := g.world.net.Machine.Command(a.Command)
		return isState && a.Accepted && !a.Finished && !a.Orphaned
	})
}

func (g *guard) entry(e engine.Entry) {
	g.world.trace.Entries = append(g.world.trace.Entries, e)
	g.mute(e)
	if e.Kind == engine.EntryState && e.Event == engine.EventTurned && strings.HasSuffix(e.Sentence, "every node to "+g.world.net.Machine.Initial) {
		g.bottom = true
	}
	if e.Kind == engine.EntryState && e.Event == engine.EventTurned && strings.HasPrefix(e.Sentence, "cancelled") {
		g.back = true
		if to, ok := strings.CutPrefix(e.Sentence, "cancelled: back to "); ok {
			g.goesBack = g.world.net.Machine.Disarmed(to)
		}
	}
	if e.Kind == engine.EntryState && e.Event == engine.EventBegan && g.back { // in the state of the one that was cancelled
		s, _ := g.world.net.Machine.State(g.world.brain.shown)
		g.back, g.begun = false, g.world.now
		g.begins(s)
	}
	well := e.Verdict == engine.VerdictDone || e.Verdict == engine.VerdictUndone
	if e.Kind == engine.EntryStep && e.Event == engine.EventDone && g.given != nil && !well {
		g.given[e.Node] = true
	}
}
