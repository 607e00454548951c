package machine

import "testing"

// TestA1WhatBoundsANetwork: a goal that would disarm an armed network, or that lowers from some state, says what the
// network is to be at most.
func TestA1WhatBoundsANetwork(t *testing.T) {
	for _, c := range []struct {
		machine, name string
		isState, want bool
	}{
		{"rstate", "active", true, true},
		{"rstate", "unconfigured", true, true},
		{"rstate", "armed", true, false},
		{"rstate", "deactivate", false, true},
		{"rstate", "disarm", false, true},
		{"rstate", "shutdown", false, true},
		{"rstate", "activate", false, false},
		{"rstate", "arm", false, false},
		{"nrp", "paused", false, false}, // it arms nothing
		{"nrp", "halted", true, false},
	} {
		if got := preset(t, c.machine).Bounds(c.name, c.isState); got != c.want {
			t.Errorf("%s of %s (a state: %v): %v, want %v", c.name, c.machine, c.isState, got, c.want)
		}
	}
}
