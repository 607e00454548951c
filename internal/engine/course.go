package engine

import "rstate/internal/engine/grant"

// What runs.

// course is the running work, and what a node's part of it may need: the permission to arm, the
// journal, what nodes log. It knows no goal but the one of its work, and neither the loop nor the name.
type course struct {
	league

	work     *work // nil at rest
	grants   grant.Register
	disk     disk
	logs     logging
	reaction reaction
}
