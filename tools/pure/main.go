// Command pure sorts the packages of a module, that of the working directory or of -C, by whether
// they, their tests or their imports use C code of that module. It prints those that do not, which
// build and test without ROS. With -ros it prints those that differ with the build tag ros, which
// are the rest to test on a machine with ROS.
//
// It may import the standard library only.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// listed holds the fields of `go list -json` that are used.
type listed struct {
	ImportPath, ForTest, Dir                              string
	Standard, DepOnly                                     bool
	CgoFiles, GoFiles, TestGoFiles, XTestGoFiles, Imports []string
}

func main() {
	ros := flag.Bool("ros", false, "print the packages that the build tag ros changes")
	one := flag.Bool("alone", false, "print the packages whose tests start no goroutine")
	several := flag.Bool("race", false, "print the packages whose tests start goroutines")
	without := flag.String("without", "", "packages to leave out, with blanks between them")
	folder := flag.String("C", ".", "the folder of the module")
	flag.Parse()
	if err := os.Chdir(*folder); err != nil {
		fmt.Fprintln(os.Stderr, "pure: "+err.Error())
		os.Exit(1)
	}
	if err := run(*ros, *one, *several, *without); err != nil {
		fmt.Fprintln(os.Stderr, "pure: "+err.Error())
		os.Exit(1)
	}
}

func run(ros, one, several bool, leftOut string) error {
	if ros {
		without, err := list("-e")
		if err != nil {
			return err
		}
		with, err := list("-e", "-tags", "ros")
		if err != nil {
			return err
		}
		return show(changed(without, with), leftOut)
	}
	packages, err := list("-e", "-deps", "-test")
	if err != nil {
		return err
	}
	if one || several {
		many, alone, err := sorted(packages)
		if err != nil {
			return err
		}
		if one {
			many = alone
		}
		return show(many, leftOut)
	}
	return show(pure(packages), leftOut)
}

func show(names []string, leftOut string) error {
	if len(names) == 0 {
		return errors.New("cannot find any such package here")
	}
	names, err := leave(names, leftOut)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(names, "\n"))
	return nil
}

// leave returns the names without some, each of which must be among them.
func leave(names []string, leftOut string) ([]string, error) {
	for _, name := range strings.Fields(leftOut) {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, fmt.Errorf("cannot leave out %q: it is not among the packages", name)
		}
		names = slices.Delete(names, at, at+1)
	}
	return names, nil
}

func list(args ...string) ([]listed, error) {
	cmd := exec.Command("go", append(append([]string{"list", "-json"}, args...), "./...")...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=1"), os.Stderr
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

// changed returns the packages whose files differ between the two lists.
func changed(without, with []listed) []string {
	files := func(p listed) string {
		return strings.Join(slices.Concat(p.GoFiles, []string{"|"}, p.TestGoFiles, []string{"|"}, p.XTestGoFiles), " ")
	}
	before := map[string]string{}
	for _, p := range without {
		before[p.ImportPath] = files(p)
	}
	var names []string
	for _, p := range with {
		if before[p.ImportPath] != files(p) {
			names = append(names, p.ImportPath)
		}
	}
	return names
}
