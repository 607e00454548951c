package simnet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
)

func worldOf(t *testing.T, arm string, opt Options) *World {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: {/a: {arm: {"+arm+"}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	opt.Servers = []string{"/a"}
	return New(net, opt)
}

// TestA1ServersOfTheWorld: what serves the arm is armed and disarmed, and a network whose servers are lost or more than
// one does not stay armed.
func TestA1ServersOfTheWorld(t *testing.T) {
	const named = "served_by: /server"
	for _, c := range []struct {
		name, arm string
		told      float64 // the share of ends that the kernel tells
		does      []ServerDo
		then      string // the verdict of an arm after that
	}{
		{"it ends, and the kernel tells", named, 1, []ServerDo{ServerEnds}, "aborted restored"},
		{"it ends, and the graph tells", named, 0, []ServerDo{ServerEnds}, "aborted restored"},
		{"it starts again", named, 1, []ServerDo{ServerEnds, ServerStarts}, "succeeded done"},
		{"a second one starts", named, 1, []ServerDo{ServerStarts}, "rejected"},
		{"another one starts beside the node", "", 1, []ServerDo{ServerStarts}, "rejected"},
		{"that ends again", "", 1, []ServerDo{ServerStarts, ServerEnds}, "succeeded done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := worldOf(t, c.arm, Options{Seed: 1, Ends: Ends{Told: c.told}})
			beats := []Beat{{Settled().Later(time.Second), Send{Command: "armed", Handle: "first"}}}
			when := Shown("armed").Later(time.Second)
			for _, do := range c.does {
				beats = append(beats, Beat{when, Server{"/a", do}})
				when = Then().Later(3 * time.Second)
			}
			w.Tell(append(beats, Beat{when, Send{Command: "arm", Handle: "second"}})...)
			trace := w.Run()
			if len(trace.Faults) > 0 {
				t.Fatalf("what must never be:\n%v", trace)
			}
			armed := slices.Index(trace.States, "armed")
			if armed < 0 || !slices.Contains(trace.States[armed:], "active") {
				t.Errorf("it was armed, and then active in none of %v", trace.States)
			}
			if got := trace.Goal("second").Verdict(); got != c.then {
				t.Errorf("the arm after that: %s, want %s\n%v", got, c.then, trace)
			}
		})
	}
}

// TestA3TheCheckerSeesWhatServes: a node is not shown as disarmed while a process is armed that serves its arm, and of
// which the coordinator knows.
func TestA3TheCheckerSeesWhatServes(t *testing.T) {
	for _, c := range []struct {
		name         string
		armed, known bool
		shown        engine.ArmBelief
		lasts        time.Duration
		want         bool
	}{
		{"it is armed", true, true, engine.Disarmed, 2 * falselyFor, true},
		{"it is not", false, true, engine.Disarmed, 2 * falselyFor, false},
		{"it is shown as one that may be", true, true, engine.MayBeArmed, 2 * falselyFor, false},
		{"a moment ago", true, true, engine.Disarmed, falselyFor / 2, false},
		{"it is unknown", true, false, engine.Disarmed, 2 * falselyFor, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := worldOf(t, "served_by: /server", Options{Seed: 1})
			n := w.nodes[0]
			p := &proc{node: n, epoch: 1, server: true, alive: true, armed: c.armed}
			n.servers = []*proc{p}
			if c.known {
				n.serversKnown = n.servers
			}
			w.brain.up, w.brain.published = true, &engine.Snapshot{Nodes: []engine.NodeView{{Armed: c.shown}}}
			w.now = time.Second
			w.check.served(n)
			w.now += c.lasts
			w.check.served(n)
			if got := strings.Contains(strings.Join(w.trace.Faults, "\n"), "is shown as disarmed"); got != c.want {
				t.Errorf("noticed %v, want %v: %q", got, c.want, w.trace.Faults)
			}
		})
	}
}
