//go:build ros

package main

import (
	"strings"
	"testing"

	"rstate/test/shim"
)

// TestS10ToolsUnderFaults: watch, send and doctor notice a daemon that is stopped or dies, and find nothing wrong
// where nothing is, whatever the middleware does not give.
func TestS10ToolsUnderFaults(t *testing.T) {
	library, err := shim.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, faults := range [][]string{{"lying_events"}, {"no_events", "other_gids", "hidden_requests", "take_401"}} {
		t.Run(strings.Join(faults, " "), func(t *testing.T) {
			shim.Again(t, library, []string{"TestDoctorOfANetwork", "TestWatchOnATerminal",
				"TestWatchSaysALineForEachChangeAndGoesOnWithANewDaemon"}, faults...)
		})
	}
}
