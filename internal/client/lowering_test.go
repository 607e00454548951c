package client

import (
	"testing"

	"rstate/internal/machine"
	"rstate/internal/network"
)

// TestF4WhichGoalsLower: Ctrl-C of a client ends only the waiting for these.
func TestF4WhichGoalsLower(t *testing.T) {
	preset, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	net, err := network.Parse("own.yaml",
		[]byte("simulation: x\nmachine: rstate\nnodes: {/a: {}}\nstates:\n  parked: {nodes: inactive}\n"+
			"transitions:\n  park: {from: [active], to: parked}\n  unpark: {from: [parked], to: active}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		machine         *machine.Machine
		origin, command string
		want            bool
	}{
		"disarm":                        {preset, "armed", "disarm", true},
		"Disarm, at a start":            {preset, "unknown", "Disarm", true},
		"shutdown":                      {preset, "unconfigured", "shutdown", true},
		"deactivate":                    {preset, "active", "deactivate", true},
		"cleanup":                       {preset, "inactive", "cleanup", true},
		"a lower state":                 {preset, "armed", "inactive", true},
		"the disarmed state":            {preset, "armed", "active", true},
		"a higher state":                {preset, "inactive", "active", false},
		"configure":                     {preset, "unconfigured", "configure", false},
		"activate":                      {preset, "inactive", "activate", false},
		"arm":                           {preset, "active", "arm", false},
		"armed":                         {preset, "inactive", "armed", false},
		"a repair":                      {preset, "active", "active", false},
		"a state from nowhere":          {preset, "unknown", "inactive", false},
		"nothing that is known":         {preset, "active", "fly", false},
		"a command of a machine's own":  {net.Machine, "active", "park", true},
		"and its way back":              {net.Machine, "parked", "unpark", false},
		"without a machine, disarm":     {nil, "armed", "disarm", true},
		"without a machine, shutdown":   {nil, "armed", "Shut-Down", true},
		"without a machine, deactivate": {nil, "active", "deactivate", false},
		"without a machine, arm":        {nil, "active", "arm", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lowers(c.machine, c.origin, machine.Word(c.command)); got != c.want {
				t.Errorf("%s from %s lowers: %v", c.command, c.origin, got)
			}
		})
	}
}
