package main

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// unit is a test function with something real behind it, which is the smallest thing that is chosen.
type unit struct {
	folder string // from the root, with slashes
	name   string
	file   string
	needs  need
}

// need is what stands behind a unit.
type need int

const (
	nothing   need = iota // not a unit: it runs with its package
	patient               // ROS 2; limits of time are eight times as long
	realClock             // ROS 2, and the clocks as a robot has them: the test is about time
	browser               // a browser
	binding               // ROS 2; it is of the module rclgo
)

// eighths is the number of parts into which the units that no plan names are divided.
const eighths = 8

// rclgoFolder is the module that stands in for the one of tiiuae.
const rclgoFolder = "rclgo"

// inBrowser are the folders whose tests need a browser, unless they need ROS 2.
var inBrowser = []string{"test/page"}

// id is the unit's name in test/promises.yaml.
func (u unit) id() string { return u.folder + "." + u.name }

// eighth returns the part to which something with a name belongs. It stays as long as the name.
func eighth(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return int(h.Sum32() % eighths)
}

// isTest matches the functions that go test -run selects.
var isTest = regexp.MustCompile(`^(Test|Example|Fuzz)([^a-z]|$)`)

// units returns the units below a root.
func units(root string) ([]unit, error) {
	var found []unit
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && rel != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || rel == "bin"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		more, err := unitsOf(root, filepath.ToSlash(rel))
		found = append(found, more...)
		return err
	})
	return found, err
}

func unitsOf(root, file string) ([]unit, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("cannot read the tests of %s: %w", file, err)
	}
	folder := path.Dir(file)
	needs, err := needOf(folder, parsed)
	if err != nil || needs == nothing {
		return nil, err
	}
	var found []unit
	for _, d := range parsed.Decls {
		f, is := d.(*ast.FuncDecl)
		if is && f.Recv == nil && f.Name.Name != "TestMain" && isTest.MatchString(f.Name.Name) {
			found = append(found, unit{folder: folder, name: f.Name.Name, file: file, needs: needs})
		}
	}
	return found, nil
}

// needOf returns what the tests of a file need, which its build tags tell.
func needOf(folder string, file *ast.File) (need, error) {
	if folder == rclgoFolder || strings.HasPrefix(folder, rclgoFolder+"/") {
		return binding, nil
	}
	built := func(tags ...string) (bool, error) { return builtWith(file, tags...) }
	plain, err := built()
	if err != nil {
		return nothing, err
	}
	slow, _ := built("ros", "patient")
	quick, _ := built("ros")
	switch {
	case plain && slices.Contains(inBrowser, folder):
		return browser, nil
	case plain:
		return nothing, nil
	case slow:
		return patient, nil
	case quick:
		return realClock, nil
	}
	return nothing, nil
}

// builtWith reports whether a file is compiled on this system with some tags.
func builtWith(file *ast.File, tags ...string) (bool, error) {
	for _, group := range file.Comments {
		if group.Pos() >= file.Package {
			break
		}
		for _, line := range group.List {
			if !constraint.IsGoBuild(line.Text) {
				continue
			}
			x, err := constraint.Parse(line.Text)
			if err != nil {
				return false, fmt.Errorf("cannot read %q: %w", line.Text, err)
			}
			return x.Eval(func(tag string) bool {
				return slices.Contains(tags, tag) || slices.Contains([]string{"linux", "unix", "cgo"}, tag)
			}), nil
		}
	}
	return true, nil
}
