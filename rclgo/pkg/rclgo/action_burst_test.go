package rclgo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
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

// TestGoalsAreToldInTheOrderInWhichTheyCame: they wait in the server before it spins. The goal of an id that is taken is
// not told.
func TestGoalsAreToldInTheOrderInWhichTheyCame(t *testing.T) {
	n, far := newNode(t), newNode(t)
	spin(t, far.Spin)
	var mu sync.Mutex
	var told []int32
	isTold := func(order int32) bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(told, order)
	}
	panics, begun := make(chan any, 1), make(chan error, 20)
	n.OnPanic(func(_ string, value any) { panics <- value })
	opts := rclgo.NewDefaultActionServerOptions()
	opts.GoalServiceQos.Depth = 100
	opts.OnGoal = func(g *rclgo.GoalHandle) {
		mu.Lock()
		defer mu.Unlock()
		order := g.Description.(*fibGoal).Order
		if told = append(told, order); order == 3 {
			panic("on purpose")
		}
	}
	s := serveFib(t, n, opts, func(_ context.Context, g *fibHandle) (_ *fibResult, err error) {
		if !isTold(g.Description.Order) {
			err = fmt.Errorf("goal %d begins before OnGoal has it", g.Description.Order)
		}
		begun <- err
		return nil, err // rejects
	})
	// The server may find the client late. Until then the client keeps what it has sent.
	deepClient := rclgo.NewDefaultActionClientOptions()
	deepClient.GoalServiceQos.Depth = 100
	c := fibClientWith(t, far, s.ActionName, deepClient)
	var want []int32
	for i := range int32(20) {
		request := test_msgs_action.NewFibonacci_SendGoal_Request()
		request.GoalID.Uuid, request.Goal.Order = types.GoalID{byte(i)}, i
		if i == 11 {
			request.GoalID.Uuid = types.GoalID{byte(i - 1)}
		} else {
			want = append(want, i)
		}
		if _, err := c.SendGoalRequest(newSent(t), request); !errors.Is(err, context.Canceled) {
			t.Fatalf("goal %d is answered by a server that does not spin: %v", i, err)
		}
	}
	spin(t, n.Spin)
	for range want {
		check(t, await(t, "each goal begins", begun))
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(told, want) {
		t.Errorf("the goals were told as %v", told)
	}
	if got := await(t, "a panic is reported", panics); got != "on purpose" {
		t.Errorf("the panic is %v", got)
	}
}

// sent is a context that ends as soon as its end is waited for. A call of a client has sent its request then.
type sent struct {
	context.Context
	end func()
}

func newSent(t *testing.T) sent {
	ctx, cancel := context.WithCancel(t.Context())
	return sent{ctx, cancel}
}

func (s sent) Done() <-chan struct{} {
	s.end()
	return s.Context.Done()
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
