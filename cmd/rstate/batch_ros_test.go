//go:build ros

package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/internal/batch"
	"rstate/internal/network"
	"rstate/test/bed"
)

// night is a folder of scenarios, and what a batch of them leaves.
type night struct {
	t     *testing.T
	space string // no other test has it
	dir   string
	path  string // on which rstate is this test's binary
}

func newNight(t *testing.T) *night {
	t.Helper()
	n := &night{t: t, space: bed.Unique(t, "night"), dir: t.TempDir(), path: t.TempDir() + ":" + os.Getenv("PATH")}
	bin, _, _ := strings.Cut(n.path, ":")
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", beRstate, os.Args[0])
	if err := os.WriteFile(filepath.Join(bin, "rstate"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return n
}

// write writes a file of the folder.
func (n *night) write(name, text string) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, name), []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// scenario is a simulation whose two participants are one process. The words stand for keys of the loop, the options of
// the process, and more keys of the file.
func (n *night) scenario(machine, loop, options, more string) string {
	const form = `simulation: $(sim)
machine: MACHINE
defaults: {deadline: {discover: 60s}}
nodes:
  /U_$(sim)/world: {process: rstate node /U_$(sim)/world --step OPTIONS}
  /U_$(sim)/pilot: {after: [/U_$(sim)/world], process: rstate node /U_$(sim)/pilot --step}
loop:
  participants: {/U_$(sim)/world: {as: simulator, deadline: 25s}, /U_$(sim)/pilot: {as: controller, deadline: 25s}}
`
	if loop != "" {
		loop = "  " + loop + "\n"
	}
	return strings.NewReplacer("MACHINE", machine, "OPTIONS", options, "U", n.space).Replace(form) + loop + more
}

// start starts a batch of the folder.
func (n *night) start(args ...string) *bed.Process {
	n.t.Helper()
	args = append([]string{os.Args[0], "batch", n.dir, "--result", n.file("json"), "--junit", n.file("xml")}, args...)
	return bed.StartCommand(n.t, "rstate batch", bed.Command{
		Args: append(args, "--ros-args", "-r", "__ns:=/"+n.space),
		Env:  []string{beRstate + "=1", "PATH=" + n.path, "TMPDIR=" + n.t.TempDir()},
	})
}

func (n *night) file(kind string) string { return filepath.Join(n.dir, "results."+kind) }

// results reads the results of a batch that has ended, by the names of the files.
func (n *night) results(p *bed.Process, code int) (batch.Report, map[string]batch.Result) {
	n.t.Helper()
	if got := p.Wait(n.t); got != code {
		n.t.Errorf("the batch ended with %d, want %d; it said:\n%s", got, code, p.Log())
	}
	text, err := os.ReadFile(n.file("json"))
	if err != nil {
		n.t.Fatal(err)
	}
	var r batch.Report
	if err := json.Unmarshal(text, &r); err != nil {
		n.t.Fatal(err)
	}
	by := map[string]batch.Result{}
	for _, one := range r.Results {
		by[one.Name] = one
	}
	if lines := strings.Split(strings.TrimSpace(p.Log()), "\n"); lines[len(lines)-1] != r.Summary() {
		n.t.Errorf("the last line is %q, not %q", lines[len(lines)-1], r.Summary())
	}
	return r, by
}

// TestL12BatchOfEachKind: a scenario that fails, for whatever reason, stops no other one, and its result names the
// cause.
func TestL12BatchOfEachKind(t *testing.T) {
	n := newNight(t)
	const succeeds = "triggers: [{after: 20, do: succeed}]"
	pilot := "{after: [/U_$(sim)/world], process: rstate node /U_$(sim)/pilot --step}"
	with := func(text, before, after string) string {
		before, after = strings.ReplaceAll(before, "U", n.space), strings.ReplaceAll(after, "U", n.space)
		if !strings.Contains(text, before) {
			t.Fatalf("%q is not in:\n%s", before, text)
		}
		return strings.ReplaceAll(text, before, after)
	}
	good := func(machine string) string { return n.scenario(machine, succeeds, "", "") }
	type row struct {
		file, text, outcome string
		met                 bool
		code                int
		steps               uint64
		message             string
	}
	rows := []row{
		{"cle.yaml", good("cle"), "success", true, 0, 20, "trigger 1"},
		{"roscle.yaml", good("roscle"), "success", true, 0, 20, "trigger 1"},
		{"cloe.yml", good("cloe"), "success", true, 0, 20, "trigger 1"},
		{"fails.yaml", n.scenario("cloe", "", "--want fail@7", "expect: failure\n"), "failure", true, 11, 7,
			"/world wants fail"},
		{"aborts.yaml", n.scenario("cle", "", "--fail-step 3", "expect: aborted\n"), "aborted", true, 0, 3,
			"fails in step 3"},
		{"stops.yaml", n.scenario("cloe", "triggers: [{after: 5, do: stop}]", "", ""), "stopped", false, 13, 5,
			"trigger 1"},
		{"pauses.yaml", n.scenario("cloe", succeeds, "--want pause@4 --want reset@9", ""), "success", true, 0, 20,
			"trigger 1"},
		{"resets.yaml", n.scenario("roscle", succeeds, "--want reset@9 --want pause@12", ""), "success", true, 0, 20,
			"trigger 1"},
		{"refuses.yaml", n.scenario("cloe", succeeds, "--fail configure", ""), "no_start", false, 10, 0, "/world"},
		{"absent.yaml", with(with(good("cloe"), pilot, "{}"), "discover: 60s", "discover: 1s"), "no_start", false, 10,
			0, "/pilot"},
		{"process.yaml", with(good("cloe"), "process: rstate node /U_$(sim)/pilot",
			"process: echo it is broken; exit 3; echo"), "error", false, 1, 0, "exit status 3: it is broken"},
		{"broken.yaml", "nodes: [", "invalid", false, 2, 0, "is no valid YAML"},
		{"expects.yaml", good("cloe") + "expect: sucess\n", "invalid", false, 2, 0, "did you mean success?"},
		{"one.yaml", with(good("cloe"), "_$(sim)/", "_fixed/"), "success", true, 0, 20, "trigger 1"},
		{"another.yaml", with(good("cle"), "_$(sim)/", "_fixed/"), "success", true, 0, 20, "trigger 1"},
	}
	met := 0
	for _, c := range rows {
		n.write(c.file, c.text)
		if c.met {
			met++
		}
	}
	n.write("machine.yaml", "states: {}\n")
	logs := filepath.Join(n.dir, "logs")
	p := n.start("--jobs", "3", "--logs", logs)
	for k := range rows {
		bed.Eventually(t, fmt.Sprintf("%d scenarios have ended", k+1), func() (string, bool) {
			ended := 0
			for _, c := range rows {
				ended += strings.Count(p.Log(), "  "+c.file+": ")
			}
			return "", ended > k
		})
	}
	r, by := n.results(p, exitFailed)
	failures, errs := 3, 3
	for k := range rows { // this machine was overloaded where a scenario has stalled, and the batch says so
		c, got := &rows[k], by[rows[k].file]
		if got.Outcome != batch.Stalled {
			continue
		}
		t.Log(got.Line())
		switch {
		case c.met:
			met, errs = met-1, errs+1
		case c.outcome != string(batch.Error):
			failures, errs = failures-1, errs+1
		}
		*c = row{c.file, c.text, string(got.Outcome), false, got.ExitCode, got.Steps, "run fewer simulations at a time"}
	}
	if met == 0 || r.Scenarios != len(rows) || len(r.Results) != len(rows) || r.Met != met || r.Interrupted {
		t.Errorf("%d of %d, %d results", r.Met, r.Scenarios, len(r.Results))
	}
	ids := map[string]bool{}
	for _, c := range rows {
		got := by[c.file]
		if string(got.Outcome) != c.outcome || got.Met != c.met || got.ExitCode != c.code || got.Steps != c.steps ||
			!strings.Contains(got.Message, c.message) {
			t.Errorf("%s: %+v\nwant %+v", c.file, got, c)
		}
		if c.outcome != "invalid" && ids[got.Simulation] {
			t.Errorf("%s has the id %s of another one", c.file, got.Simulation)
		}
		ids[got.Simulation] = true
		if strings.Count(p.Log(), "  "+c.file+": "+c.outcome) != 1 {
			t.Errorf("%s has no line of its own in:\n%s", c.file, p.Log())
		}
	}
	if want := "skip  machine.yaml: it is no network file"; !strings.Contains(p.Log(), want) {
		t.Errorf("it does not say %q:\n%s", want, p.Log())
	}
	n.junit(len(rows), failures, errs)
	if text, err := os.ReadFile(filepath.Join(logs,
		"process.yaml."+n.space+"_"+by["process.yaml"].Simulation+".pilot.log")); string(text) != "it is broken\n" &&
		by["process.yaml"].Outcome != batch.Stalled {
		t.Errorf("the output of a process: %q, %v", text, err)
	}
	if t.Failed() {
		t.Log(p.Log())
	}
}

// junit checks the counts of the JUnit file.
func (n *night) junit(tests, failures, errs int) {
	n.t.Helper()
	text, err := os.ReadFile(n.file("xml"))
	if err != nil {
		n.t.Fatal(err)
	}
	var suite struct {
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Cases    []struct{} `xml:"testcase"`
	}
	if err := xml.Unmarshal(text, &suite); err != nil || suite.Tests != tests || len(suite.Cases) != tests ||
		suite.Failures != failures || suite.Errors != errs {
		n.t.Errorf("JUnit: %v, %+v\n%s", err, suite, text)
	}
}

// TestL12BatchOfAScenarioThatHangs: one that reaches its limit is ended, and so are its processes.
func TestL12BatchOfAScenarioThatHangs(t *testing.T) {
	n := newNight(t)
	n.write("endless.yaml", n.scenario("cloe", "", "", ""))
	var p *bed.Process
	var by map[string]batch.Result
	bed.Eventually(t, "a batch of it does not stall before", func() (string, bool) {
		p = n.start("--timeout", "3s")
		_, by = n.results(p, exitFailed)
		return p.Log(), by["endless.yaml"].Outcome != batch.Stalled
	})
	if got := by["endless.yaml"]; got.Outcome != batch.Timeout || got.Met || got.ExitCode == 0 ||
		!strings.Contains(got.Message, "it did not end within 3s; the network was ") {
		t.Errorf("%+v\n%s", got, p.Log())
	}
}

// TestL12BatchInterrupted: Ctrl-C ends all children, and the results so far are written.
func TestL12BatchInterrupted(t *testing.T) {
	n := newNight(t)
	n.write("a.yaml", n.scenario("cloe", "triggers: [{after: 20, do: succeed}]", "", ""))
	n.write("b.yaml", n.scenario("cloe", "", "", ""))
	n.write("c.yaml", n.scenario("cloe", "", "", ""))
	p := n.start("--jobs", "1")
	says(t, p, "  a.yaml: ")
	nodes := scenarioNodes(t, p)
	p.Signal(syscall.SIGINT)
	r, by := n.results(p, exitCancelled)
	met, errs := 1, 1
	want := []network.Outcome{"success", batch.Interrupted, batch.NotRun}
	if by["a.yaml"].Outcome == batch.Stalled { // this machine was overloaded, and the batch says so
		met, errs, want[0] = 0, errs+1, batch.Stalled
	}
	if by["b.yaml"].Outcome == batch.Stalled { // and the next one has begun
		errs, want[1], want[2] = errs+1, batch.Stalled, batch.Interrupted
	}
	got := []network.Outcome{by["a.yaml"].Outcome, by["b.yaml"].Outcome, by["c.yaml"].Outcome}
	if !slices.Equal(got, want) || !r.Interrupted || r.Summary() != fmt.Sprintf("%d of 3 as expected", met) {
		t.Errorf("%+v", r)
	}
	for _, proc := range nodes {
		if !gone(proc) {
			t.Errorf("%s is left", proc)
		}
	}
	n.junit(3, 0, errs)
}

// TestL12BatchOfFifty: fifty scenarios of a few steps, each with a process of its own. Each succeeds, or a stall of the
// batch is named.
func TestL12BatchOfFifty(t *testing.T) {
	const many = 50
	n := newNight(t)
	one := strings.NewReplacer("U", n.space).Replace(`simulation: $(sim)
machine: cloe
nodes: {/U_$(sim): {process: rstate node /U_$(sim) --step, deadline: {discover: 60s}}}
loop: {participants: {/U_$(sim): {deadline: 25s}}, triggers: [{after: 5, do: succeed}]}
`)
	for i := range many {
		n.write(fmt.Sprintf("scenario_%02d.yaml", i), one)
	}
	p := n.start("--jobs", "4")
	for ended := 10; ended <= many; ended += 10 {
		bed.Eventually(t, fmt.Sprintf("%d scenarios have ended", ended), func() (string, bool) {
			return "", strings.Count(p.Log(), " scenario_") >= ended
		})
	}
	stalled, code := strings.Count(p.Log(), ".yaml: stalled, "), exitDone
	if stalled > 0 { // this machine was overloaded, and the batch says so
		code = exitFailed
		t.Log(p.Log())
	}
	r, by := n.results(p, code)
	if r.Met == 0 || r.Met+stalled != many || r.Scenarios != many || len(by) != many {
		t.Errorf("%s, %d stalled\n%s", r.Summary(), stalled, p.Log())
	}
	n.junit(many, 0, stalled)
}

// TestOptionsOfBatch: a faulty command line is refused before ROS is used.
func TestOptionsOfBatch(t *testing.T) {
	n := newNight(t)
	n.write("machine.yaml", "states: {}\n")
	for args, want := range map[string]string{
		"batch": "FOLDER is missing", "batch /nope": "no such file", "batch " + n.dir: "has a loop",
		"batch . --jobs 0": "write at least 1", "batch . --timeout 0s": "cannot be 0s",
		"batch . --timeout -1s": "cannot be -1s", "batch . --timeout soon": "wants a time",
	} {
		if code, _, errs := invoke(strings.Fields(args)...); code != exitBadInput || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %q", args, code, errs)
		}
	}
	n.write("good.yaml", n.scenario("cloe", "", "", ""))
	if code, _, errs := invoke("batch", n.dir, "--junit", "/nope/results.xml"); code != exitBadInput ||
		!strings.Contains(errs, "there is no such folder") {
		t.Errorf("a file that cannot be written: %d, %q", code, errs)
	}
}

