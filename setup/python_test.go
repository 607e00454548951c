package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestChoosePython(t *testing.T) {
	good := python{path: "/good", major: 3, minor: 12, venv: true, headers: true}
	for _, c := range []struct {
		name  string
		found []python
		want  string // the path taken
		fault string
	}{
		{"the first that fits", []python{{path: "/first", major: 3, minor: 10, venv: true, headers: true}, good},
			"/first", ""},
		{"a newer one is passed over", []python{{path: "/new", major: 3, minor: 14, venv: true, headers: true}, good},
			"/good", ""},
		{"an older one is passed over", []python{{path: "/old", major: 3, minor: 9, venv: true, headers: true}, good},
			"/good", ""},
		{"one without venv is passed over", []python{{path: "/bare", major: 3, minor: 11, headers: true}, good},
			"/good", ""},
		{"none", nil, "", "cannot find Python: install Python 3.10 to 3.13"},
		{"only a newer one", []python{{path: "/new", major: 3, minor: 14, venv: true, headers: true}}, "",
			"/new is 3.14; install Python 3.10"},
		{"only Python 2", []python{{path: "/two", major: 2, minor: 12, venv: true, headers: true}}, "", "/two is 2.12"},
		{"only one without venv", []python{{path: "/bare", major: 3, minor: 11, headers: true}}, "",
			"cannot use /bare (3.11): it has no venv"},
		{"only one without headers", []python{{path: "/bare", major: 3, minor: 11, venv: true}}, "",
			"cannot use /bare (3.11): it has no Python.h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := choosePython(c.found)
			if got.path != c.want || (err == nil) != (c.fault == "") ||
				err != nil && !strings.Contains(err.Error(), c.fault) {
				t.Errorf("got %q, %v, want %q, %q", got.path, err, c.want, c.fault)
			}
		})
	}
}

func TestFindPythonLooksBehindAStandIn(t *testing.T) {
	bin := t.TempDir()
	writeFile(t, filepath.Join(bin, "python3"), "#!/bin/sh\nexit 127\n")
	writeFile(t, filepath.Join(bin, "python3.13"), "#!/bin/sh\necho 3 13 0 1\n")
	writeFile(t, filepath.Join(bin, "python3.11"), "#!/bin/sh\necho 3 11 1 1\n")
	t.Setenv("PATH", bin)
	got, err := findPython()
	if err != nil || got.path != filepath.Join(bin, "python3.11") {
		t.Errorf("got %q, %v", got.path, err)
	}
}

func TestMissingCompilerIsNamed(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("CC", "")
	t.Setenv("CXX", "")
	if err := checkCompilers(); err == nil || !strings.Contains(err.Error(), "cannot find a C compiler") {
		t.Errorf("none: got %v", err)
	}
	writeFile(t, filepath.Join(bin, "gcc"), "")
	if err := checkCompilers(); err == nil || !strings.Contains(err.Error(), "cannot find a C++ compiler") {
		t.Errorf("C only: got %v", err)
	}
	writeFile(t, filepath.Join(bin, "mine"), "")
	t.Setenv("CXX", "mine -m64")
	if err := checkCompilers(); err != nil {
		t.Errorf("both: got %v", err)
	}
}

func TestWithoutPython(t *testing.T) {
	got := withoutPython([]string{"A=1", "PYTHONPATH=/x", "PYTHONHOME=/y", "VIRTUAL_ENV=/z", "PYTHONUNBUFFERED=1"})
	if want := []string{"A=1", "PYTHONUNBUFFERED=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
