// Command shape measures how easy internal/engine is to read. It prints each figure beside its limit. The last line is
// "N of M met", and the exit status is 0 if all are met.
//
//	shape [-C DIR] [-v]
//
// With -v it also names the places that a figure counts: structs, functions and references.
//
// The reading order is the list of files in the package's doc.go. A reference is upward if a file uses a function, method
// or type of a file that stands above it in that list. All references from one file to one other file count as one.
//
// It may import the standard library only.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The limits of the figures.
const (
	mostFields     = 20
	mostComplexity = 15
	mostFiles      = 25
	mostUpward     = 20 // percent
	fewerLines     = 1200

	// baseline is how many lines internal/engine and internal/simnet had without tests on 23 November 2026.
	baseline = 16_398
)

const engine = "internal/engine"

func main() {
	root := flag.String("C", ".", "the root of the tree")
	verbose := flag.Bool("v", false, "name the places that a figure counts")
	flag.Parse()
	met, err := shape(*root, *verbose, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "shape:", err)
		os.Exit(2)
	}
	if !met {
		os.Exit(1)
	}
}

// figure is one measure with its limit.
type figure struct {
	name       string
	got, limit int
	unit       string
	note       string
	places     []string
}

func (f figure) met() bool { return f.got <= f.limit }

// shape prints the figures of the tree and reports whether all limits are met.
func shape(root string, verbose bool, out io.Writer) (bool, error) {
	p, err := load(filepath.Join(root, engine), "rstate/"+engine)
	if err != nil {
		return false, err
	}
	lines, err := linesOf(filepath.Join(root, engine), filepath.Join(root, "internal/simnet"))
	if err != nil {
		return false, err
	}
	upward, err := p.upward()
	if err != nil {
		return false, err
	}
	figures := []figure{
		p.largest(), p.complex(),
		{name: "files", got: len(p.files), limit: mostFiles},
		upward,
		{name: "lines of engine and simnet", got: lines, limit: baseline - fewerLines, note: fmt.Sprintf("%+d since the baseline", lines-baseline)},
	}
	met := 0
	for _, f := range figures {
		verdict := "met"
		if f.met() {
			met++
		} else {
			verdict = "NOT MET"
		}
		fmt.Fprintf(out, "%-38s %6d%-2s limit %6d%-2s  %-8s %s\n", f.name, f.got, f.unit, f.limit, f.unit, verdict, f.note)
		if verbose {
			for _, place := range f.places {
				fmt.Fprintln(out, "    "+place)
			}
		}
	}
	fmt.Fprintf(out, "%d of %d met\n", met, len(figures))
	return met == len(figures), nil
}

// pack is a package, parsed and with its types.
type pack struct {
	dir   string
	set   *token.FileSet
	files []*ast.File
	info  *types.Info
	pkg   *types.Package
}

// load reads a package without its tests.
func load(dir, path string) (*pack, error) {
	p := &pack{dir: dir, set: token.NewFileSet(), info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	names, err := sources(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := parser.ParseFile(p.set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("cannot parse %s: %w", name, err)
		}
		p.files = append(p.files, f)
	}
	exports, err := exportsOf(dir)
	if err != nil {
		return nil, err
	}
	look := func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(file)
	}
	conf := types.Config{Importer: importer.ForCompiler(p.set, "gc", look)}
	if p.pkg, err = conf.Check(path, p.set, p.files, p.info); err != nil {
		return nil, fmt.Errorf("cannot read the types of %s: %w", dir, err)
	}
	return p, nil
}

// exportsOf names the files with the types of all packages that the one in dir imports.
func exportsOf(dir string) (map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", ".")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the imports of %s: %w", dir, err)
	}
	exports := map[string]string{}
	for list := json.NewDecoder(bytes.NewReader(text)); ; {
		var e struct{ ImportPath, Export string }
		switch err := list.Decode(&e); {
		case errors.Is(err, io.EOF):
			return exports, nil
		case err != nil:
			return nil, fmt.Errorf("cannot read the answer of go list: %w", err)
		}
		exports[e.ImportPath] = e.Export
	}
}

// sources lists the Go files of a directory that are no tests.
func sources(dir string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("no Go files in %s", dir)
	}
	return slices.DeleteFunc(all, func(name string) bool { return strings.HasSuffix(name, "_test.go") }), err
}

