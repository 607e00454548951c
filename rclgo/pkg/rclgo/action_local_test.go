package rclgo_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestGoalsAtOnce(t *testing.T) {
	_, c := fibPair(t, nil)
	var wg sync.WaitGroup
	for order := range int32(8) {
		wg.Go(func() {
			for range 5 {
				r, _, err := c.WatchGoal(within(t), &fibGoal{Order: order},
					func(_ context.Context, m *test_msgs_action.Fibonacci_FeedbackMessage) {
						if len(m.Feedback.Sequence) > int(order)+2 {
							t.Error("feedback of another goal")
						}
					})
				if err != nil || rclgo.ResultStatus(r) != rclgo.GoalSucceeded ||
					len(r.Result.Sequence) != int(order)+2 {
					t.Errorf("goal %d: %v, %v", order, r, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestResultAskedForBeforeTheEnd(t *testing.T) {
	_, c := fibPair(t, nil)
	id := accepted(t, c, orderHold)
	results := make(chan *fibResponse, 2)
	for range 2 {
		go func() {
			r, err := c.GetResult(within(t), id)
			if err != nil {
				t.Error(err)
			}
			results <- r
		}()
	}
	cancelGoals(t, c, id, cancelAccepted, 1)
	for range 2 {
		expect(t, await(t, "a result", results), rclgo.GoalCanceled, orderHold)
	}
	expect(t, getResult(t, c, id), rclgo.GoalCanceled, orderHold)
}

func TestUnknownGoal(t *testing.T) {
	_, c := fibPair(t, nil)
	id := &types.GoalID{1}
	r := getResult(t, c, id)
	expect(t, r, rclgo.GoalUnknown)
	if err := rclgo.ResultError(r); err == nil {
		t.Error("no error")
	}
	cancelGoals(t, c, id, cancelUnknown, 0)
}

func TestGoalIDInUse(t *testing.T) {
	_, c := fibPair(t, nil)
	req := test_msgs_action.NewFibonacci_SendGoal_Request()
	req.SetGoalID(&types.GoalID{2})
	for i, want := range []bool{true, false} {
		req.Goal.Order = orderHold + int32(i)
		resp, err := c.SendGoalRequest(within(t), req)
		check(t, err)
		if resp.Accepted != want {
			t.Fatalf("request %d: accepted %v", i, resp.Accepted)
		}
	}
	cancelGoals(t, c, req.GetGoalID(), cancelAccepted, 1)
	expect(t, getResult(t, c, req.GetGoalID()), rclgo.GoalCanceled, orderHold)
	resp, err := c.SendGoalRequest(within(t), req)
	check(t, err)
	if resp.Accepted {
		t.Fatal("the id of an ended goal is accepted")
	}
	cancelGoals(t, c, req.GetGoalID(), cancelTerminated, 0)
}

func TestCancelByStamp(t *testing.T) {
	_, c := fibPair(t, nil)
	first, _, err := c.SendGoal(within(t), &fibGoal{Order: orderHold})
	check(t, err)
	later := accepted(t, c, orderHold)
	req := cancelRequestFor(nil)
	req.GoalInfo.Stamp = first.Stamp
	resp, err := c.CancelGoal(within(t), req)
	check(t, err)
	if resp.ReturnCode != cancelAccepted || len(resp.GoalsCanceling) != 1 ||
		resp.GoalsCanceling[0].Stamp != first.Stamp {
		t.Fatalf("response %+v", resp)
	}
	cancelGoals(t, c, later, cancelAccepted, 1)
}

// slowCancel decides about cancels as the test says.
type slowCancel struct {
	test_msgs_action.FibonacciAction
	asked  chan *rclgo.GoalHandle
	answer chan bool
}

func (s slowCancel) OnCancel(_ context.Context, g *rclgo.GoalHandle) bool {
	s.asked <- g
	return <-s.answer
}

func TestCancelDecisionTakesItsTime(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	action := slowCancel{
		test_msgs_action.NewFibonacciAction(fibonacci(nil)),
		make(chan *rclgo.GoalHandle, 10), make(chan bool),
	}
	s := must[*test_msgs_action.FibonacciServer](t)(test_msgs_action.NewFibonacciServer(n, unique("/fib"), action, nil))
	c := fibClientOf(t, n, s.ActionName)
	id := accepted(t, c, orderHold)
	answers := make(chan int8, 2)
	ask := func() {
		resp, err := c.CancelGoal(within(t), cancelRequestFor(id))
		if err != nil {
			t.Error(err)
			return
		}
		answers <- resp.ReturnCode
	}
	go ask()
	if g := await(t, "the decision is asked for", action.asked); g.ID != *id || g.Server() != s.ActionServer {
		t.Fatal("another goal is asked about")
	}
	r, _, err := c.WatchGoal(within(t), &fibGoal{Order: 1}, nil) // served meanwhile
	check(t, err)
	expect(t, r, rclgo.GoalSucceeded, 0, 1, 1)
	go ask() // a second request beside the first
	g := await(t, "it is asked for again", action.asked)
	action.answer <- false
	if code := await(t, "the refusal", answers); code != cancelRejected {
		t.Fatalf("code %d", code)
	}
	select {
	case <-g.Canceling():
		t.Fatal("cancelled although refused")
	default:
	}
	action.answer <- true
	if code := await(t, "the acceptance", answers); code != cancelAccepted {
		t.Fatalf("code %d", code)
	}
	await(t, "the goal hears of it", g.Canceling())
	expect(t, getResult(t, c, id), rclgo.GoalCanceled, orderHold)
}

func TestCancelOfACancelingGoalIsAccepted(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	release := make(chan struct{})
	s := serveFib(t, n, nil, func(_ context.Context, g *fibHandle) (*fibResult, error) {
		_, err := g.Accept()
		<-release
		return nil, err
	})
	c := fibClientOf(t, n, s.ActionName)
	id := accepted(t, c, 1)
	cancelGoals(t, c, id, cancelAccepted, 1)
	cancelGoals(t, c, id, cancelAccepted, 1)
	close(release)
	expect(t, getResult(t, c, id), rclgo.GoalCanceled)
}

func TestResultsExpire(t *testing.T) {
	opts := rclgo.NewDefaultActionServerOptions()
	opts.ResultTimeout = 50 * time.Millisecond
	_, c := fibPair(t, opts)
	held, id := accepted(t, c, orderHold), accepted(t, c, 1)
	eventually(t, "the result is forgotten", func() bool {
		return rclgo.ResultStatus(getResult(t, c, id)) == rclgo.GoalUnknown
	})
	cancelGoals(t, c, held, cancelAccepted, 1) // a running goal does not expire
	req := test_msgs_action.NewFibonacci_SendGoal_Request()
	req.SetGoalID(id)
	resp, err := c.SendGoalRequest(within(t), req)
	check(t, err)
	if !resp.Accepted {
		t.Error("the id of a forgotten goal is not free")
	}
}

func TestExpiryCountsTheServersClock(t *testing.T) {
	n := newNode(t)
	spin(t, n.Context().Spin)
	clock := must[*rclgo.Clock](t)(n.Context().NewClock(rclgo.ClockTypeROSTime))
	start := time.Unix(1000, 0)
	check(t, clock.SetROSTimeOverride(start))
	opts := rclgo.NewDefaultActionServerOptions()
	opts.Clock, opts.ResultTimeout = clock, time.Hour
	s := serveFib(t, n, opts, fibonacci(nil))
	c := fibClientOf(t, n, s.ActionName)
	resp, id, err := c.SendGoal(within(t), &fibGoal{Order: 1})
	check(t, err)
	if resp.Stamp.Sec != 1000 {
		t.Fatalf("accepted at %v", resp.Stamp)
	}
	expect(t, getResult(t, c, id), rclgo.GoalSucceeded, 0, 1, 1)
	check(t, clock.SetROSTimeOverride(start.Add(59*time.Minute)))
	expect(t, getResult(t, c, id), rclgo.GoalSucceeded, 0, 1, 1)
	check(t, clock.SetROSTimeOverride(start.Add(2*time.Hour)))
	eventually(t, "the result is forgotten", func() bool {
		return rclgo.ResultStatus(getResult(t, c, id)) == rclgo.GoalUnknown
	})
}

func TestStatusOfLateWatch(t *testing.T) {
	_, c := fibPair(t, nil)
	id := accepted(t, c, orderHold)
	reaches(t, statuses(t, c, nil), rclgo.GoalExecuting)
	seen := statuses(t, c, id) // nothing changes any more
	reaches(t, seen, rclgo.GoalExecuting)
	cancelGoals(t, c, id, cancelAccepted, 1)
	reaches(t, seen, rclgo.GoalCanceled)
}

func TestAcceptAndFeedbackOutOfTurn(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	errs := make(chan error, 10)
	senders := make(chan *test_msgs_action.FibonacciFeedbackSender, 1)
	handles := make(chan *fibHandle, 2)
	s := serveFib(t, n, nil, func(_ context.Context, g *fibHandle) (*fibResult, error) {
		handles <- g
		if g.Description.Order < 0 {
			return nil, nil
		}
		sender, err := g.Accept()
		errs <- err
		senders <- sender
		return nil, nil
	})
	c := fibClientOf(t, n, s.ActionName)
	id := accepted(t, c, 1)
	check(t, await(t, "the goal is accepted", errs))
	getResult(t, c, id)
	over := &rclgo.ActionGoalHandleInvalid{}
	if err := (<-senders).Send(&fibFeedback{}); !errors.As(err, &over) {
		t.Errorf("feedback after the end: %v", err)
	}
	<-handles
	if _, _, err := c.SendGoal(within(t), &fibGoal{Order: -1}); err != nil {
		t.Fatal(err)
	}
	if err := second((<-handles).Accept()); !errors.As(err, &over) {
		t.Errorf("Accept after the rejection: %v", err)
	}
}

// TestCloseWithGoalsRunning closes what the server stands on, in every order.
func TestCloseWithGoalsRunning(t *testing.T) {
	for name, closer := range map[string]func(*test_msgs_action.FibonacciServer, *rclgo.Clock) []func() error{
		"server twice": func(s *test_msgs_action.FibonacciServer, _ *rclgo.Clock) []func() error {
			return []func() error{s.Close, s.Close}
		},
		"node": func(s *test_msgs_action.FibonacciServer, _ *rclgo.Clock) []func() error {
			return []func() error{s.Node().Close, s.Close}
		},
		"clock": func(s *test_msgs_action.FibonacciServer, c *rclgo.Clock) []func() error {
			return []func() error{c.Close, s.Close}
		},
		"context": func(s *test_msgs_action.FibonacciServer, _ *rclgo.Clock) []func() error {
			return []func() error{s.Node().Context().Close, s.Close}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n, clients := newNode(t), newNode(t)
			spin(t, n.Context().Spin)
			spin(t, clients.Spin)
			clock := must[*rclgo.Clock](t)(n.Context().NewClock(rclgo.ClockTypeSystemTime))
			opts := rclgo.NewDefaultActionServerOptions()
			opts.Clock = clock
			causes := make(chan error, 2)
			senders := make(chan *test_msgs_action.FibonacciFeedbackSender, 2)
			s := serveFib(t, n, opts, func(ctx context.Context, g *fibHandle) (*fibResult, error) {
				sender, err := g.Accept()
				senders <- sender
				<-ctx.Done()
				causes <- context.Cause(ctx)
				return nil, err
			})
			c := fibClientOf(t, clients, s.ActionName)
			accepted(t, c, 1)
			accepted(t, c, 2)
			for _, close := range closer(s, clock) {
				check(t, close())
			}
			for range 2 {
				if err := await(t, "a goal's context ends", causes); !errors.Is(err, rclgo.ErrActionServerClosed) {
					t.Errorf("it ended by %v", err)
				}
				if err := (<-senders).Send(&fibFeedback{}); err == nil {
					t.Error("feedback goes out of a closed server")
				}
			}
			_, err := test_msgs_action.NewFibonacciServer(n, s.ActionName,
				test_msgs_action.NewFibonacciAction(fibonacci(nil)), opts)
			if name != "server twice" && err == nil {
				t.Error("a server on what is closed")
			}
		})
	}
}

func TestClosingServerAbortsItsGoals(t *testing.T) {
	s, c := fibPair(t, nil)
	id := accepted(t, c, orderHold)
	seen := statuses(t, c, id)
	reaches(t, seen, rclgo.GoalExecuting)
	check(t, s.Close())
	reaches(t, seen, rclgo.GoalAborted)
}

func TestWaitSetServesActions(t *testing.T) {
	n := newNode(t)
	s := serveFib(t, n, nil, fibonacci(nil))
	c := must[*fibClient](t)(test_msgs_action.NewFibonacciClient(n, s.ActionName, nil))
	ws := must[*rclgo.WaitSet](t)(n.Context().NewWaitSet())
	ws.AddActionServers(s.ActionServer)
	spin(t, ws.Run)
	ws.AddActionClients(c.ActionClient)
	eventually(t, "the client finds its action", func() bool { return must[bool](t)(c.Available()) })
	r, _, err := c.WatchGoal(within(t), &fibGoal{Order: 2}, nil)
	check(t, err)
	expect(t, r, rclgo.GoalSucceeded, 0, 1, 1, 2)
}

func TestActionsAreNotMadeOf(t *testing.T) {
	n := newNode(t)
	other := must[*rclgo.Clock](t)(newContext(t).NewClock(rclgo.ClockTypeSystemTime))
	opts := rclgo.NewDefaultActionServerOptions()
	opts.Clock = other
	action := rclgo.NewAction(test_msgs_action.FibonacciTypeSupport,
		func(context.Context, *rclgo.GoalHandle) (types.Message, error) {
			return nil, nil
		})
	for name, err := range map[string]error{
		"a clock of another context": second(n.NewActionServer("/fib", action, opts)),
		"no action":                  second(n.NewActionServer("/fib", nil, nil)),
		"a bad name":                 second(n.NewActionServer("/fib onacci", action, nil)),
		"a bad name (client)":        second(n.NewActionClient("/fib onacci", action.TypeSupport(), nil)),
	} {
		if err == nil {
			t.Errorf("made of %s", name)
		}
	}
}
