package tree

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// localLink is a link to another page of the repository, without its anchor.
var localLink = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)

// TestEveryPageIsFoundFromTheREADME: links between pages lead to files, and each page of docs can be reached.
func TestEveryPageIsFoundFromTheREADME(t *testing.T) {
	seen, todo := map[string]bool{}, []string{"README.md"}
	for len(todo) > 0 {
		page := todo[0]
		todo = todo[1:]
		if seen[page] {
			continue
		}
		seen[page] = true
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Errorf("a link leads to %s: %v", page, err)
			continue
		}
		if !strings.HasSuffix(page, ".md") {
			continue
		}
		for _, m := range localLink.FindAllStringSubmatch(string(text), -1) {
			to := path.Join(path.Dir(page), m[1])
			if info, err := os.Stat(filepath.Join(root, to)); err != nil || !info.IsDir() {
				todo = append(todo, to)
			}
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, file := range append(pages, filepath.Join(root, "SECURITY.md")) {
		if page, _ := filepath.Rel(root, file); !seen[filepath.ToSlash(page)] {
			t.Errorf("no link leads from the README to %s", page)
		}
	}
}

// TestPagesSayWhereToLook: what a person looks for after a failure, and before trusting rstate, has its place.
func TestPagesSayWhereToLook(t *testing.T) {
	for page, want := range map[string][]string{
		"docs/debugging.md": {"## Where the log goes", "its stderr", "journalctl", "launch.log", "`/rosout`",
			"$ROS_LOG_DIR", "leaves no log file"},
		"SECURITY.md": {"## Reporting a vulnerability", "## Supported versions", "## Supply chain", "go.sum",
			"hashes", "make sbom", "docs/licenses.md"},
	} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s does not say %q", page, part)
			}
		}
	}
}
