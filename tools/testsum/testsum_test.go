package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// module makes a small module whose tests are a row of a table.
func module(t *testing.T, body string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.25\n",
		"m_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Exit\n\n" + body + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCountsOfRealRuns(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "0") // these tests need no domain of their own
	for _, c := range []struct {
		name, body string
		ci         string
		last       string
		code       int
		shown      []string
		hidden     string
	}{
		{name: "all pass, and say nothing",
			body: `func TestA(t *testing.T) { t.Log("chatter") }
func TestB(t *testing.T) { t.Run("x", func(*testing.T) {}); t.Run("y", func(*testing.T) {}) }`,
			last: "3 passed, 0 failed", shown: []string{"ok    m "}, hidden: "chatter"},
		{name: "a failed subtest counts once",
			body: `func TestB(t *testing.T) { t.Run("x", func(t *testing.T) { t.Error("the reason") }); t.Run("y", func(*testing.T) {}) }`,
			last: "1 passed, 1 failed", code: 1, shown: []string{"the reason", "failed: m.TestB/x\n", "FAIL  m "}},
		{name: "a parent that fails by itself counts",
			body: `func TestB(t *testing.T) { t.Run("x", func(t *testing.T) {}); t.Error("afterwards") }`,
			last: "1 passed, 1 failed", code: 1, shown: []string{"afterwards", "failed: m.TestB\n"}},
		{name: "a skip is named", body: `func TestA(*testing.T) {}
func TestS(t *testing.T) { t.Skip("why") }`,
			last: "1 passed, 0 failed", shown: []string{"skipped: m.TestS\n1 left out\n"}},
		{name: "a skip fails CI", ci: "true", body: `func TestA(*testing.T) {}
func TestS(t *testing.T) { t.Skip("why") }`,
			last: "1 passed, 1 failed", code: 1, shown: []string{"failed: m.TestS (skipped"}},
		{name: "a panic is the failure of the test that ran", body: `func TestA(*testing.T) {}
func TestP(*testing.T) { panic("boom") }`,
			last: "1 passed, 1 failed", code: 1, shown: []string{"boom", "failed: m.TestP\n"}},
		{name: "an early exit is one too", body: `func TestA(*testing.T) {}
func TestP(*testing.T) { os.Exit(3) }`,
			last: "1 passed, 1 failed", code: 1, shown: []string{"failed: m.TestP\n"}},
		{name: "what does not compile", body: `func TestA(t *testing.T) { undefinedThing() }`,
			last: "0 passed, 1 failed", code: 1, shown: []string{"undefined: undefinedThing", "failed: m\n"}},
		{name: "nothing to run is a failure", body: `var _ *testing.T`, last: "0 passed, 1 failed", code: 1,
			shown: []string{"failed: no test ran"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("CI", c.ci)
			var out bytes.Buffer
			code := run(context.Background(), []string{"unit", "2m", module(t, c.body), "go", "test", "-json", "./..."},
				&out)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if last := lines[len(lines)-1]; last != c.last || code != c.code {
				t.Errorf("got %q and %d, want %q and %d", last, code, c.last, c.code)
			}
			for _, want := range c.shown {
				if !strings.Contains(out.String(), want) {
					t.Errorf("not shown: %q", want)
				}
			}
			if c.hidden != "" && strings.Contains(out.String(), c.hidden) {
				t.Errorf("shown: %q", c.hidden)
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

func TestStagesThatAreNoTests(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "0")
	var out bytes.Buffer
	code := run(context.Background(), []string{"-left-out", "the moon: too far",
		"good", "1m", ".", "true", "--", "bad", "1m", ".", "sh", "-c", "echo it says so; exit 4", "--", "slow", "50ms",
		".", "sleep", "60"}, &out)
	if !regexp.MustCompile(`== good took \S+s, \S+s of processors\n`).MatchString(out.String()) {
		t.Errorf("the duration of a stage is not shown:\n%s", out.String())
	}
	const end = "failed: bad (exit status 4)\nfailed: slow (still at work after 50ms)\nleft out: the moon: too far\n1 left out\n1 passed, 2 failed\n"
	if code != 1 || !strings.HasSuffix(out.String(), end) || !strings.Contains(out.String(), "it says so\n") {
		t.Errorf("got %d and\n%s", code, out.String())
	}
}

func TestInterruptedRunIsNoSuccess(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "0")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out bytes.Buffer
	if code := run(ctx, []string{"good", "1m", ".", "true"}, &out); code != 1 ||
		!strings.HasSuffix(out.String(), "0 passed, 1 failed\n") {
		t.Errorf("got %d and\n%s", code, out.String())
	}
}

func TestParseStages(t *testing.T) {
	got, err := parseStages(strings.Fields("a 1m . go test -json ./... -- b 2s x make y"))
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v", got, err)
	}
	if a := got[0]; a.name != "a" || a.limit != time.Minute || a.folder != "." || !a.countsTests() {
		t.Errorf("first: got %+v", a)
	}
	if b := got[1]; b.limit != 2*time.Second || !slices.Equal(b.args, []string{"make", "y"}) || b.countsTests() {
		t.Errorf("second: got %+v", b)
	}
	for _, bad := range []string{"", "a 1m .", "a soon . true", "a 1m . true -- b"} {
		if got, err := parseStages(strings.Fields(bad)); err == nil {
			t.Errorf("%q: got %+v", bad, got)
		}
	}
}

// Stages after ++ run at the same time, as far as -at-once allows; a stage after -- waits for all before it.
func TestStagesBesideEachOther(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "0")
	for _, c := range []struct {
		name  string
		first []string
		last  string
		limit string
	}{
		{"at the same time", []string{"-at-once", "2"}, "3 passed, 0 failed", "30s"},
		{"one at a time", nil, "1 passed, 2 failed", "1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			meet := func(own, other string) []string {
				return []string{own, c.limit, dir, "sh", "-c",
					"touch " + own + "; until [ -e " + other + " ]; do sleep 0.01; done; rm " + other}
			}
			args := append(c.first, meet("a", "b")...)
			args = append(append(args, "++"), meet("b", "a")...)
			args = append(args, "--", "after both", "10s", dir, "sh", "-c", "test ! -e a -a ! -e b")
			var out bytes.Buffer
			run(context.Background(), args, &out)
			if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); lines[len(lines)-1] != c.last {
				t.Errorf("%s\nwant last: %s", out.String(), c.last)
			}
		})
	}
}

