//go:build ros

package ros

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rstate/test/bed"
)

// wrongClock returns a process for clients of this host whose wall clock is so many seconds ahead.
func wrongClock(t *testing.T, library, seconds string) *bed.Host {
	t.Helper()
	return bed.NewHostAs(t, bed.Command{Env: []string{"LD_PRELOAD=" + library, "CLOCK_OFF=" + seconds}})
}

// TestA1WithoutSeenTheTimeOfSendingCounts: a goal of this host that brings no seen arms if it was sent after the disarm. A
// client whose clock is behind by an hour sends as one whose goal has waited for an hour, or whose host has set its clock
// since.
func TestA1WithoutSeenTheTimeOfSendingCounts(t *testing.T) {
	t.Parallel()
	library := filepath.Join(t.TempDir(), "clock.so")
	build := exec.Command(cmp.Or(os.Getenv("CC"), "cc"), "-shared", "-fPIC", "-o", library, "testdata/clock.c")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := newStand(t, setup{})
	s.bring("active")
	s.Do("disarm", "succeeded already active")
	s.From(wrongClock(t, library, "-3600")).Rejected("arm", "was sent before the newest disarm, stop or other change: disarm")
	s.From(wrongClock(t, library, "3600")).Rejected("arm", "says that it was sent in the future")
	if truth := s.nodes["rear"].Truth(); truth.Armed || truth.Count("arm") > 0 {
		t.Errorf("the node was asked to arm: %+v", truth)
	}
	s.Do("arm", "succeeded done armed")
	s.Do("disarm", "succeeded done active")
}
