//go:build ros

package bench

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"rstate/test/bed"

	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

// shareLimit is the limit for the daemon's own part of one transition.
const shareLimit = 5 * time.Millisecond

// besideLimit limits a bring-up of n nodes relative to a client of the same library that reads all
// nodes and then calls all.
func besideLimit(n int) float64 {
	if n <= 10 {
		return 1.5
	}
	return 1.2
}

// BenchmarkBeside takes networks without an order from unconfigured to active: with the daemon,
// over its action; and for comparison, over a second group of nodes, with a client of the same
// library that reads all nodes, and then calls all at once.
func BenchmarkBeside(b *testing.B) {
	for _, n := range sizes(b) {
		b.Run("nodes="+strconv.Itoa(n), func(b *testing.B) { once(b, func() outcome { return besideHand(b, n) }) })
	}
}

func besideHand(b *testing.B, n int) outcome {
	b.Helper()
	ours, theirs := startGroup(b, ownNodes, n, 0), startGroup(b, ownNodes, n, 0)
	c := newCaller(b)
	d, h := c.startDaemon(b, ours), c.hand(theirs)
	lower := func() {
		for _, word := range down {
			h.change(word)
		}
	}
	d.lower()
	h.readThenChange(up...)
	lower()
	var coordinated, byHand series
	for range times(b, "RSTATE_BENCH_ROUNDS", 15, 3) {
		d.stale()
		coordinated = append(coordinated, d.command("active"))
		d.lower()
		byHand = append(byHand, h.readThenChange(up...))
		lower()
	}
	ratio := over(coordinated, byHand)
	used := ratio.median() / besideLimit(n)
	t := tableOf("Bring-up without an order, configure and activate, in ms: median (least–most)",
		"nodes", "daemon", "rclgo: read, then at once", "daemon/rclgo", "limit", "of what is allowed", "")
	t.row(count(n), coordinated.String(), byHand.String(), ratio.String(), fmt.Sprintf("%.1f", besideLimit(n)),
		fmt.Sprintf("%.2f", used), verdict(used))
	return outcome{"ns/op": float64(coordinated.median()), ofBound: used}
}

// BenchmarkOwnShare measures how much longer one transition of 10 nodes that do no work takes with
// the daemon than the same calls by this process, all at once, with the same client library. The
// difference is the action in both directions, the journal's fsync, the plan and the published
// states. It includes the transport of the action, so the daemon itself takes less.
func BenchmarkOwnShare(b *testing.B) {
	const n = 10
	c := newCaller(b)
	ours, theirs := startGroup(b, ownNodes, n, 0), startGroup(b, ownNodes, n, 0)
	d, h := c.startDaemon(b, ours), c.hand(theirs)
	words := []string{"configure", "activate", "deactivate", "cleanup"}
	over, byHand := map[string]series{}, map[string]series{}
	for range times(b, "RSTATE_BENCH_CYCLES", 50, 10) {
		for _, word := range words {
			over[word] = append(over[word], d.command(word))
		}
		for _, word := range words {
			byHand[word] = append(byHand[word], h.change(word))
		}
	}
	t := tableOf("The daemon's own share of one transition of 10 nodes, in ms: median (least–most)",
		"transition", "over the daemon", "the same calls by hand", "share", "limit", "")
	for _, word := range words {
		b.Run(word, func(b *testing.B) {
			once(b, func() outcome {
				share := minus(over[word], byHand[word])
				used := float64(share.median()) / float64(shareLimit)
				t.row(word, over[word].String(), byHand[word].String(), ms(share.median()), ms(shareLimit),
					verdict(used))
				return outcome{"ns/op": float64(share.median()), ofBound: used}
			})
		})
	}
}

// minus subtracts round by round.
func minus(from, what series) (s series) {
	for i := range min(len(from), len(what)) {
		s = append(s, from[i]-what[i])
	}
	return s
}

// hand makes the calls of a transition without a coordinator, from this process.
type hand struct {
	b       *testing.B
	clients []*lifecycle_msgs_srv.ChangeStateClient
	readers []*lifecycle_msgs_srv.GetStateClient
}

func (c *caller) hand(g group) *hand {
	c.b.Helper()
	h := &hand{b: c.b}
	for _, name := range g.names() {
		client := must[*lifecycle_msgs_srv.ChangeStateClient](c.b)(lifecycle_msgs_srv.NewChangeStateClient(c.node,
			name+"/change_state", nil))
		await(c.b, name, client.Available)
		reader := must[*lifecycle_msgs_srv.GetStateClient](c.b)(lifecycle_msgs_srv.NewGetStateClient(c.node,
			name+"/get_state", nil))
		await(c.b, name, reader.Available)
		h.clients, h.readers = append(h.clients, client), append(h.readers, reader)
	}
	return h
}

// readThenChange reads all nodes at once and then takes them through each of the transitions.
func (h *hand) readThenChange(words ...string) (took time.Duration) {
	h.b.Helper()
	took = h.all(func(ctx context.Context, i int) error {
		_, _, err := h.readers[i].Send(ctx, lifecycle_msgs_srv.NewGetState_Request())
		return err
	})
	for _, word := range words {
		took += h.change(word)
	}
	return took
}

// change calls all nodes at once and waits for all answers.
func (h *hand) change(word string) time.Duration {
	h.b.Helper()
	return h.all(func(ctx context.Context, i int) error { return h.call(ctx, i, word) })
}

// inTurn takes all nodes through each of the transitions, one call after the other.
func (h *hand) inTurn(words ...string) time.Duration {
	h.b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	start := time.Now()
	for _, word := range words {
		for i := range h.clients {
			if err := h.call(ctx, i, word); err != nil {
				h.b.Fatal(err)
			}
		}
	}
	return time.Since(start)
}

func (h *hand) call(ctx context.Context, i int, word string) error {
	request := lifecycle_msgs_srv.NewChangeState_Request()
	request.Transition.Label = word
	answer, _, err := h.clients[i].Send(ctx, request)
	if err == nil && !answer.Success {
		err = fmt.Errorf("%s was refused", word)
	}
	return err
}

// all calls all nodes concurrently, and returns how long that took.
func (h *hand) all(call func(ctx context.Context, i int) error) time.Duration {
	h.b.Helper()
	return h.allOf(0, len(h.clients), call)
}

// allOf calls some nodes concurrently, and returns how long that took.
func (h *hand) allOf(from, to int, call func(ctx context.Context, i int) error) time.Duration {
	h.b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bed.Deadline)
	defer cancel()
	errs := make([]error, to)
	var all sync.WaitGroup
	start := time.Now()
	for i := from; i < to; i++ {
		all.Go(func() { errs[i] = call(ctx, i) })
	}
	all.Wait()
	took := time.Since(start)
	for _, err := range errs {
		if err != nil {
			h.b.Fatal(err)
		}
	}
	return took
}
