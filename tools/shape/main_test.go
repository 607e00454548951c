package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComplexity checks the counting rules.
func TestComplexity(t *testing.T) {
	for _, c := range []struct {
		body string
		want int
	}{
		{"", 1},
		{"if a && b || c {}", 4},
		{"for range x { if a {} else {} }", 3},
		{"switch { case a: case b && c: default: }", 4},
		{"select { case <-x: default: }", 2},
		{"f := func() { if a {} }; f()", 2},
	} {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, "x.go", "package x\nfunc f() {"+c.body+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := complexity(f.Decls[0].(*ast.FuncDecl).Body); got != c.want {
			t.Errorf("%q has complexity %d, want %d", c.body, got, c.want)
		}
	}
}

// TestFiguresOfATree measures a small package: an embedded struct counts with its fields, and a reference upwards is found.
func TestFiguresOfATree(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                     "module rstate\n\ngo 1.25\n",
		"internal/engine/doc.go":     "// Package engine is small. Reading order:\n//\n//\ta.go\n//\tb.go\npackage engine\n",
		"internal/engine/a.go":       "package engine\n\ntype inner struct{ x, y int }\n\ntype Outer struct {\n\tinner\n\tz int\n}\n\nfunc A() { b() }\n",
		"internal/engine/b.go":       "package engine\n\nfunc b() { A() }\n",
		"internal/simnet/simnet.go":  "package simnet\n",
		"internal/simnet/more/no.go": "package more\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	met, err := shape(root, true, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3   limit     20    met      Outer", "upward references", "50%", "1 of 2 between files", "b.go uses A of a.go", "4 of 5 met"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
	if met {
		t.Error("a limit is not met, and nothing says so")
	}
	os.WriteFile(filepath.Join(root, "internal/engine/c.go"), []byte("package engine\n"), 0o644)
	if _, err := shape(root, false, &out); err == nil || !strings.Contains(err.Error(), "does not name") {
		t.Errorf("a file outside the reading order: %v", err)
	}
}
