package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rstate/internal/journal"
	"rstate/test/bed"
)

// morning returns the journal of a daemon's morning.
func morning() []journal.Line {
	lines := []journal.Line{
		{Kind: journal.KindStart, State: "unknown", Sentence: "rstate starts as 9f2c"},
		{Kind: journal.KindState, Event: journal.EventSettled, State: "inactive", Sentence: "the network is inactive",
			Cause: "adopted: /slam inactive"},
		{Kind: journal.KindGoal, Event: journal.EventAsked, Goal: "g", Command: "activate",
			Sentence: "activate was asked for"},
		{Kind: journal.KindState, Event: journal.EventBegan, State: "activating", Command: "activate", Goal: "g",
			From: "inactive", To: "active", Sentence: "activate: from inactive to active"},
		{Kind: journal.KindStep, Event: journal.EventSent, Node: "/slam", Step: "activate",
			Sentence: "/slam is asked to activate"},
		{Kind: journal.KindStep, Event: journal.EventDone, Node: "/slam", Step: "activate", Verdict: "refused",
			Seen: "inactive", Sentence: "/slam activate: refused", Cause: "answered no"},
		{Kind: journal.KindState, Event: journal.EventFailed, State: "errorprocessing", From: "inactive",
			Sentence: "activate failed: /slam answered no"},
		{Kind: journal.KindState, Event: journal.EventSettled, State: "inactive", Sentence: "the network is inactive"},
		{Kind: journal.KindGoal, Event: journal.EventFinished, Goal: "g", Command: "activate",
			Outcome: "aborted restored", Sentence: "activate aborted"},
	}
	for i := range lines {
		lines[i].At = time.Date(2026, 3, 2, 5, 58, i, 0, time.Local)
	}
	return lines
}

// written makes a journal of lines below ROS_HOME, in the folder of a daemon of that name.
func written(t *testing.T, daemon string, lines []journal.Line) (dir string, j *journal.Journal) {
	t.Helper()
	dir, err := journal.Dir(os.Getenv("ROS_HOME"), daemon)
	if err != nil {
		t.Fatal(err)
	}
	j = journal.Open(dir, journal.Options{Instance: "9f2c"})
	for _, l := range lines {
		j.Append(l)
	}
	safe := make(chan error, 1)
	j.Sync(func(err error) { safe <- err })
	if err := <-safe; err != nil {
		t.Fatal(err)
	}
	return dir, j
}

// unsourced removes from what a verb said the line that names the journal.
func unsourced(errs string) string {
	if first, rest, ok := strings.Cut(errs, "\n"); ok && strings.Contains(first, "this is from journal") {
		return rest
	}
	return errs
}

// TestJ5NoOtherRobotsStory: without a daemon, why and history name what a journal is of, and leave out what another ROS
// domain has written into it.
func TestJ5NoOtherRobotsStory(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // what a daemon on this machine has noted does not count
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	of := func(domain, simulation string) (lines []journal.Line) {
		lines = morning()
		lines[0].Domain, lines[0].Simulation, lines[0].File = domain, simulation, "/robots/"+simulation+".yaml"
		lines[1].Domain, lines[1].Cause = domain, "adopted by "+simulation
		return lines
	}
	dir, j := written(t, "/rstate", of("5", "crane"))
	if err := j.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	const crane = `of simulation crane, ROS domain 5, network file "/robots/crane.yaml"`
	for _, verb := range []string{"why", "history"} {
		t.Setenv("ROS_DOMAIN_ID", "5")
		if code, out, errs := invoke(verb); code != exitDone || out == "" ||
			!strings.HasSuffix(errs, fmt.Sprintf("this is from journal %q %s\n", dir, crane)) {
			t.Errorf("%s: code %d, %q:\n%s", verb, code, errs, out)
		}
		t.Setenv("ROS_DOMAIN_ID", "7")
		if code, out, errs := invoke(verb); code != exitNoROS || out != "" ||
			!strings.Contains(errs, "is "+crane+": read that with --dir "+dir) {
			t.Errorf("%s in another domain: code %d, %q:\n%s", verb, code, errs, out)
		}
		if code, out, errs := invoke(verb, "--dir", dir); code != exitDone || out == "" ||
			!strings.Contains(errs, crane) {
			t.Errorf("%s of a folder: code %d, %q:\n%s", verb, code, errs, out)
		}
	}
	j = journal.Open(dir, journal.Options{Instance: "a0"})
	for _, l := range of("7", "forklift") {
		j.Append(l)
	}
	if err := j.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	for domain, simulations := range map[string][2]string{"5": {"crane", "forklift"}, "7": {"forklift", "crane"}} {
		t.Setenv("ROS_DOMAIN_ID", domain)
		for _, verb := range []string{"why", "history"} {
			if code, out, errs := invoke(verb); code != exitDone ||
				!strings.Contains(errs, "of simulation "+simulations[0]) || strings.Contains(out+errs, simulations[1]) {
				t.Errorf("%s in domain %s: code %d, %q:\n%s", verb, domain, code, errs, out)
			}
		}
	}
}

