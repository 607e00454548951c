package network

import (
	"strings"
	"testing"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

func mustRead(t *testing.T, text string) *Network {
	t.Helper()
	n, err := Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const rock = `
simulation: t
machine: rock
defaults: {needs_configuration: false}
nodes:
  /camera: {}
  /motion:
    needs_configuration: true
    runtime_states: [GOING_FORWARD, TURNING_LEFT]
    exception_states: [BLOCKED, SLIPPING]
    fatal_states: [TOTALLY_BROKEN]
  /gripper: {}
groups: {base: [/motion, /camera]}
exception_group: base
auto: [{in: running, on: {report: TURNING_LEFT}, from: /motion, do: stop}]
`

// What Rock needs of a network file, read and written.
func TestRockKeys(t *testing.T) {
	n := mustRead(t, rock)
	camera, motion := n.Nodes[0], n.Nodes[1]
	if camera.NeedsConfiguration || !motion.NeedsConfiguration || camera.Reports() || !motion.Reports() {
		t.Errorf("/camera is %+v, /motion is %+v", camera, motion)
	}
	if got := strings.Join(append(append(motion.RuntimeStates, motion.ExceptionStates...), motion.FatalStates...),
		" "); got != "GOING_FORWARD TURNING_LEFT BLOCKED SLIPPING TOTALLY_BROKEN" {
		t.Errorf("/motion reports %s", got)
	}
	if n.Exception != "base" {
		t.Errorf("%q goes to exception", n.Exception)
	}
	autos := n.Machine.Autos("running", machine.On{Event: machine.Reported, Word: "TURNING_LEFT"}, "/motion")
	if len(autos) != 1 || autos[0].Do != "stop" {
		t.Errorf("the network reacts with %v", autos)
	}
	if autos := n.Machine.Autos("running", machine.On{Event: machine.Reported, Word: "TURNING_LEFT"},
		"/gripper"); len(autos) != 0 {
		t.Errorf("the network reacts to another node with %v", autos)
	}
	if again := mustRead(t, n.YAML()); again.YAML() != n.YAML() || again.Machine.Hash() != n.Machine.Hash() {
		t.Errorf("reads back to another network:\n%s\nand then\n%s", n.YAML(), again.YAML())
	}
}

// A node that declares sub-states is one of this version, and each of its words has one kind.
func TestS6SubStatesAreRead(t *testing.T) {
	n, err := Parse("test.yaml", []byte(`
simulation: t
machine: rock
nodes: {/a: {}, /motion: {runtime_states: [MOVING], exception_states: [BLOCKED], fatal_states: [BROKEN]}}
auto: [{in: running, on: {report: BLOCKED}, from: /motion, do: stop}]
`))
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]SubState{"MOVING": RuntimeState, "BLOCKED": ExceptionState, "BROKEN": FatalState,
		"moving": Undeclared, "": Undeclared} {
		if got := n.Nodes[1].SubState(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
		if got := n.Nodes[0].SubState(word); got != Undeclared {
			t.Errorf("%q of a node without sub-states is %q", word, got)
		}
	}
}

// A network in which a node may stay unconfigured means something else by the same state.
func TestFingerprintKnowsNeedsConfiguration(t *testing.T) {
	a, b := mustRead(t, "simulation: t\nnodes: {/a: {}}"),
		mustRead(t, "simulation: t\nnodes: {/a: {needs_configuration: false}}")
	if a.Fingerprint() == b.Fingerprint() {
		t.Error("both have one fingerprint")
	}
}

// A state that leaves its nodes as they are asks nothing of any of them.
func TestAsIsAsksNothing(t *testing.T) {
	n := mustRead(t, rock)
	fatal, _ := n.Machine.State("fatal")
	for i := range n.Nodes {
		if want, asked := n.Want(fatal, i); asked || want != lifecycle.Unknown {
			t.Errorf("%s is to be %v in fatal", n.Nodes[i].Name, want)
		}
	}
}
