package tree

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pure are the packages whose answers depend on nothing but what they are given, with what else they may import.
var pure = []struct{ dir, imports string }{
	{"internal/clean", "strconv strings unicode unicode/utf8"},
	{"internal/lifecycle", "fmt slices strings time"},
	{"internal/middleware", "fmt regexp strconv strings time"},
	{"internal/plan", "fmt slices strings time"},
	{"internal/draw", "fmt html math slices strings unicode/utf8"},
	{"internal/doctor", "fmt math path slices strconv strings time"},
	{"internal/outline", "cmp fmt path regexp slices strings"},
	{"internal/lease", "slices time"},
	{"internal/stepper", "cmp fmt slices strconv strings time"},
	{"internal/mirror", "cmp fmt slices strings time"},
	{"internal/engine", "cmp errors fmt slices strings time"},
	{"internal/dispatch", "slices time"},
	{"internal/engine/arming", "slices time"},
	{"internal/engine/belief", "slices time"},
	{"internal/checking", "fmt math strconv strings time"},
	{"internal/engine/grant", "fmt strings time"},
	{"internal/engine/guards", "cmp fmt slices strings time"},
	{"internal/engine/ids", ""},
	{"internal/engine/stopinput", "fmt slices strings time"},
	{"internal/latch", "cmp fmt slices strings time"},
}

// TestPurePackagesImportOnlyWhatIsPure: the standard library too has clocks, chance and an outside world. And time goes
// by its own name, or its clocks could not be found.
func TestPurePackagesImportOnlyWhatIsPure(t *testing.T) {
	for _, p := range pure {
		for _, f := range files(t, p.dir) {
			if strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			for _, imp := range f.ast.Imports {
				path, _ := strconv.Unquote(imp.Path.Value)
				where := f.set.Position(imp.Pos())
				if ours(imp) == "" && !slices.Contains(strings.Fields(p.imports), path) {
					t.Errorf("%v imports %s, which is not known to be pure; %s may import %s", where, path, p.dir,
						p.imports)
				}
				if imp.Name != nil && path == "time" {
					t.Errorf("%v calls time by another name; a clock that is read there would not be seen", where)
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectStmt); ok {
					t.Errorf("%v selects between channels; which one comes first is chance", f.set.Position(s.Pos()))
				}
				return true
			})
		}
	}
}

// TestNobodyGoesThroughAMapWhereARunMustReplay: the order of a map changes from run to run.
func TestNobodyGoesThroughAMapWhereARunMustReplay(t *testing.T) {
	set := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	for _, dir := range []string{"internal/lifecycle", "internal/plan", "internal/draw", "internal/engine",
		"internal/engine/arming", "internal/engine/belief", "internal/checking", "internal/engine/grant", "internal/engine/guards", "internal/engine/ids",
		"internal/engine/stopinput", "internal/latch", "internal/dispatch", "internal/mirror", "internal/stepper", "internal/simnet", "internal/simnet/schedule",
		"internal/rehearse"} {
		var parsed []*ast.File
		paths, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, p := range paths {
			if strings.HasSuffix(p, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(set, p, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		if _, err := conf.Check("rstate/"+dir, set, parsed, info); err != nil {
			t.Fatalf("cannot read the types of %s: %v", dir, err)
		}
		for _, f := range parsed {
			ast.Inspect(f, func(n ast.Node) bool {
				r, ok := n.(*ast.RangeStmt)
				if !ok {
					return true
				}
				if _, is := info.TypeOf(r.X).Underlying().(*types.Map); is {
					t.Errorf("%v goes through a map, whose order changes from run to run", set.Position(r.Pos()))
				}
				return true
			})
		}
	}
}

// TestWhatLiesBelowFollowsTheRuleAbove: a folder below a package has no list of its own; what its package may not
// import, it may not either, save for the package itself.
func TestWhatLiesBelowFollowsTheRuleAbove(t *testing.T) {
	for _, dir := range packages(t, "internal", "cmd") {
		k := slices.IndexFunc(rules, func(r rule) bool { return strings.HasPrefix(dir, r.dir+"/") })
		if k < 0 {
			continue
		}
		for _, f := range files(t, dir) {
			for _, imp := range f.ast.Imports {
				path := ours(imp)
				if path != "" && path != rules[k].dir && path != dir && path != everywhere &&
					!allows(strings.Fields(rules[k].imports), path) && !strings.HasSuffix(f.name, "_test.go") {
					t.Errorf("%s imports %s, which %s may not: %s", f.name, path, rules[k].dir, rules[k].reason)
				}
			}
		}
	}
}

// TestRclgoKnowsNothingOfUs: it is a library of its own, and is one only as long as nothing of this project is in it.
func TestRclgoKnowsNothingOfUs(t *testing.T) {
	for _, dir := range packages(t, "rclgo") {
		for _, f := range files(t, dir) {
			for _, imp := range f.ast.Imports {
				if path, _ := strconv.Unquote(imp.Path.Value); strings.HasPrefix(path, "rstate/") {
					t.Errorf("%v imports %s", f.set.Position(imp.Pos()), path)
				}
			}
		}
	}
}
