package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// TestS2WhoMayBeMeant: while a node has never appeared, the waiting list, refusals and the
// deviation name the present nodes with a similar name.
func TestS2WhoMayBeMeant(t *testing.T) {
	for _, c := range []struct{ alike, words string }{
		{"", "/b is not there"},
		{"/b_1", "/b is not there, but /b_1 is: is that one meant?"},
		{"/b_1 /front/b", "/b is not there, but /b_1 and /front/b are: is one of them meant?"},
		{"/b_1 /b_2 /front/b", "/b is not there, but /b_1, /b_2 and /front/b are: is one of them meant?"},
	} {
		t.Run(c.alike, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {}, /b: {}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			r := &rehearsal{state: engine.New(net, engine.Options{Instance: "a"}), at: make([]lifecycle.State, 2),
				calls: map[int]engine.CallNode{}}
			r.at[0], r.at[1] = lifecycle.Unconfigured, lifecycle.Unconfigured
			holds := func(what string, said []string, want string) {
				t.Helper()
				if got := strings.Join(said, "; "); got != want {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			r.step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
			r.now.Steady = 9 * time.Second
			r.step(engine.NodeMissed{Node: 1, Alike: strings.Fields(c.alike)})
			r.step(engine.NodeMissed{Node: 0, Alike: []string{"/a_1"}}) // comes too late: it is there
			holds("waited for", r.state.Snapshot().Waiting, c.words)
			r.now.Steady = 10 * time.Second
			r.step(engine.Tick{})
			holds("deviations", r.state.Snapshot().Deviations, c.words)
			r.step(engine.GoalAsked{Handle: "g", Command: "configure"})
			if said := r.state.Snapshot().Refusal.Why; !strings.Contains(said, c.words+" (start it") {
				t.Errorf("refused: %q", said)
			}
			r.step(engine.NodeSeen{Node: 1, Epoch: 1, Count: 1})
			holds("deviations when it is there", r.state.Snapshot().Deviations, "")
			r.step(engine.NodeLost{Node: 1, Why: "it left the graph"})
			holds("deviations when it has gone", r.state.Snapshot().Deviations, "/b is lost: it left the graph")
		})
	}
}
