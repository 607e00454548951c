package engine_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestEveryRuleHasATest: the rules of the engine are those of arming (A), commands (C), execution (E), failure (F), the
// journal (J) and starting (S). Each has a test whose name begins with it.
func TestEveryRuleHasATest(t *testing.T) {
	rules, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	files, _ := filepath.Glob("*_test.go")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func Test([A-Z]\d+)[A-Z]\w*\(`).FindAllSubmatch(text, -1) {
			named[string(m[1])] = true
		}
	}
	found := regexp.MustCompile(`(?m)^- \*\*([ACEFJS]\d+)\*\*`).FindAllSubmatch(rules, -1)
	if len(found) < 25 {
		t.Fatalf("only %d rules were found", len(found))
	}
	for _, m := range found {
		if rule := string(m[1]); !named[rule] {
			t.Errorf("rule %s has no test: name one Test%s…", rule, rule)
		}
	}
}