// Stages after ~~ run beside all others, one after another, and leave them the processors.
func TestStagesInTheTimeThatOthersLeave(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "0")
	dir := t.TempDir()
	idle := `sleep 30 & test "$(ps -o cls= -p $$,$! | tr -d ' ' | sort -u)" = IDL && kill $! && `
	args := []string{
		"first", "30s", dir, "sh", "-c", "until [ -e one ]; do sleep 0.01; done",
		"--", "second", "30s", dir, "sh", "-c", "until [ -e two ]; do sleep 0.01; done; touch end",
		"~~", "idle", "30s", dir, "sh", "-c", idle + "touch one; test ! -e two",
		"~~", "idle too", "30s", dir, "sh", "-c", "test -e one && touch two; until [ -e end ]; do sleep 0.01; done",
	}
	var out bytes.Buffer
	code := run(context.Background(), args, &out)
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); code != 0 || lines[len(lines)-1] != "4 passed, 0 failed" {
		t.Errorf("%d:\n%s", code, out.String())
	}
}

// With -show the output of a command that passes is printed.
func TestShow(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "0")
	for _, c := range []struct {
		first []string
		shown bool
	}{{nil, false}, {[]string{"-show"}, true}} {
		var out bytes.Buffer
		run(context.Background(), append(c.first, "speaks", "10s", ".", "echo", "a figure"), &out)
		if strings.Contains(out.String(), "a figure") != c.shown {
			t.Errorf("%v: %s", c.first, out.String())
		}
	}
}