// largest is the struct with the most fields. Fields of an embedded struct count as its own.
func (p *pack) largest() figure {
	f := figure{name: "fields of the largest struct", limit: mostFields}
	names := p.pkg.Scope().Names()
	for _, name := range names {
		st, ok := p.pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if _, isType := p.pkg.Scope().Lookup(name).(*types.TypeName); !ok || !isType {
			continue
		}
		n := fieldsOf(st)
		if n > f.got {
			f.got, f.note = n, name
		}
		if n > mostFields {
			f.places = append(f.places, fmt.Sprintf("%s has %d fields", name, n))
		}
	}
	return f
}

func fieldsOf(st *types.Struct) int {
	n := 0
	for i := range st.NumFields() {
		field := st.Field(i)
		if inner, ok := field.Type().Underlying().(*types.Struct); ok && field.Embedded() {
			n += fieldsOf(inner)
			continue
		}
		n++
	}
	return n
}

// complex counts the functions whose cyclomatic complexity exceeds the limit.
func (p *pack) complex() figure {
	f := figure{name: fmt.Sprintf("functions of complexity over %d", mostComplexity)}
	most := 0
	for _, file := range p.files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			c := complexity(fn.Body)
			if c > most {
				most, f.note = c, fmt.Sprintf("the greatest is %s, %d", fn.Name.Name, c)
			}
			if c > mostComplexity {
				f.got++
				f.places = append(f.places, fmt.Sprintf("%v %s %d", p.set.Position(fn.Pos()), fn.Name.Name, c))
			}
		}
	}
	return f
}

// complexity returns McCabe's number: one, plus one for each branch, loop, case, && and ||.
func complexity(body *ast.BlockStmt) int {
	c := 1
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			c++
		case *ast.CaseClause:
			if n.List != nil {
				c++
			}
		case *ast.CommClause:
			if n.Comm != nil {
				c++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				c++
			}
		}
		return true
	})
	return c
}

// upward returns the share of references between files that go against the reading order.
func (p *pack) upward() (figure, error) {
	f := figure{name: "upward references", limit: mostUpward, unit: "%"}
	order, err := p.order()
	if err != nil {
		return f, err
	}
	type pair struct{ from, to string }
	pairs := map[pair]string{}
	for id, obj := range p.info.Uses {
		if !p.declares(obj) {
			continue
		}
		from, to := filepath.Base(p.set.Position(id.Pos()).Filename), filepath.Base(p.set.Position(obj.Pos()).Filename)
		k := pair{from, to}
		if from != to && (pairs[k] == "" || obj.Name() < pairs[k]) {
			pairs[k] = obj.Name()
		}
	}
	up := 0
	for k, name := range pairs {
		if order[k.from] > order[k.to] {
			up++
			f.places = append(f.places, fmt.Sprintf("%s uses %s of %s", k.from, name, k.to))
		}
	}
	slices.Sort(f.places)
	if len(pairs) > 0 {
		f.got = (100*up + len(pairs) - 1) / len(pairs)
	}
	f.note = fmt.Sprintf("%d of %d between files", up, len(pairs))
	return f, nil
}

// declares reports whether an object is declared at the top of a file of the package, or is a method of such a type.
func (p *pack) declares(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func, *types.TypeName, *types.Const:
	case *types.Var:
		if obj.IsField() {
			return false
		}
	default:
		return false
	}
	return obj.Pkg() == p.pkg && (obj.Parent() == nil || obj.Parent() == p.pkg.Scope())
}

// listed matches a line of the reading order in doc.go.
var listed = regexp.MustCompile(`(?m)^\t([a-z_]+\.go)\b`)

// order returns the position of each file in the reading order, which must list all of them.
func (p *pack) order() (map[string]int, error) {
	order := map[string]int{}
	for _, file := range p.files {
		if filepath.Base(p.set.Position(file.Pos()).Filename) != "doc.go" || file.Doc == nil {
			continue
		}
		for i, m := range listed.FindAllStringSubmatch(file.Doc.Text(), -1) {
			order[m[1]] = i + 1
		}
	}
	for _, file := range p.files {
		name := filepath.Base(p.set.Position(file.Pos()).Filename)
		if _, ok := order[name]; !ok && name != "doc.go" {
			return nil, fmt.Errorf("the reading order in %s/doc.go does not name %s", p.dir, name)
		}
	}
	return order, nil
}

// linesOf counts the lines of all Go files below some directories, without tests.
func linesOf(dirs ...string) (int, error) {
	count := 0
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			count += bytes.Count(text, []byte("\n"))
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("cannot count lines: %w", err)
		}
	}
	return count, nil
}
