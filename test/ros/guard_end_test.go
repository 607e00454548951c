//go:build ros && !patient

package ros

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestA13AGuardThatEndsIsHeard: its last word is not lost with its process, although the daemon stands still when the
// guard says it, and nothing is armed for which it would wait.
func TestA13AGuardThatEndsIsHeard(t *testing.T) {
	g := newRequired(t)
	guard, id := g.starts()
	t.Cleanup(g.daemon.Thaw)
	g.daemon.Freeze()
	guard.Signal(syscall.SIGTERM)
	select {
	case <-guard.Done():
		t.Errorf("the guard has ended, and the daemon cannot have heard it; its log:\n%s", guard.Log())
	case <-time.After(300 * time.Millisecond): // it waits for a second
	}
	g.daemon.Thaw()
	g.shows("the guard has ended", func(s InstanceState) bool { return s.guardIs(id, "has ended") })
	if code := guard.Wait(t); code != 0 {
		t.Errorf("the guard ended with code %d; its log:\n%s", code, guard.Log())
	}
}

// TestA13AGuardThatEndsAfterItsDaemon: it waits for no word of a daemon that has ended.
func TestA13AGuardThatEndsAfterItsDaemon(t *testing.T) {
	g := newRequired(t)
	g.starts()
	g.daemon.Signal(syscall.SIGTERM)
	g.daemon.Wait(t)
	g.ends(0)
	if strings.Contains(g.guard.Log(), "does not show that this guard has ended") {
		t.Errorf("the guard waited for a daemon that had ended; its log:\n%s", g.guard.Log())
	}
}
