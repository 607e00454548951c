package simnet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
)

// TestA9TheCheckerSeesWhatIsOffered: only a node that was asked to arm since the arming began, and has not refused, may
// offer what is unsafe, and only from then on.
func TestA9TheCheckerSeesWhatIsOffered(t *testing.T) {
	const began, before, asked, after = 10 * time.Second, 11 * time.Second, 12 * time.Second, 13 * time.Second
	for _, c := range []struct {
		name            string
		askedAt, offers time.Duration
		hears           []engine.ArmAnswered
		want            bool
	}{
		{"after it was asked", asked, after, nil, false},
		{"before it was asked", asked, before, nil, true},
		{"it was asked before the arming began", began - 1, after, nil, true},
		{"it has refused", asked, after, []engine.ArmAnswered{{Call: 7, Arm: true}}, true},
		{"an older request was refused", asked, after, []engine.ArmAnswered{{Call: 6, Arm: true}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			net, err := network.Parse("test.yaml",
				[]byte("simulation: demo\nnodes: {/arm: {arm: {}, unsafe: [/move]}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			w := New(net, Options{Seed: 1})
			w.now, w.check.since = 14*time.Second, began
			n := w.nodes[0]
			n.armCall, n.armAt, n.careless, n.offersAt = 7, c.askedAt, true, c.offers
			for _, in := range c.hears {
				n.answersArm(in)
			}
			w.check.mayArm(n)
			if got := strings.Contains(strings.Join(w.trace.Faults, "\n"), "known to offer"); got != c.want {
				t.Errorf("noticed %v, want %v: %q", got, c.want, w.trace.Faults)
			}
		})
	}
}

// TestA1TheCheckerSeesWhatIsShown: a node is asked to arm only when the newest snapshot that was published names it.
func TestA1TheCheckerSeesWhatIsShown(t *testing.T) {
	shows := func(armed engine.ArmBelief) *engine.Snapshot {
		return &engine.Snapshot{Nodes: []engine.NodeView{{Armed: armed}}}
	}
	for _, c := range []struct {
		name  string
		shown *engine.Snapshot
		want  bool
	}{
		{"nothing", nil, true},
		{"a disarmed node", shows(engine.Disarmed), true},
		{"one that may be armed", shows(engine.MayBeArmed), false},
		{"one that is armed", shows(engine.IsArmed), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: {/arm: {arm: {}}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			w := New(net, Options{Seed: 1})
			w.check.display = c.shown
			w.check.armsNode(w.nodes[0], engine.ArmNode{Permit: permit()})
			if got := slices.ContainsFunc(w.trace.Faults,
				func(f string) bool { return strings.Contains(f, "is shown as disarmed") }); got != c.want {
				t.Errorf("noticed %v, want %v: %q", got, c.want, w.trace.Faults)
			}
		})
	}
}

// TestA8TheCheckerSeesTheOrderOfATurn: a disarm waits for nothing, an arm for the lease, and a client of a goal for the
// state that is shown. Nothing arms a node that the same step has disarmed.
func TestA8TheCheckerSeesTheOrderOfATurn(t *testing.T) {
	const noticedNothing = ""
	arm, disarm, show := engine.ArmNode{Permit: permit()}, engine.ArmNode{}, engine.Show{}
	for _, c := range []struct {
		name  string
		turn  []engine.Effect
		lease time.Duration // until when the newest one vouches
		want  string
	}{
		{"in order", []engine.Effect{disarm, engine.Record{}, show, engine.FinishGoal{}}, 0, noticedNothing},
		{"a disarm after a line", []engine.Effect{engine.Record{}, disarm}, 0, "waited for"},
		{"a disarm after a state", []engine.Effect{show, disarm}, 0, "waited for"},
		{"a state after an answer", []engine.Effect{engine.FinishGoal{}, show}, 0, "was told of its goal before"},
		{"an arm after a disarm", []engine.Effect{disarm, arm}, time.Hour, "in the same step"},
		{"an arm under a lease", []engine.Effect{arm}, time.Hour, noticedNothing},
		{"an arm under no lease", []engine.Effect{arm}, 0, "the newest lease vouches until"},
	} {
		t.Run(c.name, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: {/arm: {arm: {}}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			w := New(net, Options{Seed: 1})
			w.now, w.check.leasedTill = time.Second, c.lease
			w.check.decides(nil)
			for _, e := range c.turn {
				if a, ok := e.(engine.ArmNode); ok && a.Arms() {
					w.check.leasedBefore(w.nodes[0])
				}
				w.check.carries(e)
			}
			if got := strings.Join(w.trace.Faults, "\n"); (got == "") != (c.want == "") ||
				!strings.Contains(got, c.want) {
				t.Errorf("noticed %q, want %q", got, c.want)
			}
		})
	}
}
