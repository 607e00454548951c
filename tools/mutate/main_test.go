package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes a small project with a rule, and one mutation.
func tree(t *testing.T, patch string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                     "module small\n\ngo 1.24\n",
		"docs/rules.md":              "- **A1** Two and two are four.\n",
		"test/mutations/A1.patch":    patch,
		"sum/sum.go":                 "package sum\n\n// Sum adds.\nfunc Sum(a, b int) int {\n\tc := a + b\n\treturn c\n}\n",
		"sum/sum_test.go":            "package sum\n\nimport \"testing\"\n\nfunc TestA1(t *testing.T) {\n\tif Sum(2, 2) != 4 {\n\t\tt.Error(\"not four\")\n\t}\n}\n",
		".hidden/not/to/be/copied":   "x",
		"sum/testdata/is/copied.txt": "x",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// breaks is a mutation that replaces the one line of Sum.
func breaks(with string) string {
	return "rule: A1\ntest: ./sum TestA1\n\n--- a/sum/sum.go\n+++ b/sum/sum.go\n@@ -4,3 +4,3 @@\n func Sum(a, b int) int {\n-\tc := a + b\n+\t" + with +
		"\n \treturn c\n"
}

func TestWhatCounts(t *testing.T) {
	for _, c := range []struct {
		name, patch, says string
		whole, fails      bool
	}{
		{"killed", breaks("c := a - b"), "1 of 1 killed", true, false},
		{"survives", breaks("c := b + a"), "A1.patch: survives: TestA1 does not notice that rule A1 is broken", false, false},
		{"does not compile", breaks("c := a +"), "does not compile, which kills nothing", false, false},
		{"does not apply", strings.Replace(breaks("c := a - b"), "-\tc := a + b", "-\tc := a * b", 1), "A1.patch: does not apply: hunk 1 of sum/sum.go", false, false},
		{"applies elsewhere", strings.Replace(breaks("c := a - b"), "-4,3", "-40,3", 1), "1 of 1 killed", true, false},
		{"its file is not there", strings.ReplaceAll(breaks("c := a - b"), "sum/sum.go", "sum/none.go"), "A1.patch: does not apply", false, false},
		{"its test is not there", strings.Replace(breaks("c := a - b"), "TestA1", "TestA2", 1), "./sum has no test TestA2", false, true},
		{"of another rule", strings.Replace(breaks("c := a - b"), "rule: A1", "rule: A2", 1), "rule A1 has no mutation", false, true},
		{"without a header", breaks("c := a - b")[len("rule: A1\n"):], "cannot read A1.patch", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			root := tree(t, c.patch)
			before, _ := os.ReadFile(filepath.Join(root, "sum/sum.go"))
			whole, err := mutate(context.Background(), root, 2, "", &out)
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

func TestNothingIsLeftBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := mutate(context.Background(), tree(t, breaks("c := a - b")), 2, "", &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "rstate-mutate-*")); len(left) > 0 {
		t.Errorf("copies are left: %v", left)
	}
}
