package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
)

const (
	race  = "simulation: $(sim)\nmachine: cloe\nnodes: {/w_$(sim): {}}\nloop: {participants: {/w_$(sim): {}}}\n"
	fixed = "simulation: $(sim)\nmachine: cloe\nnodes: {/w: {}}\nloop: {participants: {/w: {}}}\n"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each kind of file in a folder. A file that is to be a scenario, but has a fault, is never left out.
func TestL12WhatIsAScenario(t *testing.T) {
	for name, c := range map[string]struct{ text, expected, faults, skipped, names string }{
		"success.yaml": {text: race, expected: "success"},
		"short.yml":    {text: race + "expect: failure\n", expected: "failure"},
		"fixed.yaml":   {text: fixed, expected: "success", names: "/w"},
		"clock.yaml": {text: strings.Replace(race, "loop: {", "loop: {clock: true, ", 1), expected: "success",
			names: "/clock"},
		"word.yaml": {text: race + "expect: sucess\n",
			faults: `word.yaml:5:9: expect: is "sucess"; it can be success, stopped`},
		"id.yaml": {text: strings.Replace(race, "$(sim)", "race", 1),
			faults: "id.yaml:1:13: simulation: gives all simulations of the experiment one id"},
		"typo.yaml": {text: strings.Replace(race, "loop:", "lopp:", 1),
			faults: "typo.yaml:4:1: lopp: is no key here"},
		"faults.yaml":   {text: race + "a: 1\nb: 2\nc: 3\n", faults: "(and 2 more faults)"},
		"broken.yaml":   {text: "nodes: [", faults: "is no valid YAML"},
		"empty.yaml":    {text: "", faults: "empty.yaml"},
		"list.yaml":     {text: "[1]", faults: "list.yaml"},
		"network.yaml":  {text: "simulation: $(sim)\nnodes: {/a: {}}\n", skipped: "it has no loop"},
		"machine.yaml":  {text: "states: {}\n", skipped: "it is no network file"},
		"script.yaml":   {text: "cases: {}\n", skipped: "it is no network file"},
		"notes.txt":     {text: race, skipped: "-"},
		".hidden.yaml":  {text: race, skipped: "-"},
		"schema.yaml.j": {text: race, skipped: "-"},
	} {
		t.Run(name, func(t *testing.T) {
			list, others, err := Find(folder(t, map[string]string{name: c.text}))
			switch {
			case err != nil:
				t.Fatal(err)
			case c.skipped == "-" && len(list)+len(others) > 0, c.skipped != "" && len(list) > 0:
				t.Fatalf("it is a scenario, or named: %+v, %+v", list, others)
			case c.skipped != "":
				if c.skipped != "-" && (len(others) != 1 || others[0] != Skipped{name, c.skipped}) {
					t.Errorf("skipped: %+v, want %q", others, c.skipped)
				}
				return
			case len(list) != 1 || len(others) > 0:
				t.Fatalf("%+v, %+v", list, others)
			}
			s := list[0]
			if c.faults == "" && s.Faults != "" || !strings.Contains(s.Faults, c.faults) ||
				strings.Contains(s.Faults, "\n") {
				t.Errorf("faults: %q, want %q", s.Faults, c.faults)
			}
			if c.expected != "" && string(s.Expected) != c.expected || strings.Join(s.names, " ") != c.names {
				t.Errorf("expected %q, names %q", s.Expected, s.names)
			}
		})
	}
	if _, _, err := Find("/nope"); err == nil {
		t.Error("a folder that there is not has no error")
	}
}

// Two scenarios with a node in common never run at the same time, and hold up no other one.
func TestL12ScenariosRunSideBySide(t *testing.T) {
	list := []Scenario{
		{Name: "a", names: []string{"/w"}}, {Name: "b", names: []string{"/w"}}, {Name: "c"},
		{Name: "d", Faults: "it is broken"}, {Name: "e", names: []string{"/w", "/x"}},
	}
	began, goOn, finished := make(chan string, len(list)), map[string]chan bool{}, make(chan []Result)
	for _, s := range list {
		goOn[s.Name] = make(chan bool)
	}
	var order []string
	go func() {
		finished <- Run(t.Context(), list, 2, func(_ context.Context, s *Scenario) Result {
			began <- s.Name
			<-goOn[s.Name]
			return Result{Outcome: network.Success}
		}, func(r *Result) { order = append(order, r.Name) })
	}()
	// The first two that begin are a and c, in any order.
	if first := []string{<-began, <-began}; !slices.Contains(first, "a") || !slices.Contains(first, "c") {
		t.Fatalf("%v begin", first)
	}
	close(goOn["c"])
	close(goOn["a"])
	for _, name := range []string{"b", "e"} {
		if got := <-began; got != name {
			t.Fatalf("%s begins, not %s", got, name)
		}
		if name == "b" {
			select {
			case other := <-began:
				t.Fatalf("%s begins beside b", other)
			default:
			}
		}
		close(goOn[name])
	}
	var names []string
	for _, r := range <-finished {
		names = append(names, r.Name+" "+string(r.Outcome))
	}
	if got, want := strings.Join(names, ", "),
		"a , b , c , d invalid, e "; strings.ReplaceAll(got, "success", "") != want {
		t.Errorf("results: %s, want %s", got, want)
	}
	if len(order) != len(list) {
		t.Errorf("told of %v", order)
	}
}

// An interrupt ends the scenarios that run, and no other one begins.
func TestL12AnInterruptEndsABatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	results := Run(ctx, []Scenario{{Name: "a"}, {Name: "b"}, {Name: "c", Faults: "broken"}}, 1,
		func(ctx context.Context, s *Scenario) Result {
			if s.Name != "a" {
				t.Errorf("%s begins", s.Name)
			}
			cancel()
			<-ctx.Done()
			return Result{Outcome: Interrupted}
		}, func(*Result) {})
	for i, want := range []network.Outcome{Interrupted, NotRun, NotRun} {
		if results[i].Outcome != want || results[i].Met {
			t.Errorf("%+v, want %s", results[i], want)
		}
	}
}

