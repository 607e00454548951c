package rclgo_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestFaultsOfTakeAreLoggedOncePerKind(t *testing.T) {
	n := newNode(t)
	sub, _ := listen(t, n, unique("/topic"), nil)
	var mu sync.Mutex
	lines := 0
	rclgo.SetLoggingOutputHandler(func(_ unsafe.Pointer, severity int, name unsafe.Pointer, _ int64, _,
		_ unsafe.Pointer) {
		mu.Lock()
		defer mu.Unlock()
		if severity == int(rclgo.LogSeverityError) && strings.HasSuffix(goString(name), n.Name()) {
			lines++
		}
	})
	t.Cleanup(func() { rclgo.SetLoggingOutputHandler(nil) })
	for _, c := range []struct{ code, want int }{{401, 0}, {400, 0}, {10, 1}, {10, 1}, {1, 2}, {10, 2}} {
		if sub.FailTake(c.code) == nil {
			t.Fatal("no error")
		}
		mu.Lock()
		if lines != c.want {
			t.Errorf("%d lines after code %d, want %d", lines, c.code, c.want)
		}
		mu.Unlock()
	}
}

func TestNamesWithNULAreRefused(t *testing.T) {
	n := newNode(t)
	ts, srv, act := stringType(t), setBool(t), test_msgs_action.FibonacciTypeSupport
	action := rclgo.NewAction(act, func(context.Context, *rclgo.GoalHandle) (types.Message, error) { return nil, nil })
	const bad = "a\x00b"
	for what, err := range map[string]error{
		"node":         second(n.Context().NewNode(bad, "")),
		"namespace":    second(n.Context().NewNode("a", "/"+bad)),
		"publisher":    second(n.NewPublisher(bad, ts, nil)),
		"subscription": second(n.NewSubscription(bad, ts, nil, nil)),
		"service": second(n.NewService(bad, srv, nil,
			func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {})),
		"client":        second(n.NewClient(bad, srv, nil)),
		"action client": second(n.NewActionClient(bad, act, nil)),
		"action server": second(n.NewActionServer(bad, action, nil)),
		"remap":         second(n.Context().RemapNode(bad, "")),
		"expand":        second(rclgo.ExpandTopicName(bad, "n", "/", nil)),
		"arguments":     third(rclgo.ParseArgs([]string{"--ros-args", "-r", bad})),
		"graph":         second(n.GetPublishersInfoByTopic(bad, true)),
		"count":         second(n.CountPublishers(bad)),
		"query":         second(n.GetServiceNamesAndTypesByNode(bad, "/")),
	} {
		if err == nil || !strings.Contains(err.Error(), "NUL") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestResultAndFeedbackOfAnotherType uses the untyped API: the typed one cannot be wrong.
func TestResultAndFeedbackOfAnotherType(t *testing.T) {
	n := newNode(t)
	spin(t, n.Spin)
	for name, wrong := range map[string]types.Message{
		"another type": &fibFeedback{}, "nil pointer": (*fibResult)(nil), "not of the action": stringType(t).New(),
	} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan error, 1)
			s := must[*rclgo.ActionServer](t)(n.NewActionServer(unique("/fib"),
				rclgo.NewAction(test_msgs_action.FibonacciTypeSupport,
					func(_ context.Context, g *rclgo.GoalHandle) (types.Message, error) {
						sender, err := g.Accept()
						if err != nil {
							return nil, err
						}
						feedback := wrong
						if name == "another type" {
							feedback = &fibResult{}
						}
						sent <- sender.Send(feedback)
						return wrong, nil
					}), nil))
			r, _, err := fibClientOf(t, n, s.ActionName).WatchGoal(within(t), &fibGoal{}, nil)
			check(t, err)
			expect(t, r, rclgo.GoalAborted)
			if <-sent == nil {
				t.Error("the feedback was sent")
			}
		})
	}
}

