//go:build ros

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/test/bed"
)

// TestF7VerbsWithoutAFolderForLogs: no verb ends because the ROS libraries cannot write their log file. A daemon warns,
// and the others need none.
func TestF7VerbsWithoutAFolderForLogs(t *testing.T) {
	t.Setenv("ROS_LOG_DIR", "/proc") // also root cannot create a file there
	file, lidar, arm := twoNodes(t)
	node := rstate(t, "node", lidar, arm, "--arm", "--log", "text")
	name := bed.Unique(t, "rstate")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	for _, p := range []*bed.Process{node, daemon} {
		if !strings.Contains(p.Log(), `WARN  the ROS libraries of this process keep no log file: cannot write to the folder "/proc"`) {
			t.Errorf("%s said:\n%s", p.Name, p.Log())
		}
	}
	for _, args := range [][]string{{"status"}, {"send", "configure"}} {
		do(t, exitDone, append(args, "--node", name)...)
	}
	comesToSay(t, exitDone, nil, "doctor", "--node", name)
	do(t, exitDone, "send", "shutdown", "--node", name)
	if code := daemon.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}
}

// TestF7VerbsThatAskLeaveNoLogFile: only daemons leave one.
func TestF7VerbsThatAskLeaveNoLogFile(t *testing.T) {
	logs := filepath.Join(t.TempDir(), "log")
	t.Setenv("ROS_LOG_DIR", logs)
	do(t, exitNoROS, "status", "--timeout", "10ms")
	do(t, exitNoROS, "send", "active", "--timeout", "10ms")
	if left, err := os.ReadDir(logs); err == nil && len(left) > 0 {
		t.Errorf("they left %v", left)
	}
}
