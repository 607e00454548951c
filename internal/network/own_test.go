package network

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

func mustParse(t *testing.T, text string) *Network {
	t.Helper()
	n, err := Parse(filepath.Join("testdata", "test.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A network with every default, and the values that its file sets instead.
func TestDefaultsAndWhatAFileSaysInstead(t *testing.T) {
	n := mustParse(t, `
simulation: demo
machine: rstate
startup: adopt
defaults: {deadline: {configure: 20s, activate: 10s}, on_drift: restore}
nodes:
  /lidar: {}
  /slam: {after: [/lidar], deadline: {configure: 60s}, on_drift: report}
  /camera: {optional: true}
  /arm_driver:
    after: [/slam]
    arm: {dead_man: none}
    checks: [{topic: /joint_states, rate: 50Hz}, {service: /arm_driver/self_test}]
    unsafe: [/arm_driver/move]
    on_loss: error
groups: {perception: [/lidar, /slam, /camera]}
`)
	if n.Topic != "/simulation/demo/lifecycle" || n.Startup != Adopt || n.Machine.Name != "rstate" {
		t.Errorf("topic %q, startup %q, machine %q", n.Topic, n.Startup, n.Machine.Name)
	}
	if i := n.Index("/arm_driver"); i != 3 {
		t.Fatalf("nodes are not in file order: /arm_driver is number %d", i)
	}
	slam, arm := n.Nodes[1], n.Nodes[3]
	if d := slam.Deadline; d.Configure.Seconds() != 60 || d.Activate.Seconds() != 10 || slam.OnDrift != Report {
		t.Errorf("/slam has deadlines %+v and on_drift %s", d, slam.OnDrift)
	}
	if d := arm.Deadline; d.Configure.Seconds() != 20 || arm.OnDrift != Restore || arm.OnLoss.Do != ToError {
		t.Errorf("/arm_driver has deadlines %+v, on_drift %s, on_loss %s", d, arm.OnDrift, arm.OnLoss)
	}
	if want := (Arm{Service: "/arm_driver/arm", Type: DefaultArmType, DeadMan: DeadManNone,
		Settles: DefaultSettles}); *arm.Arm != want {
		t.Errorf("arm is %+v, want %+v", *arm.Arm, want)
	}
	checks := []Check{{Topic: "/joint_states", Rate: 50}, {Service: "/arm_driver/self_test", Type: DefaultCheckType}}
	if !slices.Equal(arm.Checks, checks) {
		t.Errorf("checks are %+v, want %+v", arm.Checks, checks)
	}
}

func TestSimulationIDs(t *testing.T) {
	for id, token := range map[string]string{
		"0":          "sim_0",
		"42":         "sim_42",
		"007":        "sim_007",
		"0x1f":       "sim_0x1f",
		"1_000":      "sim_1_000",
		"2demo":      "sim_2demo",
		"demo_2":     "demo_2",
		"_0":         "_0",
		"true":       "true",
		`"0"`:        "sim_0",
		longDigits(): "sim_" + longDigits(),
	} {
		for _, of := range []struct{ name, topic string }{
			{"machine: rstate", "/simulation/"},
			{"machine: nrp", "/ros_cle_simulation/"},
			{"machine: rock", "/simulation/"},
			{"extends: nrp\ntransitions: {started: {cancel: refuse}}", "/ros_cle_simulation/"},
			{"extends: rstate\nstates: {busy: {nodes: active}, moving: {transition: true}}\n" +
				"transitions: {work: {from: [active], via: moving, to: busy}}", "/simulation/"},
			{"machine: {initial: off, states: {off: {nodes: unconfigured}, gone: {nodes: finalized, final: true}}, transitions: {end: {from: any, to: gone}}}",
				"/simulation/"},
		} {
			n := mustParse(t, "simulation: "+id+"\n"+of.name+"\nnodes: {/a: {}}")
			if n.Simulation != strings.Trim(id, `"`) || n.Topic != of.topic+token+"/lifecycle" {
				t.Errorf("%s: id %s is %q and has the topic %q", of.name, id, n.Simulation, n.Topic)
			}
			for _, name := range []string{n.Topic, PeersTopic(n.Simulation)} {
				if problem, _ := TopicName(name); problem != "" {
					t.Errorf("%s %s", name, problem)
				}
			}
			if again := mustParse(t, n.YAML()); again.Simulation != n.Simulation || again.Topic != n.Topic {
				t.Errorf("written and read back, id %q has the topic %q", again.Simulation, again.Topic)
			}
		}
	}
	named := mustParse(t, "simulation: 0\nmachine: nrp\ntopic: /life\nnodes: {/a: {}}")
	if named.Topic != "/life" {
		t.Errorf("a topic that the file names is %q", named.Topic)
	}
}

func longDigits() string { return strings.Repeat("7", 100) }

// A part of a name must not begin with a digit. The message says what to write for it.
func TestNamesWithADigitFirst(t *testing.T) {
	for name, instead := range map[string]string{
		"/ros_cle_simulation/0/lifecycle": "/ros_cle_simulation/sim_0/lifecycle",
		"/42/7up":                         "/sim_42/sim_7up",
	} {
		problem, hint := TopicName(name)
		if !strings.Contains(problem, "starts with a digit") || !strings.HasSuffix(hint, " "+instead) {
			t.Errorf("%s %s; %s", name, problem, hint)
		}
		if problem, _ := TopicName(instead); problem != "" {
			t.Errorf("%s %s", instead, problem)
		}
	}
}

// Keys of a merge key count as written, and keys beside it take precedence.
func TestMergeKeys(t *testing.T) {
	n := mustParse(t, `
simulation: t
nodes:
  /a: &sensor {optional: true, late: leave}
  /b: {<<: *sensor, late: join}
  /c: *sensor
`)
	for i, late := range []Late{Leave, Join, Leave} {
		if !n.Nodes[i].Optional || n.Nodes[i].Late != late {
			t.Errorf("%s is optional %v, late %s", n.Nodes[i].Name, n.Nodes[i].Optional, n.Nodes[i].Late)
		}
	}
}

const modes = `
simulation: t
nodes: {/lidar: {probe: 1s}, /slam: {probe: 1s}, /arm: {arm: {}}, /leg: {arm: {}}}
groups: {perception: [/lidar, /slam], arms: [/arm]}
extends: rstate
states:
  mapping: {nodes: {perception: active, others: inactive}}
  preparing_map: {transition: true}
  reaching: {nodes: active, armed: [arms], disarmed: active}
transitions:
  map: {from: [inactive, active], via: preparing_map, to: mapping, cancel: origin}
  reach: {from: [active], via: arming, to: reaching}
  rest: {from: [reaching], via: disarming, to: active}
`

// The modes of a robot are states; users write no steps.
func TestModes(t *testing.T) {
	n := mustParse(t, modes)
	m := n.Machine
	if m.Name != "rstate-extended" || m.Base != "rstate" || len(n.Warnings) > 0 {
		t.Errorf("machine %q of %q, warnings %v", m.Name, m.Base, n.Warnings)
	}
	mapping, _ := m.State("mapping")
	for i, want := range []lifecycle.State{lifecycle.Active, lifecycle.Active, lifecycle.Inactive, lifecycle.Inactive} {
		if got, ok := n.Want(mapping, i); got != want || !ok {
			t.Errorf("%s in mapping is to be %v, want %v", n.Nodes[i].Name, got, want)
		}
	}
	reaching, _ := m.State("reaching")
	for i, want := range []bool{false, false, true, false} {
		if got := n.Arms(reaching, i); got != want {
			t.Errorf("%s in reaching is armed: %v", n.Nodes[i].Name, got)
		}
	}
	ids := map[string]uint8{"mapping": 100, "preparing_map": 101, "reaching": 102, "armed": machine.IDArmed}
	for name, id := range ids {
		if s, _ := m.State(name); s.ID != id {
			t.Errorf("%s has the id %d, want %d", name, s.ID, id)
		}
	}
	for _, c := range []struct{ from, to, path string }{
		{"unconfigured", "mapping", "configure map"},
		{"mapping", "unconfigured", "deactivate cleanup"}, // deactivate leads out of it as out of active
		{"mapping", "reaching", "deactivate activate reach"},
		{"reaching", "mapping", "rest map"},
		{"reaching", "armed", "rest arm"},
		{"mapping", "finalized", "shutdown"},
	} {
		if path, _ := m.Path(c.from, c.to); strings.Join(path, " ") != c.path {
			t.Errorf("path from %s to %s is %v, want %s", c.from, c.to, path, c.path)
		}
	}
	if d, ok := m.Disarm("reaching"); !ok || d.Name != "rest" {
		t.Errorf("reaching is left by %q, want rest", d.Name)
	}
}

// A mode with its own transition down gets no other one.
func TestAModeWithAWayDownKeepsIt(t *testing.T) {
	n := mustParse(t, modes+"  unmap: {from: [mapping], via: deactivating, to: inactive}\n")
	if path, _ := n.Machine.Path("mapping", "unconfigured"); strings.Join(path, " ") != "unmap cleanup" {
		t.Errorf("path is %v", path)
	}
	if d, _ := n.Machine.Transition("deactivate"); !slices.Equal(d.From, []string{"active"}) {
		t.Errorf("deactivate begins in %v", d.From)
	}
}

// Redefining an inherited command or state changes the given keys and leaves the others.
func TestChangingWhatIsInherited(t *testing.T) {
	n := mustParse(t, modes+`  activate: {cancel: refuse}
repeat: ignore
`)
	activate, _ := n.Machine.Transition("activate")
	if activate.Cancel != machine.Refuse || activate.To != "active" ||
		!slices.Equal(activate.From, []string{"inactive"}) {
		t.Errorf("activate is %+v", activate)
	}
	if n.Machine.Repeat != machine.Ignore {
		t.Errorf("repeat is %q", n.Machine.Repeat)
	}
	if preset, _ := machine.Preset("rstate"); preset.Hash() == n.Machine.Hash() {
		t.Error("the changed machine has the preset's hash")
	}
}

// One machine that is written in three places is the same machine.
func TestWhereAMachineIsWritten(t *testing.T) {
	const states = `{idle: {nodes: unconfigured}, busy: {nodes: active}, over: {nodes: finalized, final: true}}`
	const transitions = `{start: {from: [idle], to: busy}, stop: {from: any, to: idle}, end: {from: any, to: over}}`
	own := "initial: idle\nstates: " + states + "\ntransitions: " + transitions + "\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "light.yaml"), []byte("extends: own.yaml\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "own.yaml"), []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	head := "simulation: t\nnodes: {/a: {}}\n"
	var hash string
	for name, text := range map[string]string{
		"light-inline": head + "machine: {name: light-inline, initial: idle, states: " + states + ", transitions: " +
			transitions + "}",
		"own":   head + "machine: own.yaml",
		"light": head + "extends: light.yaml",
	} {
		text = strings.ReplaceAll(text, "light-inline", "light_inline")
		n, err := Parse(filepath.Join(dir, "network.yaml"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if hash == "" {
			hash = n.Machine.Hash()
		}
		if n.Machine.Name != strings.ReplaceAll(name, "-", "_") || n.Machine.Hash() != hash {
			t.Errorf("%s: machine %q has the hash %s, want %s", name, n.Machine.Name, n.Machine.Hash(), hash)
		}
		stop, _ := n.Machine.Transition("stop")
		end, _ := n.Machine.Shutdown()
		if !slices.Equal(stop.From, []string{"busy"}) || stop.Always || end.Name != "end" ||
			end.Cancel != machine.Refuse {
			t.Errorf("%s: stop begins in %v, %v ends it", name, stop.From, end)
		}
	}
}

// The example of docs/machines.md: the modes of a robot, each reached from the others, and driving only from active.
func TestModesOfTheExample(t *testing.T) {
	n, err := Load("../../config/modes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Warnings) > 0 {
		t.Errorf("warnings: %v", n.Warnings)
	}
	for _, c := range []struct{ from, to, path string }{
		{"unconfigured", "mapping", "configure map"},
		{"charging", "mapping", "map"},
		{"mapping", "charging", "charge"},
		{"mapping", "driving", "activate drive"},
		{"driving", "charging", "park charge"},
		{"driving", "mapping", "park map"},
		{"charging", "unconfigured", "deactivate cleanup"},
		{"driving", "finalized", "shutdown"},
	} {
		if path, _ := n.Machine.Path(c.from, c.to); strings.Join(path, " ") != c.path {
			t.Errorf("the path from %s to %s is %v, want %s", c.from, c.to, path, c.path)
		}
	}
	for state, want := range map[string]string{
		"charging": "active active inactive inactive inactive inactive",
		"mapping":  "active active active active inactive inactive",
		"driving":  "active active active active active active",
	} {
		s, _ := n.Machine.State(state)
		var got []string
		for i := range n.Nodes {
			is, _ := n.Want(s, i)
			got = append(got, is.String())
			if arms := n.Arms(s, i); arms != (state == "driving" && n.Nodes[i].Name == "/wheels") {
				t.Errorf("%s is armed in %s: %v", n.Nodes[i].Name, state, arms)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("in %s the nodes are %v, want %s", state, got, want)
		}
	}
}
