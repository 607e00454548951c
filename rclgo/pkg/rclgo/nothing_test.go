package rclgo_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/internal/rmwfault"
	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// errorLines counts what is logged as a warning or worse until the test ends.
func errorLines(t *testing.T) *atomic.Int32 {
	t.Helper()
	var lines atomic.Int32
	rclgo.SetLoggingOutputHandler(func(_ unsafe.Pointer, severity int, _ unsafe.Pointer, _ int64, _, _ unsafe.Pointer) {
		if severity >= int(rclgo.LogSeverityWarn) {
			lines.Add(1)
		}
	})
	t.Cleanup(func() { rclgo.SetLoggingOutputHandler(nil) })
	return &lines
}

// wakes is how many takes of a kind find nothing in the tests below. Cyclone DDS wakes a reader once for each writer
// that ends; more in a row come from a middleware that goes on.
const wakes = 16

// mayTake is how many takes may happen until something arrives after wakes empty ones: each wake of the loop may take
// from every part of an entity.
const mayTake = 6 * wakes

// emptied makes takes of a kind find nothing while the test does something, and fails it if that is logged or makes the
// loop spin.
func emptied(t *testing.T, kind rmwfault.Take, do func()) {
	t.Helper()
	lines := errorLines(t)
	before := rmwfault.Calls(kind)
	start := time.Now()
	rmwfault.Empty(t, kind, wakes)
	do()
	if n := rmwfault.Calls(kind) - before; n < wakes || n > mayTake {
		t.Errorf("%d takes, want %d to %d", n, wakes, mayTake)
	}
	// One turn may find nothing in four places, and the first turn is free.
	if took := time.Since(start); took < (wakes/4-2)*10*time.Millisecond {
		t.Errorf("%d takes that find nothing in %v: the loop does not pause", wakes, took)
	}
	if n := lines.Load(); n > 0 {
		t.Errorf("%d lines were logged", n)
	}
}

