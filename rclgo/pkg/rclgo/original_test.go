package rclgo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The tests of this file hold behaviour that programs written for the original rely on.

func TestContextOfClockTypeZeroIsWhole(t *testing.T) {
	c := must[*rclgo.Context](t)(rclgo.NewContext(0, nil))
	t.Cleanup(func() { check(t, c.Close()) })
	spin(t, c.Spin)
	n := must[*rclgo.Node](t)(c.NewNode(unique("node"), ""))
	fired := make(chan struct{}, 100)
	must[*rclgo.Timer](t)(c.NewTimer(time.Millisecond, func(*rclgo.Timer) { fired <- struct{}{} }))
	await(t, "the timer fires", fired)
	check(t, c.Clock().SetROSTimeOverride(time.Unix(1, 0))) // fails unless it is a clock of ROS time
	check(t, c.Clock().ClearROSTimeOverride())
	s := serveFib(t, n, nil, fibonacci(nil))
	r, _, err := fibClientOf(t, n, s.ActionName).WatchGoal(within(t), &fibGoal{Order: 1}, nil)
	check(t, err)
	expect(t, r, rclgo.GoalSucceeded, 0, 1, 1)
}

func TestSecondInitKeepsTheDefaultContext(t *testing.T) {
	check(t, rclgo.Init(nil))
	t.Cleanup(func() { check(t, rclgo.Uninit()) })
	first := rclgo.DefaultContext()
	check(t, rclgo.Init(nil))
	check(t, rclgo.InitWithOpts(nil, nil))
	if rclgo.DefaultContext() != first {
		t.Error("Init has replaced the default context")
	}
}

func TestSecondCloseOfAContextIsAnError(t *testing.T) {
	c := must[*rclgo.Context](t)(rclgo.NewContext(0, nil))
	check(t, c.Close())
	for range 2 {
		if err := c.Close(); !errors.Is(err, &rclgo.AlreadyShutdown{}) {
			t.Errorf("got %v", err)
		}
	}
}

func TestUnknownROSArgumentsAreNotRefused(t *testing.T) {
	args, rest, err := rclgo.ParseArgs([]string{"a", "--ros-args", "--log-level", "DEBUG", "--nonsense", "--", "b"})
	check(t, err)
	if got := args.String(); got != "--log-level DEBUG" {
		t.Errorf("parsed %q", got)
	}
	if got := args.Unknown(); !slices.Equal(got, []string{"--nonsense"}) {
		t.Errorf("unknown %q", got)
	}
	if !slices.Equal(rest, []string{"a", "b"}) {
		t.Errorf("rest %q", rest)
	}
	check(t, must[*rclgo.Context](t)(rclgo.NewContext(0, args)).Close())
}

func TestLoggerNames(t *testing.T) {
	if rclgo.GetLogger("") != rclgo.GetLogger("") {
		t.Error("the root logger has two pointers")
	}
	for _, name := range []string{".", "a.", ".a", "a..b", "a\x00b"} {
		if l := rclgo.GetLogger(name); l != nil {
			t.Errorf("GetLogger(%q) is %q", name, l.Name())
		}
		if l := rclgo.GetLogger("a").Child(name); l != nil {
			t.Errorf("Child(%q) is %q", name, l.Name())
		}
	}
	if l := rclgo.GetLogger("a.b"); l.Parent().Name() != "a" || l.Parent().Parent() != rclgo.GetLogger("") {
		t.Error("a.b is not below a, below the root")
	}
}

func TestGoalsInWords(t *testing.T) {
	for status, want := range map[rclgo.GoalStatus]string{
		rclgo.GoalUnknown: "Unknown", rclgo.GoalAccepted: "Accepted", rclgo.GoalExecuting: "Executing",
		rclgo.GoalCanceling: "Canceling", rclgo.GoalSucceeded: "Succeeded", rclgo.GoalCanceled: "Canceled",
		rclgo.GoalAborted: "Aborted",
	} {
		if got := status.String(); got != want {
			t.Errorf("%d is %q, want %q", status, got, want)
		}
	}
	if got := (&types.GoalID{0x0a, 15: 0xff}).String(); got != "0a0000000000000000000000000000ff" {
		t.Errorf("id %q", got)
	}
	if got := rclgo.NewDefaultActionServerOptions().ResultTimeout; got != 15*time.Minute {
		t.Errorf("results are kept for %v", got)
	}
}

