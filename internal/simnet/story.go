package simnet

import (
	"fmt"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// Beat is one line of a story: when this has happened, do that.
type Beat struct {
	When Moment
	Do   Act
}

// Moment is what a beat waits for. It counts from the beat before it: what happened earlier does not count.
type Moment struct {
	kind       byte
	at         time.Duration
	state      string
	node, step string
	goal       string
	times      int
	after      time.Duration
}

// At is a virtual time.
func At(d time.Duration) Moment { return Moment{kind: 't', at: d} }

// Shown is the moment at which the network shows a state.
func Shown(state string) Moment { return Moment{kind: 's', state: state} }

// Called is the moment at which a node is asked for a step.
func Called(step, node string) Moment { return Moment{kind: 'c', step: step, node: node} }

// Begun is the moment at which a node begins a transition's callback.
func Begun(step, node string) Moment { return Moment{kind: 'b', step: step, node: node} }

// Ended is the moment at which a goal has ended or was rejected.
func Ended(goal string) Moment { return Moment{kind: 'e', goal: goal} }

// Died is the moment at which a node's process ends.
func Died(node string) Moment { return Moment{kind: 'd', node: node} }

// Exited is the moment at which the coordinator says that it has nothing more to do.
func Exited() Moment { return Moment{kind: 'x'} }

// Then is right after the beat before.
func Then() Moment { return Moment{kind: 'n'} }

// Later is so long after the moment.
func (m Moment) Later(d time.Duration) Moment {
	m.after = d
	return m
}

// Time is the moment's happening for the n-th time.
func (m Moment) Time(n int) Moment {
	m.times = n
	return m
}

// occurrence is something that a story may wait for.
type occurrence struct {
	kind       byte
	state      string
	node, step string
	goal       string
}

func (m Moment) met(o occurrence) bool {
	return m.kind == o.kind && (m.state == "" || m.state == o.state) && (m.node == "" || m.node == o.node) &&
		(m.step == "" || m.step == o.step) && (m.goal == "" || m.goal == o.goal)
}

// story is beats that come one after another.
type story struct {
	beats   []Beat
	next    int
	cursor  int // what has happened up to here does not count
	met     int
	pending bool
	aside   bool // it may never begin
}

// Tell adds a story. Stories run side by side, each in its own order.
func (w *World) Tell(beats ...Beat) *World {
	w.stories = append(w.stories, &story{beats: beats})
	w.queue.push(0, func() {})
	return w
}

// Aside adds a story that may come to nothing: a run does not wait for its first moment.
func (w *World) Aside(beats ...Beat) *World {
	w.Tell(beats...)
	w.stories[len(w.stories)-1].aside = true
	return w
}

// Send is the story of one goal after another, each when the one before it has ended.
func (w *World) Send(commands ...string) *World {
	var beats []Beat
	for k, c := range commands {
		when := Settled()
		if k > 0 {
			when = Ended(commands[k-1])
		}
		beats = append(beats, Beat{when, Send{Command: c}})
	}
	return w.Tell(beats...)
}

// Settled is the moment at which the network first shows a state in which it rests.
func Settled() Moment { return Moment{kind: 'r'} }

func (w *World) happens(o occurrence) {
	w.log = append(w.log, o)
	if o.kind == 'x' {
		w.log = append(w.log, occurrence{kind: 'r'}) // it may exit without ever having settled
	}
	if o.kind == 's' {
		if s, ok := w.net.Machine.State(o.state); ok && !s.Passing {
			w.log = append(w.log, occurrence{kind: 'r', state: o.state})
		}
	}
}

func (w *World) storiesTold() bool {
	for _, s := range w.stories {
		begun := s.next > 0 || s.pending || !s.aside
		if begun && (s.pending || s.next < len(s.beats)) {
			return false
		}
	}
	return true
}

// tell takes each story as far as it goes now.
func (w *World) tell() {
	for _, s := range w.stories {
		for s.next < len(s.beats) && !s.pending {
			at, ok := w.moment(s, s.beats[s.next].When)
			if !ok {
				break
			}
			do := s.beats[s.next].Do
			s.pending = true
			w.queue.push(at, func() {
				s.pending = false
				s.next++
				w.note("story: %v", do)
				w.end.stir()
				do.act(w)
			})
		}
	}
}

// moment says when a beat is due, once that is known.
func (w *World) moment(s *story, m Moment) (time.Duration, bool) {
	switch m.kind {
	case 't':
		return max(w.now, m.at) + m.after, true
	case 'n':
		return w.now + m.after, true
	}
	for ; s.cursor < len(w.log); s.cursor++ {
		if !m.met(w.log[s.cursor]) {
			continue
		}
		if s.met++; s.met >= max(m.times, 1) {
			s.met = 0
			s.cursor++
			return w.now + m.after, true
		}
	}
	return 0, false
}

// Act is something that somebody does.
type Act interface {
	fmt.Stringer
	act(*World)
}

// Send asks for a command or a state. Handle defaults to the command.
type Send struct {
	Command, Handle, ID, Reason string
	Unauthorized                bool // it does not bring what the file asks for
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

// Crash is SIGKILL to the coordinator, and a new start after a time.
type Crash struct{ DownFor time.Duration }

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

func (a Send) String() string       { return "ask for " + a.Command }
func (a Cancel) String() string     { return "cancel " + a.Handle }
func (a Kill) String() string       { return "kill " + a.Node }
func (a Respawn) String() string    { return "start " + a.Node }
func (a Freeze) String() string     { return "freeze " + a.Node }
func (a Thaw) String() string       { return "thaw " + a.Node }
func (a Part) String() string       { return "cut off " + a.Node }
func (a Join) String() string       { return "join " + a.Node }
func (a Move) String() string       { return fmt.Sprintf("move %s to %v", a.Node, a.To) }
func (a Stop) String() string       { return "stop the coordinator" }
func (a Stall) String() string      { return fmt.Sprintf("stall the coordinator for %v", a.For) }
func (a Crash) String() string      { return fmt.Sprintf("crash the coordinator for %v", a.DownFor) }
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
	w.brain.deliver(engine.GoalAsked{Handle: a.Handle, Command: a.Command, Reason: a.Reason, ID: a.ID, Authorized: !a.Unauthorized, WaitPeers: a.WaitPeers})
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

func (a Stall) act(w *World) {
	w.brain.stall()
	w.queue.push(w.now+a.For, w.brain.resume)
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

func (w *World) named(name string) *node {
	i := w.net.Index(name)
	if i < 0 {
		panic("simnet: a story names " + name + ", which is no node of the network")
	}
	return w.nodes[i]
}

// process returns the oldest living process of that name, or nil.
func (w *World) process(name string) *proc {
	return w.named(name).process()
}
