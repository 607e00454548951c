package main

import (
	"errors"
	"fmt"
	"io"

	"rstate/internal/network"
)

func checkVerb(e *env, args []string) int {
	f := newFlags(e, "check", "FILE")
	words, code, ok := f.parse(args, 1, 1)
	if !ok {
		return code
	}
	net, ok := load(e, words[0])
	if !ok {
		return exitBadInput
	}
	fmt.Fprintf(e.out, "%s: simulation %s, machine %s, %d nodes: no faults\n",
		net.File, net.Simulation, net.Machine.Name, len(net.Nodes))
	return exitDone
}

// load reads a network file and prints its faults, each on a line, or its warnings.
func load(e *env, file string) (*network.Network, bool) {
	net, err := network.Load(file)
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