func TestAcceptAgainReturnsTheSender(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	handles := make(chan *rclgo.GoalHandle, 1)
	first := make(chan *rclgo.FeedbackSender, 1)
	s := serveFib(t, n, nil, func(_ context.Context, g *fibHandle) (*fibResult, error) {
		sender, err := g.GoalHandle.Accept()
		if err != nil {
			return nil, err
		}
		again, err := g.GoalHandle.Accept()
		if err != nil || again != sender {
			return nil, errors.Join(err, errors.New("another sender"))
		}
		handles <- g.GoalHandle
		first <- sender
		return sequenceOf(1), nil
	})
	c := fibClientOf(t, n, s.ActionName)
	r, _, err := c.WatchGoal(within(t), &fibGoal{}, nil)
	check(t, err)
	expect(t, r, rclgo.GoalSucceeded, 1)
	if again, err := (<-handles).Accept(); err != nil || again != <-first {
		t.Errorf("after the end: %v", err)
	}
}

func TestWatchGoalCancelsWhenItsContextEnds(t *testing.T) {
	t.Run("after the goal was accepted", func(t *testing.T) {
		_, c := fibPair(t, nil)
		seen := statuses(t, c, nil)
		ctx, cancel := context.WithCancel(within(t))
		defer cancel()
		go func() {
			for s := range seen {
				if s == rclgo.GoalExecuting {
					cancel()
					return
				}
			}
		}()
		_, id, err := c.WatchGoal(ctx, &fibGoal{Order: orderHold}, nil)
		if err != context.Canceled {
			t.Fatalf("it ended by %v (%T)", err, err)
		}
		expect(t, getResult(t, c, id), rclgo.GoalCanceled, orderHold)
	})
	t.Run("before", func(t *testing.T) {
		n := newNode(t)
		spin(t, n.Spin)
		asked, accept := make(chan types.GoalID, 1), make(chan struct{})
		s := serveFib(t, n, nil, func(ctx context.Context, g *fibHandle) (*fibResult, error) {
			asked <- g.ID
			<-accept
			_, err := g.Accept()
			if err != nil {
				return nil, err
			}
			<-ctx.Done()
			return sequenceOf(7), rclgo.Canceled(nil)
		})
		c := fibClientOf(t, n, s.ActionName)
		ctx, cancel := context.WithCancel(within(t))
		ended := make(chan error, 1)
		go func() {
			_, _, err := c.WatchGoal(ctx, &fibGoal{}, nil)
			ended <- err
		}()
		id := await(t, "the goal is asked for", asked)
		cancel()
		if err := await(t, "WatchGoal returns", ended); err != context.Canceled {
			t.Fatalf("it ended by %v (%T)", err, err)
		}
		close(accept)
		expect(t, getResult(t, c, &id), rclgo.GoalCanceled, 7)
	})
	t.Run("not by GetResult", func(t *testing.T) {
		_, c := fibPair(t, nil)
		id := accepted(t, c, orderHold)
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if _, err := c.GetResult(ctx, id); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("it ended by %v", err)
		}
		reaches(t, statuses(t, c, id), rclgo.GoalExecuting)
		cancelGoals(t, c, id, cancelAccepted, 1) // it was not cancelled before
	})
}

func TestEveryStatusOfAGoalIsPublished(t *testing.T) {
	_, c := fibPair(t, nil)
	seen := statuses(t, c, nil)
	_, _, err := c.WatchGoal(within(t), &fibGoal{Order: 3}, nil)
	check(t, err)
	for _, want := range []rclgo.GoalStatus{rclgo.GoalAccepted, rclgo.GoalExecuting, rclgo.GoalSucceeded} {
		if got := await(t, "a status", seen); got != want {
			t.Fatalf("status %v, want %v", got, want)
		}
	}
}
