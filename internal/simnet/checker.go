package simnet

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// checker compares what an instance does with the ground truth: what nodes did, what was published, which results
// goals had. It knows what the coordinator has heard and when that was true. It does not model what the engine
// believes. Each exemption names the rule of docs/rules.md that allows it.
//
// What is asked of nodes is judged in the order in which the engine decides (decides). What leaves the loop is judged
// in the order in which it is carried, which package dispatch determines: a request may leave before the state is shown
// that it belongs to. The checks are in:
//
//	requests.go  what is asked of nodes: legality, order, freshness, whose name it is (E1, E3, F2, J2, S1, S2, A8)
//	arming.go    what is armed, on what proof, by which lease (A1 to A9)
//	goals.go     the answers to goals, and what is published (C1 to C8, P1, P4)
//	rest.go      what is believed at rest, what the journal says (A3, J, S2, S5)
//	peerguard.go what one instance makes of its peers (P1 to P8), together.go what all of them do
type checker struct {
	world      *World
	open       int           // goals that are accepted and have not ended
	since      time.Duration // when the network began to change its state
	shownAt    time.Duration // when the engine decided the state that is shown
	state      string        // that state
	target     string        // of its snapshot
	arms       bool          // that state is armed
	wasArmed   bool          // the last state at rest was armed
	refused    bool          // a node has refused to arm or to disarm since
	restedAt   time.Duration // when a state at rest was last shown
	rests      string        // that state; empty: none in this life of the coordinator
	smooth     bool          // a transition runs, and has not turned back
	lastMade   uint64        // the number of the newest change of this life
	lastFrom   string        // the instance that made it
	lowest     int           // the level of the newest change that counts, own or of a peer
	named      bool          // the coordinator holds its name
	ousted     bool          // the name is another instance's
	stopped    bool          // the coordinator was asked to end
	armsSince  time.Duration // since when the state that arms was on its way
	syncedAt   time.Duration // when the journal was asked to be safe; negative: it is
	term       terms
	turn       turn
	stepAt     time.Duration    // when a step of any node last began or ended
	shown      *engine.Snapshot // the newest that was shown, from before the end of its step; nil: unknown
	display    *engine.Snapshot // the newest that was published at once
	leasedTill time.Duration    // until when the newest lease that left vouches
	leaseGone  bool             // the newest message of the lease has perished

	follows    bool                     // the newest change of a peer arms, and is to be followed
	maker      *end                     // the peer that has made it
	following  bool                     // an arming has begun since
	toldAt     time.Duration            // what was decided on before that arms nothing any more
	heardOf    []mirror.Seen            // how many changes of each instance were heard
	lately     []heardOf                // what was heard a moment ago
	standstill time.Duration            // until when the coordinator was last suspended or down
	unfitPeers map[string]time.Duration // required peers: since when each is unfit; negative: it is fit
}

// turn is what was decided and carried in the present turn of the loop.
type turn struct {
	calls    []engine.CallNode // that the engine has decided so far
	disarms  []int             // nodes that were asked
	waited   engine.Effect     // the newest that was carried and is written, published or told; nil: none was
	answered bool              // a client was told of the end of its goal
	made     int               // changes that the engine has decided so far
	sent     int               // changes that were published
	told     bool              // the peers get a status
	ends     bool              // the instance ends
}

func (c *checker) fault(format string, args ...any) {
	c.world.trace.Faults = append(c.world.trace.Faults, fmt.Sprintf("%v: ", c.world.now)+fmt.Sprintf(format, args...))
}

func (c *checker) listens() {
	c.world.trace.Status = mirror.Status{}
	*c = checker{
		world: c.world, open: c.open, lowest: c.lowest, lastMade: c.lastMade, lastFrom: c.lastFrom, since: c.since,
		shownAt:  c.shownAt,
		restedAt: c.restedAt, lately: c.lately, unfitPeers: c.unfitPeers, standstill: c.world.now, syncedAt: -1,
		toldAt: c.toldAt, // a person who was told may not know of a restart
	}
}

type testimony struct {
	epoch  uint64
	made   time.Duration
	number uint64 // of all messages
	state  lifecycle.State
}

// evidence notes what the coordinator is about to hear of a node, and when that was true.
func (c *checker) evidence(n *node, said testimony, in engine.Input) {
	if _, reported := in.(engine.NodeReported); reported { // S6: it is no sign of life
		return
	}
	if arm, answers := in.(engine.ArmAnswered); answers && n.foreignArm() { // no sign of life of the node itself
		c.refused = c.refused || !arm.Success
		n.answersArm(arm)
		return
	}
	n.last = c.world.now
	event, announced := in.(engine.EventHeard)
	switch in := in.(type) {
	case engine.CheckAnswered:
		return
	case engine.LeftoverAnswered: // S2: the only process of the name has confirmed
		if in.Success && !in.Several {
			n.armedBy = 0
		}
		return
	case engine.StateRead, engine.EventHeard:
		if !slices.Contains(n.known, said.epoch) {
			n.known = append(n.known, said.epoch)
		}
		if said.number >= n.newest {
			if said.state != n.evidence || n.heardAt == 0 {
				n.heardAt = c.world.now
			}
			n.newest, n.heard, n.evidence = said.number, said.made, said.state
		}
	case engine.CallAnswered:
		if call := n.wire[in.Call]; call != nil && in.Success {
			n.claims = call.to
		}
	case engine.ArmAnswered:
		c.refused = c.refused || !in.Success
		n.answersArm(in)
	}
	if announced {
		n.claims = event.To
	}
	if !announced || event.Epoch == 0 || event.Epoch == n.epoch {
		n.wordAt = c.world.now
	}
}

