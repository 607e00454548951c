//go:build ros

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rstate/test/bed"
)

// chainShare limits a chain relative to a client that makes one call after the other.
const chainShare = 1.1

// BenchmarkChain takes networks from unconfigured to active in which each node comes after the
// previous one: with the daemon, over its action; and for comparison, over a second group of nodes,
// with a client of the same library that only calls one node after the other.
func BenchmarkChain(b *testing.B) {
	for _, n := range sizes(b) {
		if n > 50 {
			continue
		}
		b.Run("nodes="+strconv.Itoa(n), func(b *testing.B) { once(b, func() outcome { return chain(b, n) }) })
	}
}

func chain(b *testing.B, n int) outcome {
	b.Helper()
	ours, theirs := startGroup(b, ownNodes, n, 0), startGroup(b, ownNodes, n, 0)
	c := newCaller(b)
	hand := c.hand(theirs)
	d := c.startDaemonOn(b, bed.Unique(b, "rstate"), ours.prefix, chainFile(b, ours))
	d.lower()
	hand.inTurn(up...)
	hand.inTurn(down...)
	var coordinated, bare series
	for range times(b, "RSTATE_BENCH_ROUNDS", 15, 3) {
		d.stale()
		coordinated = append(coordinated, d.command("active"))
		d.lower()
		bare = append(bare, hand.inTurn(up...))
		hand.inTurn(down...)
	}
	used := over(coordinated, bare).median() / chainShare
	t := tableOf("A chain, configure and activate, in ms: median (least–most)",
		"nodes", "daemon", "one after the other", "daemon/one after the other", "of what is allowed", "")
	t.row(count(n), coordinated.String(), bare.String(), over(coordinated, bare).String(), fmt.Sprintf("%.2f", used),
		verdict(used))
	return outcome{"ns/op": float64(coordinated.median()), ofBound: used}
}

// chainFile writes the network of a group in which each node comes after the previous one.
func chainFile(b *testing.B, g group) string {
	b.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "simulation: %s\ndefaults: {deadline: {discover: 60s}}\nnodes:\n", g.prefix)
	for i, name := range g.names() {
		after := ""
		if i > 0 {
			after = "after: [" + g.names()[i-1] + "]"
		}
		fmt.Fprintf(&text, "  %s: {%s}\n", name, after)
	}
	file := filepath.Join(b.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}
