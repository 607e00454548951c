//go:build ros

package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
)

// TestA6ABundledNodeFollowsTheLease kills and suspends a daemon whose network is armed. A node that
// comes with rstate disarms itself when the lease has ended; one that runs with --no-lease does not.
func TestA6ABundledNodeFollowsTheLease(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			arm, free, daemonName := "/"+bed.Unique(t, "arm"), "/"+bed.Unique(t, "free"), bed.Unique(t, "rstate")
			file := networkFile(t, fmt.Sprintf("simulation: %s\nproof: 5s\nnodes:\n  %s: {arm: {}}\n  %s: {arm: {dead_man: none}}\n", bed.Unique(t, "demo"), arm, free))
			node := rstate(t, "node", arm, "--arm", "--lease", "/"+daemonName+"/arm_lease", "--log", "text")
			other := rstate(t, "node", free, "--arm", "--no-lease", "--log", "text")
			daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+daemonName)
			says(t, daemon, "the network is unconfigured")
			do(t, exitDone, "send", "armed", "--node", daemonName)
			daemon.Signal(signal)
			t.Cleanup(func() { daemon.Signal(syscall.SIGCONT) })
			says(t, node, "disarmed itself: its arm lease has ended")
			// since it was armed
			if _, log, _ := strings.Cut(other.Log(), " armed\n"); strings.Contains(log, "disarmed") {
				t.Errorf("the other node follows no lease, and said:\n%s", log)
			}
		})
	}
}

// TestANodeWithoutALeaseToFollowIsNotArmed: the node subscribes to the topic of another daemon,
// which renews nothing.
func TestANodeWithoutALeaseToFollowIsNotArmed(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	rstate(t, "node", lidar, arm, "--arm", "--lease", "elsewhere/arm_lease", "--log", "text")
	name := bed.Unique(t, "rstate")
	says(t, rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name), "the network is unconfigured")
	if said := do(t, exitFailed, "send", "armed", "--node", name); !strings.Contains(said,
		"no arm lease holds: nothing renews /elsewhere/arm_lease") {
		t.Errorf("send said:\n%s", said)
	}
}
