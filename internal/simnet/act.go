package simnet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// Act is something that is done from outside: by a client, a person, another tool, or the operating system.
type Act interface{ act(*World) }

func describe(a Act) string { return strings.TrimPrefix(fmt.Sprintf("%T %+v", a, a), "simnet.") }

// What clients do. Handle defaults to the command, Client is what the client says of itself.
type (
	Send struct {
		Command, Handle, ID, Reason, Client string
		Unauthorized                        bool // without what the file asks for
		WaitPeers                           bool
		Argument                            string
	}
	Cancel struct{ Handle string }

	// CancelOpen cancels the newest goal that is open.
	CancelOpen struct{}
)

// What becomes of a node's oldest process. Respawn starts another one of that name, in a state (Unknown: unconfigured).
// Freeze is SIGSTOP, and Thaw SIGCONT: what it owed comes in a flood. Part cuts it off from the network, Join ends
// that. Move is another tool: the node is in another state; Quiet loses its announcement. Ask is another tool that asks
// the node for a transition, so that its callback runs. TellEnd says that it has
// ended, true or not. Advertise lets it offer what it must not unless armed. Publish is how often its checked topics
// come, as a share of the rates that are asked for, and Fail that its checked services say no and its files are
// missing. Measure is the value that one of its checks reads, by its place in the file. Report publishes a
// sub-state on <node>/report, which the middleware keeps for subscribers that come later.
type (
	Kill    struct{ Node string }
	Respawn struct {
		Node  string
		State lifecycle.State
	}
	Freeze struct{ Node string }
	Thaw   struct{ Node string }
	Part   struct{ Node string }
	Join   struct{ Node string }
	Move   struct {
		Node  string
		To    lifecycle.State
		Quiet bool
	}
	Ask       struct{ Node, Do string }
	TellEnd   struct{ Node string }
	Raise     struct{ Node string } // it raises an error by itself, and handles it
	Advertise struct {
		Node string
		Not  bool
	}
	Publish struct {
		Node  string
		Share float64
	}
	Measure struct {
		Node  string
		Check int
		Value network.Scalar
	}
	Report struct{ Node, Word, Message string }
	Fail   struct {
		Node string
		Not  bool
	}
)

// What becomes of the coordinator. Stop is SIGTERM, Crash SIGKILL and a new start after a time, Stall SIGSTOP and
// SIGCONT after a time. Late keeps its loop busy while its process runs. Restart starts it where it has ended by
// itself, Rise also where it was killed.
type (
	Stop    struct{ OnExit network.OnExit }
	Stall   struct{ For time.Duration }
	Late    struct{ For time.Duration }
	Crash   struct{ DownFor time.Duration }
	Restart struct{}
	Rise    struct{}
)

// What is around it: the simulated clock, whose publisher EndClock ends and StartClock begins anew, and use_sim_time; the
// disk of the journal; and the middleware, which HoldUp keeps from taking the lease. Rival is another of its name: heard
// with what it says, or, without an Instance, only seen. Share is how many other nodes have its name that are no rstate.
// Child is what is learned of a node that is a network itself: its simulation, and how it leads back to the coordinator.
// OtherLease is another instance of its name that holds a lease. Hear is any other input of the coordinator.
type (
	StopClock  struct{}
	StartClock struct{}
	EndClock   struct{}
	JumpClock  struct{ By time.Duration }
	UseClock   struct{ On bool }
	SetDisk    struct{ Disk Disk }
	HoldUp     struct{ For time.Duration }
	Rival      engine.NameTaken
	Share      struct{ Others int }
	Child      struct {
		Node, Simulation string
		Way              []string
	}
	OtherLease struct{ Term uint64 }
	Hear       struct{ In engine.Input }
)

// Nothing does nothing: a story that only waits. Mark forgets the states and calls so far: here the story begins.
type (
	Nothing struct{}
	Mark    struct{ Journal bool } // true: only what the journal got is forgotten
)

func (a Cancel) act(w *World) {
	w.check.cancels(a.Handle)
	w.brain.deliver(engine.CancelAsked{Handle: a.Handle})
}

func (a CancelOpen) act(w *World) {
	for _, g := range slices.Backward(w.trace.Goals) {
		if g.Accepted && !g.Finished && !g.Orphaned {
			Cancel{g.Handle}.act(w)
			return
		}
	}
}

func (w *World) toProcess(name string, do func(*proc)) {
	if p := w.named(name).process(); p != nil {
		do(p)
	}
}

func (a Kill) act(w *World)    { w.toProcess(a.Node, (*proc).die) }
func (a Respawn) act(w *World) { w.named(a.Node).birth(a.State, false) }
func (a Freeze) act(w *World)  { w.toProcess(a.Node, func(p *proc) { p.frozen = true }) }
func (a Thaw) act(w *World)    { w.toProcess(a.Node, (*proc).thaw) }
func (a Part) act(w *World)    { w.toProcess(a.Node, (*proc).part) }
func (a Join) act(w *World)    { w.toProcess(a.Node, (*proc).join) }

