//go:build ros

package factory

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/session"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	"rstate/test/bed"
)

// TestAFactoryAnswersEveryRequestOfABurst of a client that keeps as many answers as it asks for.
func TestAFactoryAnswersEveryRequestOfABurst(t *testing.T) {
	w := newWorks(t, map[string]string{"nobody": nobody})
	const most = 500
	opts := rclgo.NewDefaultClientOptions()
	opts.Qos.Depth = most
	s, err := session.OpenToAsk(nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	node, err := s.Node("burst", "")
	if err != nil {
		t.Fatal(err)
	}
	client, err := rstate_msgs_srv.NewRemoveSimulationClient(node, w.f.Name()+"/remove_simulation", opts)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s.Serve()
	bed.Eventually(t, "the service is found", func() (string, bool) {
		found, err := client.Available()
		return fmt.Sprint(found, err), found && err == nil
	})
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
