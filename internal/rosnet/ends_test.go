//go:build ros

package rosnet

import (
	"fmt"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/test/bed"
)

// TestS4EndOfAProcessIsTold: the middleware misses the process after ten minutes here, and the kernel knows at once. The
// nodes of one process share one hold, and a suspended process has not ended.
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
	if seen := hears[engine.NodeSeen](t, e, 4); seen.Node != 0 || seen.Epoch != 2 || seen.Count != 2 || len(seen.Epochs) != 2 {
		t.Errorf("%+v", seen)
	}
	time.Sleep(200 * time.Millisecond) // what must not come would come now
	if ended := all[engine.NodeEnded](e); len(ended) != 2 {
		t.Errorf("%v", ended)
	}
}
