//go:build ros

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"

	lifecycle_msgs_msg "rstate/msgs/gen/lifecycle_msgs/msg"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

// chainShare is what a chain may take of what a client takes that does one call after the other.
const chainShare = 1.1

// BenchmarkChain takes networks from unconfigured to active in which each node comes after the one before it: with the
// daemon, over its action; and beside it, over a second group of nodes, with a client of the same library that calls one node
// after the other and does nothing else.
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
	hand := c.byHand(theirs)
	d := c.startDaemonOn(b, bed.Unique(b, "rstate"), ours.prefix, chainFile(b, ours))
	d.lower()
	hand.do(up...)
	hand.do(down...)
	var coordinated, bare series
	for range times(b, "RSTATE_BENCH_ROUNDS", 15, 3) {
		d.stale()
		coordinated = append(coordinated, d.command("active"))
		d.lower()
		bare = append(bare, hand.do(up...))
		hand.do(down...)
	}
	used := over(coordinated, bare).median() / chainShare
	t := tableOf("A chain, configure and activate, in ms: median (least–most)",
		"nodes", "daemon", "one after the other", "daemon/one after the other", "of what is allowed", "")
	t.row(count(n), coordinated.String(), bare.String(), over(coordinated, bare).String(), fmt.Sprintf("%.2f", used), verdict(used))
	return outcome{"ns/op": float64(coordinated.median()), ofBound: used}
}

// chainFile writes the network of a group in which each node comes after the one before it.
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

var numbers = map[string]uint8{
	"configure":  lifecycle_msgs_msg.Transition_TRANSITION_CONFIGURE,
	"cleanup":    lifecycle_msgs_msg.Transition_TRANSITION_CLEANUP,
	"activate":   lifecycle_msgs_msg.Transition_TRANSITION_ACTIVATE,
	"deactivate": lifecycle_msgs_msg.Transition_TRANSITION_DEACTIVATE,
}

// byHand is nothing but the clients of the nodes.
type byHand struct {
	b       *testing.B
	clients []*lifecycle_msgs_srv.ChangeStateClient
}

func (c *caller) byHand(g group) *byHand {
	c.b.Helper()
	h := &byHand{b: c.b}
	for _, name := range g.names() {
		client := must[*lifecycle_msgs_srv.ChangeStateClient](c.b)(lifecycle_msgs_srv.NewChangeStateClient(c.node, name+"/change_state", nil))
		await(c.b, name, client.Available)
		h.clients = append(h.clients, client)
	}
	return h
}

// do takes every node through each of the transitions, one call after the other.
func (h *byHand) do(labels ...string) time.Duration {
	h.b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	start := time.Now()
	for _, label := range labels {
		for _, client := range h.clients {
			request := lifecycle_msgs_srv.NewChangeState_Request()
			request.Transition.Id, request.Transition.Label = numbers[label], label
			response, _, err := client.Send(ctx, request)
			if err == nil && !response.Success {
				err = fmt.Errorf("the node refuses to %s", label)
			}
			if err != nil {
				h.b.Fatal(err)
			}
		}
	}
	return time.Since(start)
}