// Each outcome on a line, in JSON, and in JUnit: a test that was not run is skipped, and one that did not come to its
// end is an error.
func TestL12Report(t *testing.T) {
	list := []Scenario{
		{Name: "good.yaml", Expected: network.Failure}, {Name: "bad.yaml", Expected: network.Success},
		{Name: "hangs.yaml", Expected: network.Success},
		{Name: "late.yaml", Expected: network.Success}, {Name: "stands.yaml", Expected: network.Success},
		{Name: "broken.yaml", Expected: network.Success, Faults: "it has a fault"},
	}
	given := map[string]Result{
		"good.yaml": {Outcome: network.Failure, ExitCode: 11, Steps: 500, Time: 10, Wall: 1.25, Message: "a trigger"},
		"bad.yaml": {Outcome: network.Stopped, ExitCode: 13, Steps: 1, Time: 0.02, Wall: 1,
			Message: "/a wants\x1b stop", Told: []string{"/a: done"}},
		"hangs.yaml":  {Outcome: Timeout, ExitCode: 1, Wall: 600, Message: "it did not end within 10m0s"},
		"late.yaml":   {Outcome: NotRun},
		"stands.yaml": {Outcome: Stalled, ExitCode: 1, Message: "the process did not run for 0.7 s"},
	}
	var lines []string
	results := Run(t.Context(), list, 1, func(_ context.Context, s *Scenario) Result { return given[s.Name] },
		func(r *Result) { lines = append(lines, r.Line()) })
	slices.Sort(lines)
	want := `FAIL  bad.yaml: stopped, expected success, 1 step, 0.02s of simulated time, in 1.0s: /a wants� stop
FAIL  broken.yaml: invalid, expected success, in 0.0s: it has a fault
FAIL  hangs.yaml: timeout, expected success, in 600.0s: it did not end within 10m0s
FAIL  late.yaml: not_run, expected success, in 0.0s
FAIL  stands.yaml: stalled, expected success, in 0.0s: the process did not run for 0.7 s
ok    good.yaml: failure, 500 steps, 10s of simulated time, in 1.2s`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("the lines are\n%s\nwant\n%s", got, want)
	}
	r := Report{Folder: "night", Began: time.Unix(0, 0), Scenarios: len(list)}
	r.Take(results, time.Unix(100, 0))
	if r.Summary() != "1 of 6 as expected" {
		t.Error(r.Summary())
	}
	var text, again bytes.Buffer
	var read Report
	if err := r.JSON(&text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &read); err != nil || read.Met != 1 || len(read.Results) != 6 ||
		read.Results[5].ExitCode != 2 {
		t.Errorf("%v\n%s", err, &text)
	}
	if err := r.JUnit(&again); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Told    string `xml:",chardata"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(again.Bytes(), &suite); err != nil || suite.Tests != 6 || suite.Failures != 1 ||
		suite.Errors != 3 || suite.Skipped != 1 || suite.Time != "100.000" {
		t.Fatalf("%v\n%s", err, &again)
	}
	if f := suite.Cases[1].Failure; suite.Cases[1].Name != "bad.yaml" || f == nil ||
		!strings.Contains(f.Message, "stopped, expected success") || f.Told != "/a: done" {
		t.Errorf("JUnit says\n%s", &again)
	}
}
