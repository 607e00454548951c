//go:build ros

package rosnet

import (
	"errors"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// TestB5AMissingPackageIsNoFault: a package that is not installed does not count as a fault, and a fault does.
func TestB5AMissingPackageIsNoFault(t *testing.T) {
	_, err := rclgo.LoadDynamicMessageTypeSupport("no_such_package", "Nothing")
	if err == nil || !absent(err) {
		t.Errorf("a package that is not installed: %v", err)
	}
	if absent(errors.New("the library cannot be read")) {
		t.Error("a fault counts as a package that is not installed")
	}
}

// TestB4WhatLowers says in which moments nodes have a reason to end their bonds.
func TestB4WhatLowers(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	to := func(target string) engine.WorkView { return engine.WorkView{Command: "a command", Target: target} }
	for _, c := range []struct {
		moment, state string
		work          engine.WorkView
		want          bool
	}{
		{"before the first state is known", machine.Unknown, engine.WorkView{}, true},
		{"at rest", "active", engine.WorkView{}, false},
		{"a node is restored", "active", engine.WorkView{Target: "active"}, false},
		{"CONFIGURE", "configuring", to("inactive"), true},
		{"STARTUP, RESUME", "activating", to("active"), false},
		{"PAUSE", "deactivating", to("inactive"), true},
		{"RESET, CLEANUP", "cleaningup", to("unconfigured"), true},
		{"SHUTDOWN", "shuttingdown", to("finalized"), true},
		{"STARTUP failed", "errorprocessing", to("inactive"), true},
		{"what it raised is lowered again", "activating",
			engine.WorkView{Command: "activate", Target: "active", Recovery: "restore"}, true},
	} {
		if got := lowers(net.Machine, &engine.Snapshot{State: c.state, Work: c.work}); got != c.want {
			t.Errorf("%s: %v, want %v", c.moment, got, c.want)
		}
	}
}
