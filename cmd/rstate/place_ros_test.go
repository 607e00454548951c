//go:build ros

package main

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// ownSettings makes the settings of the middleware those that people have: its own transports, and no
// profile but the one that we bring.
func ownSettings(t *testing.T) {
	t.Helper()
	for _, name := range []string{"FASTDDS_BUILTIN_TRANSPORTS", "FASTDDS_DEFAULT_PROFILES_FILE",
		"FASTRTPS_DEFAULT_PROFILES_FILE"} {
		t.Setenv(name, "") // so that it is back after the test
		os.Unsetenv(name)
	}
}

// output collects what a process writes to a pipe.
type output struct {
	sync.Mutex
	strings.Builder
}

func (o *output) Write(text []byte) (int, error) {
	o.Lock()
	defer o.Unlock()
	return o.Builder.Write(text)
}

func (o *output) String() string {
	o.Lock()
	defer o.Unlock()
	return o.Builder.String()
}

// TestF9DisarmUnderALaunchFile: a robot that a launch file with a ROS node started is armed. SIGTERM ends the launch
// file, which has left its sockets to the daemon and read its output. The armed daemon writes to the closed pipe. The
// robot is disarmed by way of the noted port.
func TestF9DisarmUnderALaunchFile(t *testing.T) {
	ownSettings(t)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	parent, _, out := bed.StartPiped(t, "launch", bed.Command{
		Args: []string{"python3", "testdata/parent.py", os.Args[0], "run", file, "--log", "text", "--ros-args", "-r",
			"__node:=" + name},
		Env: []string{beRstate + "=1"},
	})
	var said output
	go func() { _, _ = io.Copy(&said, out) }()
	bed.Eventually(t, "the daemon is ready", func() (string, bool) {
		return said.String(), strings.Contains(said.String(), "the network is unconfigured")
	})
	for _, command := range []string{"active", "arm"} {
		do(t, exitDone, "send", command, "--node", name)
	}
	parent.Signal(syscall.SIGTERM)
	if code := parent.Wait(t); code != -1 {
		t.Errorf("SIGTERM did not end the parent: it ended with %d", code)
	}
	do(t, exitRejected, "send", "configure", "--node", name) // the daemon logs
	bed.Eventually(t, "the daemon is armed, and its pipe is closed", func() (string, bool) {
		state := staysArmed(t, name, "armed")
		return state, strings.Contains(state, "): armed\n") && strings.Contains(state, "the console is closed")
	})
	began := time.Now()
	answer := do(t, exitDone, "send", "disarm", "--node", name)
	t.Logf("the disarm took %v", time.Since(began).Round(time.Millisecond))
	bed.Eventually(t, "a client finds the daemon at the port that it has noted", func() (string, bool) {
		before := answer // a client that had no processor for 2 s looks everywhere
		answer = do(t, exitDone, "status", "--node", name)
		return before, !strings.Contains(before, "looking everywhere")
	})
	if state := do(t, exitDone, "status", "--node", name); !strings.Contains(state, "): active\n") {
		t.Errorf("after the disarm the state is:\n%s", state)
	}
	do(t, exitDone, "send", "shutdown", "--node", name)
}

// TestF9AClientLooksEverywhere: where the daemon has noted that it listens, another process does. Verbs for one goal or
// question say so, and find the daemon all the same, also with an authority that can be read once.
func TestF9AClientLooksEverywhere(t *testing.T) {
	ownSettings(t)
	locks := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", locks)
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name, "-p", "autostart:=active")
	says(t, daemon, "the network is active")
	misplace(t, locks)
	args := []string{"send", "arm", "--authority-file", "/dev/stdin", "--node", name, "--timeout", "30s"}
	code, said := exitFailed, ""
	timely(t, args, func() (int, string) {
		p, in, _ := bed.StartPiped(t, "rstate send",
			bed.Command{Args: append([]string{os.Args[0]}, args...), Env: []string{beRstate + "=1"}})
		_, _ = io.WriteString(in, "sesame\n")
		in.Close()
		code = p.Wait(t)
		said = p.Log()
		return code, said
	})
	if code != exitDone || strings.Count(said, "looking everywhere") != 1 {
		t.Errorf("rstate send: code %d, it said:\n%s", code, said)
	}
}

// misplace writes into the only lock file of a folder that the daemon listens where this test does.
func misplace(t *testing.T, locks string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(locks, "rstate", "*.lock"))
	if err != nil || len(files) != 1 {
		t.Fatalf("lock files %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var holder map[string]any
	if err := json.Unmarshal(text, &holder); err != nil {
		t.Fatal(err)
	}
	if holder["port"] == nil {
		t.Fatalf("the daemon has noted no port: %s", text)
	}
	holder["port"] = conn.LocalAddr().(*net.UDPAddr).Port
	if text, err = json.Marshal(holder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
}
