package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The wheels exist for these minor versions of Python 3.
const (
	oldestPython = 10
	newestPython = 13
)

// python describes an interpreter.
type python struct {
	path         string
	major, minor int
	venv         bool // can make virtual environments, with pip in them
	headers      bool // has Python.h, which the interfaces' Python part is compiled with
}

// probe is run by each candidate. A program that prints nothing is not Python.
const probe = `
import importlib.util, os, sys, sysconfig
has = lambda name: int(importlib.util.find_spec(name) is not None)
print(sys.version_info[0], sys.version_info[1], has("venv") & has("ensurepip"),
      int(os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))))
`

// findPython tries python3 from PATH, then each name with a version, newest first.
func findPython() (python, error) {
	names := []string{"python3"}
	for minor := newestPython; minor >= oldestPython; minor-- {
		names = append(names, fmt.Sprintf("python3.%d", minor))
	}
	var found []python
	for _, name := range names {
		if p, ok := probePython(name); ok {
			found = append(found, p)
		}
	}
	return choosePython(found)
}

// lookOutside looks for a program on the PATH, but not in an installation of setup, which may be replaced while it is
// used: a terminal that uses one has it in front.
func lookOutside(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if strings.Contains(dir+"/", "/.ros/") {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

func probePython(name string) (python, bool) {
	path := lookOutside(name)
	if path == "" {
		return python{}, false
	}
	cmd := exec.Command(path, "-c", probe)
	cmd.Env = withoutPython(os.Environ())
	text, err := cmd.Output()
	if err != nil { // a version manager's shim for a Python that is not installed
		return python{}, false
	}
	p := python{path: path}
	var venv, headers int
	if _, err := fmt.Sscan(string(text), &p.major, &p.minor, &venv, &headers); err != nil {
		return python{}, false
	}
	p.venv, p.headers = venv == 1, headers == 1
	return p, true
}

// choosePython returns the first Python that has everything, and otherwise reports what the best
// one lacks.
func choosePython(found []python) (python, error) {
	want := fmt.Sprintf("Python 3.%d to 3.%d with venv", oldestPython, newestPython)
	if len(found) == 0 {
		return python{}, fmt.Errorf("cannot find Python: install %s (Debian: apt-get install python3-venv python3-dev)",
			want)
	}
	var lacking error
	var others []string
	for _, p := range found {
		name := fmt.Sprintf("%s (3.%d)", p.path, p.minor)
		switch {
		case p.major != 3 || p.minor < oldestPython || p.minor > newestPython:
			others = append(others, fmt.Sprintf("%s is %d.%d", p.path, p.major, p.minor))
		case !p.venv:
			lacking = errors.Join(lacking,
				fmt.Errorf("cannot use %s: it has no venv; install it (Debian: apt-get install python3-venv)", name))
		case !p.headers:
			lacking = errors.Join(lacking,
				fmt.Errorf("cannot use %s: it has no Python.h; install it (Debian: apt-get install python3-dev)", name))
		default:
			return p, nil
		}
	}
	if lacking != nil {
		return python{}, lacking
	}
	return python{}, fmt.Errorf("cannot find a Python that there are wheels for: %s; install %s",
		strings.Join(others, ", "), want)
}

// withoutPython keeps the modules of a sourced or active environment out of another interpreter.
func withoutPython(environ []string) []string {
	var kept []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if name != "PYTHONPATH" && name != "PYTHONHOME" && name != "VIRTUAL_ENV" {
			kept = append(kept, entry)
		}
	}
	return kept
}

// checkCompilers runs before any long step.
func checkCompilers() error {
	for _, c := range []struct {
		language, variable string
		names              []string
	}{{"C", "CC", []string{"cc", "gcc", "clang"}}, {"C++", "CXX", []string{"c++", "g++", "clang++"}}} {
		names := c.names
		if set := strings.Fields(os.Getenv(c.variable)); len(set) > 0 {
			names = set[:1]
		}
		if !anyInPath(names) {
			return fmt.Errorf("cannot find a %s compiler (%s): install one (Debian: apt-get install build-essential)",
				c.language, strings.Join(names, ", "))
		}
	}
	return nil
}

func anyInPath(names []string) bool {
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}
