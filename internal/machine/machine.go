// Package machine holds the states and transitions of a network as data, and the one judge of which command is legal
// where. The presets are files beside it; a network file may define a machine of its own or extend a preset. It
// imports lifecycle, strict (the YAML reader) and, in one file, looplab/fsm, and knows nothing of nodes, time or ROS.
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

// Repeat says what becomes of a command whose end is the state that the network is in.
type Repeat string

// The two rules for repeats; see Machine.Repeat.
const (
	Reject Repeat = "reject"
	Ignore Repeat = "ignore"
)

// Cancel says what a cancel request does while a transition runs.
type Cancel string

// The two rules for cancelling a transition.
const (
	ToOrigin Cancel = "origin" // the nodes go back to where the transition found them
	Refuse   Cancel = "refuse" // the request is refused
)

// Machine is what a network can be in and how it gets from one to the other. It is never changed after it was read.
type Machine struct {
	Name        string
	Base        string // the preset or machine that it extends in the end; empty: none
	Initial     string // where a network is before anything was done to it
	Error       string // the passing state in which a failure is put right; empty: the failed transition's own
	Repeat      Repeat
	States      []State      // in file order
	Transitions []Transition // in file order
}

// State is one state of a network. A passing state is one that a transition goes through; it says nothing of nodes.
type State struct {
	Name     string
	ID       uint8
	Passing  bool
	Final    bool // nothing leads out of it
	Nodes    Want
	Armed    Armed
	Disarmed string // of a state that arms: the same one with nothing armed
}

// Want is what every lifecycle node is to be in: the state of the first group that names it, else Others.
type Want struct {
	Groups []GroupWant
	Others lifecycle.State // Unknown: nodes of no group stay as they are
}

// GroupWant is what the nodes of one group are to be in.
type GroupWant struct {
	Group string
	State lifecycle.State
}

// Armed is which of the nodes that can be armed are armed.
type Armed struct {
	All    bool
	Groups []string
}

// Any says whether anything is armed at all.
func (a Armed) Any() bool { return a.All || len(a.Groups) > 0 }

// Transition is one command: whence, via what, whither.
type Transition struct {
	Name   string
	From   []string
	Always bool   // taken in every state that is not final, and pre-empts what runs: shutdown
	Via    string // empty: the network shows its origin until the commit
	To     string
	Cancel Cancel
	Loop   bool // leads back to where it started, and always runs: reset
}

// State returns the state of that name.
func (m *Machine) State(name string) (State, bool) {
	i := slices.IndexFunc(m.States, func(s State) bool { return s.Name == name })
	if i < 0 {
		return State{Name: Unknown}, false
	}
	return m.States[i], true
}

// Transition returns the transition of that name.
func (m *Machine) Transition(name string) (Transition, bool) {
	i := slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.Name == name })
	if i < 0 {
		return Transition{}, false
	}
	return m.Transitions[i], true
}

// Level is how much a state allows: 0 finalized, 1 unconfigured, 2 inactive, 3 active, 4 armed. A state of one's own
// has the level of its highest node.
func (s State) Level() int {
	if s.Armed.Any() {
		return 4
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
		if !t.Always && slices.Contains(t.From, armed) && t.To == m.Disarmed(armed) && t.To != armed {
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

// starts says whether the transition can be started in the state.
func (t Transition) starts(from State) bool {
	if from.Final || from.Passing {
		return t.Always && !from.Final
	}
	return t.Always || slices.Contains(t.From, from.Name)
}
