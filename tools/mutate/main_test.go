package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryMutationApplies fails when a change of the code moves a mutation out of its place.
// `make mutate` reports the same, but takes much longer.
func TestEveryMutationApplies(t *testing.T) {
	var out strings.Builder
	whole, err := check("../..", "", &out)
	if err != nil {
		t.Fatal(err)
	}
	if !whole {
		t.Error(out.String())
	}
}

// project writes a small project with one rule, and a table with the given entries.
func project(t *testing.T, table string) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, map[string]string{
		"go.mod":                     "module small\n\ngo 1.24\n",
		"docs/rules.md":              "- **A1** Two and two are four.\n",
		"test/mutations/A.yaml":      table,
		"sum/sum.go":                 "package sum\n\n// Sum adds.\nfunc Sum(a, b int) int {\n\tc := a + b\n\treturn c\n}\n",
		"sum/sum_test.go":            "package sum\n\nimport \"testing\"\n\nfunc TestA1(t *testing.T) {\n\tif Sum(2, 2) != 4 {\n\t\tt.Error(\"not four\")\n\t}\n}\n",
		".hidden/not/to/be/copied":   "x",
		"sum/testdata/is/copied.txt": "x",
	})
	return root
}

// entry is a mutation that replaces a text of Sum.
func entry(old, with string) string {
	return "- rule: A1\n  name: other\n  why: the sum is another\n  test: ./sum TestA1\n  changes:\n" +
		"    - package: sum\n      function: Sum\n      old: " + old + "\n      new: " + with + "\n"
}

func TestWhatCounts(t *testing.T) {
	sound := entry("a + b", "a - b")
	for _, c := range []struct {
		name, table, says string
		whole, fails      bool
	}{
		{"killed", sound, "1 of 1 killed", true, false},
		{"survives", entry("a + b", "b + a"),
			"A.yaml:1: A1-other: survives: TestA1 does not notice that rule A1 is broken", false, false},
		{"does not compile", entry("a + b", "a + d"), "A1-other: does not compile, which kills nothing", false, false},
		{"does not apply", entry("a * b", "a - b"),
			"A1-other: sum/sum.go: old is not in Sum: write what the code says now", false, false},
		{"its test is not there", strings.Replace(sound, "TestA1", "TestA2", 1), "./sum has no test TestA2", false,
			true},
		{"its rule is not there", strings.Replace(sound, "rule: A1", "rule: A2", 1), "docs/rules.md has no rule A2",
			false, true},
		{"none for a rule", "", "rule A1 has no mutation: add one to test/mutations/A.yaml", false, true},
		{"its name is not known", sound, "no mutation has \"A1-another\" in its name", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			root := project(t, c.table)
			before, _ := os.ReadFile(filepath.Join(root, "sum/sum.go"))
			word := ""
			if strings.Contains(c.says, "another") {
				word = "A1-another"
			}
			whole, err := mutate(context.Background(), root, word, &out)
			said := out.String()
			if err != nil {
				said += err.Error()
			}
			if whole != c.whole || (err != nil) != c.fails || !strings.Contains(said, c.says) {
				t.Errorf("whole: %v, error: %v, said:\n%s\nwant %q", whole, err, said, c.says)
			}
			if after, _ := os.ReadFile(filepath.Join(root, "sum/sum.go")); string(after) != string(before) {
				t.Error("the tree itself was changed")
			}
		})
	}
}

// TestCheckRunsNoTest: a check reports a mutation that cannot be tried, but not one that survives.
func TestCheckRunsNoTest(t *testing.T) {
	for _, c := range []struct {
		name, table, says string
		whole             bool
	}{
		{"applies", entry("a + b", "a - b"), "1 of 1 apply", true},
		{"would survive", entry("a + b", "b + a"), "1 of 1 apply", true},
		{"does not apply", entry("a * b", "a - b"), "old is not in Sum", false},
		{"does not parse", entry("a + b", "a +"), "A1-other: the result does not parse", false},
		{"its test is not there", strings.Replace(entry("a + b", "a - b"), "TestA1", "TestA2", 1),
			"A1-other: ./sum has no test TestA2: correct test", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			whole, err := check(project(t, c.table), "", &out)
			if err != nil || whole != c.whole || !strings.Contains(out.String(), c.says) {
				t.Errorf("whole: %v, error: %v, said:\n%s\nwant %q", whole, err, out.String(), c.says)
			}
		})
	}
}

// TestTheTreeIsRestored: the next mutation must not see the changes of the one before it.
func TestTheTreeIsRestored(t *testing.T) {
	root := project(t, entry("a + b", "a - b"))
	before, _ := os.ReadFile(filepath.Join(root, "sum/sum.go"))
	b := bench{newTree(root)}
	all, err := readAll(root)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := b.kill(context.Background(), all[0]); wrong != "" {
		t.Error(wrong)
	}
	if after, _ := os.ReadFile(filepath.Join(root, "sum/sum.go")); string(after) != string(before) {
		t.Errorf("left behind:\n%s", after)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := mutate(context.Background(), project(t, entry("a + b", "a - b")), "", io.Discard); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "rstate-mutate-*")); len(left) > 0 {
		t.Errorf("copies are left: %v", left)
	}
}