// changed reports whether another tool, a birth or a death has changed the node since the coordinator last heard of it.
func (n *node) changed() bool { return n.foreign >= n.heard }

func (n *node) disturbed() { n.foreign = n.world.now }

// decides is called with the effects of a step in the order of the engine, before any of them is carried.
func (c *checker) decides(effects []engine.Effect) {
	c.turn = turn{calls: c.turn.calls[:0], disarms: c.turn.disarms[:0]}
	for _, e := range effects {
		switch e := e.(type) {
		case engine.AcceptGoal:
			if a := c.world.trace.Goal(e.Handle); a != nil {
				a.taken = true
			}
		case engine.PublishChange:
			c.turn.made++
		case engine.FinishGoal:
			if a := c.world.trace.Goal(e.Handle); a != nil {
				a.concluded, a.changes = true, c.turn.made
			}
		case engine.Show:
			if e.State != "" {
				c.turns(e.State, *e.Snapshot)
			}
		case engine.Record:
			c.turnsBack(e.Entry)
		case engine.SyncJournal:
			c.syncedAt = c.world.now
		case engine.CallNode:
			c.mayCall(c.world.nodes[e.Node], e)
			c.turn.calls = append(c.turn.calls, e)
		case engine.ArmNode:
			if e.Arms() {
				c.mayArm(c.world.nodes[e.Node])
			}
		case engine.TellPeers:
			c.turn.told = true
		case engine.Exit:
			c.turn.ends = true
		}
	}
}

// carries looks at the order of a turn: a disarm waits for nothing that is written, published or told (A3), and a
// client hears of its goal when the state that it led to is shown.
func (c *checker) carries(e engine.Effect) {
	switch e := e.(type) {
	case engine.ArmNode:
		switch name := c.world.nodes[e.Node].spec.Name; {
		case e.Arms() && slices.Contains(c.turn.disarms, e.Node):
			c.fault("%s is asked to arm after it was asked to disarm in the same step", name)
		case !e.Arms() && c.turn.waited != nil:
			c.fault("%s is asked to disarm, and that waited for: %v", name, c.turn.waited)
		case !e.Arms():
			c.turn.disarms = append(c.turn.disarms, e.Node)
		}
	case engine.Show:
		if c.turn.answered {
			c.fault("a client was told of its goal before: %v", e)
		}
		c.turn.waited = e
	case engine.FinishGoal:
		c.turn.waited, c.turn.answered = e, true
	case engine.Record, engine.SyncJournal, engine.PublishChange, engine.TellPeers:
		c.turn.waited = e
	}
}

// turns notes a state that the engine has decided on.
func (c *checker) turns(state string, snap engine.Snapshot) {
	w := c.world
	s := c.stateOf(state)
	c.state, c.target = state, snap.Work.Target
	c.abandoned(snap)
	c.arms, c.syncedAt = s.Armed.Any(), -1
	if s.Passing || c.since < w.brain.began {
		c.since = w.now
	}
	if s.Armed.Any() && !s.Passing { // the network may leave it in the same step
		c.armsSince = c.since
	}
	runs, _ := w.net.Machine.Transition(snap.Work.Command)
	// on the way through, other nodes move
	c.shownAt, c.smooth = w.now, s.Passing && state != w.net.Machine.Error && runs.Through == ""
	if !s.Passing {
		if c.rests != "" && w.end == nil && !w.peered && !c.commanded() && w.net.Machine.Raises(c.rests, state) {
			c.fault("%s follows %s without a command, and asks more of nodes", state, c.rests) // R4
		}
		if c.rests = state; state == machine.Unknown {
			c.rests = ""
		}
		c.wasArmed, c.refused, c.restedAt = c.arms, false, w.now
		c.follows = c.follows && !c.following // P7: an arm is followed just after it was made, so once
	} else if state != w.net.Machine.Error {
		c.following = c.following || c.stateOf(c.target).Armed.Any()
		w.end.mayRaise(snap)
	}
	if state != w.net.Machine.Error {
		c.finds(s)
	}
	for _, n := range w.nodes {
		n.givenUp = n.givenUp && !s.Passing
	}
}

// turnsBack notes what the engine records of a transition that turns back, and of a node whose part is over.
func (c *checker) turnsBack(e engine.Entry) {
	switch {
	case e.Kind == engine.EntryState && e.Event == engine.EventTurned:
		c.smooth = false
	case e.Kind == engine.EntryStep && e.Event == engine.EventDone && e.Verdict != engine.VerdictDone &&
		e.Verdict != engine.VerdictUndone:
		if n := c.world.find(e.Node); n != nil {
			n.givenUp = true
		}
	}
}

// shows looks at a state that is published.
func (c *checker) shows(state string) {
	w := c.world
	w.trace.States, w.trace.Shown = append(w.trace.States, state), append(w.trace.Shown, w.now)
	if s := c.stateOf(state); s.Armed.Any() {
		c.armedRightly(state, s)
	}
}

func (c *checker) stateOf(name string) machine.State {
	s, _ := c.world.net.Machine.State(name)
	return s
}

func (c *checker) entry(e engine.Entry) {
	c.world.trace.Entries = append(c.world.trace.Entries, e)
	c.journalOfSilence(e)
	c.world.coversEntry(e)
}
