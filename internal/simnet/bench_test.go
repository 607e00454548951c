package simnet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/plan"
	"rstate/internal/simnet"
)

// large is a network of n nodes in ranks of ten, each node after two of the rank before it.
func large(b testing.TB, n int) *network.Network {
	var text strings.Builder
	text.WriteString("simulation: large\nnodes:\n")
	for i := range n {
		after := ""
		if i >= 10 {
			after = fmt.Sprintf("/n%d, /n%d", i-10, i/10*10-10+(i+1)%10)
			if i-10 == i/10*10-10+(i+1)%10 {
				after = fmt.Sprintf("/n%d", i-10)
			}
		}
		fmt.Fprintf(&text, "  /n%d: {after: [%s]}\n", i, after)
	}
	return parse(b, text.String())
}

// BenchmarkBringUp is the real time of a simulated bring-up: configure and activate, nodes and wires included.
func BenchmarkBringUp(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			net := large(b, n)
			for b.Loop() {
				w := simnet.New(net, simnet.Options{Seed: 1, Rest: time.Millisecond})
				w.Send("active")
				trace := w.Run()
				if got := trace.Goal("active").Verdict(); got != "succeeded done" || len(trace.Faults) > 0 {
					b.Fatal(got, trace.Faults)
				}
			}
		})
	}
}

// BenchmarkPlan is one plan for 1 000 nodes.
func BenchmarkPlan(b *testing.B) {
	net := large(b, 1000)
	now := make([]plan.Belief, 1000)
	for i := range now {
		now[i] = plan.Belief{Present: true, State: lifecycle.Unconfigured}
	}
	target, _ := net.Machine.State("active")
	for b.Loop() {
		if p := plan.Make(net, target, now); len(p.Steps) != 2000 {
			b.Fatal(len(p.Steps))
		}
	}
}
