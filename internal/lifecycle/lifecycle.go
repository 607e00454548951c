// Package lifecycle holds ROS 2's words for one managed node: its states, the
// transitions between them, and the way from any state to any other. Ids and
// labels are those of lifecycle_msgs. It imports nothing of this project.
package lifecycle

import "fmt"

// State is the state of one lifecycle node; its value is the id on the wire.
type State uint8

// The states of a managed node. Unknown is what we say before a node has answered.
const (
	Unknown         State = 0
	Unconfigured    State = 1
	Inactive        State = 2
	Active          State = 3
	Finalized       State = 4
	Configuring     State = 10
	CleaningUp      State = 11
	ShuttingDown    State = 12
	Activating      State = 13
	Deactivating    State = 14
	ErrorProcessing State = 15
)

// names is a list, not a map, so that what is printed keeps one order.
var names = []struct {
	state State
	label string
}{
	{Unknown, "unknown"},
	{Unconfigured, "unconfigured"},
	{Inactive, "inactive"},
	{Active, "active"},
	{Finalized, "finalized"},
	{Configuring, "configuring"},
	{CleaningUp, "cleaningup"},
	{ShuttingDown, "shuttingdown"},
	{Activating, "activating"},
	{Deactivating, "deactivating"},
	{ErrorProcessing, "errorprocessing"},
}

func (s State) String() string {
	for _, n := range names {
		if n.state == s {
			return n.label
		}
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// words are the labels of lifecycle_msgs that are two words written as one.
var words = map[string]string{
	CleaningUp.String(): "cleaning up", ShuttingDown.String(): "shutting down",
	ErrorProcessing.String(): "error processing",
}

// Words returns the label of a state as text for people. Programs compare the label itself.
func Words(label string) string {
	if text, ok := words[label]; ok {
		return text
	}
	return label
}

// Words returns the state as text for people.
func (s State) Words() string { return Words(s.String()) }

// Parse reads the label of a state.
func Parse(label string) (State, bool) {
	for _, n := range names {
		if n.label == label {
			return n.state, true
		}
	}
	return Unknown, false
}

// Primary reports whether a node rests in s until it is asked for a transition.
func (s State) Primary() bool {
	switch s {
	case Unconfigured, Inactive, Active, Finalized:
		return true
	}
	return false
}

// Level is how much a node in s may do: 0 finalized (or unknown) to 3 active.
func (s State) Level() int {
	switch s {
	case Unconfigured:
		return 1
	case Inactive:
		return 2
	case Active:
		return 3
	}
	return 0
}

// Lower returns the state of the two that allows less.
func Lower(a, b State) State {
	if b.Level() < a.Level() {
		return b
	}
	return a
}

// Transition is one request to a node. The label decides (a node looks at it first); the id of shutdown depends on
// the state that the node is in.
type Transition struct {
	ID    uint8
	Label string
}

// The transitions that a coordinator asks for.
var (
	Configure  = Transition{1, "configure"}
	Cleanup    = Transition{2, "cleanup"}
	Activate   = Transition{3, "activate"}
	Deactivate = Transition{4, "deactivate"}
)

func (t Transition) String() string { return t.Label }

// Shutdown returns the shutdown transition of a node that is in from.
func Shutdown(from State) Transition {
	switch from {
	case Inactive:
		return Transition{6, "shutdown"}
	case Active:
		return Transition{7, "shutdown"}
	}
	return Transition{5, "shutdown"}
}

// Target returns the state that t leads to when the node's callback succeeds.
func (t Transition) Target() State {
	switch t.Label {
	case "configure", "deactivate":
		return Inactive
	case "cleanup":
		return Unconfigured
	case "activate":
		return Active
	case "shutdown":
		return Finalized
	}
	return Unknown
}

// Passing returns the state that a node is in while t runs.
func (t Transition) Passing() State {
	switch t.Label {
	case "configure":
		return Configuring
	case "cleanup":
		return CleaningUp
	case "activate":
		return Activating
	case "deactivate":
		return Deactivating
	}
	return ShuttingDown
}

// Next returns the first transition on the way between two primary states, and whether there is one: nothing leads
// out of finalized.
func Next(from, to State) (Transition, bool) {
	switch {
	case from == to, !from.Primary(), !to.Primary(), from == Finalized:
		return Transition{}, false
	case to == Finalized:
		return Shutdown(from), true
	case from == Unconfigured:
		return Configure, true
	case from == Inactive && to == Active:
		return Activate, true
	case from == Inactive:
		return Cleanup, true
	}
	return Deactivate, true
}

// Way returns every transition between two primary states, in order, and whether the way exists.
func Way(from, to State) ([]Transition, bool) {
	var way []Transition
	for from != to {
		next, ok := Next(from, to)
		if !ok {
			return nil, false
		}
		way = append(way, next)
		from = next.Target()
	}
	return way, true
}