// TestL12BatchThatStalls: a scenario that was interrupted because the batch did not run is an error, and does not run
// again: its outcome would not be that of the scenario.
func TestL12BatchThatStalls(t *testing.T) {
	n := newNight(t)
	logs := filepath.Join(n.dir, "logs")
	n.write("a.yaml", n.scenario("cloe", "", "", "expect: stopped\n"))
	p := n.start("--logs", logs)
	bed.Eventually(t, "the loop runs", func() (string, bool) {
		text, err := os.ReadFile(filepath.Join(logs, "rstate.log"))
		return fmt.Sprint(err, string(text)), strings.Contains(string(text), "the network is step")
	})
	p.Freeze()
	time.Sleep(time.Second) // this is the stall
	p.Thaw()
	_, by := n.results(p, exitFailed)
	if got := by["a.yaml"]; got.Outcome != batch.Stalled || got.Met || got.ExitCode == 0 ||
		!regexp.MustCompile(`not (run )?for \d`).MatchString(got.Message) ||
		!strings.Contains(got.Message, "run fewer simulations at a time") {
		t.Errorf("%+v\n%s", got, p.Log())
	}
	n.junit(1, 0, 1)
	if made, err := filepath.Glob(filepath.Join(logs, "*sim_*")); len(made) != 1 {
		t.Errorf("it ran as %v, %v", made, err)
	}
}