func TestPanicsOfHandlersAreReported(t *testing.T) {
	n := newNode(t)
	reports := make(chan string, 100)
	n.Context().OnPanic(func(what string, value any) {
		if value == "on purpose" {
			reports <- what
		}
	})
	spin(t, n.Context().Spin)
	reported := func(what string) {
		t.Helper()
		if got := await(t, "the panic of a "+what+" is reported", reports); !strings.HasPrefix(got, what) {
			t.Fatalf("reported of %s, want %s", got, what)
		}
	}
	panics := func() { panic("on purpose") }

	var calls atomic.Int32
	timer := must[*rclgo.Timer](t)(n.Context().NewTimer(time.Millisecond, func(*rclgo.Timer) {
		if calls.Add(1) <= 2 {
			panics()
		}
	}))
	reported("timer")
	reported("timer")
	eventually(t, "the timer goes on", func() bool { return calls.Load() > 3 })
	check(t, timer.Close())

	srv := setBool(t)
	first := true
	s := must[*rclgo.Service](t)(n.NewService(unique("/srv"), srv, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, out rclgo.ServiceResponseSender) {
			if first {
				first = false
				panics()
			}
			_ = out.SendResponse(srv.Response().New())
		}))
	c := must[*rclgo.Client](t)(n.NewClient(s.ServiceName, srv, nil))
	available(t, c)
	ctx, cancel := context.WithCancel(within(t))
	go func() {
		_, _, _ = c.Send(ctx, srv.Request().New())
	}()
	reported("service")
	cancel()
	check(t, third(c.Send(within(t), srv.Request().New())))

	server := serveFib(t, n, &rclgo.ActionServerOptions{
		GoalServiceQos: rclgo.NewDefaultServiceQosProfile(), CancelServiceQos: rclgo.NewDefaultServiceQosProfile(),
		ResultServiceQos: rclgo.NewDefaultServiceQosProfile(), FeedbackTopicQos: rclgo.NewDefaultQosProfile(),
		StatusTopicQos: rclgo.NewDefaultStatusQosProfile(), ResultTimeout: time.Minute,
		OnCancel: func(context.Context, *rclgo.GoalHandle) bool { panics(); return true },
	}, func(ctx context.Context, g *fibHandle) (*fibResult, error) {
		if g.Description.Order < 0 {
			panics()
		}
		if _, err := g.Accept(); err != nil {
			return nil, err
		}
		if g.Description.Order == 0 {
			panics()
		}
		<-ctx.Done()
		return nil, nil
	})
	fib := fibClientOf(t, n, server.ActionName)
	resp, _, err := fib.SendGoal(within(t), &fibGoal{Order: -1})
	check(t, err)
	if resp.Accepted {
		t.Error("a goal whose handler panics first is accepted")
	}
	reported("action server")
	expect(t, getResult(t, fib, accepted(t, fib, 0)), rclgo.GoalAborted)
	reported("action server")
	cancelGoals(t, fib, accepted(t, fib, 1), cancelRejected, 0)
	reported("action server")
}

// TestAPanicGoesToItsNodeFirst: each node has its own, and the context takes the others.
func TestAPanicGoesToItsNodeFirst(t *testing.T) {
	n := newNode(t)
	other, err := n.Context().NewNode(unique("other"), "")
	check(t, err)
	reports := make(chan string, 100)
	n.Context().OnPanic(func(string, any) { reports <- "context" })
	n.OnPanic(func(string, any) { reports <- "node" })
	spin(t, n.Context().Spin)
	panics := func(of interface {
		NewSubscription(string, types.MessageTypeSupport, *rclgo.SubscriptionOptions,
			rclgo.SubscriptionCallback) (*rclgo.Subscription, error)
	}, want string) {
		t.Helper()
		ts, topic := stringType(t), unique("/topic")
		sub := must[*rclgo.Subscription](t)(of.NewSubscription(topic, ts, nil, func(s *rclgo.Subscription) {
			_, _ = s.TakeMessage(ts.New())
			panic("on purpose")
		}))
		pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
		connected(t, pub)
		check(t, pub.Publish(ts.New()))
		if got := await(t, "the panic is reported", reports); got != want {
			t.Errorf("it is reported to the %s, want the %s", got, want)
		}
		check(t, sub.Close())
	}
	panics(n, "node")
	panics(other, "context")
	n.OnPanic(nil)
	panics(n, "context")
}