func (a Move) act(w *World) {
	p := w.named(a.Node).process()
	if p == nil || p.busy || p.frozen || !p.node.spec.Lifecycle || p.state == lifecycle.Finalized {
		return
	}
	p.node.disturbed()
	p.node.moved = w.now
	how := Sent
	if a.Quiet {
		how = Lost
	}
	way, _ := lifecycle.Way(p.state, a.To)
	for _, t := range way {
		p.enter(t.Passing(), how)
		p.enter(t.Target(), how)
	}
}

func (a Ask) act(w *World) {
	p := w.named(a.Node).process()
	if p == nil || p.busy || p.frozen || p.cut || !legal(p.state, a.Do) {
		return
	}
	p.node.disturbed()
	p.node.moved = w.now
	// of no life of the coordinator, which gets no answer
	p.change(request{kind: 'c', do: lifecycle.Transition{Label: a.Do}})
}

func (a Raise) act(w *World) {
	p := w.named(a.Node).process()
	if p == nil || p.busy || p.frozen || p.state != lifecycle.Active {
		return
	}
	p.node.disturbed()
	p.node.moved = w.now
	p.enter(lifecycle.ErrorProcessing, Sent)
	p.enter(lifecycle.Unconfigured, Sent)
}

func (a TellEnd) act(w *World) {
	if n := w.named(a.Node); len(n.procs) > 0 {
		n.procs[0].tellEnd(0)
	}
}

func (a Advertise) act(w *World) {
	n := w.named(a.Node)
	n.careless = !a.Not
	n.expose()
}

func (a Publish) act(w *World) {
	n := w.named(a.Node)
	n.flow()
	n.share = a.Share
}

func (a Measure) act(w *World) { w.named(a.Node).measured[a.Check].value = a.Value }

func (a Report) act(w *World) {
	w.toProcess(a.Node, func(p *proc) { p.run(func() { p.publish(a) }) })
}

func (a Fail) act(w *World) { w.named(a.Node).fails = !a.Not }

func (a Stop) act(w *World) {
	w.check.stopped = true
	w.brain.deliver(engine.StopAsked{Why: "SIGTERM", OnExit: a.OnExit})
}

func (a Stall) act(w *World) { w.brain.stall(a.For, false) }
func (a Late) act(w *World)  { w.brain.stall(a.For, true) }
func (a Crash) act(w *World) { w.brain.kill(or(a.DownFor, w.opt.DownFor)) }
func (a Rise) act(w *World)  { w.brain.rises() }
func (a Restart) act(w *World) {
	if w.brain.gone {
		w.brain.rises()
	}
}

func (a StopClock) act(w *World)  { w.clock.set(w.now, w.clock.at(w.now), false) }
func (a StartClock) act(w *World) { w.clock.set(w.now, w.clock.at(w.now), true) }
func (a EndClock) act(w *World)   { w.endClock() }
func (a JumpClock) act(w *World)  { w.clock.set(w.now, w.clock.at(w.now)+a.By, w.clock.runs) }
func (a UseClock) act(w *World)   { w.useClock(a.On) }
func (a SetDisk) act(w *World)    { w.disk.set(a.Disk) }
func (a HoldUp) act(w *World)     { w.heldUp.till = w.now + a.For }
func (a Share) act(w *World)      { w.brain.deliver(engine.NameShared{Others: a.Others}) }
func (a OtherLease) act(w *World) { w.hearsLease(a.Term) }

func (a Hear) act(w *World) {
	switch in := a.In.(type) {
	case engine.PeerChanged:
		w.peered = true
		in.Change.Steady, in.Change.Made = justNow(in.Change.Steady, w), justNow(in.Change.Made, w)
		a.In = in
		w.check.follows, w.check.following = w.check.stateOf(in.Change.TargetState).Armed.Any(), false
	case engine.PeerTold:
		in.Status.Steady = justNow(in.Status.Steady, w)
		a.In = in
	}
	w.brain.deliver(a.In)
}

// justNow is when a message was sent, by the clock of a peer, which is the world's: unless it says when, at this
// moment.
func justNow(sent time.Duration, w *World) time.Duration {
	if sent == 0 {
		return w.now
	}
	return sent
}

func (a Rival) act(w *World) {
	if a.Instance == "" {
		w.brain.deliver(engine.NameSeen{})
		return
	}
	in := engine.NameTaken(a)
	w.brain.take(letter{in, func() { w.check.rival(in) }})
}

func (a Child) act(w *World) {
	switch n := w.named(a.Node); {
	case n.index == outside:
	case a.Simulation == "":
		w.brain.deliver(engine.ChildSeen{Node: n.index})
	default:
		w.brain.deliver(engine.ChildFound{Node: n.index, Epoch: n.epochs, Simulation: a.Simulation, Way: a.Way})
	}
}

func (a Nothing) act(*World) {}
func (a Mark) act(w *World) {
	t := w.trace
	t.markEntry = len(t.Entries)
	if !a.Journal {
		t.Marked, t.markState, t.markCall, t.markChange = w.now, len(t.States), len(t.Calls), len(t.Changes)
	}
}
