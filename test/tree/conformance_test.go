package tree

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConformanceNamesTests: each statement in docs/conformance.md names tests that there are, or says "not yet".
func TestConformanceNamesTests(t *testing.T) {
	page, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, root := range []string{"cmd", "internal", "test"} {
		for name := range testsBelow(t, filepath.Join("../..", root)) {
			known[name] = true
		}
	}
	name, rows := regexp.MustCompile("`(Test\\w+)`"), 0
	_, statements, _ := strings.Cut(string(page), "\n## rSTATE\n")
	for _, line := range strings.Split(statements, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| statement ") {
			continue
		}
		rows++
		tests := name.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 && !strings.HasSuffix(line, "| not yet |") {
			t.Errorf("names neither a test nor \"not yet\": %s", line)
		}
		for _, m := range tests {
			if !known[m[1]] {
				t.Errorf("there is no %s: %s", m[1], line)
			}
		}
	}
	if rows < 80 {
		t.Errorf("only %d statements were found", rows)
	}
}
