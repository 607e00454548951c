package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnIncompleteEntryIsRefused(t *testing.T) {
	sound := entry("a + b", "a - b")
	for _, c := range []struct{ name, table, says string }{
		{"no rule", strings.Replace(sound, "rule: A1", "rule:", 1),
			"A.yaml:1: -other: the entry needs rule, name, why, test and changes"},
		{"no why", strings.Replace(sound, "why: the sum is another", "why:", 1), "the entry needs rule"},
		{"no changes", sound[:strings.Index(sound, "    - package")], "the entry needs rule"},
		{"of another table", strings.Replace(sound, "rule: A1", "rule: B1", 1), "rule B1 belongs to B.yaml"},
		{"a test without its package", strings.Replace(sound, "./sum TestA1", "TestA1", 1),
			"test must be a package and a test"},
		{"a key that is not known", strings.Replace(sound, "why:", "because:", 1), "field because not found"},
		{"a package and a file", sound + "      file: sum/sum.go\n", "a package or a file, and not both"},
		{"neither", strings.Replace(sound, "package: sum", "package:", 1), "a package or a file, and not both"},
		{"no function", strings.Replace(sound, "function: Sum", "function:", 1),
			"a change of Go code needs a function"},
		{"a Go file without a function", strings.Replace(strings.Replace(sound, "package: sum", "file: sum/sum.go", 1),
			"function: Sum", "function:", 1), "needs a function"},
		{"no old", strings.Replace(sound, "old: a + b", "old:", 1), "needs old and new"},
		{"nothing changes", entry("a + b", "a + b"), "needs old and new, and they must differ"},
		{"two of one name", "# a comment\n" + sound + "\n" + sound,
			"A.yaml:12: A1-other: there are two entries of this name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "A.yaml")
			if err := os.WriteFile(path, []byte(c.table), 0o644); err != nil {
				t.Fatal(err)
			}
			if list, err := readTable(path); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("read %+v, error %v, want %q", list, err, c.says)
			}
		})
	}
}
