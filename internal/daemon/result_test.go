package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// A result has the outcome, the exit code and the times of the participants, and replaces the one of an earlier run.
func TestL8AResultFile(t *testing.T) {
	net, err := network.Parse("race.yaml",
		[]byte("simulation: race\nmachine: cloe\nnodes: {/a: {}}\nloop: {participants: {/a: {as: simulator}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := whose{net: net, instance: "1", version: "2", created: time.Unix(10, 0).UTC()}
	s := &engine.Snapshot{State: "disconnect", Loop: engine.LoopView{
		Step: 500, Now: 10 * time.Second,
		Times: []engine.StepTime{{Node: "/a", Phase: stepper.StepEnd, Count: 500, Mean: time.Millisecond,
			Max: time.Second}},
	}}
	file := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(file, []byte("of an earlier run"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ClearResult(file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the result of an earlier run is left: %v", err)
	}
	if err := w.resultOfRun(engine.Exit{Code: 12, Why: "it hangs", Outcome: "aborted"}, s,
		time.Unix(20, 0).UTC()).Write(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"simulation": "race", "machine": "cloe", "file": "race.yaml", "outcome": "aborted", "exit_code": 12.0,
		"why": "it hangs", "state": "disconnect",
		"steps": 500.0, "time_s": 10.0, "began": "1970-01-01T00:00:10Z", "ended": "1970-01-01T00:00:20Z", "run": "1",
		"version": "2",
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if !strings.Contains(string(text), `"phase": "step_end"`) || !strings.Contains(string(text), `"mean_s": 0.001`) {
		t.Errorf("it has no times: %s", text)
	}
	if err := ClearResult(filepath.Join(file, "in", "a", "file")); err == nil {
		t.Error("a folder that there is not is taken")
	}
}