// TestATakeThatFindsNothingIsNoError: of each kind, with what is there arriving afterwards.
func TestATakeThatFindsNothingIsNoError(t *testing.T) {
	n := newNode(t)
	spin(t, n.Context().Spin)

	t.Run("subscription", func(t *testing.T) {
		topic := unique("/topic")
		heard := make(chan error, 100)
		must[*test_msgs_msg.StringsSubscription](t)(test_msgs_msg.NewStringsSubscription(n, topic, nil,
			func(_ *test_msgs_msg.Strings, _ *rclgo.MessageInfo, err error) { heard <- err }))
		pub := must[*test_msgs_msg.StringsPublisher](t)(test_msgs_msg.NewStringsPublisher(n, topic, nil))
		connected(t, pub.Publisher)
		emptied(t, rmwfault.Serialized, func() {
			check(t, pub.Publish(test_msgs_msg.NewStrings()))
			check(t, await(t, "the message arrives", heard)) // no other call of the handler comes first
		})
	})
	t.Run("subscription that takes bytes", func(t *testing.T) {
		ts, topic := stringType(t), unique("/topic")
		heard := make(chan int, 100)
		must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, func(s *rclgo.Subscription) {
			buf, _, err := s.TakeSerializedMessage()
			if rclgo.NothingTaken(err) {
				return
			}
			check(t, err)
			heard <- len(buf)
		}))
		pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
		connected(t, pub)
		emptied(t, rmwfault.Serialized, func() {
			check(t, pub.Publish(text(t, "x")))
			await(t, "the message arrives", heard)
		})
	})
	for name, inline := range map[string]bool{"service": false, "inline service": true} {
		t.Run(name, func(t *testing.T) {
			srv := setBool(t)
			s := must[*rclgo.Service](t)(n.NewService(unique("/srv"), srv, &rclgo.ServiceOptions{
				Qos: rclgo.NewDefaultServiceQosProfile(), Inline: inline,
			}, func(_ *rclgo.ServiceInfo, _ types.Message, out rclgo.ServiceResponseSender) {
				check(t, out.SendResponse(srv.Response().New()))
			}))
			c := must[*rclgo.Client](t)(n.NewClient(s.ServiceName, srv, nil))
			available(t, c)
			for what, kind := range map[string]rmwfault.Take{"request": rmwfault.Request, "response": rmwfault.Response} {
				t.Run(what, func(t *testing.T) {
					emptied(t, kind, func() { check(t, third(c.Send(within(t), srv.Request().New()))) })
				})
			}
		})
	}
	t.Run("action", func(t *testing.T) {
		server := serveFib(t, n, nil, func(_ context.Context, g *fibHandle) (*fibResult, error) {
			out, err := g.Accept()
			if err != nil {
				return nil, err
			}
			return sequenceOf(1), out.Send(&fibFeedback{Sequence: []int32{1}})
		})
		c := fibClientOf(t, n, server.ActionName)
		eventually(t, "the client finds the server", func() bool { return must[bool](t)(c.Available()) })
		for what, kind := range map[string]rmwfault.Take{
			"request": rmwfault.Request, "response": rmwfault.Response, "feedback and status": rmwfault.Message,
		} {
			t.Run(what, func(t *testing.T) {
				emptied(t, kind, func() {
					r, _, err := c.WatchGoal(within(t), &fibGoal{Order: 1}, nil)
					check(t, err)
					expect(t, r, rclgo.GoalSucceeded, 1)
					if kind == rmwfault.Message {
						eventually(t, "what was there is taken", func() bool { return rmwfault.Left(kind) == 0 })
					}
				})
			})
		}
	})
	t.Run("event", func(t *testing.T) {
		ts, topic := stringType(t), unique("/topic")
		pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
		found, h := into[rclgo.Matched]()
		check(t, pub.OnMatched(h))
		emptied(t, rmwfault.Event, func() {
			must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, nil))
			await(t, "the event arrives", found)
		})
	})
	t.Run("clock", func(t *testing.T) {
		timed := must[*rclgo.Node](t)(n.Context().NewNode(unique("timed"), ""))
		check(t, timed.Parameters().Set(rclgo.Parameter{Name: "use_sim_time", Value: true}))
		heard := make(chan rclgo.SimTime, 100)
		check(t, timed.OnSimTime(func(s rclgo.SimTime) { heard <- s }))
		ts := messageType(t, "rosgraph_msgs", "Clock")
		pub := must[*rclgo.Publisher](t)(n.NewPublisher("/clock", ts, nil))
		connected(t, pub)
		emptied(t, rmwfault.Message, func() {
			check(t, pub.Publish(ts.New()))
			for s := await(t, "the clock is heard", heard); s.Messages == 0; {
				s = await(t, "the clock is heard", heard)
			}
		})
	})
}

// TestOneWakeForNothingCostsNothing: only a second one in a row is followed by a pause.
func TestOneWakeForNothingCostsNothing(t *testing.T) {
	for _, c := range []struct {
		turns []string
		want  time.Duration
	}{
		{[]string{"moved"}, 0},
		{[]string{"nothing"}, 0},
		{[]string{"nothing", "nothing"}, 10 * time.Millisecond},
		{[]string{"nothing", "nothing", "nothing", "nothing"}, 10 * time.Millisecond}, // does not grow
		{[]string{"nothing", "moved", "nothing"}, 0},
		{[]string{"stuck"}, 10 * time.Millisecond},
		{[]string{"stuck", "stuck", "stuck"}, 40 * time.Millisecond},
		{[]string{"stuck", "nothing"}, 0},
		{[]string{"stuck", "stuck", "moved", "stuck"}, 10 * time.Millisecond},
	} {
		if got := rclgo.PauseAfter(c.turns...); got != c.want {
			t.Errorf("after %v it pauses for %v, want %v", c.turns, got, c.want)
		}
	}
}

