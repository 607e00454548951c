// Package machine holds the states and transitions of a network as data, and the one judge of which command is legal
// where. The presets are files beside it; a network file may define a machine of its own or extend a preset. It
// imports lifecycle, strict (the YAML reader) and, in one file, looplab/fsm, and knows nothing of nodes, time or ROS.
//
// Reading order: machine.go (the data), target.go, raise.go, failure.go, auto.go and role.go (what the data means),
// judge.go and path.go (what is legal); then fields.go, kinds.go and
// build.go (reading a file), check.go, ways.go, sound.go and uncommanded.go (what is refused), write.go and hash.go.
package machine

import (
	"slices"

	"rstate/internal/lifecycle"
)

// Unknown is the state of a network whose nodes have not been read yet. Every machine has it, none lists it.
const Unknown = "unknown"

// Ids on the wire that lifecycle_msgs does not have. Those of a machine of one's own start at FirstOwnID.
const (
	IDArmed     uint8 = 5
	IDArming    uint8 = 16
	IDDisarming uint8 = 17
	FirstOwnID  uint8 = 100
)

// Repeat says what happens to a command whose target is the state that the network is in.
type Repeat string

// The two rules for repeats; see Machine.Repeat.
const (
	Reject Repeat = "reject"
	Ignore Repeat = "ignore"
)

// Tells says which messages a network sends on the lifecycle topic.
type Tells string

// The two rules for messages; see Machine.Told.
const (
	TellsAll      Tells = "all"
	TellsCommands Tells = "commands" // only changes, each with the word of a command that clients have
)

// Cancel says what a cancel request does while a transition runs.
type Cancel string

// The two rules for cancelling a transition.
const (
	ToOrigin Cancel = "origin" // the nodes go back to where the transition found them
	Refuse   Cancel = "refuse" // the request is refused
)

// Machine holds the states of a network and the commands that lead from one to the other. It does not change after it
// was read. Every field but Name and Base takes part in the hash.
type Machine struct {
	Name        string
	Base        string // the preset or machine at the end of its chain of extends; empty: none
	Initial     string // the state of a network before its first command
	Error       string // the passing state of error processing; empty: the failed transition's own
	Repeat      Repeat
	Tells       Tells
	Folder      string       `json:",omitempty"` // of the lifecycle topics of simulations; empty: /simulation
	States      []State      // in file order
	Transitions []Transition // in file order
	Auto        []Auto       // reactions without a command; the first one that matches runs
	Outcomes    []Outcome    // exit codes of the outcomes of a stepped loop
}

// State is one state of a network. A passing state is shown while a transition runs, and asks nothing of the nodes.
type State struct {
	Name     string
	ID       uint8
	Passing  bool
	Final    bool // no command leaves it
	Exit     int  // of a final state: the exit code after a clean end
	Nodes    Want
	Armed    Armed
	Disarmed string // of an armed state: the same state with nothing armed
	Loop     Loop   // whether a stepped loop runs in it
	AdoptAs  string // the state that a start, a stall, a mirror or catching up takes instead; empty: this one
}

// Loop says what a stepped loop does in a state.
type Loop string

// The states of a stepped loop; in every other state of a network there is none.
const (
	NoLoop      Loop = ""
	LoopRunning Loop = "running"
	LoopEnding  Loop = "ending" // the loop finishes its step
)

// Want is the state that every lifecycle node is to be in: the state of the first group that names the node, else
// Others.
type Want struct {
	AsIs   bool // nothing is asked of any node; Groups and Others are empty
	Groups []GroupWant
	Others lifecycle.State // Unknown: nodes of no group stay as they are
}

// GroupWant is the state that the nodes of one group are to be in.
type GroupWant struct {
	Group string
	State lifecycle.State
}

// Armed says which of the nodes that can be armed are armed.
type Armed struct {
	All    bool
	Groups []string
}

// Any reports whether anything is armed at all.
func (a Armed) Any() bool { return a.All || len(a.Groups) > 0 }

// CanArm reports whether the machine has an armed state.
func (m *Machine) CanArm() bool {
	return slices.ContainsFunc(m.States, func(s State) bool { return s.Armed.Any() })
}

