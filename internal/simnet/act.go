package simnet

import (
	"fmt"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// Act is something that somebody does.
type Act interface {
	fmt.Stringer
	act(*World)
}

// Send asks for a command or a state. Handle defaults to the command.
type Send struct {
	Command, Handle, ID, Reason string
	Client                      string // as it says itself
	Unauthorized                bool   // it does not bring what the file asks for
	WaitPeers                   bool
}

// Cancel asks for the end of a goal.
type Cancel struct{ Handle string }

// Kill ends a node's oldest process.
type Kill struct{ Node string }

// Respawn starts another process of that name, in the state; Unknown is unconfigured. Where one lives there are two.
type Respawn struct {
	Node  string
	State lifecycle.State
}

// Freeze stops a node's process as SIGSTOP does, Thaw continues it: what it owed comes in a flood.
type (
	Freeze struct{ Node string }
	Thaw   struct{ Node string }
)

// Part cuts a node's process off from the network, Join ends that: it lives on meanwhile.
type (
	Part struct{ Node string }
	Join struct{ Node string }
)

// Move is somebody else's tool: the node is in another state. Quiet loses its announcement.
type Move struct {
	Node  string
	To    lifecycle.State
	Quiet bool
}

// Stop is SIGTERM to the coordinator.
type Stop struct{}

// Stall is SIGSTOP to the coordinator, and SIGCONT after a time.
type Stall struct{ For time.Duration }

// Late keeps the coordinator's loop busy for a time, while its process runs.
type Late struct{ For time.Duration }

// Crash is SIGKILL to the coordinator, and a new start after a time.
type Crash struct{ DownFor time.Duration }

// Restart starts a coordinator again that has ended by itself.
type Restart struct{}

// StopClock and StartClock hold and continue the simulated clock, JumpClock moves it.
type (
	StopClock  struct{}
	StartClock struct{}
	JumpClock  struct{ By time.Duration }
)

// UseClock sets use_sim_time.
type UseClock struct{ On bool }

// SetDisk changes the journal's disk.
type SetDisk struct{ Disk Disk }

// Rival is somebody else of the coordinator's name: heard with what it says, or, without an Instance, only seen.
type Rival engine.NameTaken

// Share is how many other nodes have the coordinator's name that are no rstate.
type Share struct{ Others int }

// Child is what is learned of a node: that it is a network itself and, with its simulation, how it leads back to the
// coordinator.
type Child struct {
	Node, Simulation string
	Way              []string
}

// Hear is anything else that the coordinator is told.
type Hear struct{ In engine.Input }

// Nothing does nothing: a story that only waits. Mark forgets the states and calls so far: here the story begins.
type (
	Nothing struct{}
	Mark    struct{}
)

func (a Send) String() string    { return "ask for " + a.Command }
func (a Cancel) String() string  { return "cancel " + a.Handle }
func (a Kill) String() string    { return "kill " + a.Node }
func (a Respawn) String() string { return "start " + a.Node }
func (a Freeze) String() string  { return "freeze " + a.Node }
func (a Thaw) String() string    { return "thaw " + a.Node }
func (a Part) String() string    { return "cut off " + a.Node }
func (a Join) String() string    { return "join " + a.Node }
func (a Move) String() string    { return fmt.Sprintf("move %s to %v", a.Node, a.To) }
func (a Stop) String() string    { return "stop the coordinator" }
func (a Stall) String() string   { return fmt.Sprintf("the coordinator is stopped for %v", a.For) }
func (a Late) String() string {
	return fmt.Sprintf("the loop of the coordinator is busy for %v", a.For)
}
func (a Crash) String() string      { return fmt.Sprintf("crash the coordinator for %v", a.DownFor) }
func (a Restart) String() string    { return "start the coordinator again" }
func (a StopClock) String() string  { return "hold the clock" }
func (a StartClock) String() string { return "continue the clock" }
func (a JumpClock) String() string  { return fmt.Sprintf("move the clock by %v", a.By) }
func (a UseClock) String() string   { return fmt.Sprintf("set use_sim_time to %v", a.On) }
func (a SetDisk) String() string    { return "the disk is now " + a.Disk.String() }
func (a Rival) String() string      { return "of its name: " + engine.NameTaken(a).String() }
func (a Share) String() string      { return fmt.Sprintf("%d others of its name", a.Others) }
func (a Child) String() string      { return a.Node + " is a network itself" }
func (a Hear) String() string       { return "hear: " + a.In.String() }
func (a Nothing) String() string    { return "nothing" }
func (a Mark) String() string       { return "here the story begins" }

func (a Send) act(w *World) {
	if a.Handle == "" {
		a.Handle = a.Command
	}
	w.guard.asks(a)
	w.brain.deliver(engine.GoalAsked{Handle: a.Handle, Command: a.Command, Reason: a.Reason, Client: a.Client, ID: a.ID, Authorized: !a.Unauthorized, WaitPeers: a.WaitPeers})
}

func (a Cancel) act(w *World) {
	w.guard.cancels(a.Handle)
	w.brain.deliver(engine.CancelAsked{Handle: a.Handle})
}

func (a Kill) act(w *World) {
	if p := w.process(a.Node); p != nil {
		p.die()
	}
}

func (a Respawn) act(w *World) { w.named(a.Node).birth(a.State, false) }

func (a Freeze) act(w *World) {
	if p := w.process(a.Node); p != nil {
		p.frozen = true
	}
}

func (a Part) act(w *World) {
	if p := w.process(a.Node); p != nil {
		p.part()
	}
}

func (a Join) act(w *World) {
	if p := w.process(a.Node); p != nil {
		p.join()
	}
}

func (a Thaw) act(w *World) {
	p := w.process(a.Node)
	if p == nil || !p.frozen {
		return
	}
	p.frozen = false
	after := p.after
	p.after = nil
	for _, do := range after {
		p.run(do)
	}
	p.drain()
}

func (a Move) act(w *World) {
	p := w.process(a.Node)
	if p == nil || p.busy || p.frozen || !p.node.spec.Lifecycle || p.state == lifecycle.Finalized {
		return
	}
	p.node.foreign = w.now
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

func (a Stop) act(w *World) {
	w.guard.stopped = true
	w.brain.deliver(engine.StopAsked{Why: "SIGTERM"})
}

func (a Crash) act(w *World) { w.brain.kill(or(a.DownFor, w.opt.DownFor)) }

func (a Stall) act(w *World) { w.brain.stall(a.For, false) }
func (a Late) act(w *World)  { w.brain.stall(a.For, true) }
func (a Restart) act(w *World) {
	if w.brain.gone {
		w.brain.start(w.brain.last)
	}
}

func (a StopClock) act(w *World)  { w.clock.set(w.now, w.clock.at(w.now), false) }
func (a StartClock) act(w *World) { w.clock.set(w.now, w.clock.at(w.now), true) }
func (a JumpClock) act(w *World)  { w.clock.set(w.now, w.clock.at(w.now)+a.By, w.clock.runs) }
func (a UseClock) act(w *World)   { w.useClock(a.On) }
func (a SetDisk) act(w *World)    { w.disk.set(a.Disk) }
func (a Hear) act(w *World)       { w.brain.deliver(a.In) }
func (a Nothing) act(*World)      {}
func (a Share) act(w *World)      { w.brain.deliver(engine.NameShared{Others: a.Others}) }
func (a Mark) act(w *World) {
	w.trace.Marked = w.now
	w.trace.markState, w.trace.markCall, w.trace.markChange = len(w.trace.States), len(w.trace.Calls), len(w.trace.Changes)
}
