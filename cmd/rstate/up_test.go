//go:build ros

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/test/bed"
)

// TestUpArmsEveryFile: the nodes that `rstate up` starts pass the checks of their file and follow
// its lease, so each file that comes with rstate can be armed, and stays armed. The files wait longer for
// proof than they do on a robot: other tests may delay the processes of this one.
func TestUpArmsEveryFile(t *testing.T) {
	files, err := filepath.Glob("../../config/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	armed := 0
	for _, file := range files {
		net, err := network.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(net.Nodes, func(n network.Node) bool { return n.Arm != nil }) {
			continue
		}
		armed++
		t.Run(filepath.Base(file), func(t *testing.T) {
			daemon := "/" + bed.Unique(t, "rstate")
			runUp(t, lenient(t, file), daemon)
			for _, peer := range net.Peers.Required { // it is an instance of the other file
				runUp(t, lenient(t, "../../config/two_hosts_base.yaml"), peer)
				do(t, exitDone, "send", "active", "--node", peer)
			}
			heardStops(t, daemon)
			if len(net.Stop) > 0 { // at the first start of all, rstate has not listened before
				do(t, exitDone, "acknowledge", "--node", daemon)
			}
			do(t, exitDone, "send", armedState(net), "--node", daemon, "--timeout", "60s")
			staysArmed(t, daemon, armedState(net))
		})
	}
	if armed < 6 {
		t.Errorf("only %d files can be armed", armed)
	}
}

// heardStops waits until each stop button has been heard. Until then nothing is armed.
func heardStops(t *testing.T, daemon string) {
	t.Helper()
	bed.Eventually(t, "every stop input is clear", func() (string, bool) {
		said := do(t, exitDone, "status", "--node", daemon)
		return said, strings.Count(said, "stop input /") == strings.Count(said, "  clear, heard")
	})
}

// beyond are checks that a demo node cannot pass: of a file.
var beyond = regexp.MustCompile(`(- \{file: [^}]*?)(?:, warn: \w+)?\}`)

// lenient copies a network file, with 10 s for proof, for stop inputs and for the age of messages. What a demo node cannot
// pass only warns.
func lenient(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	unhurried := regexp.MustCompile(`\b(silent|age): [0-9a-z]+`).ReplaceAllString(string(text), "$1: 10s")
	unhurried = beyond.ReplaceAllString(unhurried, "$1, warn: true}")
	return networkFile(t, regexp.MustCompile(`(?m)^proof: .*\n`).ReplaceAllString(unhurried, "")+"\nproof: 10s\n")
}

// armedState returns the first state of the network in which something is armed.
func armedState(net *network.Network) string {
	i := slices.IndexFunc(net.Machine.States, func(s machine.State) bool { return s.Armed.Any() })
	return net.Machine.States[i].Name
}

// runUp runs a network until the test ends.
func runUp(t *testing.T, file, daemon string) {
	t.Helper()
	namespace, name := filepath.Split(daemon)
	up := rstate(t, "up", file, "--ros-args", "-r", "__node:="+name, "-r", "__ns:="+filepath.Clean("/"+namespace))
	t.Cleanup(func() {
		up.Signal(syscall.SIGINT)
		up.Wait(t)
	})
	says(t, up, "The network is ready.")
}

// TestUpHints: the printed commands reach this daemon, and this network can do them.
func TestUpHints(t *testing.T) {
	for name, c := range map[string]struct {
		nodes, daemon, want string
	}{
		"as it comes": {"{/arm: {arm: {}}}", "/rstate", "status, send active, send arm"},
		"renamed": {"{/arm: {arm: {}}}", "/trial",
			"status --node /trial, send active --node /trial, send arm --node /trial"},
		"in a namespace": {"{/lidar: {}}", "/base/rstate",
			"status --node /base/rstate, send active --node /base/rstate"},
		"nothing to arm": {"{/lidar: {}}", "/rstate", "status, send active"},
		"command first":  {"{/lidar: {}}\nmachine: nrp", "/rstate", "status, send initialized, send started"},
		"stepped loop":   {"{/lidar: {}}\nmachine: cloe", "/rstate", "status, send connect"},
	} {
		t.Run(name, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: "+c.nodes+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(hints(net, c.daemon), ", "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
