package machine

import (
	"os"
	"strings"
	"testing"
)

// stepper is a machine with a stepped loop, as a later version will run it.
const stepper = `
initial: idle
states:
  released: {nodes: finalized, final: true}
  idle: {nodes: unconfigured}
  ready: {nodes: active}
  stopping: {nodes: active, loop: ending, adopt_as: ready}
  running: {nodes: active, loop: running, adopt_as: ready}
transitions:
  initialize: {from: [idle], to: ready}
  lower: {from: [ready], to: idle}
  start: {from: [ready], to: running, open: true, argument: steps}
  stop: {from: [running], to: stopping, at: step_end}
  rest: {from: [stopping], to: ready}
  clear: {from: [ready, stopping, running], to: ready, loop: true, through: ready}
  end: {from: any, to: released}
auto:
  - {in: stopping, on: loop_idle, do: rest}
outcomes: {success: 0, aborted: 4}
`

// Every key that a file can say takes part in the hash, so that peers with other rules do not follow each other, and is
// written so that it reads back.
func TestEveryKeyCounts(t *testing.T) {
	for name, c := range map[string]struct{ text, old, new string }{
		"initial": {rockAs("transitions: {}"), "transitions: {}", "initial: stopped"},
		"repeat":  {rockAs("transitions: {}"), "transitions: {}", "repeat: ignore"},
		"tells":   {rockAs("transitions: {}"), "transitions: {}", "tells: commands"},
		"exit":    {nrpAs("states: {failed: {exit: 1}}"), "exit: 1", "exit: 2"},
		"as_is":   {rockAs("states: {fatal: {nodes: as_is}}"), "as_is", "unconfigured"},
		"to": {nrpAs("transitions: {failed: {to: {created: failed, paused: halted}, else: failed}}"),
			"created: failed", "created: stopped"},
		"else": {nrpAs("transitions: {failed: {to: {created: failed, paused: halted}, else: failed}}"),
			"else: failed", "else: stopped"},
		"on_failure":       {rockAs("transitions: {start: {on_failure: stay}}"), "stay", "restore"},
		"on_refusal":       {rockAs("transitions: {stop: {on_refusal: stay}}"), "stay", "restore"},
		"on_error":         {rockAs("transitions: {stop: {on_error: stay}}"), "stay", "{then: fatal}"},
		"mirrored_failure": {nrpAs("transitions: {started: {mirrored_failure: target}}"), "target", "behind"},
		"preempts":         {nrpAs("transitions: {failed: {preempts: true}}"), "true", "false"},
		"arrives":          {nrpAs("transitions: {stopped: {arrives: [halted]}}"), "[halted]", "[halted, paused]"},
		"arrives always":   {nrpAs("transitions: {failed: {arrives: always}}"), "always", "[paused]"},
		"spread":           {nrpAs("transitions: {failed: {spread: all}}"), "all", "required"},
		"through":          {nrpAs("transitions: {reset: {through: created}}"), "created", "paused"},
		"loop of commands": {nrpAs("transitions: {halt: {from: [paused], to: halted, loop: true}}"), "true", "false"},
		"role": {nrpAs("transitions: {halt: {from: [paused], to: halted, role: cleanup}}"),
			", role: cleanup", ""},
		"hidden": {nrpAs("transitions: {shutdown: {hidden: true}}"), "true", "false"},
		"auto in": {rockAs("auto: [{in: running, on: node_error, do: stop}]"), "in: running",
			"in: [running]\n, from: /a"},
		"auto on":        {rockAs("auto: [{in: running, on: node_error, do: stop}]"), "node_error", "node_reborn"},
		"auto report":    {rockAs("auto: [{in: running, on: {report: LOST}, do: stop}]"), "LOST", "FOUND"},
		"auto do":        {rockAs("auto: [{in: running, on: node_error, do: stop}]"), "do: stop", "do: fatal"},
		"loop of states": {stepper, "loop: ending", "loop: running"},
		"adopt_as":       {stepper, "loop: ending, adopt_as: ready", "loop: ending, adopt_as: idle"},
		"at":             {stepper, ", at: step_end", ""},
		"open":           {stepper, "open: true", "open: false"},
		"argument":       {stepper, "argument: steps", "argument: dt"},
		"says": {nrpAs("transitions:\n  reset: {says: initialized}\n"), "says: initialized",
			"says: renewed"},
		"after":             {stepper, ", at: step_end", ", at: step_end, after: abort"},
		"simulation_folder": {nrpAs("simulation_folder: /a"), "/a", "/b"},
		"outcomes":          {stepper, "aborted: 4", "aborted: 6"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(c.text, c.old) {
				t.Fatal("the case changes nothing")
			}
			a, b := mustParse(t, c.text), mustParse(t, strings.Replace(c.text, c.old, c.new, 1))
			if a.Hash() == b.Hash() {
				t.Errorf("%s and %s have one hash", c.old, c.new)
			}
			for _, m := range []*Machine{a, b} {
				if again, err := parse("again.yaml", []byte(m.YAML())); err != nil || again.Hash() != m.Hash() {
					t.Errorf("reads back to another machine: %v\n%s", err, m.YAML())
				}
			}
		})
	}
}

