package engine

import "rstate/internal/machine"

// Where the network stands.

// standing is the state of the network as a whole, and whether this instance may act in it: it holds the
// name, has started, and does not end. It knows no node.
type standing struct {
	*facts
	agenda

	judge   *machine.Judge // the state of the network, and what is legal in it
	settled string         // the last state that was not passing; empty until the start is over
	name    naming
	startup startup
	closing closing
	report  report
}
