package tree

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// decides are the packages whose conditions TestAConditionAsksAndDoesNotAct reads, those that others import first.
var decides = []string{"internal/lease", "internal/machine", "internal/plan", "internal/mirror",
	"internal/engine/arming", "internal/engine/belief", "internal/checking", "internal/engine/grant", "internal/engine/guards", "internal/engine/ids", "internal/engine/stopinput", "internal/latch",
	"internal/engine", "internal/dispatch"}

// mayAct are functions that change something and may stand in a condition all the same.
var mayAct = []struct{ function, reason string }{
	{"(*internal/engine.agenda).waitUntil", "it notes when to look again, which no condition asks for; " +
		"a wait without that note would be forgotten"},
	{"(*internal/engine.course).heldFromAbove", "it marks nodes that it has looked at, and only it reads the marks"},
	{"(*internal/engine.course).lookAbove", "it marks nodes that it has looked at, and only it reads the marks"},
}

// outsideActs are the functions of other modules that change what they are given.
var outsideActs = []string{"(*github.com/looplab/fsm.FSM).Event", "(*github.com/looplab/fsm.FSM).SetState"}

// TestAConditionAsksAndDoesNotAct: which of the functions of a condition run depends on the operands before
// them, and on the order of the cases. So a reader has to know that none of them changes anything. It does not see what is
// called through an interface or a variable.
func TestAConditionAsksAndDoesNotAct(t *testing.T) {
	set := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	known := map[string]bool{} // functions that act, by their full names: each package is checked anew
	excused := map[string]bool{}
	for _, name := range outsideActs {
		known[name] = true
	}
	for _, dir := range decides {
		var parsed []*ast.File
		paths, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if len(paths) == 0 {
			t.Errorf("%s has no Go files: name the package as it is called now", dir)
		}
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
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{}}
		if _, err := conf.Check(dir, set, parsed, info); err != nil {
			t.Fatal(err)
		}
		a := &acting{info: info, acts: known, excused: excused, fresh: map[types.Object]bool{}}
		a.learn(parsed)
		for _, f := range parsed {
			ast.Inspect(f, func(n ast.Node) bool {
				for _, cond := range conditions(n) {
					if name := a.actsIn(cond); name != "" {
						t.Errorf("%v: a condition asks; it does not act, and %s does: "+
							"call it before, or split it into a question and an act",
							set.Position(cond.Pos()), name)
					}
				}
				return true
			})
		}
	}
	for _, m := range mayAct {
		if !excused[m.function] {
			t.Errorf("%s does not act, or is gone: it needs no excuse (%s)", m.function, m.reason)
		}
	}
}

