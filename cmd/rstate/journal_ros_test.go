//go:build ros

package main

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/internal/journal"
	"rstate/test/bed"
)

// TestKilledDaemonComesBackWhereItWas: after kill -9 the next daemon adopts the state; rstate why
// reports both.
func TestKilledDaemonComesBackWhereItWas(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	rstate(t, "node", lidar, arm, "--arm", "--log", "text")
	name := bed.Unique(t, "rstate")
	run := []string{"run", file, "--log", "text", "--ros-args", "-r", "__node:=" + name}
	daemon := rstate(t, run...)
	says(t, daemon, "the network is unconfigured")
	do(t, exitDone, "send", "active", "--node", name)
	comesToSay(t, exitDone, []string{"The network is active since "}, "why", "--node", name)
	daemon.Kill()
	if said := do(t, exitDone, "why", "--node", name); !strings.Contains(said, "\nThe network was active at ") ||
		!strings.Contains(said, "rstate ended without a word") {
		t.Errorf("of a dead daemon why said:\n%s", said)
	}
	again := rstate(t, run...)
	says(t, again, "the network is active")
	said := do(t, exitDone, "why", "--node", name)
	for _, part := range []string{"The network is active since ", "as rstate found it when it started",
		"rstate ended without a word"} {
		if !strings.Contains(said, part) {
			t.Errorf("why does not say %q:\n%s", part, said)
		}
	}
	if said := do(t, exitDone, "history", "--node", name, "--kind", "start"); strings.Count(said,
		"rstate starts as") != 2 {
		t.Errorf("history said:\n%s", said)
	}
	again.Signal(syscall.SIGTERM)
	if code := again.Wait(t); code != exitDone {
		t.Errorf("it ended with %d; it said:\n%s", code, again.Log())
	}
	if said := do(t, exitDone, "why", "--node", name); !strings.Contains(said, "rstate ends at") {
		t.Errorf("after its end why said:\n%s", said)
	}
}

// TestUnwritableJournalIsSaidAndStopsNothing, unless the network file requires one; and then only arming.
func TestUnwritableJournalIsSaidAndStopsNothing(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append([]byte("journal: required\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	rstate(t, "node", lidar, arm, "--arm", "--log", "text")
	name := bed.Unique(t, "rstate")
	daemon := rstate(t, "run", file, "--log", "text", "--journal", "/proc/nowhere", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	do(t, exitDone, "send", "active", "--node", name)
	if said := do(t, exitDone, "status", "--node", name); !strings.Contains(said,
		`warning: cannot write journal "/proc/nowhere"`) {
		t.Errorf("status said:\n%s", said)
	}
	if said := do(t, exitRejected, "send", "arm", "--node", name); !strings.Contains(said,
		"the network file says journal: required, and cannot write journal") {
		t.Errorf("arm said:\n%s", said)
	}
	do(t, exitDone, "send", "shutdown", "--node", name)
	if code := daemon.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}
	if n := strings.Count(daemon.Log(), "ERROR"); n != 1 {
		t.Errorf("it was told %d times:\n%s", n, daemon.Log())
	}
}

// TestJ5WhyAsksTheDaemon: a daemon of another account, with another journal folder, tells its own story. The journal
// that lies where a daemon of that name usually has it is another robot's.
func TestJ5WhyAsksTheDaemon(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	rstate(t, "node", lidar, arm, "--arm", "--log", "text")
	name, own := bed.Unique(t, "rstate"), t.TempDir()
	theirs, ours := t.TempDir(), t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", theirs)
	daemon := rstate(t, "run", file, "--log", "text", "--journal", own, "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")

	t.Setenv("XDG_RUNTIME_DIR", ours)
	t.Setenv("ROS_HOME", t.TempDir())
	_, j := written(t, "/"+name, morning())
	if err := j.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	if said := do(t, exitDone, "why", "--node", name); !strings.HasPrefix(said, "The network is unconfigured since ") {
		t.Errorf("why said:\n%s", said)
	}
	said := do(t, exitDone, "history", "--node", name, "--about", lidar)
	if !strings.Contains(said, lidar+" is there") || strings.Contains(said, "this is from journal") ||
		strings.Contains(said, "/slam") {
		t.Errorf("history said:\n%s", said)
	}
	said = do(t, exitDone, "history", "--node", name, "--last", "1", "--kind", "start", "-o", "json")
	var line journal.Line
	if err := json.Unmarshal([]byte(said), &line); err != nil || line.File != file || line.Domain == "" {
		t.Errorf("%v, history said:\n%s", err, said)
	}
	following := rstate(t, "history", "--node", name, "--follow", "--last", "1")
	bed.Eventually(t, "the last line", func() (string, bool) { return "", strings.Count(following.Log(), "\n") == 1 })
	do(t, exitDone, "send", "configure", "--node", name)
	says(t, following, "configure succeeded")
	if n := strings.Count(following.Log(), "configure was asked for"); n < 1 {
		t.Errorf("it does not follow:\n%s", following.Log())
	}

	daemon.Kill()
	t.Setenv("XDG_RUNTIME_DIR", theirs)
	said = do(t, exitDone, "why", "--node", name)
	if !strings.Contains(said, "The network was inactive at ") ||
		!strings.Contains(said, `this is from journal "`+own+`" of simulation `) {
		t.Errorf("of the dead daemon why said:\n%s", said)
	}
}
