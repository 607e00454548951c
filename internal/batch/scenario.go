// Package batch decides which files of a folder are scenarios, which of them may run side by side, and what their
// results mean. How a scenario runs is the business of its caller. It imports network and strict for the files, clean
// and junit for the results.
package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rstate/internal/clean"
	"rstate/internal/network"
	"rstate/internal/strict"
)

// Scenario is a file with a simulation.
type Scenario struct {
	Name     string // of the file, without its folder
	File     string
	Expected network.Outcome
	Faults   string   // why it cannot run; empty: it can
	names    []string // what it has in ROS under a name without its id: two with the same name cannot run side by side
}

// Skipped is a file that is no scenario.
type Skipped struct{ Name, Why string }

// Find lists the scenarios of a folder in the order of their names, and the YAML files in it that are none. A file with
// faults is a scenario that cannot run, unless it cannot be a network file.
func Find(dir string) (list []Scenario, others []Skipped, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if ext := filepath.Ext(name); e.IsDir() || strings.HasPrefix(name, ".") || ext != ".yaml" && ext != ".yml" {
			continue
		}
		s, why := read(filepath.Join(dir, name))
		if why != "" {
			others = append(others, Skipped{name, why})
			continue
		}
		list = append(list, s)
	}
	return list, others, nil
}

// read reads one file. why says why it is no scenario; empty: it is one.
func read(file string) (s Scenario, why string) {
	s = Scenario{Name: filepath.Base(file), File: file, Expected: network.Success}
	if isAnother(file) {
		return s, "it is no network file"
	}
	net, err := network.LoadAs(file, "0")
	if err != nil {
		s.Faults = onOneLine(err)
		return s, ""
	}
	if net.Loop == nil {
		return s, "it has no loop"
	}
	s.Expected = net.Expect
	other, err := network.LoadAs(file, "1")
	if err != nil {
		s.Faults = onOneLine(err)
		return s, ""
	}
	s.names = shared(net, other)
	return s, ""
}

// isAnother reports whether a file has no key of a network file that a machine or a rehearsal lacks. Such a file is no
// scenario with a fault.
func isAnother(file string) bool {
	data, problem, _ := strict.ReadFile(file)
	if problem != "" {
		return false
	}
	root, ok := strict.Parse(file, data, &strict.Report{})
	if !ok || !root.IsMap() {
		return false
	}
	return !slices.ContainsFunc([]string{"simulation", "nodes", "loop", "expect"}, root.Has)
}

// shared lists the names that two simulations of one file have both.
func shared(one, other *network.Network) []string {
	var names []string
	for i := range one.Nodes {
		if i < len(other.Nodes) && one.Nodes[i].Name == other.Nodes[i].Name {
			names = append(names, one.Nodes[i].Name)
		}
	}
	if one.Topic == other.Topic {
		names = append(names, one.Topic)
	}
	if one.Loop.Clock != "" && one.Loop.Clock == other.Loop.Clock {
		names = append(names, one.Loop.Clock)
	}
	return names
}

// onOneLine is an error for a line of its own.
func onOneLine(err error) string {
	var faults network.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		return clean.Text(err.Error())
	}
	first := faults[0]
	first.File = filepath.Base(first.File)
	text := first.String()
	if n := len(faults) - 1; n > 0 {
		text += fmt.Sprintf(" (and %s)", clean.Count(n, "more fault"))
	}
	return clean.Text(text)
}
