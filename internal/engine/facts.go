package engine

import (
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// What an instance knows from its start on.

// facts are what does not change while the instance lives. Copies share it.
type facts struct {
	net      *network.Network
	machine  *machine.Machine
	opt      Options
	sequence plan.Order
	names    []string // of the nodes
	armable  []int    // the nodes that can be armed
	checked  []int    // the nodes that have checks, or something unsafe
	serves   [][]int  // by node: those whose arm its process serves, as the file says
	// By node: those that go down with it, and those with which it goes down.
	dependents, sources [][]int
}

// factsOf returns what a network and the input of a start say.
func factsOf(net *network.Network, opt Options) *facts {
	f := &facts{net: net, machine: net.Machine, opt: opt, sequence: plan.OrderOf(net)}
	f.dependents, f.sources = dependentsOf(net, f.sequence)
	f.serves = make([][]int, len(net.Nodes))
	for i := range net.Nodes {
		n := &net.Nodes[i]
		if j := net.Index(n.ServerOf()); n.Arm != nil && j >= 0 {
			f.serves[j] = append(f.serves[j], i)
		}
		f.names = append(f.names, n.Name)
		if n.Arm != nil {
			f.armable = append(f.armable, i)
		}
		if len(n.Checks)+len(n.Unsafe) > 0 {
			f.checked = append(f.checked, i)
		}
	}
	return f
}
