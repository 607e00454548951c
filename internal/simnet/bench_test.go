package simnet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
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

// bounds are how long a bring-up may take, by the number of nodes.
var bounds = map[int]time.Duration{1000: 100 * time.Millisecond}

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
			if bound := bounds[n]; bound > 0 {
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(bound), "of-bound")
			}
		})
	}
}