// TestL12BatchThatIsKilled: the kernel ends the processes of a batch that is killed.
func TestL12BatchThatIsKilled(t *testing.T) {
	n := newNight(t)
	n.write("a.yaml", n.scenario("cloe", "", "", ""))
	p := n.start()
	nodes := scenarioNodes(t, p)
	p.Kill()
	bed.Eventually(t, "its processes have ended", func() (string, bool) {
		return fmt.Sprint(nodes), !slices.ContainsFunc(nodes, func(proc string) bool { return !gone(proc) })
	})
}

// scenarioNodes waits until the processes of two nodes run, and returns them and their shells.
func scenarioNodes(t *testing.T, p *bed.Process) (list []string) {
	t.Helper()
	bed.Eventually(t, "the processes of two nodes run", func() (string, bool) {
		list = children(t, p)
		nodes := 0
		for k := 0; k < len(list); k++ { // the list grows
			text, _ := os.ReadFile(list[k] + "/cmdline")
			if strings.HasPrefix(string(text), os.Args[0]+"\x00node\x00") {
				nodes++
			}
			under, _ := os.ReadFile(filepath.Join(list[k], "task", filepath.Base(list[k]), "children"))
			for _, pid := range strings.Fields(string(under)) {
				list = append(list, "/proc/"+pid)
			}
		}
		return fmt.Sprint(list), nodes == 2
	})
	return list
}
