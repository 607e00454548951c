package launch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parsed returns the Go files of a folder, without tests, with any build tags.
func parsed(t *testing.T, folder string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no source in %s: %v", folder, err)
	}
	var files []*ast.File
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// text returns the value of a string in the source: a literal, or the name of one.
func text(e ast.Expr, constants map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.Ident:
		s, ok := constants[e.Name]
		return s, ok
	}
	return "", false
}

// constantsOf returns the named strings of a package.
func constantsOf(files []*ast.File) map[string]string {
	constants := map[string]string{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						if s, ok := text(spec.Values[i], nil); ok {
							constants[name.Name] = s
						}
					}
				}
			}
			return true
		})
	}
	return constants
}

// sourceStrings returns all strings of a package.
func sourceStrings(t *testing.T, folder string) map[string]bool {
	t.Helper()
	said := map[string]bool{}
	for _, f := range parsed(t, folder) {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(*ast.BasicLit); ok {
				if s, ok := text(e, nil); ok {
					said[s] = true
				}
			}
			return true
		})
	}
	return said
}

// calls passes each call in a package to look, with the name of the function and the strings among
// its arguments.
func calls(t *testing.T, folder string, look func(name string, arguments []string)) {
	t.Helper()
	files := parsed(t, folder)
	constants := constantsOf(files)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				name = fun.Name
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			}
			var arguments []string
			for _, a := range call.Args {
				if s, ok := text(a, constants); ok {
					arguments = append(arguments, s)
				}
			}
			look(name, arguments)
			return true
		})
	}
}

// callArguments returns the arguments after the first one, from the only call of a function with
// that first argument.
func callArguments(t *testing.T, folder, function, first string) []string {
	t.Helper()
	var found []string
	calls(t, folder, func(name string, arguments []string) {
		if name == function && len(arguments) > 1 && arguments[0] == first {
			found = arguments[1:]
		}
	})
	if found == nil {
		t.Fatalf("%s is not called with %q in %s", function, first, folder)
	}
	return found
}

// declaredParameters lists the parameters that the packages declare, by any function with that word
// in its name.
func declaredParameters(t *testing.T, folders ...string) []string {
	t.Helper()
	var names []string
	for _, folder := range folders {
		calls(t, folder, func(name string, arguments []string) {
			// Where the name is a constant of package nav2, the first text is the description: docs/nav2.md has those.
			if strings.HasPrefix(strings.ToLower(name), "declare") && len(arguments) > 0 && !strings.Contains(arguments[0], " ") {
				names = append(names, arguments[0])
			}
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}
