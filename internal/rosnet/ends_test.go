//go:build ros

package rosnet

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/test/bed"
)

// TestS4EndOfAProcessIsTold: here the middleware detects the end of a process after ten minutes,
// and the kernel at once. The nodes of one process share one hold, and a suspended process has not
// ended.
func TestS4EndOfAProcessIsTold(t *testing.T) {
	host, other := bed.NewHost(t, bed.LongLease(t)...), bed.NewHost(t, bed.LongLease(t)...)
	one, two, three := "/"+bed.Unique(t, "one"), "/"+bed.Unique(t, "two"), "/"+bed.Unique(t, "three")
	host.Node(bed.NodeSpec{Name: one})
	host.Node(bed.NodeSpec{Name: two})
	other.Node(bed.NodeSpec{Name: three})
	w, e := newWorld(t, fmt.Sprintf("  %s: {}\n  %s: {}\n  %s: {}\n", one, two, three))
	hears[engine.NodeSeen](t, e, 3)
	bed.Eventually(t, "both processes are found", func() (string, bool) {
		n := 0
		for _, r := range w.remotes {
			r.epochMu.Lock()
			for gid := range r.epochs {
				if !w.ends.watch.Searching(participantOf(gid)) {
					n++
				}
			}
			r.epochMu.Unlock()
		}
		return fmt.Sprint(n), n == 3
	})
	other.Process().Freeze()
	defer other.Process().Thaw()
	host.Process().Kill()
	hears[engine.NodeEnded](t, e, 2)
	for _, in := range all[engine.NodeEnded](e) {
		if in.Node == 2 || in.Epoch != 1 {
			t.Errorf("%v", in)
		}
	}
	if lost := all[engine.NodeLost](e); len(lost) > 0 {
		t.Errorf("the graph was faster: %v", lost)
	}
	host2 := bed.NewHost(t)
	host2.Node(bed.NodeSpec{Name: one})
	if seen := hears[engine.NodeSeen](t, e, 4); seen.Node != 0 || seen.Epoch != 2 || seen.Count != 2 ||
		len(seen.Epochs) != 2 {
		t.Errorf("%+v", seen)
	}
	time.Sleep(200 * time.Millisecond) // a wrong report would come now
	if ended := all[engine.NodeEnded](e); len(ended) != 2 {
		t.Errorf("%v", ended)
	}
}

// contained starts a process in a PID namespace of its own, in which its id is 2: the same for
// each, and on the host a thread of the kernel. Process 1 of the host cannot be inspected on every
// system.
func contained(t *testing.T) *bed.Host {
	t.Helper()
	try := exec.Command("true")
	try.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if err := try.Run(); err != nil {
		t.Skipf("namespaces cannot be made here: %v", err)
	}
	return bed.NewHostAs(t, bed.Command{Env: bed.LongLease(t), Namespaces: syscall.CLONE_NEWPID,
		Args: []string{"sh", "-c", "\"$@\"; exit $?", "sh"}})
}

// TestS4ContainersWithEqualProcessIDs: a process in a container on our network is found by its id
// there. If two have the same id, it is not known which process is whose, so nothing is reported.
func TestS4ContainersWithEqualProcessIDs(t *testing.T) {
	one, two, three := "/"+bed.Unique(t, "one"), "/"+bed.Unique(t, "two"), "/"+bed.Unique(t, "three")
	w, e := newWorld(t, fmt.Sprintf("  %s: {}\n  %s: {}\n  %s: {}\n", one, two, three))
	first := contained(t)
	first.Node(bed.NodeSpec{Name: one})
	hears[engine.NodeSeen](t, e, 1)
	bed.Eventually(t, "its process is found", func() (string, bool) {
		r := w.remotes[0]
		r.epochMu.Lock()
		defer r.epochMu.Unlock()
		for gid := range r.epochs {
			return fmt.Sprintf("%x", gid), !w.ends.watch.Searching(participantOf(gid))
		}
		return "", false
	})
	first.Process().Kill()
	hears[engine.NodeEnded](t, e, 1)

	second, third := contained(t), contained(t)
	second.Node(bed.NodeSpec{Name: two})
	third.Node(bed.NodeSpec{Name: three})
	hears[engine.NodeSeen](t, e, 3)
	second.Process().Kill()
	time.Sleep(500 * time.Millisecond) // a wrong report would come now
	if ended := all[engine.NodeEnded](e); len(ended) != 1 {
		t.Errorf("%v", ended)
	}
}
