//go:build ros

package ros

import (
	"fmt"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// plainNodes is what a user of rclpy writes: lifecycle nodes, each in a process of its own, that know nothing of
// rstate. Of its hooks, those that are named fail once: they say no, or they throw.
const plainNodes = `
import sys
import rclpy
from rclpy.lifecycle import Node, TransitionCallbackReturn

name, failing = sys.argv[1], dict(word.split("=") for word in sys.argv[2:])

def hook(word):
    def run(self, state):
        how = failing.pop(word, "")
        self.get_logger().info(f"hook {word} {how}")
        if how == "throws":
            raise RuntimeError(f"{word} does not work")
        return TransitionCallbackReturn.FAILURE if how == "refuses" else TransitionCallbackReturn.SUCCESS
    return run

class Component(Node):
    on_configure, on_activate, on_deactivate, on_cleanup, on_shutdown = map(hook, ["configure", "activate", "deactivate", "cleanup", "shutdown"])

    def on_error(self, state):
        return TransitionCallbackReturn.SUCCESS

rclpy.init()
rclpy.spin(Component(name))
`

// plain starts such nodes, by name with the hooks that fail once, and a daemon over them in this order.
func plain(t *testing.T, machine, first string, nodes ...string) *daemon.Daemon {
	t.Helper()
	t.Parallel()
	file := "machine: " + machine + "\n" + patient + "nodes:\n"
	for _, n := range nodes {
		words := strings.Fields(n)
		words[0] = bed.Unique(t, words[0])
		bed.Start(t, words[0], append([]string{"python3", "-c", plainNodes}, words...)...)
		file += fmt.Sprintf("  /%s: {}\n", words[0])
	}
	d := daemon.Start(t, bed.StartHost(t), daemon.Config{Binary: binary, Network: file})
	d.Intact(first)
	return d
}

func wantPlain(t *testing.T, v daemon.View, want string) {
	t.Helper()
	var states []string
	for _, n := range v.Nodes {
		states = append(states, n.State.Label)
	}
	if got := strings.Join(states, " "); got != want {
		t.Errorf("the nodes are %s, want %s", got, want)
	}
}

// TestNRPOverPlainNodes: the life of a simulation over nodes that were not written for rstate: a repeat, a reset, a
// hook that throws, and the end.
func TestNRPOverPlainNodes(t *testing.T) {
	d := plain(t, "nrp", "created", "world", "engine deactivate=throws")
	d.Do("initialized", "succeeded done paused")
	d.Do("initialized", "succeeded already paused")
	d.Do("started", "succeeded done started")
	wantPlain(t, d.Intact("started"), "active active")
	d.Do("paused", "aborted restored halted") // N1
	wantPlain(t, d.Intact("halted"), "inactive inactive")
	d.Rejected("started", "not legal in halted", "stopped")
	d.Do("stopped", "succeeded done failed")
	if code := d.Process.Wait(t); code != 1 {
		t.Errorf("the daemon ended with %d, want 1", code)
	}
}

// TestNRPStopsPlainNodes: from created, paused and started.
func TestNRPStopsPlainNodes(t *testing.T) {
	d := plain(t, "nrp", "created", "world", "engine")
	d.Do("initialized", "succeeded done paused")
	d.Do("reset", "succeeded done paused")
	d.Do("started", "succeeded done started")
	d.Do("stopped", "succeeded done stopped")
	if code := d.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d, want 0", code)
	}
}

// TestRockOverPlainNodes: the life of components that were not written for rstate: hooks that say no or throw,
// exception, reset, fatal, and the end.
func TestRockOverPlainNodes(t *testing.T) {
	d := plain(t, "rock", "preoperational", "camera configure=refuses activate=throws deactivate=throws", "motion")
	d.Do("configure", "aborted restored preoperational")
	wantPlain(t, d.Intact("preoperational"), "unconfigured unconfigured")
	d.Do("configure", "succeeded done stopped")
	d.Do("start", "aborted restored stopped")
	wantPlain(t, d.Intact("stopped"), "inactive inactive")
	d.Do("start", "succeeded done running")
	d.Do("stop", "aborted restored exception")
	wantPlain(t, d.Intact("exception"), "unconfigured unconfigured")
	d.Do("reset", "succeeded done preoperational")
	d.Do("configure", "succeeded done stopped")
	d.Do("start", "succeeded done running")
	d.Do("stop", "succeeded done stopped")
	d.Do("cleanup", "succeeded done preoperational")
	d.Do("shutdown", "succeeded done finalized")
	if code := d.Process.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d, want 0", code)
	}
}
