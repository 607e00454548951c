//go:build ros

package ros

import (
	"fmt"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// driven is a network with a loop of two participants of rstate, for clients of
// simulation_interfaces.
type driven struct {
	*daemon.Daemon
	t       *testing.T
	physics *bed.Node
}

// newDriven starts it with a preset, in an environment. Scripts are those of its simulator.
func newDriven(t *testing.T, machine, first string, env []string, scripts map[string][]bed.Behaviour) *driven {
	t.Helper()
	t.Parallel()
	host := bed.NewHost(t)
	d := &driven{t: t}
	node := func(base string, scripts map[string][]bed.Behaviour) *bed.Node {
		return host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, base), Steps: true, Threads: 2, Script: scripts})
	}
	d.physics = node("physics", scripts)
	pilot := node("pilot", nil)
	network := patient + fmt.Sprintf(`machine: %[1]s
nodes:
  %[2]s: {}
  %[3]s: {}
loop:
  participants: {%[2]s: {as: simulator, deadline: 20s}, %[3]s: {deadline: 20s}}
`, machine, d.physics.Name, pilot.Name)
	d.Daemon = daemon.Start(t, host, daemon.Config{Binary: binary, Network: network, Env: env, Level: "debug"})
	d.Intact(first)
	return d
}

// asks lets a client ask for all words, and checks what it prints: a line for each, which contains
// the words of want.
func (d *driven) asks(pairs ...string) {
	d.t.Helper()
	var words, want []string
	for i := 0; i < len(pairs); i += 2 {
		words, want = append(words, pairs[i]), append(want, pairs[i]+": "+pairs[i+1])
	}
	args := append([]string{"python3", "-B", "testdata/simulation_client.py", d.Name}, words...)
	p := bed.StartCommand(d.t, "client", bed.Command{Args: args, Env: bed.SimulationInterfaces(d.t)})
	code := p.Wait(d.t)
	lines := strings.Split(strings.TrimSpace(p.Log()), "\n")
	if code != 0 || len(lines) != len(want)+1 {
		d.t.Fatalf("the client ended with %d", code)
	}
	for i, w := range want {
		if !strings.HasPrefix(lines[i], w) {
			d.t.Errorf("the client got %q, want %q", lines[i], w)
		}
	}
}

// steps returns how many steps the simulator has taken part in.
func (d *driven) steps() (n int) {
	d.t.Helper()
	for _, c := range d.physics.Truth().Steps {
		if c[1] == 3 { // step_end
			n++
		}
	}
	return n
}

// TestL15AClientDrivesALoop as it would drive Gazebo: from the features to the end. The network
// follows its machine.
func TestL15AClientDrivesALoop(t *testing.T) {
	d := newDriven(t, "cle", "created", bed.SimulationInterfaces(t), nil)
	d.asks(
		"features", "SIMULATION_RESET SIMULATION_STATE_GETTING SIMULATION_STATE_SETTING SIMULATION_STATE_PAUSE STEP_SIMULATION_SINGLE STEP_SIMULATION_MULTIPLE STEP_SIMULATION_ACTION; rstate ",
		"state", "STATE_STOPPED RESULT_OK",
		"step=1", "RESULT_INCORRECT_STATE the simulation can be stepped in STATE_PAUSED only, and is in STATE_STOPPED (the network is created)",
		"set=STATE_PAUSED", "RESULT_OK",
		"state", "STATE_PAUSED RESULT_OK",
		"set=STATE_PAUSED", "ALREADY_IN_TARGET_STATE",
		"step=5", "RESULT_OK",
		"state", "STATE_PAUSED RESULT_OK",
	)
	if v, n := d.Intact("stopped"), d.steps(); n != 5 || v.Step != 5 {
		t.Errorf("%d steps have run, and the loop is at %d; want 5", n, v.Step)
	}
	d.asks(
		"steps=3", "1/2 2/1 3/0 status 4 RESULT_OK",
		"step=0", "RESULT_OPERATION_FAILED 0 steps",
		"set=STATE_PLAYING", "RESULT_OK",
		"state", "STATE_PLAYING RESULT_OK",
		"step=1", "RESULT_INCORRECT_STATE the simulation can be stepped in STATE_PAUSED only, and is in STATE_PLAYING (the network is running)",
		"steps=2", "status 6 RESULT_INCORRECT_STATE",
		"set=STATE_PAUSED", "RESULT_OK",
		"reset=1", "RESULT_FEATURE_UNSUPPORTED scope 1",
		"reset=0", "RESULT_OK",
	)
	if got := d.View().Step; got != 0 && d.Await("the loop is at its beginning",
		func(v daemon.View) bool { return v.Step == 0 }).Step != 0 {
		t.Errorf("after a reset the loop is at step %d", got)
	}
	d.asks(
		"step=2", "RESULT_OK",
		"set=STATE_STOPPED", "RESULT_OK",
		"state", "STATE_STOPPED RESULT_OK",
		"step=1", "RESULT_INCORRECT_STATE",
		"set=STATE_PAUSED", "RESULT_OK",
		"step=1", "RESULT_OK",
		"cancel=1000000", "status 5 RESULT_OPERATION_FAILED ",
		"state", "STATE_PAUSED RESULT_OK",
		"set=STATE_INITIALIZING", "INCORRECT_TRANSITION STATE_INITIALIZING is no state that can be set",
		"set=STATE_QUITTING", "RESULT_OK",
	)
	if code := d.Process.Wait(t); code != 0 {
		t.Errorf("rstate ended with %d", code)
	}
}

