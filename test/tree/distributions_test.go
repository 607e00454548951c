package tree

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWhatRunsOnKiltedIsThere: each name in the Makefile's lists for the second distribution begins that of a test, and
// each list is used. A pattern that matches nothing would pass unnoticed.
func TestWhatRunsOnKiltedIsThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^(DISTRO_[A-Z]+) := (?:\^Test\()?([A-Za-z0-9|]+)\)?$`)
	found := 0
	for _, m := range list.FindAllStringSubmatch(string(text), -1) {
		folder := "test/ros"
		if m[1] == "DISTRO_WIRES" {
			folder = "test/peers"
		}
		if strings.Count(string(text), "$("+m[1]+")") != 1 {
			t.Errorf("the list %s is not used once", m[1])
		}
		tests := testsOf(t, folder)
		for _, name := range strings.Split(m[2], "|") {
			found++
			if !strings.Contains(tests, "\nfunc Test"+name) {
				t.Errorf("%s has %s, with which no test of %s begins", m[1], name, folder)
			}
		}
	}
	if found < 20 {
		t.Errorf("the lists have %d names", found)
	}
}

// testsOf returns the text of all tests of a folder.
func testsOf(t *testing.T, folder string) string {
	paths, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has %d tests, %v", folder, len(paths), err)
	}
	var all strings.Builder
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
