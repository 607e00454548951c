package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// starters are the packages of the standard library that call a program's own code on goroutines of theirs.
var starters = []string{"database/sql", "net/http", "net/http/httptest", "net/rpc", "os/exec"}

// begins are the functions that run another one on a goroutine, whatever their package. A field has the name Parallel,
// so it counts only where it is called.
var begins = []string{"AddCleanup", "AfterFunc", "Go", "RunParallel", "SetFinalizer"}

// sorted divides packages into those with goroutines, and those whose tests run on one alone: no file of theirs, of
// their tests or of what these import starts another one. Only the first can have a data race.
func sorted(packages []listed) (many, alone []string, err error) {
	byName := map[string]listed{}
	for _, p := range packages {
		byName[p.ImportPath] = p
	}
	known := map[string]bool{}
	var starts func(name string) bool
	starts = func(name string) bool {
		if answer, done := known[name]; done {
			return answer
		}
		p := byName[name]
		known[name] = slices.Contains(starters, name)
		if !p.Standard {
			known[name] = slices.ContainsFunc(p.files(), func(file string) bool {
				found, fault := startsIn(file)
				if fault != nil {
					err = fault
				}
				return found
			}) || slices.ContainsFunc(p.Imports, starts)
		}
		return known[name]
	}
	several := map[string]bool{}
	for _, p := range packages {
		if starts(p.ImportPath) {
			several[p.tested()] = true
		}
	}
	for _, p := range packages {
		switch {
		case !p.own():
		case several[p.ImportPath]:
			many = append(many, p.ImportPath)
		default:
			alone = append(alone, p.ImportPath)
		}
	}
	return many, alone, err
}

// files returns the paths of the Go files that are compiled.
func (p listed) files() []string {
	var paths []string
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		paths = append(paths, name)
	}
	return paths
}

// startsIn reports whether a Go file starts a goroutine.
func startsIn(path string) (bool, error) {
	if strings.HasSuffix(path, "_testmain.go") || !strings.HasSuffix(path, ".go") {
		return false, nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			f, is := n.Fun.(*ast.SelectorExpr)
			found = found || is && f.Sel.Name == "Parallel"
		case *ast.SelectorExpr:
			found = found || slices.Contains(begins, n.Sel.Name)
		}
		return !found
	})
	for _, imp := range file.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		found = found || path == "C"
	}
	return found, nil
}
