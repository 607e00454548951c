package engine

import "rstate/internal/machine"

// Where the network stands.

// standing is the state of the network as a whole, and what this instance may do in it. It knows the
// network and its machine, and can journal and show; it knows no node.
type standing struct {
	facts
	agenda

	judge   *machine.Judge // the state of the network, and what is legal in it
	settled string         // the last state that was not passing; empty until the start is over
	startup startup
	closing closing
	report  report
}
