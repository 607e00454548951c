//go:build ros

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gopkg.in/yaml.v3"

	"rstate/test/bed"
	"rstate/test/bed/stall"
)

// docPage is a page whose commands a stranger types, one after another.
type docPage struct {
	name    string
	replace []string       // old and new: what the stranger has otherwise than the page, the port too
	status  map[string]int // that HTTP answers to a command that has this text; else 200 to 299
	files   int            // whole network files on the page
}

// ready is what a command that goes on says when the next one may be typed.
var ready = map[string]string{
	"env PYTHONPATH=ros/rstate:$PYTHONPATH": "", "rstate node": "is there", "rstate run": "the network is ",
	"rstate up": "the network is ", "rstate factory": "HTTP is served", "rstate watch": "",
}

// TestDocsTypedLiterally types the commands of pages into a shell. Each must succeed.
func TestDocsTypedLiterally(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; test/ros types the lines of curl without it")
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token-of-many-letters\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pendulum := filepath.Join(t.TempDir(), "pendulum.mcap")
	for _, p := range []docPage{
		{name: "http.md", status: map[string]int{`-d '{"state": "initialized"}' again`: 400, "/data/odom": 404,
			`{"who": "ann"}`: 409, `"who": "ann", "challenge"`: 400}, // nothing has stopped this network
			replace: []string{"robot.yaml --http 0.0.0.0:", unhurried(t, "demo.yaml") + " --http 0.0.0.0:",
				"config/demo.yaml", unhurried(t, "demo.yaml"),
				"--token-file token", "--token-file " + token}},
		{name: "factory.md", files: 1},
		{name: "machines.md", replace: []string{"up config/modes.yaml", "up " + unhurried(t, "modes.yaml")}},
		{name: "loop.md", files: 2, replace: []string{"config/cloe.yaml", unhurried(t, "cloe.yaml"),
			"config/pendulum.yaml", recorded(t, pendulum),
			"pendulum.mcap", pendulum, "pendulum.json", pendulum + ".json", "pendulum.svg", pendulum + ".svg"}},
		{name: "batch.md", files: 1, replace: []string{
			"config/scenarios/collision.yaml", filepath.Join(patientFolder(t, "scenarios"), "collision.yaml"),
			"config/scenarios", patientFolder(t, "scenarios"),
			"results.json", filepath.Join(t.TempDir(), "results.json"), "results.xml",
			filepath.Join(t.TempDir(), "results.xml"), "night", filepath.Join(t.TempDir(), "night"),
		}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Setenv("ROS_HOME", t.TempDir())
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			newStranger(t).types(p)
		})
	}
}