// TestL15AMachineWhoseStartAnswersAtOnce: a step is answered when the steps have run, also where
// the goal of the command ends before. A cancel pauses.
func TestL15AMachineWhoseStartAnswersAtOnce(t *testing.T) {
	d := newDriven(t, "roscle", "created", bed.SimulationInterfaces(t), nil)
	d.asks(
		"set=STATE_PAUSED", "RESULT_OK",
		"step=4", "RESULT_OK",
		"state", "STATE_PAUSED RESULT_OK",
		"steps=2", "1/1 2/0 status 4 RESULT_OK",
		"cancel=1000000", "status 5 RESULT_OPERATION_FAILED ",
		"state", "STATE_PAUSED RESULT_OK",
	)
	d.Intact("paused")
}

// TestL15WhatAMachineCannotDo is answered as such: a reset of cloe runs the loop, so it has no way
// to a stopped simulation.
func TestL15WhatAMachineCannotDo(t *testing.T) {
	d := newDriven(t, "cloe", "idle", bed.SimulationInterfaces(t), nil)
	d.asks(
		"set=STATE_PLAYING", "RESULT_OK",
		"set=STATE_PAUSED", "RESULT_OK",
		"step=2", "RESULT_OK",
		"set=STATE_STOPPED", "RESULT_FEATURE_UNSUPPORTED machine cloe has no commands that lead from pause to STATE_STOPPED",
		"reset=255", "RESULT_OK",
		"state", "STATE_PLAYING RESULT_OK",
	)
	d.Intact("step")
}

// TestL15AStepThatFails: the client learns how many steps have run, and which participant failed.
func TestL15AStepThatFails(t *testing.T) {
	d := newDriven(t, "roscle", "created", bed.SimulationInterfaces(t), map[string][]bed.Behaviour{
		"step_simulator": {{}, {}, {Result: bed.Failure}, {}},
	})
	d.asks("set=STATE_PAUSED", "RESULT_OK", "step=5",
		"RESULT_OPERATION_FAILED 2 of 5 steps have run; the network is paused: "+d.physics.Name+
			" failed in step_simulator of cycle 3")
}

// TestL15WithoutThePackage: where simulation_interfaces is not installed nothing is offered, and
// the log says so once.
func TestL15WithoutThePackage(t *testing.T) {
	d := newDriven(t, "cle", "created", nil, nil)
	d.Do("initialize", "succeeded done stopped")
	if got := strings.Count(d.Process.Log(), "clients of simulation_interfaces cannot drive the loop"); got != 1 {
		t.Errorf("the log says %d times that nothing is offered", got)
	}
}
