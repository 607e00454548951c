package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/simnet"
)

// TestF2ARollbackShowsWhatItWaitsFor: a rollback may wait half a minute for a hung node. It says for what and
// for how long still, from a second on, and is shown again every second.
func TestF2ARollbackShowsWhatItWaitsFor(t *testing.T) {
	hang := on("activate", simnet.On{End: simnet.Hang})
	for _, c := range []struct {
		name, keys string
		node       simnet.Script
		does       []simnet.Act
		want       string
	}{
		{"a hung node", "defaults: {deadline: {activate: 2s}}\n", hang, nil, "[/slam: answer to activate, 23 s left]"},
		{"to deadline.recover", "defaults: {deadline: {activate: 2s, recover: 9s}}\n", hang, nil,
			"[/slam: answer to activate, 5 s left]"},
		{"cancelled, and not rolled back yet", "defaults: {deadline: {activate: 12s}}\n", hang,
			[]simnet.Act{simnet.Cancel{Handle: "activate"}}, "[/slam: answer to activate, 8 s left]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watched(t, story{keys: c.keys, scripts: one("/slam", c.node)}, "inactive")
			w.Do(simnet.Send{Command: "activate"})
			w.Pass(500 * ms)
			if got := w.Now().Waiting; len(got) > 0 {
				t.Errorf("while the command runs: %q", got)
			}
			for _, act := range c.does {
				w.Do(act)
			}
			w.Pass(1600 * ms)
			if got := w.Now(); len(got.Waiting) > 0 && got.State == "errorprocessing" {
				t.Errorf("after a moment: %q", got.Waiting)
			}
			before := strings.Count(w.Pass(0).String(), "show what changed")
			trace := w.Pass(2900 * ms)
			if got := fmt.Sprint(w.Now().Waiting); got != c.want {
				t.Errorf("it waits for %s, want %s", got, c.want)
			}
			if shown := strings.Count(trace.String(), "show what changed") - before; shown < 2 {
				t.Errorf("it is shown %d times in 2.9 s", shown)
			}
			w.Pass(time.Minute)
			if got := w.Now().Waiting; len(got) > 0 {
				t.Errorf("in the end: %q", got)
			}
		})
	}
}
