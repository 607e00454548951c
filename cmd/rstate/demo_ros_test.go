//go:build ros

package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
)

// stock removes the middleware settings of the bed, so that the demo uses its own. It returns the
// folder for temporary files, which must be empty at the end.
func stock(t *testing.T) (scratch string) {
	t.Helper()
	for _, name := range []string{"FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"} {
		t.Setenv(name, "") // so that it is back after the test
		os.Unsetenv(name)
	}
	scratch = t.TempDir()
	t.Setenv("TMPDIR", scratch)
	return scratch
}

// leavesNothing fails the test if a demo that has ended has left a process or a file.
func leavesNothing(t *testing.T, procs []string, scratch string) {
	t.Helper()
	for _, proc := range procs {
		if !gone(proc) {
			t.Errorf("%s is left", proc)
		}
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestDemoGoesAsExpected(t *testing.T) {
	scratch := stock(t)
	p := rstate(t, "demo", "--pace", "0s")
	says(t, p, "2. ")
	procs := children(t, p)
	if len(procs) != 5 {
		t.Errorf("it has started %v, want four nodes and a daemon", procs)
	}
	for _, scene := range []string{"5. ", "8. "} { // each within the deadline of a condition
		says(t, p, scene)
		procs = append(procs, children(t, p)...)
	}
	n := len(story())
	if code := p.Wait(t); code != exitDone || !strings.HasSuffix(p.Log(), fmt.Sprintf("%d of %d scenes as expected\n", n, n)) {
		t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
	}
	leavesNothing(t, procs, scratch)
}

func TestCtrlCEndsTheDemoAtAnyPoint(t *testing.T) {
	for _, point := range []string{"1. ", "  configuring", "/arm_driver is armed", "$ kill"} {
		t.Run(strings.TrimSpace(point), func(t *testing.T) {
			scratch := stock(t)
			p := rstate(t, "demo", "--pace", "100ms")
			says(t, p, point)
			procs := children(t, p)
			p.Signal(syscall.SIGINT)
			if code := p.Wait(t); code != exitCancelled || !strings.Contains(p.Log(), "Ending everything: it got interrupt") || !strings.HasSuffix(p.Log(), " scenes as expected\n") {
				t.Errorf("it ended with %d; it said:\n%s", code, p.Log())
			}
			leavesNothing(t, procs, scratch)
		})
	}
}

func TestWhatTheDemoStartedEndsWithItWhenItIsKilled(t *testing.T) {
	stock(t)
	p := rstate(t, "demo", "--pace", "0s")
	says(t, p, "2. ")
	procs := children(t, p)
	p.Signal(syscall.SIGKILL)
	for _, proc := range procs {
		bed.Eventually(t, proc+" ends", func() (string, bool) { return "", gone(proc) })
	}
}

// TestDemoKeepsOutOfAStrangersDomain: the domain that the user has set has nodes with names of the demo.
func TestDemoKeepsOutOfAStrangersDomain(t *testing.T) {
	bed.StartHost(t).Node(bed.NodeSpec{Name: "/lidar"})
	said := do(t, exitBadInput, "demo", "--pace", "0s")
	if !strings.Contains(said, "there is /lidar") || !strings.Contains(said, "unset ROS_DOMAIN_ID") {
		t.Errorf("it said:\n%s", said)
	}
}

func TestOptionsOfDemo(t *testing.T) {
	for _, args := range [][]string{{"--pace", "1h"}, {"--pace", "-1s"}, {"--pace", "soon"}, {"file.yaml"}} {
		if code, out, errs := invoke(append([]string{"demo"}, args...)...); code != exitBadInput || out != "" || errs == "" {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
}
