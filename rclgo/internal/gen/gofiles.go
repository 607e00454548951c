package gen

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)

// ModulePath returns the import path of a folder, from the go.mod in or above it.
func ModulePath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := abs; ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil {
			m := moduleLine.FindSubmatch(text)
			if m == nil {
				return "", fmt.Errorf("cannot read %s: it names no module", filepath.Join(at, "go.mod"))
			}
			rel, err := filepath.Rel(at, abs)
			return path.Join(string(m[1]), filepath.ToSlash(rel)), err
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("cannot tell the import path of %s: no go.mod is above it; give --message-module-prefix", abs)
		}
	}
}

// ImportedPackages returns the ROS packages whose bindings, below the import path
// module, are imported by the Go files of the patterns: folders, or with /... at the
// end folders and all below them.
func ImportedPackages(patterns []string, module string) ([]string, error) {
	var pkgs []string
	for _, pattern := range patterns {
		dir, deep := strings.CutSuffix(pattern, "...")
		dir = filepath.Clean(dir)
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || p == dir {
				return err
			}
			if d.IsDir() {
				if !deep || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, ".gen.go") {
				return nil
			}
			imported, err := importsBelow(p, module)
			pkgs = append(pkgs, imported...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("cannot read Go packages %q: %w", pattern, err)
		}
	}
	slices.Sort(pkgs)
	return slices.Compact(pkgs), nil
}

func importsBelow(file, module string) (pkgs []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if rest, ok := strings.CutPrefix(imported, module+"/"); ok {
			pkg, _, _ := strings.Cut(rest, "/")
			pkgs = append(pkgs, pkg)
		}
	}
	return pkgs, nil
}

// Comment makes a Go comment of a text that is not one yet.
func Comment(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") || text == "" {
		return text
	}
	return "// " + strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n// "), "// \n", "//\n")
}
