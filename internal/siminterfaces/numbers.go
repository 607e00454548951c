package siminterfaces

import (
	"fmt"
	"slices"
	"strings"
)

// Package is the name of the ROS package.
const Package = "simulation_interfaces"

// The types of the package that rstate uses.
const (
	GetSimulatorFeatures = "GetSimulatorFeatures"
	GetSimulationState   = "GetSimulationState"
	SetSimulationState   = "SetSimulationState"
	StepSimulation       = "StepSimulation"
	ResetSimulation      = "ResetSimulation"
	SimulateSteps        = "SimulateSteps"
)

// ServiceName returns the name under which simulators offer a type: get_simulator_features for
// GetSimulatorFeatures.
func ServiceName(typ string) string {
	var name strings.Builder
	for i, r := range typ {
		if i > 0 && r < 'a' {
			name.WriteByte('_')
		}
		name.WriteRune(r)
	}
	return strings.ToLower(name.String())
}

// State is a value of simulation_interfaces/msg/SimulationState.
type State uint8

// The states.
const (
	Stopped State = iota
	Playing
	Paused
	Quitting
	Initializing
)

var states = [...]string{"STATE_STOPPED", "STATE_PLAYING", "STATE_PAUSED", "STATE_QUITTING", "STATE_INITIALIZING"}

// String returns the name that the standard gives the state.
func (s State) String() string {
	if int(s) < len(states) {
		return states[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// Code is a value of simulation_interfaces/msg/Result, or one of SetSimulationState.
type Code uint8

// The codes. Those above 100 belong to SetSimulationState.
const (
	FeatureUnsupported   Code = 0
	OK                   Code = 1
	NotFound             Code = 2
	IncorrectState       Code = 3
	OperationFailed      Code = 4
	AlreadyInTargetState Code = 101
	StateTransitionError Code = 102
	IncorrectTransition  Code = 103
)

var codes = map[Code]string{
	FeatureUnsupported:   "RESULT_FEATURE_UNSUPPORTED",
	OK:                   "RESULT_OK",
	NotFound:             "RESULT_NOT_FOUND",
	IncorrectState:       "RESULT_INCORRECT_STATE",
	OperationFailed:      "RESULT_OPERATION_FAILED",
	AlreadyInTargetState: "ALREADY_IN_TARGET_STATE",
	StateTransitionError: "STATE_TRANSITION_ERROR",
	IncorrectTransition:  "INCORRECT_TRANSITION",
}

// String returns the name that the standard gives the code.
func (c Code) String() string {
	if name, ok := codes[c]; ok {
		return name
	}
	return fmt.Sprintf("the unknown result %d", uint8(c))
}

// Result is the answer to a client. Why is empty for OK.
type Result struct {
	Code Code
	Why  string
}

// Feature is a value of simulation_interfaces/msg/SimulatorFeatures.
type Feature uint16

// The features that have to do with a loop.
const (
	SimulationReset        Feature = 20
	SimulationStateGetting Feature = 24
	SimulationStateSetting Feature = 25
	SimulationStatePause   Feature = 26
	StepSimulationSingle   Feature = 31
	StepSimulationMultiple Feature = 32
	StepSimulationAction   Feature = 33
)

var features = map[Feature]string{
	SimulationReset:        "SIMULATION_RESET",
	SimulationStateGetting: "SIMULATION_STATE_GETTING",
	SimulationStateSetting: "SIMULATION_STATE_SETTING",
	SimulationStatePause:   "SIMULATION_STATE_PAUSE",
	StepSimulationSingle:   "STEP_SIMULATION_SINGLE",
	StepSimulationMultiple: "STEP_SIMULATION_MULTIPLE",
	StepSimulationAction:   "STEP_SIMULATION_ACTION",
}

// String returns the name that the standard gives the feature.
func (f Feature) String() string {
	if name, ok := features[f]; ok {
		return name
	}
	return fmt.Sprintf("feature %d", uint16(f))
}

// Scope is a bit field of ResetSimulation.
type Scope uint8

// The scopes of a reset.
const (
	ScopeDefault Scope = 0
	ScopeTime    Scope = 1
	ScopeState   Scope = 2
	ScopeSpawned Scope = 4
	ScopeAll     Scope = 255
)

// Whole reports whether a reset of the scope covers time and state: rstate has no other reset.
func (s Scope) Whole() bool {
	whole := []Scope{ScopeDefault, ScopeTime | ScopeState, ScopeTime | ScopeState | ScopeSpawned, ScopeAll}
	return slices.Contains(whole, s)
}