// TestWhatActs: what the test above takes for an act.
func TestWhatActs(t *testing.T) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "p.go", `package p

type s struct {
	n    int
	list []int
	m    map[int]int
}

var count int

func (x *s) counts() bool   { x.n++; return true }
func (x *s) calls() bool    { return x.counts() }
func (x *s) passes() bool   { return run(x.counts) }
func (x *s) shares() bool   { l := x.list; l[0] = 2; return true }
func (x *s) deletes() bool  { delete(x.m, 1); return true }
func (x s) reaches() bool   { x.m[1] = 2; return true }
func global() bool          { count = 1; return true }
func (x *s) asks() bool     { n := x.n; n++; return n > 0 }
func (x *s) appends() bool  { l := append(x.list, 1); return len(l) > 0 }
func (x s) copies() bool    { x.n++; return x.n > 0 }
func made() bool            { l := []int{1}; l[0] = 2; x := &s{}; return x.counts() }
func run(f func() bool) bool { return f() }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := new(types.Config).Check("p", set, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	a := &acting{info: info, acts: map[string]bool{}, fresh: map[types.Object]bool{}}
	a.learn([]*ast.File{f})
	var got []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && a.acts[fullName(info.Defs[fn.Name])] {
			got = append(got, fn.Name.Name)
		}
	}
	if want := "counts calls passes shares deletes reaches global"; strings.Join(got, " ") != want {
		t.Errorf("these act: %v, want %s", got, want)
	}
}

// TestWhatIsACondition: each kind of condition is looked at.
func TestWhatIsACondition(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p

func p() {
	if inIf() {
	}
	for inFor() {
	}
	switch {
	case inCase(), inCaseToo():
	}
	_ = left() && right() || third()
}
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ast.Inspect(f, func(n ast.Node) bool {
		for _, e := range conditions(n) {
			if call, ok := e.(*ast.CallExpr); ok {
				got = append(got, call.Fun.(*ast.Ident).Name)
			}
		}
		return true
	})
	slices.Sort(got)
	if want := "inCase inCaseToo inFor inIf left right third"; strings.Join(got, " ") != want {
		t.Errorf("conditions are %v, want %s", got, want)
	}
}

// conditions are the expressions of n that decide what runs: of if, for and case, and the operands of && and ||.
func conditions(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.IfStmt:
		return []ast.Expr{n.Cond}
	case *ast.ForStmt:
		if n.Cond != nil {
			return []ast.Expr{n.Cond}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			return []ast.Expr{n.X, n.Y}
		}
	}
	return nil
}

// acting knows which functions change what outlives their call: a field of what they are given by a pointer,
// an entry of a slice or a map that they have not made themselves, or a variable of the package.
type acting struct {
	info    *types.Info
	acts    map[string]bool
	excused map[string]bool
	fresh   map[types.Object]bool // local variables that hold memory which their function has made
}

// learn goes through the functions of a package until no more of them are found to act.
func (a *acting) learn(parsed []*ast.File) {
	var all []*ast.FuncDecl
	for _, f := range parsed {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				all = append(all, fn)
				a.noteFresh(fn)
			}
		}
	}
	for more := true; more; {
		more = false
		for _, fn := range all {
			name := fullName(a.info.Defs[fn.Name])
			switch {
			case a.acts[name] || a.excused[name] || !a.writes(fn.Body) && a.actsIn(fn.Body) == "":
			case excuses(name):
				a.excused[name] = true
			default:
				a.acts[name], more = true, true
			}
		}
	}
}

func excuses(function string) bool {
	for _, m := range mayAct {
		if m.function == function {
			return true
		}
	}
	return false
}

// noteFresh notes the variables of fn that begin as new memory, and those that are values.
func (a *acting) noteFresh(fn *ast.FuncDecl) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for k, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok && n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
					a.fresh[a.info.Defs[id]] = a.makes(n.Rhs[k])
				}
			}
		case *ast.ValueSpec:
			for k, id := range n.Names {
				a.fresh[a.info.Defs[id]] = len(n.Values) == 0 || k < len(n.Values) && a.makes(n.Values[k])
			}
		}
		return true
	})
}

// makes reports whether an expression is memory that nothing else refers to.
func (a *acting) makes(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, lit := e.X.(*ast.CompositeLit)
		return lit
	case *ast.CallExpr:
		switch fn := e.Fun.(type) {
		case *ast.Ident:
			return fn.Name == "make" || fn.Name == "new"
		case *ast.SelectorExpr:
			return fn.Sel.Name == "Clone"
		}
	}
	return false
}

// writes reports whether a body changes what outlives it.
func (a *acting) writes(body ast.Node) (does bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				does = does || slices.ContainsFunc(n.Lhs, a.outlives)
			}
		case *ast.IncDecStmt:
			does = does || a.outlives(n.X)
		case *ast.SendStmt:
			does = true
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, id.Name) {
				does = does || a.outlives(&ast.IndexExpr{X: n.Args[0]})
			}
		}
		return true
	})
	return does
}

// outlives reports whether what an expression names is still there when its function has returned.
func (a *acting) outlives(e ast.Expr) bool {
	through := false // a pointer, a slice or a map is on the way
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			through = through || a.isPointer(x.X)
			e = x.X
		case *ast.StarExpr:
			through, e = true, x.X
		case *ast.IndexExpr:
			through = through || !a.isArray(x.X)
			e = x.X
		case *ast.Ident:
			v, ok := a.info.ObjectOf(x).(*types.Var)
			switch {
			case !ok: // the blank identifier, or a package
				return false
			case v.Parent() == v.Pkg().Scope():
				return true
			}
			return through && !a.fresh[v]
		default:
			return through
		}
	}
}

func (a *acting) isPointer(e ast.Expr) bool {
	of := a.info.TypeOf(e)
	if of == nil {
		return false
	}
	_, is := of.Underlying().(*types.Pointer)
	return is
}

func (a *acting) isArray(e ast.Expr) bool {
	of := a.info.TypeOf(e)
	if of == nil {
		return false
	}
	_, is := of.Underlying().(*types.Array)
	return is
}

// actsIn names a function that acts, and that n calls or hands on; empty: there is none. A method of a value
// that the function has made changes nothing else.
func (a *acting) actsIn(n ast.Node) (name string) {
	own := map[*ast.Ident]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			own[n.Sel] = !a.outlives(n) && a.variable(n.X)
		case *ast.Ident:
			fn, ok := a.info.Uses[n].(*types.Func)
			if ok && !own[n] && name == "" && a.acts[fullName(fn)] {
				name = n.Name
			}
		}
		return true
	})
	return name
}

// variable reports whether an expression begins with a variable.
func (a *acting) variable(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			_, is := a.info.ObjectOf(x).(*types.Var)
			return is
		default:
			return false
		}
	}
}

// fullName names a function as every check of its package does: by the folder, without the module.
func fullName(o types.Object) string {
	fn, ok := o.(*types.Func)
	if !ok {
		return ""
	}
	return strings.ReplaceAll(fn.Origin().FullName(), "rstate/internal/", "internal/")
}
