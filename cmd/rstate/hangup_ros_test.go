//go:build ros

package main

import (
	"os"
	"strings"
	"testing"

	"rstate/test/bed"
)

// inWindow runs a command line on a terminal of its own.
func inWindow(t *testing.T, args ...string) *bed.Terminal {
	t.Helper()
	return bed.StartOnTerminal(t, "rstate "+args[0], bed.Command{
		Args: append([]string{os.Args[0]}, args...), Env: []string{beRstate + "=1"},
	}, 160, 40)
}

// TestF7ATerminalThatHangsUpDisarms: the window in which rstate run or up was started is closed while the network is armed.
func TestF7ATerminalThatHangsUpDisarms(t *testing.T) {
	hangsUp()
	for name, start := range map[string]func(file string, nodes []string, ros ...string) *bed.Terminal{
		"run": func(file string, nodes []string, ros ...string) *bed.Terminal {
			says(t, rstate(t, nodes...), nodes[1])
			return inWindow(t, append([]string{"run", file, "--log", "text"}, ros...)...)
		},
		"up": func(file string, _ []string, ros ...string) *bed.Terminal {
			return inWindow(t, append([]string{"up", file}, ros...)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			file, lidar, arm := twoNodes(t)
			daemon := bed.Unique(t, "rstate")
			it := start(file, []string{"node", lidar, arm, "--arm", "--lease", "/" + daemon + "/arm_lease", "--log", "text"},
				"--ros-args", "-r", "__node:="+daemon)
			it.Shows(t, "a network that is unconfigured", func(seen string) bool { return strings.Contains(seen, "unconfigured") })
			do(t, exitDone, "send", "active", "--node", daemon)
			do(t, exitDone, "send", "arm", "--node", daemon)
			it.HangUp()
			if code := it.Wait(t); code != exitDone { // exitUnclean: something may still be armed
				t.Errorf("it ended with %d", code)
			}
			said := do(t, exitDone, "history", "--node", daemon)
			if _, end, stops := strings.Cut(said, "rstate is to stop"); !stops || !strings.Contains(end, arm+" is disarmed") {
				t.Errorf("the journal says:\n%s", said)
			}
		})
	}
}

// TestC13AnArmWhoseTerminalHangsUp: its daemon is suspended, and the window is closed in which a person wanted to arm.
// When the daemon goes on, nothing is armed.
func TestC13AnArmWhoseTerminalHangsUp(t *testing.T) {
	hangsUp()
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	nodes := rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	do(t, exitDone, "send", "active", "--node", name)
	daemon.Freeze()
	t.Cleanup(daemon.Thaw)
	send := inWindow(t, "send", "arm", "--node", name, "--timeout", "60s")
	send.Shows(t, "that it waits", func(seen string) bool { return strings.Contains(seen, "waiting for it") })
	send.HangUp()
	send.Wait(t)
	daemon.Thaw()
	do(t, exitDone, "send", "inactive", "--node", name) // what came before that has been answered
	if said := do(t, exitDone, "history", "--node", name); strings.Contains(said, "arming") ||
		strings.Contains(nodes.Log(), "  armed") {
		t.Errorf("the journal says:\n%s\nthe nodes say:\n%s", said, nodes.Log())
	}
}

// TestC13AnArmIsSentAtOnceOrNotAtAll: a goal that can arm is not sent if its daemon was first seen too long after the
// start. Every other goal is, and so is one that brings what its script has read itself.
func TestC13AnArmIsSentAtOnceOrNotAtAll(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	do(t, exitDone, "send", "active", "--node", name, "--patience", "1ns")
	late := func(args ...string) string {
		p := rstate(t, append([]string{"send", "--node", name, "--patience", "1ns"}, args...)...)
		if code := p.Wait(t); code != exitRejected {
			t.Errorf("%q ended with %d", args, code)
		}
		return p.Log()
	}
	for _, word := range []string{"arm", "armed"} {
		if said := late(word); !strings.Contains(said, "cannot "+word+": it was not sent") ||
			!strings.Contains(said, "send it again") || strings.Contains(daemon.Log(), word+" is rejected") {
			t.Errorf("it said:\n%s", said)
		}
	}
	if said := late("arm", "-o", "json"); !strings.Contains(said, `"outcome": "rejected"`) {
		t.Errorf("for programs it said:\n%s", said)
	}
	seen := func() string {
		_, after, _ := strings.Cut(do(t, exitDone, "status", "--node", name, "-o", "json"), `"seen": "`)
		text, _, _ := strings.Cut(after, `"`)
		return text
	}
	before := seen()
	do(t, exitDone, "send", "disarm", "--node", name, "--patience", "1ns")
	if said := late("arm", "--seen", before); !strings.Contains(said, "has come since you looked") {
		t.Errorf("with what was seen before a disarm, %q, it said:\n%s", before, said)
	}
	do(t, exitDone, "send", "arm", "--node", name, "--patience", "1ns", "--seen", seen())
	do(t, exitBadInput, "send", "arm", "--node", name, "--patience", "0s")
}
