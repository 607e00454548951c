//go:build ros

package rosnet

import (
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// faceStates are the states of a lifecycle node, in the order in which ROS lists them.
var faceStates = []lifecycle.State{
	lifecycle.Unknown, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active, lifecycle.Finalized,
	lifecycle.Configuring, lifecycle.CleaningUp, lifecycle.ShuttingDown, lifecycle.Activating, lifecycle.Deactivating,
	lifecycle.ErrorProcessing,
}

// move is a transition of a lifecycle node.
type move struct {
	id       uint8
	label    string
	from, to lifecycle.State
}

// The labels of what is no request.
const (
	moveSuccess = "transition_success"
	moveFailure = "transition_failure"
	moveError   = "transition_error"
)

// moves are all of them, with the ids of lifecycle_msgs.
var moves = []move{
	{1, "configure", lifecycle.Unconfigured, lifecycle.Configuring},
	{10, moveSuccess, lifecycle.Configuring, lifecycle.Inactive},
	{11, moveFailure, lifecycle.Configuring, lifecycle.Unconfigured},
	{12, moveError, lifecycle.Configuring, lifecycle.ErrorProcessing},
	{2, "cleanup", lifecycle.Inactive, lifecycle.CleaningUp},
	{20, moveSuccess, lifecycle.CleaningUp, lifecycle.Unconfigured},
	{21, moveFailure, lifecycle.CleaningUp, lifecycle.Inactive},
	{22, moveError, lifecycle.CleaningUp, lifecycle.ErrorProcessing},
	{3, "activate", lifecycle.Inactive, lifecycle.Activating},
	{30, moveSuccess, lifecycle.Activating, lifecycle.Active},
	{31, moveFailure, lifecycle.Activating, lifecycle.Inactive},
	{32, moveError, lifecycle.Activating, lifecycle.ErrorProcessing},
	{4, "deactivate", lifecycle.Active, lifecycle.Deactivating},
	{40, moveSuccess, lifecycle.Deactivating, lifecycle.Inactive},
	{41, moveFailure, lifecycle.Deactivating, lifecycle.Active},
	{42, moveError, lifecycle.Deactivating, lifecycle.ErrorProcessing},
	{5, "shutdown", lifecycle.Unconfigured, lifecycle.ShuttingDown},
	{6, "shutdown", lifecycle.Inactive, lifecycle.ShuttingDown},
	{7, "shutdown", lifecycle.Active, lifecycle.ShuttingDown},
	{50, moveSuccess, lifecycle.ShuttingDown, lifecycle.Finalized},
	{51, moveFailure, lifecycle.ShuttingDown, lifecycle.Finalized},
	{52, moveError, lifecycle.ShuttingDown, lifecycle.ErrorProcessing},
	{60, moveSuccess, lifecycle.ErrorProcessing, lifecycle.Unconfigured},
	{61, moveFailure, lifecycle.ErrorProcessing, lifecycle.Finalized},
	{62, moveError, lifecycle.ErrorProcessing, lifecycle.Finalized},
}

// describeMove names a move that the face made. A network can make moves that no node can: a node of it strays, or its
// error processing leads back to where it was. They have no id.
func describeMove(from, to lifecycle.State) move {
	for _, m := range moves {
		if m.from == from && m.to == to {
			return m
		}
	}
	return move{from: from, to: to}
}

// requested returns the label of the transition that is meant, if the state has it. The label decides; some tools send
// the id alone. Shutdown is one of every state but the last, those in which a transition runs too.
func requested(now lifecycle.State, id uint8, label string) (string, bool) {
	for _, m := range moves {
		if m.to == lifecycle.Finalized || wishes[m.label] == "" {
			continue
		}
		if label != "" && m.label != label || label == "" && m.id != id {
			continue
		}
		if m.label == "shutdown" {
			if now == lifecycle.Finalized {
				return "", false
			}
			return m.label, true
		}
		if m.from == now {
			return m.label, true
		}
	}
	return "", false
}

// faceOf returns the state that a network shows as a lifecycle node. During a transition it is the
// transition state. At rest it is the lowest state of the required nodes: a parent then sees that a
// node has strayed, and repairs it by driving the network. A node that is absent or finalized
// counts as unconfigured.
func faceOf(m *machine.Machine, s engine.Snapshot) lifecycle.State {
	if s.Settled == "" {
		return lifecycle.Unknown
	}
	state, _ := m.State(s.State)
	if state.Passing {
		if passing, ok := lifecycle.Parse(s.State); ok {
			return passing
		}
		return lifecycle.Active // arming and disarming, or a passing state of one's own
	}
	shown := byLevel(m.Level(s.State))
	if shown == lifecycle.Finalized || shown == lifecycle.Unconfigured {
		return shown
	}
	for _, n := range s.Nodes {
		if n.Optional {
			continue
		}
		switch {
		case !n.Present, n.Lifecycle && n.State == lifecycle.Finalized:
			return lifecycle.Unconfigured
		case n.Lifecycle && n.State.Primary():
			shown = lifecycle.Lower(shown, n.State)
		}
	}
	return shown
}

func byLevel(level int) lifecycle.State {
	switch {
	case level <= 0:
		return lifecycle.Finalized
	case level == 1:
		return lifecycle.Unconfigured
	case level == 2:
		return lifecycle.Inactive
	}
	return lifecycle.Active
}
