package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

	"rstate/internal/machine"
)

// A shell that completes starts rstate, which is this test binary under that name.
func init() {
	if filepath.Base(os.Args[0]) == "rstate" {
		main()
	}
}

// shell completes a command line as a shell does, and returns what it offers.
type shell struct {
	name string
	// ask is a program that gets the file with the script and the words; the last is the one to complete.
	ask func(script string, words []string) (program string, args []string)
}

var shells = []shell{
	{"bash", func(script string, words []string) (string, []string) {
		return "bash", append([]string{"--norc", "-c", `source "$1"; shift
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9 COLUMNS=80; __start_rstate; printf '%s\n' "${COMPREPLY[@]}"`, "bash", script}, words...)
	}},
	{"fish", func(script string, words []string) (string, []string) {
		return "fish", []string{"--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script,
			strings.Join(words, " ")}
	}},
	{"pwsh", func(script string, words []string) (string, []string) {
		return "pwsh", []string{"-NoProfile", "-File", script}
	}},
	// its completion cannot be asked without a terminal
	{"zsh", func(script string, words []string) (string, []string) {
		return "zsh", []string{"-f", "-n", script}
	}},
}

// forEachShell runs the test in each shell that is installed. Scripts for the others are generated
// as well.
func forEachShell(t *testing.T, test func(t *testing.T, s shell, offer func(words ...string) []string)) {
	for _, s := range shells {
		code, script, errs := invoke("completion",
			map[string]string{"pwsh": "powershell"}[s.name]+strings.TrimPrefix(s.name, "pwsh"))
		if code != exitDone || errs != "" || !strings.Contains(script, "__complete") {
			t.Fatalf("%s: %d, %s", s.name, code, errs)
		}
		if _, err := exec.LookPath(s.name); err != nil {
			t.Logf("%s is not on this machine", s.name)
			continue
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		bin := t.TempDir()
		if err := os.Symlink(self, filepath.Join(bin, "rstate")); err != nil { // it is rstate by that name: see init
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		file := filepath.Join(bin, "rstate."+
			map[string]string{"pwsh": "ps1"}[s.name]+strings.TrimPrefix(s.name, "pwsh"))
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(s.name, func(t *testing.T) {
			test(t, s, func(words ...string) []string {
				t.Helper()
				program, args := s.ask(file, append([]string{"rstate"}, words...))
				cmd := exec.Command(program, args...)
				cmd.Dir = filepath.Join("..", "..", "config")
				out, err := cmd.Output() // outside of a completion, bash complains of compopt on stderr
				if err != nil {
					t.Fatalf("%s: %v\n%s", s.name, err, out)
				}
				var offers []string
				for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
					offer, _, _ := strings.Cut(line, "\t") // fish says what it is for, and so does bash
					offer, _, _ = strings.Cut(offer, "  ")
					offers = append(offers, strings.TrimSuffix(offer, "/"))
				}
				slices.Sort(offers)
				return offers
			})
		})
	}
}

// TestCompletionIsThatOfTheCommandLine: the shell itself offers each verb and each of its options,
// and nothing else.
func TestCompletionIsThatOfTheCommandLine(t *testing.T) {
	forEachShell(t, func(t *testing.T, s shell, offer func(...string) []string) {
		if s.name == "zsh" || s.name == "pwsh" {
			offer("") // it can be read, more cannot be asked
			return
		}
		var names []string
		for _, c := range verbsOf() {
			names = append(names, c.Name())
			if c.DisableFlagParsing { // built without ROS
				continue
			}
			c.InitDefaultHelpFlag()
			var want []string
			c.Flags().VisitAll(func(o *pflag.Flag) {
				if !o.Hidden {
					want = append(want, "--"+o.Name)
				}
			})
			slices.Sort(want)
			if got := offer(c.Name(), "--"); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", c.Name(), got, want)
			}
			c.Flags().VisitAll(func(o *pflag.Flag) {
				if words := strings.Split(o.Value.Type(), "|"); len(words) > 1 {
					slices.Sort(words)
					if got := offer(c.Name(), "--"+o.Name, ""); !slices.Equal(got, words) {
						t.Errorf("%s --%s: got %v, want %v", c.Name(), o.Name, got, words)
					}
				}
			})
		}
		slices.Sort(names)
		if got := offer(""); !slices.Equal(got, names) {
			t.Errorf("verbs: got %v, want %v", got, names)
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
		return slices.Sorted(slices.Values(append(files, "experiments", "rehearsals", "scenarios"))) // and the folders
	}()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // no daemon runs
	standard, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	sendable := slices.Sorted(slices.Values(strings.Fields("configure cleanup activate deactivate arm disarm shutdown " +
		"unconfigured inactive active armed finalized")))
	if got := slices.Sorted(slices.Values(wishes(standard))); !slices.Equal(got, sendable) {
		t.Errorf("a goal can name %v, want %v", got, sendable)
	}
	t.Setenv("ROS_HOME", t.TempDir())
	journal := filepath.Join(os.Getenv("ROS_HOME"), "rstate", "base.rstate")
	if err := os.MkdirAll(journal, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(journal, "journal-1.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		words []string
		want  []string
	}{
		"a verb begun":                  {[]string{"ver"}, []string{"version"}},
		"YAML files":                    {[]string{"check", ""}, configs},
		"a file begun":                  {[]string{"graph", "rocke"}, []string{"rocket_stand.yaml"}},
		"behind an option with a value": {[]string{"plan", "--from", "active", "demo"}, []string{"demo.yaml"}},
		"what a graph draws":            {[]string{"graph", "demo.yaml", ""}, []string{"machine", "nodes"}},
		"nothing behind that":           {[]string{"graph", "demo.yaml", "nodes", ""}, []string{""}},
		"states":                        {[]string{"plan", "demo.yaml", "--from", "un"}, []string{"unconfigured"}},
		"commands and states":           {[]string{"plan", "demo.yaml", ""}, sendable},
		"commands of send":              {[]string{"send", ""}, sendable},
		"shells":                        {[]string{"completion", ""}, []string{"bash", "fish", "powershell", "zsh"}},
		"demos": {[]string{"demo", ""},
			[]string{"cle", "cloe", "factory", "nrp", "rock", "roscle", "rstate"}},
		"verbs to be helped with":          {[]string{"help", "vers"}, []string{"version"}},
		"nothing for a verb that is none":  {[]string{"sing", ""}, []string{""}},
		"nothing behind a free value":      {[]string{"history", "--since", ""}, []string{""}},
		"daemons with a journal":           {[]string{"why", "--node", ""}, []string{"/base/rstate"}},
		"an option with a value behind it": {[]string{"check", "-o", "json", "demo"}, []string{"demo.yaml"}},
	}
	forEachShell(t, func(t *testing.T, s shell, offer func(...string) []string) {
		for name, c := range cases {
			if s.name == "zsh" || s.name == "pwsh" || c.words[0] == "send" && !hasROS {
				continue
			}
			got := offer(c.words...)
			if s.name == "fish" && name == "YAML files" { // the script of cobra for fish offers every file
				got = slices.DeleteFunc(got,
					func(file string) bool { return filepath.Ext(file) != ".yaml" && filepath.Ext(file) != "" })
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: got %q, want %q", name, got, c.want)
			}
		}
		if s.name != "bash" {
			return
		}
		// Bash splits a word at each =.
		for _, words := range [][]string{{"check", "-o", "=", "js"}, {"check", "-o", "=", "json", "demo"}} {
			if got := offer(words...); len(got) != 1 || got[0] != "json" && got[0] != "demo.yaml" {
				t.Errorf("%q: got %q", words, got)
			}
		}
	})
}

// TestCompletionOfAStrangersWords: completion offers the words of the network file that is named, or of the running
// daemon, and never a hidden command or a state to which only such a command leads.
func TestCompletionOfAStrangersWords(t *testing.T) {
	locks := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", locks)
	t.Setenv("ROS_DOMAIN_ID", "7")
	folder := t.TempDir()
	file := filepath.Join(folder, "words.yaml")
	if err := os.WriteFile(file, []byte(strangersWords), 0o600); err != nil {
		t.Fatal(err)
	}
	holdName(t, filepath.Join(locks, "rstate"), "7.base.rstate.lock", file)
	want := strings.Fields("drive driving park parked scrap scrapped unpark")
	forEachShell(t, func(t *testing.T, s shell, offer func(...string) []string) {
		if s.name == "zsh" || s.name == "pwsh" {
			return
		}
		if got := offer("plan", file, ""); !slices.Equal(got, want) {
			t.Errorf("plan: got %q, want %q", got, want)
		}
		if !hasROS {
			return
		}
		if got := offer("send", "--node", "/base/rstate", ""); !slices.Equal(got, want) {
			t.Errorf("send: got %q, want %q", got, want)
		}
		if got, want := offer("watch", "--node", "/base/rstate", "--until", ""),
			strings.Fields("driving lost parked scrapped"); !slices.Equal(got, want) {
			t.Errorf("watch: got %q, want %q", got, want)
		}
		if got := offer("send", "con"); !slices.Equal(got, []string{"configure"}) {
			t.Errorf("a daemon that does not run here: got %q, want the standard words", got)
		}
	})
}

const strangersWords = `
simulation: words
nodes: {/wheels: {}}
machine:
  initial: parked
  states:
    scrapped: {nodes: finalized, final: true}
    parked: {nodes: unconfigured}
    lost: {nodes: as_is}
    driving: {nodes: active}
  transitions:
    unpark: {from: [parked], to: driving}
    park: {from: [driving], to: parked}
    drive: {from: [driving], to: driving, loop: true}
    lose: {from: [driving], to: lost, hidden: true}
    find: {from: [lost], to: parked, hidden: true}
    scrap: {from: any, to: scrapped}
  auto: [{in: driving, on: node_error, do: lose}, {in: lost, on: node_reborn, do: find}]
`

// holdName locks a name as a daemon does that runs a network file.
func holdName(t *testing.T, folder, lock, file string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(folder, lock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(f).Encode(map[string]any{"pid": os.Getpid(), "file": file}); err != nil {
		t.Fatal(err)
	}
}

func TestCompletionOfAShellThatThereIsNot(t *testing.T) {
	if code, _, errs := invoke("completion", "bahs"); code != exitBadInput ||
		!strings.Contains(errs, "did you mean bash?") {
		t.Errorf("%d, %s", code, errs)
	}
}