func nrpAs(more string) string  { return "extends: nrp\n" + more }
func rockAs(more string) string { return "extends: rock\n" + more }

// What a machine with a loop says: no start takes a state in which it runs, and to go on in a loop is not to raise.
func TestLoops(t *testing.T) {
	m := mustParse(t, stepper)
	for state, want := range map[string]string{"running": "ready", "stopping": "ready", "ready": "ready",
		"idle": "idle", "nowhere": "nowhere"} {
		if got := m.Adopted(state); got != want {
			t.Errorf("a start takes %s for %s, want %s", got, state, want)
		}
	}
	for _, c := range []struct {
		from, to string
		raises   bool
	}{
		{"ready", "running", true},
		{"stopping", "running", false},
		{"running", "running", false},
		{"running", "ready", false},
		{"idle", "ready", true},
		{"ready", "idle", false},
		{Unknown, "idle", false},
		{Unknown, "ready", true},
	} {
		if got := m.Raises(c.from, c.to); got != c.raises {
			t.Errorf("%s to %s raises: %v", c.from, c.to, got)
		}
	}
}

// Where a command leads, and what that means.
func TestTargets(t *testing.T) {
	for _, c := range []struct {
		preset, command, origin, target string // empty: none
		lowers, raises, ends            bool
	}{
		{"rstate", "activate", "inactive", "active", false, true, false},
		{"rstate", "disarm", "armed", "active", true, false, false},
		{"rstate", "arm", "active", "armed", false, true, false},
		{"rstate", "arm", "inactive", "", false, false, false},
		{"rstate", "shutdown", Unknown, "finalized", false, false, true},
		{"rstate", "shutdown", "finalized", "", false, false, false},
		{"rstate", "fly", "active", "", false, false, false},
		{"nrp", "failed", "created", "failed", true, false, true},
		{"nrp", "failed", "started", "halted", true, false, false},
		{"nrp", "failed", "paused", "halted", false, false, false},
		{"nrp", "failed", "halted", "failed", true, false, true}, // while stopped runs
		{"nrp", "failed", Unknown, "failed", false, false, true},
		{"nrp", "reset", "paused", "paused", false, true, false}, // through created
		{"nrp", "reset", "started", "paused", true, true, false},
		{"rock", "restarted", "fatal", "preoperational", false, false, false},
		{"rock", "exception", "running", "exception", true, false, false},
		{"rock", "fatal", "running", "fatal", true, false, false},
	} {
		m := preset(t, c.preset)
		target, ok := m.Target(c.command, c.origin)
		lowers, raises, ends := m.LowersFrom(c.command, c.origin), m.RaisesFrom(c.command, c.origin),
			m.Ends(c.command, c.origin)
		if target != c.target || ok != (c.target != "") || lowers != c.lowers || raises != c.raises || ends != c.ends {
			t.Errorf("%s: %s from %s leads to %q, lowers %v, raises %v, ends %v; want %+v", c.preset, c.command,
				c.origin, target, lowers, raises, ends, c)
		}
	}
	if got := strings.Join(preset(t, "nrp").Targets("failed"), " "); got != "failed halted" {
		t.Errorf("failed leads to %s", got)
	}
}

// The schema of a machine in a file of its own, for editors.
func TestSchemaIsInStep(t *testing.T) {
	const file = "../../config/machine.schema.json"
	got := Schema()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != string(got) {
		t.Errorf("differs from %s (%v); if it should, run go test -update", file, err)
	}
}