func TestJournalWithoutAHome(t *testing.T) {
	t.Setenv("ROS_HOME", "")
	t.Setenv("HOME", filepath.Join(t.TempDir(), "absent"))
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	code, _, errs := invoke("why")
	if code != exitNoROS || !strings.Contains(errs,
		"/absent\" is not there: set HOME, or ROS_HOME to the folder that the daemon uses") {
		t.Errorf("code %d, %q", code, errs)
	}
}

func TestHistory(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // what a daemon on this machine has noted does not count
	dir, j := written(t, "/robot/rstate", morning())
	if err := j.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	at := []string{"--node", "/robot/rstate"}
	for name, c := range map[string]struct {
		args []string
		want []string // a part of each line
	}{
		"all of it": {at, []string{"05:58:00.000  start    rstate starts", "adopted", "asked for", "began",
			"refused (answered no)", "failed", "the network", "aborted"}},
		"the last":       {append(at, "--last", "2"), []string{"the network is inactive", "activate aborted"}},
		"none but all":   {append(at, "--last", "0", "--kind", "refusal"), nil},
		"since":          {append(at, "--since", "2026-03-02T05:58:07"), []string{"the network", "aborted"}},
		"about a node":   {append(at, "--about", "slam"), []string{"/slam activate: refused (answered no)"}},
		"and the asking": {append(at, "--about", "/slam", "--all"), []string{"/slam is asked to activate", "refused"}},
		"a kind":         {append(at, "--kind", "goal"), []string{"asked for", "aborted"}},
		"another folder": {[]string{"--dir", dir, "--last", "1"}, []string{"aborted"}},
		"as JSON": {append(at, "-o", "json", "--about", "/slam"),
			[]string{`"event":"sent"`, `"verdict":"refused"`}},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke(append([]string{"history"}, c.args...)...)
			errs = unsourced(errs)
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if out == "" {
				lines = nil
			}
			if code != exitDone || errs != "" || len(lines) != len(c.want) {
				t.Fatalf("code %d, %q:\n%s", code, errs, out)
			}
			for i, part := range c.want {
				if part == "began" {
					part = "activate: from inactive to active"
				}
				if !strings.Contains(lines[i], part) {
					t.Errorf("line %d is %q, want %q", i, lines[i], part)
				}
				if c.args[len(c.args)-1] == "json" && json.Unmarshal([]byte(lines[i]), new(journal.Line)) != nil {
					t.Errorf("line %d is no JSON: %s", i, lines[i])
				}
			}
		})
	}
}

