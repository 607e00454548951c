//go:build ros

package ros

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestL8Outcomes: every outcome with its exit code, by a participant, a trigger, a client, a fault and a signal.
// ~/state, the result file and the last line of the journal have it.
func TestL8Outcomes(t *testing.T) {
	wants := func(want uint8) func(*stand) {
		return func(r *stand) { r.script("pilot", "step_controller", bed.Behaviour{Want: want}, bed.Behaviour{}) }
	}
	sends := func(command, argument string) func(*stand) {
		return func(r *stand) { r.GoalWith(command, argument) }
	}
	signals := func(s syscall.Signal) func(*stand) {
		return func(r *stand) {
			r.Await("~/state has steps", func(v daemon.View) bool { return v.Step > 0 }) // of which the result tells
			r.Process.Signal(s)
		}
	}
	const (
		stop, abort, fail, succeed = 1, 3, 5, 6
	)
	for name, c := range map[string]struct {
		do      func(*stand)
		keys    string // of the loop
		outcome string
		code    int
		why     string
	}{
		"a participant succeeds":  {wants(succeed), "", "success", 0, "~/pilot wants succeed"},
		"a participant stops":     {wants(stop), "", "stopped", 13, "~/pilot wants stop"},
		"a participant fails":     {wants(fail), "", "failure", 11, "~/pilot wants fail"},
		"a participant aborts":    {wants(abort), "", "aborted", 12, "~/pilot wants abort"},
		"a trigger succeeds":      {nil, "  triggers: [{after: 20, do: succeed}]\n", "success", 0, "trigger 1"},
		"a trigger fails":         {nil, "  triggers: [{after: 20, do: fail}]\n", "failure", 11, "trigger 1"},
		"a client succeeds":       {sends("stop", "succeed"), "", "success", 0, "stop"},
		"a client fails":          {sends("stop", "fail"), "", "failure", 11, "stop"},
		"a client stops":          {sends("stop", ""), "", "stopped", 13, "stop"},
		"a client aborts":         {sends("abort", ""), "", "aborted", 12, "abort"},
		"SIGTERM":                 {signals(syscall.SIGTERM), "", "aborted", 12, "terminated"},
		"Ctrl-C":                  {signals(syscall.SIGINT), "", "aborted", 12, "interrupt"},
		"the controller fails":    {func(r *stand) { r.script("pilot", "step_controller", bed.Behaviour{Result: bed.Failure}) }, "", "aborted", 12, "~/pilot failed in step_controller"},
		"the controller hangs":    {func(r *stand) { r.script("pilot", "step_controller", frozen()...) }, "", "aborted", 12, "~/pilot did not answer step_controller of cycle"},
		"the start fails":         {func(*stand) {}, "activate", "aborted", 12, "abort"},
		"a client aborts in idle": {nil, "idle", "no_start", 10, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := filepath.Join(t.TempDir(), "result.json")
			keys := c.keys
			if keys == "activate" || keys == "idle" {
				keys = ""
			}
			text := strings.ReplaceAll(patient+fmt.Sprintf(loopOf, "cloe"), "~/pilot: {deadline: 10s}", "~/pilot: {deadline: 5s}") + keys
			s := newStand(t, setup{network: text, ready: "idle", config: daemon.Config{Result: result, HTTP: true}})
			if c.keys == "activate" {
				s.script("pilot", "activate", bed.Behaviour{Result: bed.Failure})
			}
			if c.keys == "idle" {
				s.Goal("abort")
			} else {
				s.Do("connect", "succeeded done connect")
				s.Goal("start")
				if c.keys != "activate" {
					s.stepped("pilot", 9)
				}
				if c.do != nil {
					c.do(s)
				}
			}
			signalled := name == "SIGTERM" || name == "Ctrl-C"
			if !signalled { // which leaves no time to look
				s.Await("~/state has the outcome", func(v daemon.View) bool { return v.Outcome == c.outcome })
			}
			if code := s.Process.Wait(t); code != c.code {
				t.Errorf("rstate ends with %d, want %d", code, c.code)
			}
			s.leaves(result, c.outcome, c.code, c.why)
		})
	}
}

// leaves checks the result file and the last line of the journal.
func (s *stand) leaves(file, outcome string, code int, why string) {
	s.t.Helper()
	var r struct {
		Outcome, Why, Machine string
		ExitCode              int `json:"exit_code"`
		Steps                 uint64
		Times                 []any
	}
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	if r.Outcome != outcome || r.ExitCode != code || r.Machine != "cloe" || !strings.Contains(r.Why, s.spell(why)) {
		s.t.Errorf("the result is not %s with %d, for %q: %s", outcome, code, s.spell(why), text)
	}
	if started := outcome != "no_start" && !strings.Contains(r.Why, "activate"); started && (r.Steps == 0 || len(r.Times) == 0) && why != "abort" {
		s.t.Errorf("it tells nothing of the steps: %s", text)
	}
	if last := s.lastLine(); last.Outcome != outcome || !strings.Contains(last.Cause, s.spell(why)) {
		s.t.Errorf("the last line of the journal is %+v", last)
	}
}

// lastLine is the last line of the journal of a daemon that has ended.
func (s *stand) lastLine() (l struct{ Kind, Outcome, Cause string }) {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Journal(), "*.jsonl"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("there is no journal in %s: %v", s.Journal(), err)
	}
	text, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		s.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &l); err != nil {
		s.t.Fatalf("%v: %s", err, lines[len(lines)-1])
	}
	return l
}

// TestL8TheOutcomeOverHTTP: clients over HTTP read the outcome, which a client gave with its stop.
func TestL8TheOutcomeOverHTTP(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: patient + fmt.Sprintf(loopOf, "cloe"), ready: "idle", config: daemon.Config{HTTP: true}})
	w := &web{t, s.Address(), s.Simulation}
	s.Do("connect", "succeeded done connect")
	s.Goal("start")
	s.stepped("pilot", 9)
	if a, body := w.calls("PUT", "/simulation/"+w.id+"/state", `{"state": "stop", "argument": "soon"}`); a.status != 400 || !strings.Contains(string(body), "write succeed or fail") {
		t.Errorf("an argument that is none: %d: %s", a.status, body)
	}
	if a, body := w.calls("PUT", "/simulation/"+w.id+"/state", `{"state": "stop", "argument": "fail"}`); a.status != 200 {
		t.Errorf("stop: %d: %s", a.status, body)
	}
	var got struct{ Outcome string }
	if a, body := w.calls("GET", "/simulation/"+w.id, ""); a.status != 200 || json.Unmarshal(body, &got) != nil || got.Outcome != "failure" {
		t.Errorf("the simulation has the outcome %q: %s", got.Outcome, body)
	}
	if code := s.Process.Wait(t); code != 11 {
		t.Errorf("rstate ends with %d", code)
	}
}
