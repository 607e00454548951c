package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWheelsHaveHashes: each list of pip names one version and the hash of each package, and setup tells pip
// to ask for them.
func TestWheelsHaveHashes(t *testing.T) {
	lists, err := filepath.Glob("requirements-*.txt")
	if err != nil || len(lists) < 3 {
		t.Fatalf("found %v, %v", lists, err)
	}
	entry := regexp.MustCompile(`^[A-Za-z0-9._-]+==[^\s;]+( *;[^\\]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+$`)
	for _, list := range append(lists, "../tools/fuzzhttp/requirements.txt") {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, one := range strings.Split(strings.ReplaceAll("\n"+strings.TrimSpace(string(text)), "\n    ", "\x00"),
			"\n") {
			one = strings.ReplaceAll(one, "\x00", "\n    ")
			if one == "" || strings.HasPrefix(one, "#") {
				continue
			}
			if found++; !entry.MatchString(one) {
				t.Errorf("%s: %q has no version or no hash", list, one)
			}
		}
		if found == 0 {
			t.Errorf("%s names nothing", list)
		}
	}
	args := pipInstall(place{root: "/r", distro: "jazzy"}, "/r/list", "--flag")
	for _, want := range []string{"--require-hashes", "--flag", "/r/list"} {
		if !slices.Contains(args, want) {
			t.Errorf("%s is missing in %v", want, args)
		}
	}
	for _, kept := range []string{"requirements-build.txt", "requirements-jazzy.txt", "requirements-kilted.txt"} {
		if !slices.Contains(lists, kept) {
			t.Error(fmt.Sprint("there is no ", kept))
		}
	}
}
