//go:build ros

package rosnet

import "rstate/internal/selftest"

// gives is the test of a middleware that gives everything, and partial of one whose messages carry other GIDs.
var (
	gives   = selftest.Given(Abilities{Liveliness: true, GIDs: true, Processes: true, ProcessIDs: true, Requests: true})
	partial = selftest.Given(Abilities{Liveliness: true})
)
