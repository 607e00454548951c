//go:build ros

package app

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	"rstate/test/bed"
)

// TestAFactoryAnswersEveryRequestOfABurst of a client that keeps as many answers as it asks for.
func TestAFactoryAnswersEveryRequestOfABurst(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody})
	c, err := NewFactoryClient(w.f.Name(), nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const most = 500
	opts := rclgo.NewDefaultClientOptions()
	opts.Qos.Depth = most
	client, err := rstate_msgs_srv.NewRemoveSimulationClient(c.node, w.f.Name()+"/remove_simulation", opts)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := c.find(t.Context(), client.Client); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	var answers atomic.Int64
	for range most {
		all.Go(func() {
			req := rstate_msgs_srv.NewRemoveSimulation_Request()
			req.Simulation = "none"
			if resp, _, err := client.Send(ctx, req); err == nil && !resp.Success {
				answers.Add(1)
			}
		})
	}
	bed.Eventually(t, "every request is answered", func() (string, bool) {
		n := answers.Load()
		return fmt.Sprintf("%d of %d are", n, most), n == most
	})
}
