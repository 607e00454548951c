package tree

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestNoWordIsWrittenTwice looks for "such such" in the pages, also across the end of a line. Code counts
// as no prose.
func TestNoWordIsWrittenTwice(t *testing.T) {
	pages := []string{"README.md", "ARCHITECTURE.md", "HACKING.md", "CHANGELOG.md", "test/TRACKRECORD.md"}
	entries, err := os.ReadDir(root + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") {
			pages = append(pages, "docs/"+e.Name())
		}
	}
	code, word := regexp.MustCompile("(?s)```.*?```|`[^`]*`|\"[^\"\n]*\""), regexp.MustCompile(`[A-Za-z]+`)
	for _, page := range pages {
		text, err := os.ReadFile(root + "/" + page)
		if err != nil {
			t.Fatal(err)
		}
		prose := strings.ReplaceAll(code.ReplaceAllString(string(text), "; "), "\n\n", ";")
		for _, part := range regexp.MustCompile(`[^A-Za-z\s]`).Split(prose, -1) {
			before := ""
			for _, w := range word.FindAllString(part, -1) {
				if w == before {
					t.Errorf("%s: %q is written twice in %q", page, w, strings.Join(strings.Fields(part), " "))
				}
				before = w
			}
		}
	}
}
