//go:build ros

package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rstate/test/bed"

	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

const (
	lossNodes = 20
	lossShare = 0.1
	// lanes is how many networks are brought up concurrently: they wait for lost answers, not for a
	// processor.
	lanes = 4
)

// BenchmarkLostAnswers brings up networks of 20 rclpy nodes that do what they are asked to but drop
// one in ten of their answers, to change_state and to get_state alike. Each bring-up must succeed,
// and all nodes must themselves report active.
func BenchmarkLostAnswers(b *testing.B) {
	once(b, func() outcome {
		c := newCaller(b)
		var all []*lane
		for i := range lanes {
			g := startGroup(b, rclpySingle, lossNodes, 0)
			all = append(all, &lane{number: i, nodes: g, daemon: c.startDaemon(b, g)})
		}
		wanted := times(b, "RSTATE_BENCH_DROPS", 40, 4)
		var took series
		lost := 0
		for len(took) < wanted {
			now := all[:min(lanes, wanted-len(took))]
			raise(now, uint64(len(took)))
			for _, l := range now {
				took, lost = append(took, l.took), lost+l.settle(b)
			}
		}
		good := 0
		for _, l := range all {
			good += l.good
		}
		used := 1 + float64(wanted-good)
		t := tableOf(fmt.Sprintf("Bring-up of %d nodes, %.0f %% of the answers lost", lossNodes, 100*lossShare),
			"up", "answers lost", "ms: median", "p90", "p99", "most", "")
		t.row(fmt.Sprintf("%d of %d", good, wanted), count(lost), took.spread(), verdict(used))
		return outcome{"ns/op": float64(took.median()), ofBound: used}
	})
}

// lane is one of the networks that are brought up concurrently.
type lane struct {
	number int
	nodes  group
	daemon *daemon
	good   int

	took   time.Duration // the time of the newest bring-up
	result *rstate_msgs_action.Transition_Result
	err    error
}

// raise brings all networks up at once; the seed varies the lost answers from round to round.
func raise(all []*lane, seed uint64) {
	ended := make(chan struct{})
	for _, l := range all {
		l.nodes.rclpy.ask("lose", map[string]any{"share": lossShare, "seed": seed*lanes + uint64(l.number)}, new(int))
		go func() {
			start := time.Now()
			l.result, l.err = l.daemon.try("active")
			l.took = time.Since(start)
			ended <- struct{}{}
		}()
	}
	for range all {
		<-ended
	}
}

// settle checks the result of the newest bring-up, lowers the network, and returns how many answers
// were lost.
func (l *lane) settle(b *testing.B) (lost int) {
	b.Helper()
	var states []string
	l.nodes.rclpy.ask("lose", map[string]any{"share": 0, "seed": 0}, &lost)
	l.nodes.rclpy.ask("states", nil, &states)
	up := !slices.ContainsFunc(states, func(s string) bool { return s != "active" })
	if l.err == nil && l.result.Success && up {
		l.good++
	} else {
		b.Logf("not brought up: %v, %+v, nodes %v", l.err, l.result, states)
	}
	bed.Eventually(b, "the network is down again", func() (string, bool) {
		result, err := l.daemon.try("unconfigured")
		return fmt.Sprintf("%v %+v", err, result), err == nil && result.Success
	})
	return lost
}