// TestMessageThatIsNotTaken: the callback is paced, and is called at once after a take.
func TestMessageThatIsNotTaken(t *testing.T) {
	n := newNode(t)
	ts, topic := stringType(t), unique("/topic")
	var calls atomic.Int32
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, func(*rclgo.Subscription) { calls.Add(1) }))
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
	connected(t, pub)
	spin(t, n.Spin)
	start := time.Now()
	check(t, pub.Publish(ts.New()))
	eventually(t, "the callback is called again and again", func() bool { return calls.Load() >= 5 })
	if took, least := time.Since(start), 150*time.Millisecond; took < least { // 10 + 20 + 40 + 80 ms
		t.Errorf("5 calls for one message within %v; want %v or more", took, least)
	}
	check(t, second(sub.TakeMessage(ts.New())))
	eventually(t, "the pause ends", func() bool { return !sub.Paused() })
	before := calls.Load()
	check(t, pub.Publish(ts.New()))
	eventually(t, "the callback is called for the next message", func() bool { return calls.Load() > before })
}

// TestLogHandlerMayWaitForAnother would deadlock if a lock were held meanwhile.
func TestLogHandlerMayWaitForAnother(t *testing.T) {
	newContext(t)
	var once sync.Once
	second := make(chan struct{})
	rclgo.SetLoggingOutputHandler(func(_ unsafe.Pointer, _ int, name unsafe.Pointer, _ int64, _, _ unsafe.Pointer) {
		switch goString(name) {
		case "waits":
			once.Do(func() { go func() { _ = rclgo.GetLogger("wakes").Info("second") }() })
			select {
			case <-second:
			case <-time.After(patience):
				t.Error("the second line waits for the first")
			}
		case "wakes":
			close(second)
		}
	})
	t.Cleanup(func() { rclgo.SetLoggingOutputHandler(nil) })
	check(t, rclgo.GetLogger("waits").Info("first"))
}

// TestGraphQueriesDoNotWaitForTheLoop asks while the loop is held.
func TestGraphQueriesDoNotWaitForTheLoop(t *testing.T) {
	n := newNode(t)
	client := must[*rclgo.Client](t)(n.NewClient(unique("/srv"), setBool(t), nil))
	fib := fibClientOf(t, n, serveFib(t, n, nil, nil).ActionName)
	free := n.Context().HoldLoop()
	defer free()
	for what, query := range map[string]func() error{
		"names":         func() error { return third(n.GetNodeNames()) },
		"client":        func() error { return second(client.Available()) },
		"action client": func() error { return second(fib.Available()) },
	} {
		done := make(chan error, 1)
		go func() { done <- query() }()
		select {
		case err := <-done:
			check(t, err)
		case <-time.After(5 * time.Second):
			t.Errorf("%s: the query waits for the loop", what)
		}
	}
}

// TestATakeThatFailsIsPaced: after a fault the loop waits before it takes again.
func TestATakeThatFailsIsPaced(t *testing.T) {
	n := newNode(t)
	srv := setBool(t)
	s := must[*rclgo.Service](t)(n.NewService(unique("/srv"), srv, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, out rclgo.ServiceResponseSender) {
			check(t, out.SendResponse(srv.Response().New()))
		}))
	c := must[*rclgo.Client](t)(n.NewClient(s.ServiceName, srv, nil))
	spin(t, n.Spin)
	available(t, c)
	check(t, third(c.Send(within(t), srv.Request().New())))
	const faults = 5 // 10, 20, 40, 80 and 160 ms
	c.FailTakes(faults)
	start := time.Now()
	check(t, third(c.Send(within(t), srv.Request().New())))
	if took := time.Since(start); took < 300*time.Millisecond {
		t.Errorf("after %d faults the response came in %v", faults, took)
	}
	if p := c.Pause(); p != 0 {
		t.Errorf("after a response was taken, the client pauses for %v", p)
	}
}
