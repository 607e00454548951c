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

	"rstate/test/bed"
	"rstate/test/bed/manager"
)

// serviceOf starts a command line as a service of a manager that wants a sign of life every tenth
// of a second. An abort leaves no core file.
func serviceOf(t *testing.T, m *manager.Manager, args ...string) *bed.Process {
	t.Helper()
	return bed.StartCommand(t, "rstate "+args[0], bed.Command{
		Args: append([]string{"sh", "-c", `ulimit -c 0; exec "$@"`, "sh", os.Args[0]}, args...),
		Env:  []string{beRstate + "=1", "NOTIFY_SOCKET=" + m.Address, "WATCHDOG_USEC=400000", "GOTRACEBACK=crash"}})
}

// hears waits until a service has said a line.
func hears(t *testing.T, m *manager.Manager, line string) {
	t.Helper()
	hearsMore(t, m, line, 0)
}

// hearsMore waits until a service has said a line more often than that.
func hearsMore(t *testing.T, m *manager.Manager, line string, than int) {
	t.Helper()
	bed.Eventually(t, "the manager hears "+line, func() (string, bool) {
		n := 0
		lines := m.Lines(t)
		for _, l := range lines {
			if strings.HasPrefix(l, line) {
				n++
			}
		}
		return strings.Join(lines, "\n"), n > than
	})
}

// endsInOrder stops a service, which says so before it ends with the code.
func endsInOrder(t *testing.T, m *manager.Manager, p *bed.Process, line string) {
	t.Helper()
	p.Signal(syscall.SIGTERM)
	bed.Eventually(t, p.Name+" has ended", func() (string, bool) {
		lines := m.Lines(t) // the service waits while its socket is full
		select {
		case <-p.Done():
			return "", true
		default:
			return strings.Join(lines, "\n"), false
		}
	})
	if code := p.Wait(t); code != exitDone {
		t.Errorf("%s ended with %d", p.Name, code)
	}
	lines := m.Lines(t)
	for _, want := range []string{"READY=1", "STOPPING=1", line} {
		if n := len(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l != want })); n != 1 {
			t.Errorf("%s has said %s %d times:\n%s", p.Name, want, n, strings.Join(lines, "\n"))
		}
	}
	if slices.Index(lines, "STOPPING=1") < slices.Index(lines, "READY=1") {
		t.Errorf("%s has said:\n%s", p.Name, strings.Join(lines, "\n"))
	}
}