// TestEventsThatAreNotSupported: each is an error of its own type, is not logged, leaks nothing, and what it was asked
// of works as before.
func TestEventsThatAreNotSupported(t *testing.T) {
	n, topic, ts := newNode(t), unique("/topic"), stringType(t)
	spin(t, n.Spin)
	sub, heard := listen(t, n, topic, nil)
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
	connected(t, pub)
	rmwfault.NoEvents(t)
	lines := errorLines(t)
	handles := rcl.LiveHandles()
	for kind, err := range map[rclgo.EventType]error{
		rclgo.EventOfferedDeadlineMissed:    pub.OnDeadlineMissed(func(rclgo.DeadlineMissed) {}),
		rclgo.EventLivelinessLost:           pub.OnLivelinessLost(func(rclgo.LivelinessLost) {}),
		rclgo.EventOfferedIncompatibleQos:   pub.OnIncompatibleQos(func(rclgo.IncompatibleQos) {}),
		rclgo.EventPublicationMatched:       pub.OnMatched(func(rclgo.Matched) {}),
		rclgo.EventRequestedDeadlineMissed:  sub.OnDeadlineMissed(func(rclgo.DeadlineMissed) {}),
		rclgo.EventLivelinessChanged:        sub.OnLivelinessChanged(func(rclgo.LivelinessChanged) {}),
		rclgo.EventRequestedIncompatibleQos: sub.OnIncompatibleQos(func(rclgo.IncompatibleQos) {}),
		rclgo.EventMessageLost:              sub.OnMessageLost(func(rclgo.MessageLost) {}),
		rclgo.EventSubscriptionMatched:      sub.OnMatched(func(rclgo.Matched) {}),
	} {
		var typed *rclgo.Unsupported
		if !errors.Is(err, &rclgo.Unsupported{}) || !errors.As(err, &typed) {
			t.Errorf("%v: %v", kind, err)
			continue
		}
		for _, want := range []string{strconv.Quote(kind.String()), topic,
			rclgo.MiddlewareIdentifier() + " has no such events"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: the error %q does not name %s", kind, err, want)
			}
		}
		if rclgo.EventSupported(kind) {
			t.Errorf("%v is supported", kind)
		}
	}
	if got := rcl.LiveHandles(); got != handles {
		t.Errorf("%d handles, before %d", got, handles)
	}
	check(t, pub.Publish(text(t, "still here")))
	if got := await(t, "the message arrives", heard); got != "still here" {
		t.Errorf("heard %q", got)
	}
	if n := lines.Load(); n > 0 {
		t.Errorf("%d lines were logged", n)
	}
	check(t, sub.OnLivelinessChanged(nil)) // to end what is not there is no error
}

// TestEventSupportedAsksTheMiddleware: about each event by itself.
func TestEventSupportedAsksTheMiddleware(t *testing.T) {
	if rclgo.EventSupported(-1) || rclgo.EventSupported(rclgo.EventSubscriptionMatched+1) {
		t.Error("an event that does not exist is supported")
	}
	n, topic, ts := newNode(t), unique("/topic"), stringType(t)
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, nil))
	err := sub.OnLivelinessChanged(func(rclgo.LivelinessChanged) {})
	if said := rclgo.EventSupported(rclgo.EventLivelinessChanged); said != (err == nil) {
		t.Errorf("supported: %v, but making one: %v", said, err)
	} else if !said && strings.HasPrefix(rclgo.MiddlewareIdentifier(), "rmw_fastrtps_") {
		t.Error("not supported by Fast DDS, which has all events")
	}
	numbers := map[rclgo.EventType]int{
		rclgo.EventOfferedDeadlineMissed:    rmwfault.OfferedDeadlineMissed,
		rclgo.EventLivelinessLost:           rmwfault.LivelinessLost,
		rclgo.EventOfferedIncompatibleQos:   rmwfault.OfferedIncompatibleQos,
		rclgo.EventPublicationMatched:       rmwfault.PublicationMatched,
		rclgo.EventRequestedDeadlineMissed:  rmwfault.RequestedDeadlineMissed,
		rclgo.EventLivelinessChanged:        rmwfault.LivelinessChanged,
		rclgo.EventRequestedIncompatibleQos: rmwfault.RequestedIncompatibleQos,
		rclgo.EventMessageLost:              rmwfault.MessageLost,
		rclgo.EventSubscriptionMatched:      rmwfault.SubscriptionMatched,
	}
	before := map[rclgo.EventType]bool{}
	for kind := range numbers {
		before[kind] = rclgo.EventSupported(kind)
	}
	for lacking, number := range numbers {
		t.Run("without "+lacking.String(), func(t *testing.T) {
			rmwfault.NoEvent(t, number)
			for kind, yes := range before {
				if want := yes && kind != lacking; rclgo.EventSupported(kind) != want {
					t.Errorf("%v: supported %v, want %v", kind, !want, want)
				}
			}
		})
	}
}

