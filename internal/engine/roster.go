package engine

import "time"

// The nodes.

// roster is what is known of the nodes, of leases over them, and of times in which the loop did not
// run. It knows no running work, no peer and no goal.
type roster struct {
	standing

	nodes     []node
	queue     []int         // nodes that may have something to do
	ending    []int         // nodes with a process that may have ended
	looks     uint64        // at the order
	listening bool          // the checks are looked at
	pace      time.Duration // how often the world counts what comes on their topics
	valuesAt  time.Duration // from then on a value of a check that has changed is shown
	hold      holding
	guard     guarding
	gap       gap
}
