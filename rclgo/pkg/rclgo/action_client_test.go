package rclgo_test

import (
	"context"
	"errors"
	"testing"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// serveRclpy makes an action server in rclpy and a client that has found it.
func serveRclpy(t *testing.T, h *host, n *rclgo.Node, name string) *fibClient {
	t.Helper()
	until(t, h.do(t, "serve", name, map[string]any{"name": name}), "done")
	return fibClientOf(t, n, name)
}

func TestSendGoalsToRclpy(t *testing.T) {
	h, n := actionHost(t), newNode(t)
	spin(t, n.Spin)
	name := unique("/fib")
	c := serveRclpy(t, h, n, name)

	t.Run("feedback and result", func(t *testing.T) {
		var lengths []int
		r, id, err := c.WatchGoal(within(t), &fibGoal{Order: 4},
			func(_ context.Context, m *test_msgs_action.Fibonacci_FeedbackMessage) {
				lengths = append(lengths, len(m.Feedback.Sequence))
			})
		check(t, err)
		expect(t, r, rclgo.GoalSucceeded, 0, 1, 1, 2, 3, 5)
		check(t, rclgo.ResultError(r))
		if len(lengths) == 0 || lengths[0] != 3 {
			t.Fatalf("feedback of lengths %v", lengths)
		}
		expect(t, getResult(t, c, id), rclgo.GoalSucceeded, 0, 1, 1, 2, 3, 5)
	})
	t.Run("rejection", func(t *testing.T) {
		r, id, err := c.WatchGoal(within(t), &fibGoal{Order: -1}, nil)
		if rejected := (&rclgo.ActionGoalRejected{}); !errors.As(err, &rejected) || r != nil || id == nil {
			t.Fatalf("%v, %v, %v", r, id, err)
		}
		resp, _, err := c.SendGoal(within(t), &fibGoal{Order: -1})
		check(t, err)
		if resp.Accepted {
			t.Fatal("accepted")
		}
	})
	t.Run("abort with a result", func(t *testing.T) {
		r, _, err := c.WatchGoal(within(t), &fibGoal{Order: orderAbort}, nil)
		check(t, err)
		expect(t, r, rclgo.GoalAborted, orderAbort)
		if failed := (&rclgo.GoalError{}); !errors.As(rclgo.ResultError(r), &failed) ||
			failed.Status != rclgo.GoalAborted {
			t.Fatalf("error %v", rclgo.ResultError(r))
		}
	})
	t.Run("cancel with a result, two goals at once", func(t *testing.T) {
		one, two := accepted(t, c, orderHold), accepted(t, c, orderHold)
		seen := statuses(t, c, one)
		reaches(t, seen, rclgo.GoalExecuting)
		cancelGoals(t, c, one, cancelAccepted, 1)
		expect(t, getResult(t, c, one), rclgo.GoalCanceled, orderHold)
		reaches(t, seen, rclgo.GoalCanceled)
		cancelGoals(t, c, nil, cancelAccepted, 1)
		expect(t, getResult(t, c, two), rclgo.GoalCanceled, orderHold)
	})
	t.Run("cancel refused", func(t *testing.T) {
		id := accepted(t, c, orderStubborn)
		resp, err := c.CancelGoal(within(t), cancelRequestFor(id))
		check(t, err)
		if len(resp.GoalsCanceling) != 0 {
			t.Fatalf("response %+v", resp)
		}
		until(t, h.do(t, "release", unique("release"), nil), "done")
		expect(t, getResult(t, c, id), rclgo.GoalSucceeded, orderStubborn)
	})
}

func TestRclpyForgetsAResult(t *testing.T) {
	h, n := actionHost(t), newNode(t)
	spin(t, n.Spin)
	name := unique("/fib")
	until(t, h.do(t, "serve", name, map[string]any{"name": name, "timeout": 0.2}), "done")
	c := fibClientOf(t, n, name)
	id := accepted(t, c, 1)
	eventually(t, "the result is forgotten", func() bool {
		return rclgo.ResultStatus(getResult(t, c, id)) == rclgo.GoalUnknown
	})
}

func TestCallsEndWhenTheServerIsGone(t *testing.T) {
	for name, successor := range map[string]bool{"no server is left": false, "another one took over": true} {
		t.Run(name, func(t *testing.T) {
			h, n := actionHost(t), newNode(t)
			spin(t, n.Spin)
			action := unique("/fib")
			c := serveRclpy(t, h, n, action)
			running := make(chan struct{}, 1)
			ended := make(chan error, 1)
			go func() {
				_, _, err := c.WatchGoal(within(t), &fibGoal{Order: orderHold},
					func(context.Context, *test_msgs_action.Fibonacci_FeedbackMessage) {
						running <- struct{}{}
					})
				ended <- err
			}()
			await(t, "the goal runs", running)
			if successor {
				serveRclpy(t, actionHost(t), n, action)
				eventually(t, "both servers are there", func() bool {
					count, err := n.CountPublishers(action + "/_action/status")
					check(t, err)
					return count == 2
				})
			}
			h.kill()
			err := await(t, "WatchGoal ends", ended)
			if !errors.Is(err, rclgo.ErrActionServerGone) {
				t.Fatalf("error %v", err)
			}
			refusal(t, err, "cannot get result of "+action, "has left the graph",
				"send the goal again when a server is back")
			if successor {
				r, _, err := c.WatchGoal(within(t), &fibGoal{Order: 1}, nil)
				check(t, err)
				expect(t, r, rclgo.GoalSucceeded, 0, 1, 1)
				return
			}
			if _, _, err := c.SendGoal(within(t), &fibGoal{Order: 1}); !errors.Is(err, rclgo.ErrActionServerGone) {
				t.Fatalf("goal without a server: %v", err)
			}
		})
	}
}

func TestClientErrors(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	c := must[*fibClient](t)(test_msgs_action.NewFibonacciClient(n, unique("/nobody"), nil))
	if yes, err := c.Available(); yes || err != nil {
		t.Errorf("available %v, %v", yes, err)
	}
	invalid := &rclgo.InvalidArgument{}
	if _, err := c.GetResult(within(t), nil); !errors.As(err, &invalid) {
		t.Errorf("nil id: %v", err)
	}
	if _, _, err := c.ActionClient.SendGoal(within(t), sequenceOf()); !errors.As(err, &invalid) {
		t.Errorf("a result for a goal: %v", err)
	}
	if _, err := c.ActionClient.SendGoalRequest(within(t), nil); err == nil {
		t.Error("nil request")
	}
	ctx, cancel := context.WithCancel(context.Background())
	waits := make(chan error, 1)
	go func() { waits <- third(c.SendGoal(ctx, &fibGoal{})) }()
	cancel()
	if err := await(t, "SendGoal ends", waits); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	go func() { waits <- third(c.SendGoal(context.Background(), &fibGoal{})) }()
	watched := c.WatchFeedback(context.Background(), nil,
		func(context.Context, *test_msgs_action.Fibonacci_FeedbackMessage) {})
	check(t, c.Close())
	check(t, c.Close())
	closed := &rclgo.ActionClientInvalid{}
	if err := await(t, "SendGoal ends with the client", waits); !errors.As(err, &closed) {
		t.Errorf("closed: %v", err)
	}
	if err := await(t, "WatchFeedback ends with the client", watched); !errors.As(err, &closed) {
		t.Errorf("closed: %v", err)
	}
	late := c.WatchFeedback(context.Background(), nil,
		func(context.Context, *test_msgs_action.Fibonacci_FeedbackMessage) {})
	if err := await(t, "a watch of a closed client ends", late); !errors.As(err, &closed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := c.Available(); !errors.As(err, &closed) {
		t.Errorf("closed: %v", err)
	}
}
