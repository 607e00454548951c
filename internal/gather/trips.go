//go:build ros

package gather

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/doctor"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

const (
	// tripsPerNode is how often the state of a node is read to time it.
	tripsPerNode = 100
	// tripsIn is how long that may take, and mostTimed how many nodes are timed.
	tripsIn   = 2 * time.Second
	mostTimed = 20
)

// timeNodes times reads of the nodes on whose proofs an armed network rests, all of them side by side as rstate reads
// them.
func (l *looker) timeNodes(ctx context.Context) {
	soon, cancel := context.WithTimeout(ctx, tripsIn)
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	timed := 0
	for i := range l.facts.Answers {
		a := &l.facts.Answers[i]
		proves := slices.ContainsFunc(l.facts.Network.Nodes,
			func(n doctor.Node) bool { return n.Name == a.Node && n.Proves })
		if !proves || a.State == "" || timed == mostTimed {
			continue
		}
		timed++
		all.Go(func() { a.Trips = l.trips(soon, a.Node) })
	}
}

// trips reads the state of a node again and again.
func (l *looker) trips(ctx context.Context, node string) doctor.Trips {
	client, err := lifecycle_msgs_srv.NewGetStateClient(l.node, node+"/get_state", nil)
	if err != nil {
		return doctor.Trips{}
	}
	defer client.Close()
	request := lifecycle_msgs_srv.NewGetState_Request()
	// until both ends have met
	if _, err := ask(ctx, client.Client, func() types.Message { return request }); err != nil {
		return doctor.Trips{}
	}
	var took []time.Duration
	for len(took) < tripsPerNode {
		began := time.Now()
		if _, _, err := client.Send(ctx, request); err != nil {
			break
		}
		took = append(took, time.Since(began))
	}
	return tripsOf(took)
}

// tripsOf sums up times.
func tripsOf(took []time.Duration) doctor.Trips {
	if len(took) == 0 {
		return doctor.Trips{}
	}
	slices.Sort(took)
	return doctor.Trips{Count: len(took), Median: took[len(took)/2], P99: took[(len(took)*99+99)/100-1]}
}
