package tree

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the types of which the engine's state is built, the lowest first. Each embeds the ones that
// it touches, and owns what it has beside them.
var layers = []struct{ name, knows, reason string }{
	{"facts", "", "all may read what never changes"},
	{"agenda", "", "what emits an effect needs no knowledge of the network; else it could decide while it emits"},
	{"standing", "facts agenda", "whether this instance may act must not depend on any node"},
	{"roster", "standing", "what is believed of a node must not depend on what a client wants, or on what runs"},
	{"league", "roster", "what peers say is judged against nodes, and never against the running work"},
	{"course", "league", "the running work goes on in the same way, with or without a client that waits for it"},
	{"clients", "course", "a goal may end the work; the loop is asked by what is above"},
	{"State", "clients", "what is left is an input, a conclusion or an output of the step"},
}

// keepers are types that decide on their own fields, and on what they are handed.
var keepers = []struct{ name, knows, reason string }{
	{"peering", "facts", "what peers reported is judged without looking at a node"},
	{"holding", "facts", "the arithmetic of leases must not look at the work that holds them"},
	{"looping", "facts", "the driver of the loop is a goroutine of its own, and only its reports count"},
}

// TestOwnersOfStateTouchWhatTheyMay: a layer of the engine's state embeds what the table says, and no
// method of an owner mentions State.
func TestOwnersOfStateTouchWhatTheyMay(t *testing.T) {
	structs, methods := engineTypes(t)
	for _, o := range append(slices.Clone(layers), keepers...) {
		s, ok := structs[o.name]
		if !ok {
			t.Errorf("the engine has no type %s: correct the table", o.name)
			continue
		}
		var embeds []string
		for _, f := range s.Fields.List {
			if len(f.Names) == 0 {
				embeds = append(embeds, typeName(f.Type))
			}
		}
		if got := strings.Join(embeds, " "); got != o.knows {
			t.Errorf("%s embeds %q, not %q: %s. Put the method that needs more into a higher layer.", o.name, got,
				o.knows, o.reason)
		}
		if o.name == "State" {
			continue
		}
		for _, m := range methods[o.name] {
			ast.Inspect(m, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "State" && !selected(m, id) {
					t.Errorf("(%s).%s mentions State: %s", o.name, m.Name.Name, o.reason)
				}
				return true
			})
		}
	}
}

// TestThePictureOfOwnersIsTrue: ARCHITECTURE.md shows the layers and what each owns.
func TestThePictureOfOwnersIsTrue(t *testing.T) {
	structs, _ := engineTypes(t)
	var b strings.Builder
	line := func(name string) {
		var owns []string
		for _, f := range structs[name].Fields.List {
			for _, n := range f.Names {
				owns = append(owns, n.Name)
			}
		}
		fmt.Fprintf(&b, "%-9s %s\n", name, strings.Join(owns, ", "))
	}
	for _, o := range slices.Backward(layers) {
		line(o.name)
	}
	b.WriteString("\n")
	for _, o := range keepers {
		line(o.name)
	}
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "```\n" + b.String() + "```\n"; !strings.Contains(string(page), want) {
		t.Errorf("ARCHITECTURE.md does not show the owners of the engine's state as they are. Write there:\n%s", want)
	}
}

// engineTypes reads the structs of the engine, and the methods of each of its types.
func engineTypes(t *testing.T) (map[string]*ast.StructType, map[string][]*ast.FuncDecl) {
	t.Helper()
	structs, methods := map[string]*ast.StructType{}, map[string][]*ast.FuncDecl{}
	for _, f := range files(t, "internal/engine") {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					on := typeName(d.Recv.List[0].Type)
					methods[on] = append(methods[on], d)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						if of, ok := s.Type.(*ast.StructType); ok {
							structs[s.Name.Name] = of
						}
					}
				}
			}
		}
	}
	return structs, methods
}

// typeName is the name of a type or of what it points to.
func typeName(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// selected reports whether id is a field or a method of something, or a type of another package.
func selected(in ast.Node, id *ast.Ident) (is bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel == id {
			is = true
		}
		if kv, ok := n.(*ast.KeyValueExpr); ok && kv.Key == ast.Expr(id) {
			is = true
		}
		return true
	})
	return is
}

// TestFactsNeverChange: copies of the state share the facts, so nothing may write to them after factsOf.
func TestFactsNeverChange(t *testing.T) {
	structs, methods := engineTypes(t)
	facts := map[string]bool{}
	for _, f := range structs["facts"].Fields.List {
		for _, n := range f.Names {
			facts[n.Name] = true
		}
	}
	for on, list := range methods {
		for _, m := range list {
			ast.Inspect(m, func(n ast.Node) bool {
				to, ok := n.(*ast.AssignStmt)
				if !ok {
					return true
				}
				for _, left := range to.Lhs {
					if name := firstField(left); facts[name] {
						t.Errorf("(%s).%s writes to %s, which copies of the state share: keep what changes in another layer", on, m.Name.Name, name)
					}
				}
				return true
			})
		}
	}
}

// firstField is the first field of what an expression selects from a variable: opt of s.opt.Last.
func firstField(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			if _, ok := x.X.(*ast.Ident); ok {
				return x.Sel.Name
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// TestEveryOwnerHasATestOfItsOwn: it builds the owner without what stands above it.
func TestEveryOwnerHasATestOfItsOwn(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "internal", "engine", "owners_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range append(slices.Clone(layers), keepers...) {
		test := "func Test" + strings.ToUpper(o.name[:1]) + o.name[1:] + "Alone("
		if o.name != "State" && !strings.Contains(string(text), test) {
			t.Errorf("internal/engine/owners_test.go has no %st *testing.T): show there what a %s does without State", test, o.name)
		}
	}
}
