//go:build ros

package rosnet

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/outbox"
	"rstate/test/bed"
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

// TestB1AnOlderStateIsNotShownLast: the topic opens while the coordinator shows a newer state.
func TestB1AnOlderStateIsNotShownLast(t *testing.T) {
	w := managedWorld(t)
	m := w.manager
	m.topic = &rclgo.Publisher{}
	rests := func(state string) *engine.Snapshot { return &engine.Snapshot{State: state, Settled: state, Intact: true} }
	w.newest.Store(rests("inactive"))
	m.mu.Lock()
	shown := make(chan struct{})
	go func() { m.show(); close(shown) }()
	bed.Eventually(t, "show waits for its lock", func() (string, bool) {
		stacks := make([]byte, 1<<20)
		all := string(stacks[:runtime.Stack(stacks, true)])
		return all, slices.ContainsFunc(strings.Split(all, "\n\n"), func(one string) bool {
			return strings.Contains(one, "[sync.Mutex.Lock]") && strings.Contains(one, "(*manager).show(")
		})
	})
	w.newest.Store(rests("active"))
	m.mu.Unlock()
	<-shown
	if m.said == nil || !*m.said {
		t.Error("a state that is not the newest was shown")
	}
}

// managedWorld is a world in place of nav2's manager, without ROS.
func managedWorld(t *testing.T) *World {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &World{net: net, machine: net.Machine, log: zap.NewNop(), started: make(chan struct{}),
		out: outlets{box: outbox.New(coordinator.BootTime)}}
	w.ctx, w.cancel = context.WithCancel(t.Context())
	w.asking, w.fail = context.WithCancelCause(w.ctx)
	w.manager = w.newManager(&Manager{})
	close(w.started)
	return w
}
