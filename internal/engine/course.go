package engine

import "rstate/internal/engine/grant"

// What runs.

// course is the running work, and what a node's part of it may need: the permission to arm, the
// journal, what nodes log. Of goals it knows the one of its
// work only, and it does not know the loop.
type course struct {
	league

	work     *work // nil at rest
	grants   grant.Register
	armed    armedBy
	disk     disk
	logs     logging
	reaction reaction
	stops    stops
}
