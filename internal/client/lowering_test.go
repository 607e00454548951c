package client

import (
	"testing"
	"time"

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

// TestC13WhichGoalsCanArm: for these a client that has seen its daemon late sends nothing.
func TestC13WhichGoalsCanArm(t *testing.T) {
	preset, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		machine *machine.Machine
		command string
		want    bool
	}{
		"arm":                           {preset, "arm", true},
		"Armed":                         {preset, " Armed ", true},
		"disarm":                        {preset, "disarm", false},
		"activate":                      {preset, "activate", false},
		"a lower state":                 {preset, "inactive", false},
		"nothing that is known":         {preset, "fly", false},
		"without a machine, arm":        {nil, "arm", true},
		"without a machine, another":    {nil, "started", true},
		"without a machine, disarm":     {nil, "disarm", false},
		"without a machine, shutdown":   {nil, "shutdown", false},
		"without a machine, deactivate": {nil, "deactivate", true},
	} {
		if got := mayArm(c.machine, machine.ReadWord(c.command)); got != c.want {
			t.Errorf("%s: can arm is %v", name, got)
		}
	}
}

// TestC13HowLongAgoAPersonAsked: on the clock that has counted more. The monotonic one leaves out the time in which the
// machine was suspended, and a wall clock that was set back leaves out more.
func TestC13HowLongAgoAPersonAsked(t *testing.T) {
	asked := time.Now()
	for name, c := range map[string]struct {
		now  time.Time
		want bool
	}{
		"at once":                  {asked, false},
		"in time":                  {asked.Add(SeenWithin), false},
		"late":                     {asked.Add(SeenWithin + 1), true},
		"late, on the wall alone":  {asked.Round(0).Add(SeenWithin + 1), true},
		"in time, on the wall":     {asked.Round(0).Add(SeenWithin), false},
		"the wall clock went back": {asked.Round(0).Add(-time.Hour), false},
	} {
		if got := tooLate(age(asked, c.now), SeenWithin); got != c.want {
			t.Errorf("%s: too late is %v", name, got)
		}
	}
	if past := asked.Add(-time.Minute).Round(0); age(past, asked) < time.Minute {
		t.Error("a minute ago, as an earlier image of this process has it, is not a minute")
	}
}
