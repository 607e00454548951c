package rclgo_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// TestEveryGoalOfABurstIsAnswered sends goals at once from one client whose services have the depth of ROS, 10.
func TestEveryGoalOfABurstIsAnswered(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	opts := rclgo.NewDefaultActionServerOptions()
	for _, qos := range []*rclgo.QosProfile{&opts.GoalServiceQos, &opts.CancelServiceQos, &opts.ResultServiceQos} {
		qos.Depth = 1000
	}
	s := serveFib(t, n, opts, func(_ context.Context, g *fibHandle) (*fibResult, error) {
		if g.Description.Order < 0 {
			return nil, fmt.Errorf("on purpose")
		}
		if _, err := g.Accept(); err != nil {
			return nil, err
		}
		return sequenceOf(g.Description.Order), nil
	})
	c := fibClientOf(t, n, s.ActionName)
	for _, many := range []int32{40, 100} {
		t.Run(fmt.Sprintf("%d that are rejected", many), func(t *testing.T) {
			ctx := within(t)
			var answered atomic.Int32
			var all sync.WaitGroup
			for range many {
				all.Go(func() {
					resp, _, err := c.SendGoal(ctx, &fibGoal{Order: -1})
					if err == nil && !resp.Accepted {
						answered.Add(1)
					}
				})
			}
			all.Wait()
			if got := answered.Load(); got != many {
				t.Errorf("%d of %d goals were rejected", got, many)
			}
		})
		t.Run(fmt.Sprintf("%d that succeed", many), func(t *testing.T) {
			ctx := within(t)
			var ended atomic.Int32
			var all sync.WaitGroup
			for i := range many {
				all.Go(func() {
					r, _, err := c.WatchGoal(ctx, &fibGoal{Order: i}, nil)
					if err == nil && rclgo.ResultStatus(r) == rclgo.GoalSucceeded && r.Result.Sequence[0] == i {
						ended.Add(1)
					}
				})
			}
			all.Wait()
			if got := ended.Load(); got != many {
				t.Errorf("%d of %d goals succeeded", got, many)
			}
		})
	}
}

// TestGoalsOneAfterAnotherAreNotPaced: a client that has taken all answers is not delayed.
func TestGoalsOneAfterAnotherAreNotPaced(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	s := serveFib(t, n, nil, func(_ context.Context, g *fibHandle) (*fibResult, error) {
		_, err := g.Accept()
		return sequenceOf(g.Description.Order), err
	})
	c := fibClientOf(t, n, s.ActionName)
	for i := range 40 {
		check(t, third(c.WatchGoal(within(t), &fibGoal{Order: 1}, nil)))
		if got := s.Paced(); got != 0 {
			t.Fatalf("after %d goals, the answers to %d clients wait for their pace", i+1, got)
		}
	}
}
