//go:build ros

package bench

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"rstate/test/bed"

	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

// shareLimit is what the daemon may take for itself of one transition.
const shareLimit = 5 * time.Millisecond

// BenchmarkOwnShare is what one transition of 10 nodes that do no work takes longer over the daemon than the same calls
// take when this process makes them itself, all at once, with the same client library: the action both ways, the
// journal's fsync, the plan, the states published. The wire of the action is in it, so the daemon itself takes less.
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
				t.row(word, over[word].String(), byHand[word].String(), ms(share.median()), ms(shareLimit), verdict(used))
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
}

func (c *caller) hand(g group) *hand {
	c.b.Helper()
	h := &hand{b: c.b}
	for _, name := range g.names() {
		client := must[*lifecycle_msgs_srv.ChangeStateClient](c.b)(lifecycle_msgs_srv.NewChangeStateClient(c.node, name+"/change_state", nil))
		await(c.b, name, client.Available)
		h.clients = append(h.clients, client)
	}
	return h
}

// change calls all nodes at once and waits for all answers.
func (h *hand) change(word string) time.Duration {
	h.b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bed.Deadline)
	defer cancel()
	errs := make([]error, len(h.clients))
	var all sync.WaitGroup
	start := time.Now()
	for i, client := range h.clients {
		all.Go(func() {
			request := lifecycle_msgs_srv.NewChangeState_Request()
			request.Transition.Label = word
			answer, _, err := client.Send(ctx, request)
			if err == nil && !answer.Success {
				err = fmt.Errorf("%s was refused", word)
			}
			errs[i] = err
		})
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
