package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// decided is the heading of a decision, and dated the line below it.
var (
	decided = regexp.MustCompile(`(?m)^## (.*)$`)
	named   = regexp.MustCompile(`^([a-z][a-z0-9]*)-([0-9]+): .+$`)
	dated   = regexp.MustCompile(`^\n\n\*([0-9-]+)\*\n\n`)
)

// TestEveryDecisionHasAnIDAndADate: ids count up within an area, each decision says when it was written down, and the
// index has them all in their order.
func TestEveryDecisionHasAnIDAndADate(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(root, "docs", "decisions.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "decisions", "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		area := strings.TrimSuffix(filepath.Base(page), ".md")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		listed := 0
		for i, at := range decided.FindAllStringSubmatchIndex(string(text), -1) {
			heading, below := string(text[at[2]:at[3]]), string(text[at[1]:])
			m := named.FindStringSubmatch(heading)
			if m == nil || m[1] != area || m[2] != fmt.Sprint(i+1) {
				t.Errorf("%s: the heading %q does not begin with %s-%d and a colon", page, heading, area, i+1)
				continue
			}
			if d := dated.FindStringSubmatch(below); d == nil {
				t.Errorf("%s: no date like *2026-11-27* stands below %q", page, heading)
			} else if _, err := time.Parse(time.DateOnly, d[1]); err != nil {
				t.Errorf("%s: the date below %q: %v", page, heading, err)
			}
			line := fmt.Sprintf("- [%s-%s](decisions/%s.md): %s\n", area, m[2], area,
				strings.SplitN(heading, ": ", 2)[1])
			found := strings.Index(string(index)[listed:], line)
			if found < 0 {
				t.Errorf("docs/decisions.md lacks, at its place, the line %q", line)
				continue
			}
			listed += found
		}
	}
}