// TestS11TheDaemonAsAService: it is ready when clients can use it, although no node is there. A
// second daemon of the name never is. The states of the network are its status, and a signal stops
// it in order.
func TestS11TheDaemonAsAService(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	m, second := manager.New(t), manager.New(t)
	daemon := serviceOf(t, m, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	hears(t, m, "READY=1")
	do(t, exitRejected, "send", "active", "--node", name, "--timeout", "30s") // it answers; its nodes are missing
	other := serviceOf(t, second, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	if code := other.Wait(t); code != exitRejected {
		t.Errorf("the second one ended with %d", code)
	}
	if n := second.Count(t, "READY=1"); n != 0 {
		t.Errorf("the second one has said READY=1 %d times", n)
	}
	rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	hears(t, m, "STATUS=unconfigured")
	do(t, exitDone, "send", "active", "--node", name)
	hears(t, m, "STATUS=active")
	hearsMore(t, m, "WATCHDOG=1", m.Count(t, "WATCHDOG=1")+2)
	endsInOrder(t, m, daemon, "STATUS=stopping: it got terminated")
	if n := m.Count(t, "EXTEND_TIMEOUT_USEC="); n < 1 {
		t.Error("it has not asked for the time to close")
	}
}

// TestS11AnAbortIsNoBadInput: a daemon that the watchdog ends dies of the signal, so that systemd
// starts it again. The exit code 2 of Go would be that of a network file with faults, which systemd
// does not start again.
func TestS11AnAbortIsNoBadInput(t *testing.T) {
	file, _, _ := twoNodes(t)
	m := manager.New(t)
	p := serviceOf(t, m, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+bed.Unique(t, "rstate"))
	hears(t, m, "READY=1")
	p.Signal(syscall.SIGABRT)
	if code := p.Wait(t); code >= 0 || !strings.Contains(p.Log(), "SIGABRT") {
		t.Errorf("it ended with exit code %d, and said:\n%s", code, p.Log())
	}
}

// TestS11TheGuardAsAService: its own loop feeds the watchdog.
func TestS11TheGuardAsAService(t *testing.T) {
	m := manager.New(t)
	guard := serviceOf(t, m, "guard", "/"+bed.Unique(t, "arm")+"/arm", "--node", "/"+bed.Unique(t, "rstate"),
		"--log", "text")
	hears(t, m, "READY=1")
	hears(t, m, "STATUS=guards nothing: no publisher on ")
	hearsMore(t, m, "WATCHDOG=1", m.Count(t, "WATCHDOG=1")+2)
	endsInOrder(t, m, guard, "STATUS=stopping: it was asked to end")
}

// TestS11TheFactoryAsAService: the loop that serves ROS feeds the watchdog.
func TestS11TheFactoryAsAService(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "lab.yaml"), []byte("simulation: $(sim)\nnodes: {/lidar_$(sim): {}}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	m := manager.New(t)
	factory := serviceOf(t, m, "factory", "--experiments", folder, "--log", "text", "--ros-args", "-r",
		"__ns:=/"+bed.Unique(t, "lab"))
	hears(t, m, "READY=1")
	hears(t, m, "STATUS=0 simulations")
	hearsMore(t, m, "WATCHDOG=1", m.Count(t, "WATCHDOG=1")+2)
	endsInOrder(t, m, factory, "STATUS=stopping: it got terminated")
}

// TestS11UpSpeaksForItsDaemon: systemd hears the main process of a service only.
func TestS11UpSpeaksForItsDaemon(t *testing.T) {
	file, _, _ := twoNodes(t)
	m := manager.New(t)
	up := serviceOf(t, m, "up", file, "--ros-args", "-r", "__node:="+bed.Unique(t, "rstate"))
	hears(t, m, "READY=1")
	hears(t, m, "STATUS=unconfigured")
	hears(t, m, "WATCHDOG=1")
	endsInOrder(t, m, up, "STATUS=stopping: it got terminated")
}

// TestC1AHookHearsOfEachChange: the example runs its command at each change that rstate watch
// shows, also when the daemon gives no sign of life and when it is back.
func TestC1AHookHearsOfEachChange(t *testing.T) {
	folder := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(folder, "rstate")); err != nil {
		t.Fatal(err)
	}
	command, told := filepath.Join(folder, "on-state"), filepath.Join(folder, "told")
	script := "#!/bin/sh\necho \"$1 to $2\" >>" + told + "\n[ $2 != silent ]\n"
	if err := os.WriteFile(command, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	name, daemon := startNetwork(t)
	hook := bed.StartCommand(t, "on_state.py", bed.Command{
		Args: []string{"python3", "../../packaging/systemd/examples/on_state.py", "--node", "/" + name, command},
		Env:  []string{beRstate + "=1", "PATH=" + folder + ":" + os.Getenv("PATH")}})
	await := func(want string) {
		t.Helper()
		change := regexp.MustCompile("(?m)^" + want)
		bed.Eventually(t, "the hook hears "+want, func() (string, bool) {
			text, _ := os.ReadFile(told)
			return string(text) + hook.Log(), change.Match(text)
		})
	}
	await("none to unconfigured\n")
	do(t, exitDone, "send", "configure", "--node", name)
	await("(configuring|unknown) to inactive\n") // unknown if the daemon did not run for a while
	daemon.Freeze()
	await("inactive to silent\n")
	daemon.Thaw()
	await("silent to ")
	says(t, hook, "inactive silent ended with 1") // and the hook goes on
	hook.Signal(syscall.SIGINT)
	hook.Wait(t)
}