// patientFolder copies the network files of a folder of config.
func patientFolder(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../config", name, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no network files", err)
	}
	dir := t.TempDir()
	for _, file := range files {
		copied := unhurried(t, filepath.Join(name, filepath.Base(file)))
		if err := os.Rename(copied, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// unhurried copies a network file of config, for a machine that is busy with other tests.
func unhurried(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../config", name))
	if err != nil {
		t.Fatal(err)
	}
	slow := strings.NewReplacer("rate: 20Hz", "rate: 2Hz", "{as: simulator}", "{as: simulator, deadline: 25s}",
		"{as: controller}", "{as: controller, deadline: 25s}")
	file := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(file, []byte("proof: 10s\n"+slow.Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// recorded is unhurried for the pendulum, which is recorded to a file.
func recorded(t *testing.T, file string) string {
	t.Helper()
	network := unhurried(t, "pendulum.yaml")
	text, err := os.ReadFile(network)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(network, []byte(strings.ReplaceAll(string(text), "record: pendulum.mcap", "record: "+file)),
		0o600); err != nil {
		t.Fatal(err)
	}
	return network
}

// stranger is a person at a shell in a clone, with rstate on the PATH.
type stranger struct {
	t         *testing.T
	root      string
	path      string
	port      string
	goesOn    map[string]*bed.Process // by the first two words of the command
	host      *bed.Host
	challenge string
	seen      map[string]int // how often a command was typed
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", beRstate, os.Args[0])
	if err := os.WriteFile(filepath.Join(bin, "rstate"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	_, port, _ := net.SplitHostPort(free.Addr().String())
	return &stranger{t: t, root: root, path: bin + ":" + os.Getenv("PATH"), port: port,
		goesOn: map[string]*bed.Process{}, seen: map[string]int{}}
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func (s *stranger) types(p docPage) {
	text, err := os.ReadFile(filepath.Join(s.root, "docs", p.name))
	if err != nil {
		s.t.Fatal(err)
	}
	typed, files := 0, 0
	for _, f := range fence.FindAllStringSubmatch(string(text), -1) {
		switch f[1] {
		case "yaml":
			if strings.HasPrefix(f[2], "simulation:") {
				files++
				s.checks(f[2])
			}
		case "", "console":
			for line := range strings.Lines(f[2]) {
				command, prompt := strings.CutPrefix(strings.TrimSpace(line), "$ ")
				if prompt || strings.HasPrefix(command, "rstate ") || strings.HasPrefix(command, "ros2 ") ||
					strings.HasPrefix(command, "env ") {
					typed++
					s.typesOne(p, command)
				}
			}
		}
	}
	for _, kind := range []string{"rstate watch", "rstate factory", "rstate run", "rstate up", "rstate node"} {
		if p := s.goesOn[kind]; p != nil {
			s.ends(p)
		}
	}
	if typed < 5 || files != p.files {
		s.t.Errorf("docs/%s has %d commands and %d network files", p.name, typed, files)
	}
}

// checks puts a whole network file of a page into a file, and has it checked.
func (s *stranger) checks(text string) {
	file := filepath.Join(s.t.TempDir(), "typed.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.succeeds("rstate check " + file)
}

func (s *stranger) typesOne(p docPage, command string) {
	command = strings.NewReplacer(append(slices.Clone(p.replace), "8080", s.port, "4f1c…", s.challenge,
		"9c2e…", s.challenge)...).Replace(command)
	words := strings.Fields(command)
	first := strings.Join(words[:2], " ")
	says, goesOn := ready[first]
	switch {
	case goesOn:
		s.starts(first, command, says)
	case words[0] == "ros2":
		s.calls(words)
	case words[0] == "curl":
		s.curls(p, command)
	default:
		s.succeeds(command)
	}
}

// starts types a command into a terminal of its own, in which the same kind of command ends first.
func (s *stranger) starts(first, command, says string) {
	kinds := []string{first}
	if first == "rstate up" { // two daemons would have one name
		kinds = append(kinds, "rstate run")
	}
	for _, kind := range kinds {
		if before := s.goesOn[kind]; before != nil {
			s.ends(before)
		}
	}
	if first == "rstate run" && s.goesOn["rstate node"] == nil &&
		s.goesOn["env PYTHONPATH=ros/rstate:$PYTHONPATH"] == nil {
		s.t.Errorf("%s: its nodes do not run", command)
	}
	process := bed.StartCommand(s.t, command,
		bed.Command{Args: []string{"bash", "-c", "exec " + command}, Dir: s.root, Env: []string{"PATH=" + s.path}})
	s.goesOn[first] = process
	bed.Eventually(s.t, command+" goes on",
		func() (string, bool) { return process.Log(), strings.Contains(process.Log(), says) })
}

// ends presses Ctrl-C in the terminal of a command that goes on.
func (s *stranger) ends(p *bed.Process) {
	p.Signal(syscall.SIGINT)
	p.Wait(s.t)
}

func (s *stranger) succeeds(command string) {
	var code int
	var said string
	bed.Eventually(s.t, "no scenario has stalled in "+command, func() (string, bool) {
		timely(s.t, strings.Fields(command)[1:], func() (int, string) {
			p := bed.StartCommand(s.t, command, bed.Command{Args: []string{"bash", "-c", command}, Dir: s.root,
				Env: []string{"PATH=" + s.path}})
			code = p.Wait(s.t)
			said = p.Log()
			return code, said
		})
		return said, !strings.Contains(said, ".yaml: stalled, ")
	})
	if code != 0 {
		s.t.Errorf("%s ended with %d:\n%s", command, code, said)
	}
}

var challenged = regexp.MustCompile(`"challenge": ?"([^"]+)"`)

// curls types a line of curl, and looks at the status of the answer. A stream ends with the time that the line gives
// it. A command that failed because the daemon got no time from this machine is typed again.
func (s *stranger) curls(p docPage, command string) {
	var typed *bed.Process
	bed.Eventually(s.t, "the daemon has time for "+command, func() (string, bool) {
		typed = bed.StartCommand(s.t, command,
			bed.Command{Args: []string{"bash", "-c", command + ` -w '\n%{http_code}\n'`}, Dir: s.root,
				Env: []string{"PATH=" + s.path}})
		typed.Wait(s.t)
		again := strings.Contains(command, "-X PUT") && !strings.Contains(command, "challenge") // which is valid once
		return typed.Log(), !again || !stall.Refused(typed.Log())
	})
	lines := strings.Split(strings.TrimSpace(typed.Log()), "\n")
	if found := challenged.FindStringSubmatch(typed.Log()); found != nil {
		s.challenge = found[1]
	}
	s.seen[command]++
	want := 0
	for part, status := range p.status {
		text, again := strings.CutSuffix(part, " again")
		if strings.Contains(command, text) && (!again || s.seen[command] > 1) {
			want = status
		}
	}
	got := lines[len(lines)-1]
	if want != 0 && got != fmt.Sprint(want) || want == 0 && !strings.HasPrefix(got, "2") {
		s.t.Errorf("%s is answered with %s, want %d:\n%s", command, got, want, typed.Log())
	}
}

// calls does what ros2 service call does: the tool is not among the wheels.
func (s *stranger) calls(words []string) {
	if len(words) < 6 || words[1] != "service" || words[2] != "call" {
		s.t.Fatalf("cannot type %q", words)
	}
	var request map[string]any
	if err := yaml.Unmarshal([]byte(strings.Trim(strings.Join(words[5:], " "), `"`)), &request); err != nil {
		s.t.Fatal(err)
	}
	if s.host == nil {
		s.host = bed.NewHost(s.t)
	}
	var answer struct {
		Success bool
		Message string
	}
	if err := s.host.Call(words[4], words[3], request, bed.Deadline, &answer); err != nil || !answer.Success {
		s.t.Errorf("%q: %v, %+v", words, err, answer)
	}
}
