//go:build ros

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/test/bed"
)

// TestSimCommandsAFactory: a simulation of a factory from its creation to its removal, on the command line.
func TestSimCommandsAFactory(t *testing.T) {
	space := "/" + bed.Unique(t, "lab")
	dir := t.TempDir()
	text := "simulation: $(sim)\nmachine: nrp\nnodes: {" + space + "_$(sim): {}}\n"
	if err := os.WriteFile(filepath.Join(dir, "nrp.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bed.StartHost(t).Node(bed.NodeSpec{Name: space + "_70"})
	of := []string{"--factory", space + "/rstate_factory"}
	sim := func(code int, args ...string) string {
		t.Helper()
		return do(t, code, append(append([]string{"sim"}, args...), of...)...)
	}
	p := rstate(t, "factory", "--experiments", dir, "--journal", t.TempDir(), "--first-id", "70", "--ros-args", "-r",
		"__ns:="+space)
	says(t, p, "rstate makes simulations")
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{exitDone, "list", "has no simulations; rstate sim create"},
		{exitRejected, "create none", "there is no experiment \"none\"; there are nrp"},
		{exitDone, "create nrp --owner me",
			"simulation 70 was made, as " + space + "/sim_70/rstate; its network is created"},
		{exitRejected, "create nrp 70", "the id 70 was used before"},
		{exitDone, "send 70 initialized", "the network is paused"},
		{exitRejected, "send 70 reset_all", "legal now"},
		{exitDone, "list", "70  paused  nrp      " + space + "/sim_70/rstate"},
		{exitDone, "remove 70 --on-exit shutdown --reason enough", "simulation 70 has ended"},
		{exitRejected, "remove 70", "there is no simulation \"70\""},
		{exitNoROS, "send 70 started --timeout 1s", "cannot find \"" + space + "/sim_70/rstate\""},
	} {
		if said := sim(c.code, strings.Fields(c.args)...); !strings.Contains(said, c.want) {
			t.Errorf("sim %s does not say %q:\n%s", c.args, c.want, said)
		}
	}
	var made struct {
		Success    bool
		Simulation string
	}
	if said := sim(exitDone, "create", "nrp", "90", "-o", "json"); json.Unmarshal([]byte(said), &made) != nil ||
		!made.Success || made.Simulation != "90" {
		t.Errorf("as JSON: %s", said)
	}
	if said := do(t, exitNoROS, "sim", "list", "--timeout", "10s"); !strings.Contains(said,
		"there is "+space+"/rstate_factory") {
		t.Errorf("a client of no factory is not told of another one: %s", said)
	}
}

// TestOptionsOfSim: a faulty command line is refused before ROS is used.
func TestOptionsOfSim(t *testing.T) {
	for args, want := range map[string]string{
		"sim": "is missing", "sim frob": "write one of create, list, remove, send", "sim lst": "did you mean list?",
		"sim create":       "EXPERIMENT is missing",
		"sim create a 1 2": `"2" is too much`, "sim list all": `"all" is too much`,
		"sim send 0": "ID or COMMAND is missing", "sim remove": "is missing",
		"sim remove 0 --on-exit explode":   "write one of file, disarm, leave, shutdown",
		"factory":                          "--experiments is missing",
		"factory --experiments . --most 0": "write at least 1", "factory --experiments . --first-id -1": "not negative",
		"factory --experiments /nope": "no such file",
	} {
		if code, out, errs := invoke(strings.Fields(args)...); code != exitBadInput || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %q, %q", args, code, out, errs)
		}
	}
}