func TestHistoryAndWhySayWhatTheyMiss(t *testing.T) {
	home := t.TempDir()
	t.Setenv("ROS_HOME", home)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // what a daemon on this machine has noted does not count
	for _, verb := range []string{"history", "why"} {
		code, out, errs := invoke(verb)
		if code != exitNoROS || out != "" || !strings.HasSuffix(errs, "rstate run FILE begins one\n") {
			t.Errorf("%s with no journal: code %d, %q, %q", verb, code, out, errs)
		}
	}
	dir, j := written(t, "/robot/rstate", morning())
	if err := j.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "journal-000001.jsonl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)-20], 0o644); err != nil { // torn
		t.Fatal(err)
	}
	for _, verb := range []string{"history", "why"} {
		if code, _, errs := invoke(verb); code != exitNoROS ||
			!strings.Contains(errs, "and there is --node /robot/rstate") {
			t.Errorf("%s with another's journal: code %d, %q", verb, code, errs)
		}
	}
	for verb, rest := range map[string]string{"why": "ends in the middle of a line", "history": ""} {
		code, out, errs := invoke(verb, "--node", "/robot/rstate")
		errs = unsourced(errs)
		if code != exitDone || out == "" || !has(errs, rest) {
			t.Errorf("%s of a torn journal: code %d, %q, %q", verb, code, out, errs)
		}
	}
	for _, c := range [][]string{
		{"history", "--since", "then"}, {"history", "--kind", "weather"}, {"history", "x"}, {"why", "-o", "xml"},
		{"why", "x"}, {"history", "--last", "few"},
	} {
		if code, out, errs := invoke(c...); code != exitBadInput || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, %q, %q", c, code, out, errs)
		}
	}
}

func TestWhyOfALivingAndOfADeadDaemon(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // what a daemon on this machine has noted does not count
	_, j := written(t, "/rstate", morning())
	code, out, errs := invoke("why")
	errs = unsourced(errs)
	if want := "The network is inactive, not active, since 2026-03-02 05:58:07: activate failed.\n"; code != exitDone ||
		errs != "" || !strings.HasPrefix(out, want) {
		t.Errorf("code %d, %q, want %q:\n%s", code, errs, want, out)
	}
	if !strings.Contains(out, "  /slam: activate refused at 2026-03-02 05:58:05: answered no\n    last seen inactive\n    try: read what /slam logged") {
		t.Errorf("it does not say who refused and what to try:\n%s", out)
	}
	if err := j.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, out, _ := invoke("why"); !strings.HasPrefix(out, "The network was inactive") ||
		!strings.Contains(out, "rstate ended without a word some time after 2026-03-02 05:58:08") {
		t.Errorf("it does not say that no daemon is there:\n%s", out)
	}
	_, out, _ = invoke("why", "-o", "json")
	var tree journal.Tree
	if err := json.Unmarshal([]byte(out), &tree); err != nil || len(tree.Because) == 0 ||
		tree.Because[1].Node != "/slam" {
		t.Errorf("%v in %s", err, out)
	}
}

// slate is a text that one goroutine writes while another reads it.
type slate struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *slate) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

func (s *slate) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestHistoryFollows(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // what a daemon on this machine has noted does not count
	dir, j := written(t, "/rstate", morning())
	defer j.Close(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	out := &slate{}
	files := &files{dir: dir, tail: journal.NewTail(dir)}
	files.next(ctx, journal.Filter{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		(&history{form: asTable, out: out, filter: journal.Filter{Last: 1}}).follow(ctx, files)
	}()
	for n := range 3 {
		j.Append(journal.Line{Kind: journal.KindGoal, Sentence: fmt.Sprintf("news %d", n)})
	}
	bed.Eventually(t, "the news are shown",
		func() (string, bool) { return out.String(), strings.Count(out.String(), "\n") == 3 })
	cancel()
	<-ended
	for n, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if !strings.HasSuffix(line, fmt.Sprintf("news %d", n)) {
			t.Errorf("line %d is %q", n, line)
		}
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 2, 6, 0, 0, 0, time.Local)
	for text, want := range map[string]string{
		"10m": "2026-03-02 05:50:00", "05:58": "2026-03-02 05:58:00", "05:58:07": "2026-03-02 05:58:07",
		"23:00":      "2026-03-01 23:00:00",
		"2026-02-28": "2026-02-28 00:00:00", "2026-02-28 07:30": "2026-02-28 07:30:00",
		"2026-02-28T07:30:05": "2026-02-28 07:30:05",
	} {
		if at, err := parseSince(text, now); err != nil || at.Format(time.DateTime) != want {
			t.Errorf("%s is %v (%v), want %s", text, at, err, want)
		}
	}
	if _, err := parseSince("teatime", now); err == nil {
		t.Error("teatime is a time")
	}
}
