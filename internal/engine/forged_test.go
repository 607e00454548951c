package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/simnet"
)

// TestA6AForgedLeaseIsRefused: leases with terms that no instance comes to, thousands of them. They are shown for a
// minute, have one line in the journal, and our own terms stay small.
func TestA6AForgedLeaseIsRefused(t *testing.T) {
	w := bring(t, "simulation: x\nnodes: {/a: {arm: {}}}\n", "configure", "activate")
	for k := range 2000 {
		w.Do(simnet.OtherLease{Term: []uint64{1<<64 - 1, lease.Most + 1, lease.Jump + 9}[k%3]})
		w.Pass(ms)
	}
	w.Do(simnet.Send{Command: "arm", Handle: "arm"})
	trace := w.Pass(time.Second)
	forged := func(list []string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "arm leases that no instance sends") })
	}
	lines := 0
	for _, e := range trace.Entries {
		if e.Kind == engine.EntryPeer && strings.Contains(e.Sentence, "was refused") {
			lines++
		}
	}
	if lines != 1 || !forged(w.Now().Warnings) {
		t.Errorf("%d lines in the journal; warnings %q", lines, w.Now().Warnings)
	}
	if term := w.Now().Lease.Term; term != 1 {
		t.Errorf("our lease has term %d", term)
	}
	if w.Pass(2 * time.Minute); forged(w.Now().Warnings) {
		t.Error("the warning stays")
	}
}
