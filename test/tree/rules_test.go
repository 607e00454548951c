package tree

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryRuleHasATest: each rule of docs/rules.md has a test whose name begins with the rule's
// id, in any package. The rules of machines (M) are excluded: fixtures test them, one file for each
// fault (internal/network, TestFaults).
func TestEveryRuleHasATest(t *testing.T) {
	rules, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	of := regexp.MustCompile(`^Test([A-Z]\d+)[A-Z]`)
	for _, root := range []string{"cmd", "internal", "test"} {
		for name := range testsBelow(t, filepath.Join("../..", root)) {
			if m := of.FindStringSubmatch(name); m != nil {
				named[m[1]] = true
			}
		}
	}
	found := regexp.MustCompile(`(?m)^- \*\*([A-LN-Z]\d+)\*\*`).FindAllSubmatch(rules, -1)
	if len(found) < 45 {
		t.Fatalf("only %d rules were found", len(found))
	}
	for _, m := range found {
		if rule := string(m[1]); !named[rule] {
			t.Errorf("rule %s has no test: name one Test%s…", rule, rule)
		}
	}
}

// testsBelow returns the names of all tests and fuzz tests in a folder and its subfolders.
func testsBelow(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	test := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range test.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
