package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// listed holds the fields of `go list -json` that are used.
type listed struct {
	ImportPath, ForTest, Dir                              string
	Standard, DepOnly                                     bool
	CgoFiles, GoFiles, TestGoFiles, XTestGoFiles, Imports []string
}

// list lists the packages of the module in a folder, with what they and their tests import.
func list(folder string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-json", "-e", "-deps", "-test", "./...")
	cmd.Dir, cmd.Env, cmd.Stderr = folder, append(os.Environ(), "CGO_ENABLED=1"), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the packages: %w", err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("cannot read the list of packages: %w", err)
		}
		packages = append(packages, p)
	}
}

// reached returns the packages with something among what they, their tests and their imports are made of that lies in one
// of some folders, or below one without a package between.
func reached(root string, packages []listed, folders []string) []string {
	owner := map[string]bool{}
	for _, folder := range folders {
		for ; ; folder = path.Dir(folder) {
			dir := filepath.Join(root, folder)
			at := slices.IndexFunc(packages, func(p listed) bool { return p.Dir == dir })
			if at >= 0 {
				owner[packages[at].tested()] = true
			}
			if at >= 0 || folder == "." {
				break
			}
		}
	}
	byName := map[string]listed{}
	for _, p := range packages {
		byName[p.ImportPath] = p
	}
	known := map[string]bool{}
	var meets func(name string) bool
	meets = func(name string) bool {
		if answer, done := known[name]; done {
			return answer
		}
		p := byName[name]
		known[name] = !p.Standard && owner[p.tested()]
		known[name] = known[name] || !p.Standard && slices.ContainsFunc(p.Imports, meets)
		return known[name]
	}
	var names []string
	for _, p := range packages {
		if meets(p.ImportPath) && !slices.Contains(names, p.tested()) {
			names = append(names, p.tested())
		}
	}
	slices.Sort(names)
	return names
}

// pure returns the packages that reach no C code outside of the standard library, including their
// tests.
func pure(packages []listed) []string {
	byName := map[string]listed{}
	for _, p := range packages {
		byName[p.ImportPath] = p
	}
	known := map[string]bool{}
	var reaches func(name string) bool
	reaches = func(name string) bool {
		if answer, done := known[name]; done {
			return answer
		}
		known[name] = false // Go has no import cycles; this only guards against a broken list
		p := byName[name]
		known[name] = !p.Standard && (len(p.CgoFiles) > 0 || slices.ContainsFunc(p.Imports, reaches))
		return known[name]
	}
	impure := map[string]bool{}
	for _, p := range packages {
		if reaches(p.ImportPath) {
			impure[p.tested()] = true
		}
	}
	var names []string
	for _, p := range packages {
		if p.own() && !impure[p.ImportPath] {
			names = append(names, p.ImportPath)
		}
	}
	return names
}

// tested returns the package that this one belongs to: "x [x.test]" is x, built for its tests.
func (p listed) tested() string {
	own, _, _ := strings.Cut(p.ImportPath, " ")
	return strings.TrimSuffix(strings.TrimSuffix(own, ".test"), "_test")
}

// own reports whether this is a package of the module, with files, and not the program of its tests.
func (p listed) own() bool {
	isTest := p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test")
	return !p.Standard && !p.DepOnly && !isTest && len(p.GoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
}
