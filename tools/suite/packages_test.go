package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// files writes a module and goes into it.
func files(t *testing.T, texts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestPureLeavesOutWhateverReachesC(t *testing.T) {
	files(t, map[string]string{
		"go.mod":           "module m\n\ngo 1.25\n",
		"c/c.go":           "package c\n\nimport \"C\"\n",
		"above/a.go":       "package above\n\nimport _ \"m/c\"\n",
		"plain/p.go":       "package plain\n\nimport _ \"net\"\n", // net has C code, but that of the standard library
		"tested/t.go":      "package tested\n",
		"tested/t_test.go": "package tested\n\nimport _ \"m/above\"\n",
		"outer/o.go":       "package outer\n",
		"outer/o_test.go":  "package outer_test\n\nimport _ \"m/c\"\n",
	})
	packages, err := list(".")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pure(packages), []string{"m/plain"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
