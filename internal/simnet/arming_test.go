package simnet

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
)

// exposes is a node that offers what is unsafe.
const exposes = "simulation: demo\nnodes: {/arm: {arm: {}, unsafe: [/move]}}\n"

// TestA9ANodeThatHasNotConfirmedItsDisarmMayOffer: the node does its disarm and does not say so, then refuses it. It may be
// armed, so what it offers meanwhile is no reason against the way back to armed (A3, A5).
func TestA9ANodeThatHasNotConfirmedItsDisarmMayOffer(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte(exposes))
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]Script{"/arm": {Disarm: []Reply{{Mute: true}, {No: true}, {}}}}
	w := New(net, Options{Seed: 1, Scripts: scripts})
	w.Send("armed", "disarm")
	w.Tell(Beat{Shown("disarming").Later(500 * time.Millisecond), Advertise{Node: "/arm"}})
	trace := w.Run()
	if len(trace.Faults) > 0 || !strings.Contains(trace.Story(), "disarming arming armed") {
		t.Errorf("%s, faults %q\n%v", trace.Story(), trace.Faults, trace)
	}
}

// TestA9TheCheckerSeesWhatIsOffered: a node that has confirmed its disarm, or was never asked, may offer nothing.
func TestA9TheCheckerSeesWhatIsOffered(t *testing.T) {
	for _, c := range []struct {
		name  string
		hears []engine.ArmAnswered
		want  bool
	}{
		{"it has not answered", nil, false},
		{"it has confirmed", []engine.ArmAnswered{{Call: 7, Success: true}}, true},
		{"it has refused", []engine.ArmAnswered{{Call: 7}}, false},
		{"an older request is confirmed", []engine.ArmAnswered{{Call: 6, Success: true}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte(exposes))
			if err != nil {
				t.Fatal(err)
			}
			w := New(net, Options{Seed: 1})
			n := w.nodes[0]
			n.mayBeArmed, n.armCall, n.careless, n.offersKnown = true, 7, true, true
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