// TestEventsOfAMiddlewareThatCannotBeAsked: making one tells.
func TestEventsOfAMiddlewareThatCannotBeAsked(t *testing.T) {
	sub := must[*rclgo.Subscription](t)(newNode(t).NewSubscription(unique("/topic"), stringType(t), nil, nil))
	want := sub.OnMatched(func(rclgo.Matched) {})
	rmwfault.MuteEvents(t)
	if !rclgo.EventSupported(rclgo.EventSubscriptionMatched) {
		t.Error("an event is refused that may be there")
	}
	if err := sub.OnMatched(func(rclgo.Matched) {}); (err == nil) != (want == nil) {
		t.Errorf("making one: %v, want %v", err, want)
	}
}

// TestAnActionSurvivesWithoutEvents: calls to a server that goes away end by what the graph shows.
func TestAnActionSurvivesWithoutEvents(t *testing.T) {
	rmwfault.NoEvents(t)
	n := newNode(t)
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(unique("/topic"), stringType(t), nil, nil))
	if err := sub.OnMatched(func(rclgo.Matched) {}); !errors.Is(err, &rclgo.Unsupported{}) {
		t.Fatalf("there are events here: %v", err)
	}
	spin(t, n.Context().Spin)
	running := make(chan struct{}, 1)
	server := serveFib(t, n, nil, func(ctx context.Context, g *fibHandle) (*fibResult, error) {
		if _, err := g.Accept(); err != nil {
			return nil, err
		}
		running <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	c := fibClientOf(t, n, server.ActionName)
	ended := make(chan error, 1)
	go func() {
		_, _, err := c.WatchGoal(context.Background(), &fibGoal{Order: 1}, nil)
		ended <- err
	}()
	await(t, "the goal runs", running)
	eventually(t, "the client sees the server", c.SeesServer)
	rmwfault.Empty(t, rmwfault.Response, math.MaxInt32) // the server may still say that the goal is aborted
	check(t, server.Close())
	if err := await(t, "the call ends", ended); !errors.Is(err, rclgo.ErrActionServerGone) {
		t.Errorf("the call ends with %v", err)
	}
}

// TestGIDsInMessagesMayDiffer: nothing in the library compares them with those of the graph.
func TestGIDsInMessagesMayDiffer(t *testing.T) {
	rmwfault.OtherGIDs(t)
	n, ts, topic := newNode(t), stringType(t), unique("/topic")
	spin(t, n.Context().Spin)
	gids := make(chan rclgo.GID, 10)
	must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, func(s *rclgo.Subscription) {
		if info, err := s.TakeMessage(ts.New()); err == nil {
			gids <- info.PublisherGID
		}
	}))
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
	connected(t, pub)
	check(t, pub.Publish(ts.New()))
	if got := await(t, "the message arrives", gids); got == must[rclgo.GID](t)(pub.GID()) {
		t.Errorf("the GID in the message is %v, that of the publisher too", got)
	}
	server := serveFib(t, n, nil, func(_ context.Context, g *fibHandle) (*fibResult, error) {
		_, err := g.Accept()
		return sequenceOf(1), err
	})
	r, _, err := fibClientOf(t, n, server.ActionName).WatchGoal(within(t), &fibGoal{Order: 1}, nil)
	check(t, err)
	expect(t, r, rclgo.GoalSucceeded, 1)
}
