package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// source is a file with, for a Go file, the positions of its declarations.
type source struct {
	text  string
	spans map[string][]span // by the name of a function in a change
}

// span is a part of a text.
type span struct{ from, to int }

// parse finds the declarations of a Go file. Other files have none.
func parse(path, text string) (source, error) {
	s := source{text, map[string][]span{}}
	if !strings.HasSuffix(path, ".go") {
		return s, nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return s, err
	}
	add := func(name string, node ast.Node) {
		// From the beginning of its first line to the end of its last one.
		from, to := set.Position(node.Pos()).Offset, set.Position(node.End()).Offset
		from = strings.LastIndexByte(text[:from], '\n') + 1
		to += strings.IndexByte(text[to:]+"\n", '\n') + 1
		s.spans[name] = append(s.spans[name], span{from, min(to, len(text))})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			add(functionName(decl), decl)
		case *ast.GenDecl:
			if decl.Tok == token.IMPORT {
				add("import", decl)
			}
			for _, spec := range decl.Specs {
				var node ast.Node = spec
				if !decl.Lparen.IsValid() {
					node = decl
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, node)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name.Name, node)
					}
				}
			}
		}
	}
	return s, nil
}

// functionName returns Name, or (Type).Name for a method.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr: // a generic type
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return "(" + r.Name + ")." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}
