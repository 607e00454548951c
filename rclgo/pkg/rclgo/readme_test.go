package rclgo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeNamesWhatThereIs checks that the names in the tables of README.md exist.
func TestReadmeNamesWhatThereIs(t *testing.T) {
	there := exported(t, ".")
	for name := range exported(t, "introspection") {
		there[name] = true
	}
	readme := string(must[[]byte](t)(os.ReadFile("../../README.md")))
	looked := 0
	for line := range strings.Lines(readme) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, m := range regexp.MustCompile("`([A-Z]\\w*(?:\\.[A-Z]\\w*)?)`").FindAllStringSubmatch(line, -1) {
			looked++
			if !there[m[1]] {
				t.Errorf("README.md names %s, which does not exist", m[1])
			}
		}
	}
	if looked < 50 {
		t.Errorf("only %d names were found in the tables", looked)
	}
}

// exported returns the exported names in a folder; those of fields and methods alone,
// and behind their types.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, path := range must[[]string](t)(filepath.Glob(filepath.Join(dir, "*.go"))) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, d := range must[*ast.File](t)(parser.ParseFile(token.NewFileSet(), path, nil, 0)).Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
				if d.Recv != nil {
					if of, ok := receiver(d.Recv.List[0].Type); ok {
						names[of+"."+d.Name.Name] = true
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					addSpec(names, s)
				}
			}
		}
	}
	return names
}

func receiver(e ast.Expr) (name string, ok bool) {
	if star, is := e.(*ast.StarExpr); is {
		e = star.X
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return "", false
	}
	return id.Name, true
}

func addSpec(names map[string]bool, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[n.Name] = true
		}
	case *ast.TypeSpec:
		names[s.Name.Name] = true
		if st, ok := s.Type.(*ast.StructType); ok {
			for _, f := range st.Fields.List {
				for _, n := range f.Names {
					names[s.Name.Name+"."+n.Name] = true
				}
			}
		}
	}
}
