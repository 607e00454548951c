package tree

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// engineFile is a file in the table of ARCHITECTURE.md.
var engineFile = regexp.MustCompile("`([a-z_]+\\.go)`")

// TestEveryFileOfTheEngineIsFound: the table "if you want to change X, look in Y" has each file once.
func TestEveryFileOfTheEngineIsFound(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "### Where in the engine")
	table, _, ends := strings.Cut(table, "\n### ")
	if !found || !ends {
		t.Fatal("ARCHITECTURE.md has no section \"Where in the engine\"")
	}
	listed := map[string]int{}
	for _, m := range engineFile.FindAllStringSubmatch(table, -1) {
		listed[m[1]]++
	}
	files, err := filepath.Glob(filepath.Join(root, "internal", "engine", "*.go"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		if strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		if listed[name] != 1 {
			t.Errorf("the table \"Where in the engine\" of ARCHITECTURE.md has %s %d times: say there what it is about, once", name, listed[name])
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("the table \"Where in the engine\" of ARCHITECTURE.md has %s, which internal/engine lacks", name)
	}
}
