package main

import (
	"errors"
	"fmt"
	"io"

	"rstate/internal/clean"
	"rstate/internal/network"
)

// checked is the result of a check, for editors and build machines.
type checked struct {
	File       string  `json:"file"`
	OK         bool    `json:"ok"`
	Simulation string  `json:"simulation,omitempty"`
	Machine    string  `json:"machine,omitempty"`
	Nodes      int     `json:"nodes"`
	Faults     []fault `json:"faults"`
	Warnings   []fault `json:"warnings"`
}

// fault is one fault of a file. Line and column count from 1; 0 means the whole file.
type fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`    // path of the value: nodes./slam.after[0]
	Message string `json:"message"` // a sentence by itself, as editors show it
	Hint    string `json:"hint"`    // what to write instead
}

// plainParticipants follows the verdict on a file with a loop: the file does not show how the participants are written.
const plainParticipants = "  its participants are called in lockstep; their messages are, too, between those that are a SteppedNode (docs/loop.md)"

func checkVerb(e *env, f *options) action {
	output := f.output("how to print the faults")
	return func(words []string) int {
		if *output != asTable {
			return checkFor(e, words[0], *output)
		}
		net, ok := loadBy(e, words[0], loadUsable)
		if !ok {
			return exitBadInput
		}
		fmt.Fprintf(e.out, "%s: simulation %s, machine %s, %s: no faults\n",
			net.File, net.Simulation, net.Machine.Name, clean.Count(len(net.Nodes), "node"))
		if net.Loop != nil && len(net.Loop.Participants) > 1 {
			fmt.Fprintln(e.out, plainParticipants)
		}
		return exitDone
	}
}

// checkFor prints the faults for a program, and returns exitBadInput if there are any.
func checkFor(e *env, file, form string) int {
	net, err := loadUsable(file)
	found := checked{File: file, OK: err == nil, Faults: []fault{}, Warnings: []fault{}}
	var faults network.Faults
	switch {
	case errors.As(err, &faults):
		found.Faults = faultsOf(faults)
	case err != nil:
		found.Faults = append(found.Faults, fault{File: file, Message: err.Error()})
	default:
		found.Simulation, found.Machine, found.Nodes = net.Simulation, net.Machine.Name, len(net.Nodes)
		found.Warnings = faultsOf(net.Warnings)
	}
	if code := e.print(form, found); code != exitDone || found.OK {
		return code
	}
	return exitBadInput
}

func faultsOf(list []network.Fault) []fault {
	all := []fault{}
	for _, f := range list {
		said := f.Problem
		if f.Key != "" {
			said = f.Key + ": " + said
		}
		all = append(all, fault{f.File, f.Line, f.Column, f.Key, said, f.Hint})
	}
	return all
}

// load reads a network file and prints its faults, each on a line, or its warnings.
func load(e *env, file string) (*network.Network, bool) { return loadBy(e, file, network.Load) }

func loadBy(e *env, file string, read func(string) (*network.Network, error)) (*network.Network, bool) {
	net, err := read(file)
	var faults network.Faults
	switch {
	case errors.As(err, &faults):
		list(e.err, "", faults)
		return nil, false
	case err != nil:
		e.fail(exitBadInput, "cannot read network file %q: %v", file, err)
		return nil, false
	}
	list(e.err, "warning: ", net.Warnings)
	return net, true
}

func list(out io.Writer, prefix string, faults []network.Fault) {
	for _, f := range faults {
		fmt.Fprintln(out, prefix+f.String())
	}
}
