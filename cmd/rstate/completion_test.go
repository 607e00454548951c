package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shell completes a command line as a shell does, and returns what it offers.
type shell struct {
	name string
	// ask is a program that gets the file with the script and the words; the last is the one to complete.
	ask func(script string, words []string) (program string, args []string)
}

var shells = []shell{
	{"bash", func(script string, words []string) (string, []string) {
		return "bash", append([]string{"--norc", "-c", `source "$1"; shift
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _rstate; printf '%s\n' "${COMPREPLY[@]}"`, "bash", script}, words...)
	}},
	{"fish", func(script string, words []string) (string, []string) {
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = single(w)
		}
		return "fish", []string{"--no-config", "-c", "source $argv[1]; complete -C " + single(strings.Join(quoted, " ")), script}
	}},
	{"zsh", func(script string, words []string) (string, []string) { // its completion cannot be asked without a terminal
		return "zsh", []string{"-f", "-n", script}
	}},
}

// forEachShell runs the test in each shell that is on this machine. A script for another one is made all the same.
func forEachShell(t *testing.T, test func(t *testing.T, s shell, offer func(words ...string) []string)) {
	for _, s := range shells {
		code, script, errs := invoke("completion", s.name)
		if code != exitDone || errs != "" || !strings.Contains(script, "rstate completion "+s.name) {
			t.Fatalf("%s: %d, %s", s.name, code, errs)
		}
		if _, err := exec.LookPath(s.name); err != nil {
			t.Logf("%s is not on this machine", s.name)
			continue
		}
		file := filepath.Join(t.TempDir(), "rstate."+s.name)
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(s.name, func(t *testing.T) {
			test(t, s, func(words ...string) []string {
				t.Helper()
				program, args := s.ask(file, append([]string{"rstate"}, words...))
				cmd := exec.Command(program, args...)
				cmd.Dir = filepath.Join("..", "..", "config")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", s.name, err, out)
				}
				var offers []string
				for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
					offer, _, _ := strings.Cut(line, "\t") // fish says what it is for
					offers = append(offers, strings.TrimSuffix(offer, "/"))
				}
				slices.Sort(offers)
				return offers
			})
		})
	}
}

// TestCompletionIsThatOfTheTables: each verb, and each option of it, is offered by the shell itself, and nothing else.
func TestCompletionIsThatOfTheTables(t *testing.T) {
	forEachShell(t, func(t *testing.T, s shell, offer func(...string) []string) {
		if s.name == "zsh" {
			offer("") // it can be read, more cannot be asked
			return
		}
		want := verbNames()
		slices.Sort(want)
		if got := offer(""); !slices.Equal(got, want) {
			t.Errorf("verbs: got %v, want %v", got, want)
		}
		for _, g := range grammars() {
			if got, want := offer(g.verb.name, "-"), g.optionNames(false); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", g.verb.name, got, want)
			}
			for _, o := range g.options {
				if words := slices.Sorted(slices.Values(o.value.words)); len(words) > 0 {
					if got := offer(g.verb.name, o.name, ""); !slices.Equal(got, words) {
						t.Errorf("%s %s: got %v, want %v", g.verb.name, o.name, got, words)
					}
				}
			}
		}
	})
}

func TestCompletion(t *testing.T) {
	configs := func() []string {
		files, err := filepath.Glob("../../config/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal("no network files", err)
		}
		for i := range files {
			files[i] = filepath.Base(files[i])
		}
		return files
	}()
	sendable := slices.Sorted(slices.Values(append(commands(), states()...)))
	cases := map[string]struct {
		words []string
		want  []string
	}{
		"a verb begun":                     {[]string{"ver"}, []string{"version"}},
		"YAML files":                       {[]string{"check", ""}, configs},
		"a file begun":                     {[]string{"graph", "rock"}, []string{"rocket_stand.yaml"}},
		"behind an option with a value":    {[]string{"plan", "--from", "active", "demo"}, []string{"demo.yaml"}},
		"what a graph draws":               {[]string{"graph", "demo.yaml", ""}, []string{"machine", "nodes"}},
		"nothing behind that":              {[]string{"graph", "demo.yaml", "nodes", ""}, []string{""}},
		"states":                           {[]string{"plan", "demo.yaml", "--from", "un"}, []string{"unconfigured"}},
		"commands and states":              {[]string{"plan", "demo.yaml", ""}, sendable},
		"commands of send":                 {[]string{"send", ""}, sendable},
		"shells":                           {[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		"verbs to be helped with":          {[]string{"help", "vers"}, []string{"version"}},
		"nothing for a verb that is none":  {[]string{"sing", ""}, []string{""}},
		"nothing behind a free value":      {[]string{"why", "--node", ""}, []string{""}},
		"an option with a value behind it": {[]string{"check", "-o", "json", "demo"}, []string{"demo.yaml"}},
	}
	forEachShell(t, func(t *testing.T, s shell, offer func(...string) []string) {
		for name, c := range cases {
			if s.name == "zsh" {
				continue
			}
			if got := offer(c.words...); !slices.Equal(got, c.want) {
				t.Errorf("%s: got %q, want %q", name, got, c.want)
			}
		}
		if s.name != "bash" {
			return
		}
		// Bash takes a word apart at each =.
		for _, words := range [][]string{{"check", "-o", "=", "js"}, {"check", "-o", "=", "json", "demo"}} {
			if got := offer(words...); len(got) != 1 || got[0] != "json" && got[0] != "demo.yaml" {
				t.Errorf("%q: got %q", words, got)
			}
		}
	})
}

func TestCompletionOfAShellThatThereIsNot(t *testing.T) {
	if code, _, errs := invoke("completion", "bahs"); code != exitBadInput || !strings.Contains(errs, "did you mean bash?") {
		t.Errorf("%d, %s", code, errs)
	}
}
