//go:build ros

package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// TestA6ABundledNodeFollowsTheLease kills and suspends a daemon whose network is armed. The node
// that comes with rstate disarms itself, unless it runs with --no-lease.
func TestA6ABundledNodeFollowsTheLease(t *testing.T) {
	const proof, allow = 500 * time.Millisecond, 2 * time.Second // a busy machine schedules late
	for name, c := range map[string]struct {
		signal  syscall.Signal
		deadMan string
		flags   []string
		disarms bool
	}{
		"killed":                {syscall.SIGKILL, "lease", nil, true},
		"stopped":               {syscall.SIGSTOP, "lease", nil, true},
		"killed, without lease": {syscall.SIGKILL, "none", []string{"--no-lease"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			arm, daemonName := "/"+bed.Unique(t, "arm"), bed.Unique(t, "rstate")
			file := networkFile(t, fmt.Sprintf("simulation: %s\nproof: %v\nnodes:\n  %s: {arm: {dead_man: %s}}\n", bed.Unique(t, "demo"), proof, arm, c.deadMan))
			node := rstate(t, append([]string{"node", arm, "--arm", "--lease", "/" + daemonName + "/arm_lease", "--log", "text"}, c.flags...)...)
			daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+daemonName)
			says(t, daemon, "the network is unconfigured")
			do(t, exitDone, "send", "armed", "--node", daemonName)
			begin := time.Now()
			daemon.Signal(c.signal)
			t.Cleanup(func() { daemon.Signal(syscall.SIGCONT) })
			if !c.disarms {
				time.Sleep(proof + allow)
				if log := node.Log(); strings.Contains(log, "disarmed") {
					t.Errorf("the node follows no lease, and said:\n%s", log)
				}
				return
			}
			says(t, node, "disarmed itself: its arm lease has ended")
			took := time.Since(begin)
			t.Logf("the node disarmed %v after the signal", took.Round(time.Millisecond))
			if took > proof+allow {
				t.Errorf("the node disarmed %v after the signal, and its lease was good for %v", took, proof)
			}
		})
	}
}

// TestANodeWithoutALeaseToFollowIsNotArmed: the node subscribes to the topic of another daemon,
// which renews nothing.
func TestANodeWithoutALeaseToFollowIsNotArmed(t *testing.T) {
	file, lidar, arm := demo(t)
	rstate(t, "node", lidar, arm, "--arm", "--lease", "elsewhere/arm_lease", "--log", "text")
	name := bed.Unique(t, "rstate")
	says(t, rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name), "the network is unconfigured")
	if said := do(t, exitFailed, "send", "armed", "--node", name); !strings.Contains(said, "no arm lease holds: nothing renews /elsewhere/arm_lease") {
		t.Errorf("send said:\n%s", said)
	}
}
