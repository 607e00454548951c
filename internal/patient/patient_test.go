//go:build !patient

package patient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAReleaseHasRealClocks: what builds a program for users does not name the tag, and without it limits are as they
// are documented.
func TestAReleaseHasRealClocks(t *testing.T) {
	if Factor != 1 {
		t.Errorf("without the tag limits are %d times as long as documented", Factor)
	}
	files, err := filepath.Glob("../../tools/dist/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("tools/dist has no files: %v", err)
	}
	for _, file := range append(files, "../../Makefile", "../../Dockerfile") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "patient") && strings.Contains(line, "build") {
				t.Errorf("%s builds with the tag of tests: %s", file, line)
			}
		}
	}
}
