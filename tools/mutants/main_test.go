package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestResultsOfGremlins(t *testing.T) {
	copied := t.TempDir()
	if err := os.MkdirAll(filepath.Join(copied, "p"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "p", "a.go"), []byte("package p\n\n\tif a < b {\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	r, err := read([]byte(`{"files": [
		{"file_name": "a.go", "mutations": [
			{"type": "CONDITIONALS_BOUNDARY", "status": "LIVED", "line": 3}, {"type": "CONDITIONALS_NEGATION", "status": "KILLED", "line": 3},
			{"type": "CONDITIONALS_NEGATION", "status": "TIMED OUT", "line": 3}, {"type": "ARITHMETIC_BASE", "status": "KILLED", "line": 3},
			{"type": "ARITHMETIC_BASE", "status": "NOT COVERED", "line": 1}, {"type": "ARITHMETIC_BASE", "status": "NOT VIABLE", "line": 1}]}]}`), copied, "p")
	if err != nil {
		t.Fatal(err)
	}
	if r.killed != 3 || r.uncovered != 1 || r.share() != 75 || len(r.lived) != 1 || r.lived[0].Line != "if a < b {" ||
		r.lived[0].File != "p/a.go" {
		t.Errorf("%+v, %v %%", r, r.share())
	}
	unused := r.excuse([]survivor{r.lived[0], {File: "p/a.go", Change: "X"}, {File: "q/a.go", Change: "X"}},
		target{folder: "p"})
	if r.share() != 100 || len(unused) != 1 || unused[0].Change != "X" {
		t.Errorf("excused: %+v, unused: %+v", r, unused)
	}
}

// TestAFileIsLeftOut: a target that names files is judged by them alone.
func TestAFileIsLeftOut(t *testing.T) {
	others, err := target{folder: ".", files: []string{"main.go"}}.others(".")
	if err != nil || !slices.Equal(others, []string{"main_test.go"}) {
		t.Errorf("left out: %v, %v", others, err)
	}
	for _, one := range targets {
		for _, name := range one.files {
			if _, err := os.Stat(filepath.Join("../..", one.folder, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestListOfSurvivors(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "mutants.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	list, err := readList(write("- {file: p/a.go, change: X, line: 'if a < b {', why: both are equal}\n"))
	if err != nil || len(list) != 1 || !list[0].is(survivor{File: "p/a.go", Change: "X", Line: "if a < b {"}) {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		"- {file: p/a.go, change: X, line: a}\n":          "an entry needs file, change, line and why",
		"- {file: a, change: X, line: a, reason: none}\n": "field reason not found",
	} {
		if _, err := readList(write(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := readList("../../" + listFile); err != nil {
		t.Error(err)
	}
}

// TestPick: a word selects targets, and a name one file of them.
func TestPick(t *testing.T) {
	for _, c := range []struct{ word, file, want string }{
		{"internal/lease", "", "[internal/lease]"},
		{"what arms", "", "[internal/engine, what arms]"},
		{"what arms", "arm.go", "[internal/engine/arm.go]"},
		{"", "grants.go", "[internal/engine/grants.go internal/engine/grants.go]"},
		{"lease", "vectors.go", "[]"},
		{"what arms", "goals.go", "[]"},
		{"nothing", "", "[]"},
	} {
		if got := fmt.Sprint(pick("../..", c.word, c.file)); got != c.want {
			t.Errorf("%q, %q selects %s, want %s", c.word, c.file, got, c.want)
		}
	}
}
