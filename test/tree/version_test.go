package tree

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOneVersion: whatever names the version of rstate names the one in cmd/rstate, and the changelog has a section of it.
func TestOneVersion(t *testing.T) {
	find := func(file, pattern string) string {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has nothing like %s", file, pattern)
		}
		return string(m[1])
	}
	release := find("cmd/rstate/version.go", `(?m)^const release = "([0-9]+\.[0-9]+\.[0-9]+)"$`)
	for _, c := range []struct{ file, pattern string }{
		{"ros/rstate/package.xml", `<version>([^<]*)</version>`},
		{"msgs/rstate_msgs/package.xml", `<version>([^<]*)</version>`},
		{"ros/rstate/CMakeLists.txt", `project\(rstate VERSION ([^ ]*) `},
		{"CHANGELOG.md", `(?m)^## ([0-9][^ ]*)`}, // the newest section of a release
		{"docs/install.md", `rstate_([0-9.]+)_amd64\.deb`},
	} {
		if got := find(c.file, c.pattern); got != release {
			t.Errorf("%s says %s, cmd/rstate/version.go %s", c.file, got, release)
		}
	}
}

// TestTheTextOfTheTagIsReady: HACKING says how a release is made, and has the words of its tag.
func TestTheTextOfTheTagIsReady(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "HACKING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"## Releases", "git tag -s", "make dist", "SHA256SUMS"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("HACKING.md does not say %q", part)
		}
	}
}
