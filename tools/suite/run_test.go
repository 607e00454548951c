package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
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
			code := choice{stages: []stage{{name: "unit", limit: 2 * time.Minute, folder: module(t, c.body), counts: true,
				args: []string{"go", "test", "-json", "./..."}}}}.run(context.Background(), situation{}, &out)
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

// shell is a stage of a shell.
func shell(name, script string) stage {
	return stage{name: name, limit: 30 * time.Second, folder: ".", args: []string{"sh", "-c", script}}
}

func TestStagesThatAreNoTests(t *testing.T) {
	var out bytes.Buffer
	slow := shell("slow", "sleep 60")
	slow.limit = 50 * time.Millisecond
	code := choice{leftOut: []string{"the moon: too far"},
		stages: []stage{shell("good", "true"), shell("bad", "echo it says so; exit 4"), slow}}.run(context.Background(), situation{}, &out)
	if !regexp.MustCompile(`== good took \S+s, \S+s of processors\n`).MatchString(out.String()) {
		t.Errorf("the duration of a stage is not shown:\n%s", out.String())
	}
	const end = "failed: bad (exit status 4)\nfailed: slow (still at work after 50ms)\nleft out: the moon: too far\n1 left out\n1 passed, 2 failed\n"
	if code != 1 || !strings.HasSuffix(out.String(), end) || !strings.Contains(out.String(), "it says so\n") {
		t.Errorf("got %d and\n%s", code, out.String())
	}
}

func TestInterruptedRunIsNoSuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out bytes.Buffer
	code := choice{stages: []stage{shell("good", "true")}}.run(ctx, situation{}, &out)
	if code != 1 || !strings.HasSuffix(out.String(), "0 passed, 1 failed\n") {
		t.Errorf("got %d and\n%s", code, out.String())
	}
}

// TestAStageNeedsOthers: it begins after they have passed, and has failed if one of them did.
func TestAStageNeedsOthers(t *testing.T) {
	dir := t.TempDir()
	first, second, third := shell("first", "sleep 0.1; touch made"), shell("second", "test -e made; exit 1"), shell("third", "true")
	second.lane, second.after = computes, []string{"first"}
	third.lane, third.after = inRooms, []string{"second", "of another plan"}
	stages := []stage{first, second, third}
	for k := range stages {
		stages[k].folder = dir
	}
	var out bytes.Buffer
	code := choice{stages: stages}.run(context.Background(), situation{}, &out)
	const end = "failed: second (exit status 1)\nfailed: third (not begun, since it needs this, which failed: second)\n1 passed, 2 failed\n"
	if code != 1 || !strings.HasSuffix(out.String(), end) {
		t.Errorf("got %d and\n%s", code, out.String())
	}
}

// TestLanes: what prepares, what computes and what is in rooms runs at the same time; what is apart when all have ended.
func TestLanes(t *testing.T) {
	dir := t.TempDir()
	meets := func(own, other string) string {
		return "touch " + own + "; until [ -e " + other + " ]; do sleep 0.01; done"
	}
	stages := []stage{shell("a", meets("a", "b")), shell("b", meets("b", "c")), shell("c", meets("c", "a")+"; sleep 0.1; rm c"),
		shell("d", "test ! -e c && test -e a")}
	for k := range stages {
		stages[k].folder, stages[k].lane = dir, lane(k)
	}
	var out bytes.Buffer
	if code := (choice{stages: stages}).run(context.Background(), situation{}, &out); code != 0 {
		t.Errorf("%d:\n%s", code, out.String())
	}
}

// TestCosts: the table has each stage, and the binary of each package.
func TestCosts(t *testing.T) {
	m, err := newMeter()
	if err != nil {
		t.Fatal(err)
	}
	defer m.end()
	if code := measured([]string{"sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; exit 3"}); code != 3 {
		t.Errorf("the exit status is %d", code)
	}
	all := m.packages()
	if len(all) != 1 || all[0].name != "tools/suite" || all[0].processors <= 0 || all[0].took <= 0 {
		t.Errorf("measured %+v", all)
	}
	var out bytes.Buffer
	printCosts(&out, []cost{{"a", time.Second, 2 * time.Second}, {"b", 3 * time.Second, 4 * time.Second}}, all, true)
	if !regexp.MustCompile(`(?s)4.0 s +3.0 s  b\n +2.0 s +1.0 s  a\n +6.0 s +all\n.* tools/suite\n`).MatchString(out.String()) {
		t.Error(out.String())
	}
}
