package network

import (
	"fmt"
	"strings"
	"testing"
)

// TestL1TheClockOfALoop: what the file says of clock and rate, the topic and the rate that it stands for, and what is
// refused.
func TestL1TheClockOfALoop(t *testing.T) {
	for _, c := range []struct {
		says  string
		clock string
		rate  float64
		fault string // empty: it is taken
	}{
		{says: ""},
		{says: "clock: false, rate: 0"},
		{says: "clock: true, rate: 1", clock: "/clock", rate: 1},
		{says: "clock: True, rate: 1.0", clock: "/clock", rate: 1},
		{says: "clock: /sim_$(sim)/clock, rate: 0.5", clock: "/sim_7/clock", rate: 0.5},
		{says: "rate: 0.001", rate: 0.001},
		{says: "rate: 1000", rate: 1000},
		{says: "clock: clock", fault: "loop.clock"},
		{says: "clock: [/clock]", fault: "loop.clock"},
		{says: "clock: null", fault: "loop.clock"},
		{says: "rate: 1Hz", fault: "loop.rate"},
		{says: "rate: -1", fault: "loop.rate"},
		{says: "rate: 1001", fault: "loop.rate"},
		{says: "rate: 0.0001", fault: "loop.rate"},
		{says: "rate: .nan", fault: "loop.rate"},
		{says: "rate: NaN", fault: "loop.rate"},
		{says: "rate: [1]", fault: "loop.rate"},
	} {
		text := fmt.Sprintf("simulation: x\nmachine: cle\nnodes: {/w: {}}\nloop: {participants: {/w: {as: simulator}}, %s}\n", c.says)
		n, err := Parse("x.yaml", []byte(strings.ReplaceAll(text, ItsID, "7")))
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault+": ") {
				t.Errorf("%q: the fault is %v", c.says, err)
			}
		case err != nil:
			t.Errorf("%q: %v", c.says, err)
		case n.Loop.Clock != c.clock || n.Loop.Rate != c.rate:
			t.Errorf("%q is the clock %q and the rate %v", c.says, n.Loop.Clock, n.Loop.Rate)
		default:
			backAndForth(t, n)
		}
	}
}
