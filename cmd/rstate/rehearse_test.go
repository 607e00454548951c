package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRehearse(t *testing.T) {
	file := networkFile(t, planNetwork)
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.yaml", "cases: {up: {do: [send: active], expect: {state: active}}}")
	wrong := write("wrong.yaml", "cases: {up: {do: [send: active], expect: {state: inactive}}}")
	bad := write("bad.yaml", "cases: {up: {do: [sent: active], expect: {state: active}}}")
	orphaned := write("orphaned.yaml", "cases: {up: {do: [{restart: 10s}, {send: active}], expect: {}}}")
	junit := filepath.Join(folder, "results.xml")
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"every single fault": {[]string{file}, exitDone, "/slam        configure   unconfigured"},
		"a script":           {[]string{file, good, "--junit", junit}, exitDone, "ms\n1 of 1 met\n"},
		"a script that fails": {[]string{file, wrong}, exitFailed,
			"      the network is active, not inactive\n0 of 1 met\n"},
		"an orphaned goal": {[]string{file, orphaned}, exitDone,
			": unconfigured, orphaned (the daemon ended without an answer)\n"},
		"its life":   {[]string{file, good, "--trace"}, exitDone, "configure node 1"},
		"every life": {[]string{file, "--trace"}, exitBadInput, "--trace needs a script"},
		"a bad script": {[]string{file, bad}, exitBadInput,
			"bad.yaml:1:19: cases.up.do[0].sent: is no key here; did you mean send?"},
		"no script": {[]string{file, filepath.Join(folder, "none.yaml")}, exitBadInput,
			"there is no such file"},
		"no network": {[]string{filepath.Join(folder, "none.yaml")}, exitBadInput, "there is no such file"},
		"nowhere to write": {[]string{file, good, "--junit", filepath.Join(folder, "no", "results.xml")},
			exitBadInput, "cannot write the results"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, err := invoke(append([]string{"rehearse"}, c.args...)...)
			if code != c.code || !strings.Contains(out+err, c.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, c.code, c.says, out, err)
			}
		})
	}
	if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), `tests="1" failures="0"`) {
		t.Errorf("JUnit: %v\n%s", err, text)
	}
	code, out, _ := invoke("rehearse", file, wrong, "-o", "json")
	var list []rehearsed
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitFailed || len(list) != 1 || list[0].Met ||
		list[0].Goal != "succeeded done" || list[0].Seconds == nil {
		t.Errorf("exit code %d, %v:\n%s", code, err, out)
	}
	_, out, _ = invoke("rehearse", file, orphaned, "-o", "json")
	list = nil
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 1 || list[0].Goal != "orphaned" ||
		list[0].Seconds != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestScenesForAProgram: the JSON of a rehearsal lists the scenes of a case with the state that each ended in.
func TestScenesForAProgram(t *testing.T) {
	at := filepath.Join("..", "..", "config")
	code, out, errs := invoke("rehearse", filepath.Join(at, "rock.yaml"), filepath.Join(at, "rehearsals", "demos", "rock.yaml"),
		"-o", "json")
	var list []rehearsed
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitDone || len(list) != 1 ||
		len(list[0].Scenes) < 5 {
		t.Fatalf("exit code %d, %v:\n%s%s", code, err, out, errs)
	}
	var states []string
	before := -1.0
	for _, s := range list[0].Scenes {
		if s.Title == "" || s.Seconds < before {
			t.Errorf("after %v s: %+v", before, s)
		}
		if s.Intact {
			s.State += " intact"
		}
		before, states = s.Seconds, append(states, s.State)
	}
	if want := []string{"preoperational intact", "preoperational intact", "stopped intact", "running intact",
		"exception intact", "running intact", "fatal intact", "preoperational intact", "finalized intact", "finalized intact",
	}; !slices.Equal(states, want) || before <= list[0].Scenes[0].Seconds {
		t.Errorf("the scenes end in %q after %v s, want %q", states, before, want)
	}
}

// TestTheDocsAreRehearsed plays each script of docs/rehearse.md on config/demo.yaml, and types each command there that
// plays a script of config.
func TestTheDocsAreRehearsed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "rehearse.md"))
	if err != nil {
		t.Fatal(err)
	}
	scripts, commands := 0, 0
	for _, block := range strings.Split(string(page), "\n```")[1:] {
		kind, text, _ := strings.Cut(block, "\n")
		if kind == "yaml" {
			scripts++
			file := networkFile(t, text)
			code, out, errs := invoke("rehearse", filepath.Join("..", "..", "config", "demo.yaml"), file)
			if code != exitDone {
				t.Errorf("exit code %d:\n%s%s\nof\n%s", code, out, errs, text)
			}
		}
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if kind != "" || len(words) != 4 || words[1] != "rehearse" || !strings.HasPrefix(words[3], "config/") {
				continue
			}
			commands++
			for k := range words[2:] {
				words[2+k] = filepath.Join("..", "..", filepath.FromSlash(words[2+k]))
			}
			if code, out, errs := invoke(words[1:]...); code != exitDone || !strings.HasSuffix(out, "1 of 1 met\n") {
				t.Errorf("%s: exit code %d:\n%s%s", line, code, out, errs)
			}
		}
	}
	if scripts < 2 || commands != 1 {
		t.Errorf("%d scripts and %d commands are found", scripts, commands)
	}
}
