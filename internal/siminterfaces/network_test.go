package siminterfaces

import (
	"fmt"
	"strings"
	"testing"

	"rstate/internal/machine"
)

func preset(t *testing.T, name string) *machine.Machine {
	t.Helper()
	m, err := machine.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// at is a network at rest, with the commands that are legal there.
func at(t *testing.T, name, state string) Network {
	t.Helper()
	n := Network{Machine: preset(t, name), State: state, Settled: state}
	for _, c := range n.Machine.Transitions {
		if _, ok := n.Machine.Target(c.Name, state); ok && !c.Hidden {
			n.Legal = append(n.Legal, c.Name)
		}
	}
	return n
}

// TestL15WhatANetworkIsToAClient: each state of each machine with a loop, and what leads from
// there to each state of the standard.
func TestL15WhatANetworkIsToAClient(t *testing.T) {
	unsupported := FeatureUnsupported.String()
	for _, row := range []struct {
		machine, state string
		now            State
		steps          string
		playing        string
		paused         string
		stopped        string
		quitting       string
	}{
		{"cle", "created", Stopped, "RESULT_INCORRECT_STATE", "initialize start", "initialize",
			"ALREADY_IN_TARGET_STATE", "shutdown"},
		{"cle", "stopped", Paused, "run_step", "start", "ALREADY_IN_TARGET_STATE", "reset", "shutdown"},
		{"cle", "stopping", Playing, "RESULT_INCORRECT_STATE", "ALREADY_IN_TARGET_STATE", "", "reset", "shutdown"},
		{"cle", "running", Playing, "RESULT_INCORRECT_STATE", "ALREADY_IN_TARGET_STATE", "stop", "stop reset",
			"shutdown"},
		{"cle", "released", Quitting, "RESULT_INCORRECT_STATE", "INCORRECT_TRANSITION", "INCORRECT_TRANSITION",
			"INCORRECT_TRANSITION", "ALREADY_IN_TARGET_STATE"},
		{"roscle", "created", Stopped, "RESULT_INCORRECT_STATE", "initialize start", "initialize",
			"ALREADY_IN_TARGET_STATE", unsupported},
		{"roscle", "initial", Paused, "start", "start", "ALREADY_IN_TARGET_STATE", "reset", "stop"},
		{"roscle", "running", Playing, "RESULT_INCORRECT_STATE", "ALREADY_IN_TARGET_STATE", "pause", "pause reset",
			"stop"},
		{"roscle", "paused", Paused, "start", "start", "ALREADY_IN_TARGET_STATE", "reset", "stop"},
		{"cloe", "idle", Stopped, "RESULT_INCORRECT_STATE", "connect start", "connect", "ALREADY_IN_TARGET_STATE",
			"disconnect"},
		{"cloe", "connect", Paused, "start", "start", "ALREADY_IN_TARGET_STATE", unsupported, "disconnect"},
		{"cloe", "step", Playing, "RESULT_INCORRECT_STATE", "ALREADY_IN_TARGET_STATE", "pause", unsupported,
			"disconnect"},
		{"cloe", "pause", Paused, "resume", "resume", "ALREADY_IN_TARGET_STATE", unsupported, "disconnect"},
		{"cloe", "stop", Stopped, "RESULT_INCORRECT_STATE", unsupported, unsupported, "ALREADY_IN_TARGET_STATE",
			"disconnect"},
	} {
		n := at(t, row.machine, row.state)
		if got := n.Now(); got != row.now {
			t.Errorf("%s in %s is %v, want %v", row.machine, row.state, got, row.now)
		}
		command, r := n.Steps()
		if r.Code != OK {
			command = r.Code.String()
		}
		if command != row.steps {
			t.Errorf("%s in %s is stepped by %s (%s), want %s", row.machine, row.state, command, r.Why, row.steps)
		}
		for to, want := range map[State]string{Playing: row.playing, Paused: row.paused, Stopped: row.stopped,
			Quitting: row.quitting} {
			if got := words(n.Way(to)); got != want {
				t.Errorf("%s in %s: the way to %v is %q, want %q", row.machine, row.state, to, got, want)
			}
		}
	}
}

// words prints the commands of a way, or its code.
func words(way []Move, r Result) string {
	if r.Code != OK {
		return r.Code.String()
	}
	var list []string
	for _, m := range way {
		list = append(list, m.Command)
	}
	return strings.Join(list, " ")
}

// TestL15StoppedIsPausedAndReset: after STATE_STOPPED the network is at rest like a paused one,
// and cannot be stepped before STATE_PAUSED.
func TestL15StoppedIsPausedAndReset(t *testing.T) {
	n := at(t, "cle", "stopped")
	n.Stopped = true
	if got := n.Now(); got != Stopped {
		t.Errorf("it is %v", got)
	}
	if _, r := n.Steps(); r.Code != IncorrectState || !strings.Contains(r.Why, "STATE_PAUSED only") {
		t.Errorf("stepped, it answers %v: %s", r.Code, r.Why)
	}
	if way, r := n.Way(Paused); r.Code != OK || len(way) > 0 {
		t.Errorf("the way to paused is %v %v", way, r)
	}
}

// TestL15ACommandThatIsNotLegal: steps that the network refuses now are a matter of its state, not
// of its features.
func TestL15ACommandThatIsNotLegal(t *testing.T) {
	n := at(t, "cle", "stopped")
	n.Legal = []string{"shutdown"}
	if _, r := n.Steps(); r.Code != IncorrectState || r.Why != "run_step is not legal now (the network is stopped)" {
		t.Errorf("it answers %v: %s", r.Code, r.Why)
	}
}

// TestL15ACommandThatRuns: what a client sees while the network moves.
func TestL15ACommandThatRuns(t *testing.T) {
	for _, row := range []struct {
		machine, state, settled, target string
		now                             State
		pause                           string
	}{
		{"cloe", "connecting", "idle", "connect", Initializing, "INCORRECT_TRANSITION"},
		{"cloe", "pausing", "step", "pause", Playing, "pause"},
		{"cloe", "resume", "pause", "step", Paused, "ALREADY_IN_TARGET_STATE"},
		{"cloe", "disconnecting", "pause", "disconnect", Quitting, "INCORRECT_TRANSITION"},
		{"cle", "unknown", "", "", Initializing, "INCORRECT_TRANSITION"},
	} {
		n := at(t, row.machine, row.settled)
		n.State, n.Target = row.state, row.target
		if got := n.Now(); got != row.now {
			t.Errorf("%s in %s is %v, want %v", row.machine, row.state, got, row.now)
		}
		if got := words(n.Way(Paused)); got != row.pause {
			t.Errorf("%s in %s: the way to a pause is %q, want %q", row.machine, row.state, got, row.pause)
		}
	}
}

// TestL15TheWholeIsReset: a reset of a part is refused, and so is one where the machine has none.
func TestL15TheWholeIsReset(t *testing.T) {
	for _, row := range []struct {
		machine, state string
		scope          Scope
		want           Code
	}{
		{"cle", "running", ScopeDefault, OK},
		{"cle", "stopped", ScopeAll, OK},
		{"cle", "stopped", ScopeTime | ScopeState, OK},
		{"cle", "stopped", ScopeTime, FeatureUnsupported},
		{"cle", "stopped", ScopeSpawned, FeatureUnsupported},
		{"cle", "created", ScopeAll, IncorrectState},
		{"rstate", "active", ScopeAll, FeatureUnsupported},
	} {
		if command, r := at(t, row.machine, row.state).Reset(row.scope); r.Code != row.want ||
			(r.Code == OK) != (command == "reset") {
			t.Errorf("%s in %s, scope %d: %q %v: %s; want %v", row.machine, row.state, row.scope, command, r.Code,
				r.Why, row.want)
		}
	}
}

// TestL15Features: the features are those that the machine has commands for.
func TestL15Features(t *testing.T) {
	for name, want := range map[string]string{
		"cle":    "[SIMULATION_RESET SIMULATION_STATE_GETTING SIMULATION_STATE_SETTING SIMULATION_STATE_PAUSE STEP_SIMULATION_SINGLE STEP_SIMULATION_MULTIPLE STEP_SIMULATION_ACTION]",
		"rstate": "[SIMULATION_STATE_GETTING SIMULATION_STATE_SETTING]",
	} {
		if got := fmt.Sprint(Offers(preset(t, name))); got != want {
			t.Errorf("%s offers %s, want %s", name, got, want)
		}
	}
}

// TestL15NumbersHaveNames: an answer names what the standard names.
func TestL15NumbersHaveNames(t *testing.T) {
	for got, want := range map[string]string{
		Initializing.String(): "STATE_INITIALIZING", State(9).String(): "state 9",
		NotFound.String(): "RESULT_NOT_FOUND", Code(77).String(): "the unknown result 77",
		Feature(31).String(): "STEP_SIMULATION_SINGLE", Feature(99).String(): "feature 99",
		ServiceName(GetSimulatorFeatures): "get_simulator_features",
	} {
		if got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}

// TestL14WhatASimulatorMustOffer: one step needs another feature than several.
func TestL14WhatASimulatorMustOffer(t *testing.T) {
	if err := Lacks([]Feature{StepSimulationSingle}, 1); err != nil {
		t.Error(err)
	}
	if err := Lacks([]Feature{StepSimulationSingle}, 10); err == nil ||
		err.Error() != "its features lack STEP_SIMULATION_MULTIPLE" {
		t.Errorf("10 steps: %v", err)
	}
	if err := Lacks(nil, 1); err == nil || err.Error() != "its features lack STEP_SIMULATION_SINGLE" {
		t.Errorf("no features: %v", err)
	}
}

// TestL14AFailureHasACleanText: what a simulator says cannot change a terminal.
func TestL14AFailureHasACleanText(t *testing.T) {
	for _, row := range []struct {
		code    Code
		message string
		want    string
	}{
		{OK, "done", "<nil>"},
		{AlreadyInTargetState, "it was paused", "<nil>"},
		{OperationFailed, "the wheel \x1b[31mfell\noff", "RESULT_OPERATION_FAILED: the wheel �[31mfell off"},
		{StateTransitionError, "", "STATE_TRANSITION_ERROR"},
		{FeatureUnsupported, "", "RESULT_FEATURE_UNSUPPORTED"},
		{200, "", "the unknown result 200"},
	} {
		if got := fmt.Sprint(Failure(row.code, row.message)); got != row.want {
			t.Errorf("%v %q is %q, want %q", row.code, row.message, got, row.want)
		}
	}
}
