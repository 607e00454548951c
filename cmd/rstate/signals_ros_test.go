//go:build ros

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rstate/test/bed"
)

// reader reads what a process writes, as whatever has started it does, until it closes its end.
type reader struct {
	*bed.Process
	file *os.File
	mu   sync.Mutex
	text bytes.Buffer
}

// readBy starts a command line whose stdout and stderr are one pipe to the test.
func readBy(t *testing.T, args ...string) *reader {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &reader{Process: bed.StartCommand(t, "rstate "+args[0], bed.Command{
		Args: append([]string{"sh", "-c", `exec "$@" >"$TO" 2>&1`, "sh", os.Args[0]}, args...),
		Env:  []string{beRstate + "=1", "TO=" + fifo},
	})}
	var err error
	if r.file, err = os.Open(fifo); err != nil {
		t.Fatal(err)
	}
	go func() {
		part := make([]byte, 4096)
		for {
			n, err := r.file.Read(part)
			r.mu.Lock()
			r.text.Write(part[:n])
			r.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return r
}

func (r *reader) says(t *testing.T, words string) {
	t.Helper()
	bed.Eventually(t, r.Name+" says "+words, func() (string, bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.text.String(), strings.Contains(r.text.String(), words)
	})
}

// TestF7AClosedPipeEndsNothing: the daemon, its nodes and a guard go on when what reads their log has gone. The daemon
// stays armed, says so in its state and its journal, and ends as always.
func TestF7AClosedPipeEndsNothing(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	nodes := readBy(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	daemon := readBy(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	guard := readBy(t, "guard", arm+"/arm", "--node", "/"+name, "--log", "text")
	daemon.says(t, "the network is unconfigured")
	guard.says(t, "/"+name)
	do(t, exitDone, "send", "active", "--node", name)
	do(t, exitDone, "send", "arm", "--node", name)
	for _, r := range []*reader{nodes, daemon, guard} {
		r.file.Close()
	}
	do(t, exitRejected, "send", "configure", "--node", name) // the daemon logs
	bed.Eventually(t, "the state says that the console is closed", func() (string, bool) {
		said := staysArmed(t, name, "armed")
		return said, strings.Contains(said, ": armed") && strings.Contains(said, "the console is closed (broken pipe)")
	})
	if said := do(t, exitDone, "history", "--kind", "console", "--node", name); strings.Count(said,
		"the console is closed") != 1 {
		t.Errorf("the journal says:\n%s", said)
	}
	do(t, exitDone, "send", "disarm", "--node", name) // the node and the guard log
	do(t, exitDone, "send", "inactive", "--node", name)
	for _, r := range []*reader{nodes, daemon, guard} {
		r.Signal(syscall.SIGTERM)
		if code := r.Wait(t); code != exitDone {
			t.Errorf("%s ended with %d", r.Name, code)
		}
	}
}

// TestF7UpOutlivesItsReader: with all that it has started.
func TestF7UpOutlivesItsReader(t *testing.T) {
	hangsUp()
	file, _, _ := twoNodes(t)
	name := bed.Unique(t, "rstate")
	up := readBy(t, "up", file, "--ros-args", "-r", "__node:="+name)
	up.says(t, "send arm --node")
	up.file.Close()
	do(t, exitDone, "send", "active", "--node", name)
	do(t, exitDone, "send", "arm", "--node", name)
	up.Signal(syscall.SIGHUP)
	if code := up.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}
}

// TestF7SIGHUPStopsAsSIGTERMDoes: what is armed is disarmed. Where it was ignored from the beginning it is ignored.
func TestF7SIGHUPStopsAsSIGTERMDoes(t *testing.T) {
	hangsUp()
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	nodes := rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	run := []string{"run", file, "--log", "text", "--ros-args", "-r", "__node:=" + name}
	daemon := rstate(t, run...)
	says(t, daemon, "the network is unconfigured")
	do(t, exitDone, "send", "active", "--node", name)
	do(t, exitDone, "send", "arm", "--node", name)
	daemon.Signal(syscall.SIGHUP)
	if code := daemon.Wait(t); code != exitDone || !strings.Contains(daemon.Log(), "it got hangup") {
		t.Errorf("it ended with %d; it said:\n%s", code, daemon.Log())
	}
	says(t, nodes, "disarmed")

	ignores := bed.StartCommand(t, "nohup rstate run",
		bed.Command{Args: append([]string{"nohup", os.Args[0]}, run...), Env: []string{beRstate + "=1"}})
	says(t, ignores, "the network is active")
	do(t, exitDone, "send", "arm", "--node", name)
	ignores.Signal(syscall.SIGHUP)
	if said := staysArmed(t, name, "armed"); !strings.Contains(said, ": armed") {
		t.Errorf("after SIGHUP under nohup:\n%s", said)
	}
	ignores.Signal(syscall.SIGTERM)
	if code := ignores.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}

	nodes.Signal(syscall.SIGHUP)
	if code := nodes.Wait(t); code != exitDone {
		t.Errorf("the nodes ended with %d", code)
	}
}