// Transition is one command. Its target depends on the origin, the last state in which the network had settled;
// Machine.Target looks it up.
type Transition struct {
	Name            string
	From            []string
	Always          bool   // legal in every state that is not final, and pre-empts what runs: shutdown
	Via             string // empty: the network shows its origin until the commit
	To              string // the target from every origin; empty: see Ends
	Ends            []End  // targets by origin, in file order
	Else            string // the target from an origin that Ends does not list
	Cancel          Cancel
	Loop            bool   // runs also if its target is reached already: reset
	Through         string // the nodes go down to this state first; empty: they go straight to the target
	OnRefusal       Failure
	OnError         Failure
	MirroredFailure MirroredFailure
	Preempts        bool // interrupts what runs; see Machine.Interrupts
	Arrives         Arrival
	Spread          Spread
	Role            Role   // empty: none
	Hidden          bool   // neither people nor peers can command it
	At              string // StepEnd: it waits for the end of the step of a loop
	Open            bool   // its goal stays open while the loop runs
	Argument        string // what the argument of its goal means: TellsEnd, or else a number of steps
	Says            string `json:",omitempty"` // its word on the lifecycle topic; empty: its name
	// the end of a stepped loop that it follows; empty: see Machine.Following
	After LoopEnd `json:",omitempty"`
}

// End is the target of a transition from one origin.
type End struct {
	From, To string
}

// StepEnd is the one value of Transition.At.
const StepEnd = "step_end"

// Arrival says from which origins a transition always arrives: a node that fails is tried once and passed over.
type Arrival struct {
	Always bool
	From   []string
}

// Spread says which changes of a kind peers follow if no command asked for the change.
type Spread string

// The two kinds of spread.
const (
	SpreadRequired Spread = "required" // those of an instance that a living peer requires
	SpreadAll      Spread = "all"
)

// TellsEnd is the argument of a command that ends the loop and says how the run has ended.
const TellsEnd = "outcome"

// Outcome is one outcome of a stepped loop, with the exit code that it ends the process with.
type Outcome struct {
	Name string
	Exit int
}

// State returns the state of that name.
func (m *Machine) State(name string) (State, bool) {
	for i := range m.States {
		if m.States[i].Name == name {
			return m.States[i], true
		}
	}
	return State{Name: Unknown}, false
}

// Transition returns the transition of that name.
func (m *Machine) Transition(name string) (Transition, bool) {
	for i := range m.Transitions {
		if m.Transitions[i].Name == name {
			return m.Transitions[i], true
		}
	}
	return Transition{}, false
}

// armedLevel is the level of a state that arms.
const armedLevel = 4

// Level is how much a state allows: 0 finalized or as_is, 1 unconfigured, 2 inactive, 3 active, 4 armed. A state whose
// groups differ has the level of its highest node.
func (s State) Level() int {
	if s.Armed.Any() {
		return armedLevel
	}
	level := s.Nodes.Others.Level()
	for _, g := range s.Nodes.Groups {
		level = max(level, g.State.Level())
	}
	return level
}

// Level of the state of that name; unknown and passing states have none, which is 0.
func (m *Machine) Level(name string) int {
	s, _ := m.State(name)
	return s.Level()
}

// Lowers says whether going from one state to the other only takes away: to a lower level, or out of armed.
func (m *Machine) Lowers(from, to string) bool {
	a, _ := m.State(from)
	b, _ := m.State(to)
	return b.Level() < a.Level() || (a.Armed.Any() && !b.Armed.Any())
}

// Lower returns the state of the two that allows less; of equal levels the one listed first.
func (m *Machine) Lower(a, b string) string {
	x, y := m.Level(a), m.Level(b)
	if x != y {
		if y < x {
			return b
		}
		return a
	}
	for _, s := range m.States {
		if s.Name == a || s.Name == b {
			return s.Name
		}
	}
	return a
}

// Disarmed returns the state that name is when nothing is armed: itself, unless it arms.
func (m *Machine) Disarmed(name string) string {
	if s, ok := m.State(name); ok && s.Armed.Any() {
		return s.Disarmed
	}
	return name
}

// Disarm returns the transition that leads out of an arming state to its disarmed one.
func (m *Machine) Disarm(armed string) (Transition, bool) {
	for _, t := range m.Transitions {
		if to := t.target(armed); !t.Always && slices.Contains(t.From, armed) && to == m.Disarmed(armed) &&
			to != armed {
			return t, true
		}
	}
	return Transition{}, false
}

// Shutdown returns the transition that is taken in every state and ends in a final one.
func (m *Machine) Shutdown() (Transition, bool) {
	i := slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.Always })
	if i < 0 {
		return Transition{}, false
	}
	return m.Transitions[i], true
}
