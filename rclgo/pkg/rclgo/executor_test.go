package rclgo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestCloseInAnyOrderAndTwice(t *testing.T) {
	ts, srv := stringType(t), setBool(t)
	for seed := range 12 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeSteadyTime, nil))
			n := must[*rclgo.Node](t)(c.NewNode(unique("node"), ""))
			pub := must[*rclgo.Publisher](t)(n.NewPublisher("a", ts, nil))
			check(t, unlessUnsupported(pub.OnMatched(func(rclgo.Matched) {})))
			sub, _ := listen(t, n, "a", nil)
			svc := must[*rclgo.Service](t)(n.NewService("b", srv, nil,
				func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}))
			cli := must[*rclgo.Client](t)(n.NewClient("b", srv, nil))
			timer := must[*rclgo.Timer](t)(c.NewTimer(time.Millisecond, nil))
			ws := must[*rclgo.WaitSet](t)(c.NewWaitSet())
			all := []func() error{func() error { return closeContext(c) }, n.Close, pub.Close, sub.Close, svc.Close,
				cli.Close, timer.Close, c.Clock().Close, ws.Close}
			all = append(all, all...)
			if seed%2 == 0 {
				spin(t, c.Spin)
			}
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, closeIt := range all {
				check(t, closeIt())
			}
			for what, err := range map[string]error{
				"publish":    pub.Publish(ts.New()),
				"events":     pub.OnMatched(func(rclgo.Matched) {}),
				"take":       second(sub.TakeMessage(ts.New())),
				"reset":      timer.Reset(),
				"call":       third(cli.Send(context.Background(), srv.Request().New())),
				"node":       second(c.NewNode("late", "")),
				"publisher":  second(n.NewPublisher("late", ts, nil)),
				"node spin":  n.Spin(context.Background()),
				"run":        ws.Run(context.Background()),
				"graph":      second(n.GetTopicNamesAndTypes(true)),
				"clock read": second(c.Clock().Now()),
			} {
				if err == nil {
					t.Errorf("%s works on what is closed", what)
				}
			}
			if err := pub.Publish(ts.New()); !errors.Is(err, &rclgo.PublisherInvalid{}) {
				t.Errorf("publish: %v", err)
			}
			if err := c.Spin(context.Background()); !errors.Is(err, &rclgo.AlreadyShutdown{}) {
				t.Errorf("spin: %v", err)
			}
		})
	}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

func TestCloseInsideHandler(t *testing.T) {
	ts := stringType(t)
	for name, closeIt := range map[string]func(*rclgo.Subscription) error{
		"itself":  (*rclgo.Subscription).Close,
		"node":    func(s *rclgo.Subscription) error { return s.Node().Close() },
		"context": func(s *rclgo.Subscription) error { return s.Node().Context().Close() },
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			go n.Context().Spin(within(t))
			closed := make(chan error, 1)
			topic := unique("/self")
			must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, func(s *rclgo.Subscription) {
				closed <- closeIt(s)
			}))
			pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
			connected(t, pub)
			check(t, pub.Publish(text(t, "go")))
			check(t, await(t, "Close returns inside the handler", closed))
		})
	}
}

func TestContextClosesWhileHandlerRuns(t *testing.T) {
	srv, n := setBool(t), newNode(t)
	spun := make(chan error, 1)
	go func() { spun <- n.Context().Spin(context.Background()) }()
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	name := unique("/slow")
	must[*rclgo.Service](t)(n.NewService(name, srv, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
			close(started)
			<-release
			ended <- s.SendResponse(srv.Response().New())
		}))
	c := must[*rclgo.Client](t)(n.NewClient(name, srv, nil))
	available(t, c)
	called := make(chan error, 1)
	go func() { called <- third(c.Send(context.Background(), srv.Request().New())) }()
	await(t, "the handler starts", started)
	check(t, n.Context().Close())
	close(release)
	if err := await(t, "the handler ends", ended); !errors.Is(err, &rclgo.ServiceInvalid{}) {
		t.Errorf("answering after Close: %v", err)
	}
	if err := await(t, "the call ends", called); !errors.Is(err, &rclgo.ClientInvalid{}) {
		t.Errorf("call during Close: %v", err)
	}
	if err := await(t, "Spin ends", spun); !errors.Is(err, &rclgo.AlreadyShutdown{}) {
		t.Errorf("spin: %v", err)
	}
}

func TestHandlerRunsOnceAtATimeAndInOrder(t *testing.T) {
	n := newNode(t)
	spin(t, n.Context().Spin)
	spin(t, n.Spin) // two spins at once still serve an entity once
	ts, topic := stringType(t), unique("/order")
	var inside atomic.Int32
	got := make(chan string, 100)
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.History = rclgo.HistoryKeepAll
	must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, opts, func(s *rclgo.Subscription) {
		if inside.Add(1) != 1 {
			t.Error("two handlers at once")
		}
		defer inside.Add(-1)
		m := ts.New()
		if _, err := s.TakeMessage(m); err != nil {
			t.Errorf("called without a message: %v", err)
			return
		}
		got <- field[string](t, m, "data")
	}))
	popts := rclgo.NewDefaultPublisherOptions()
	popts.Qos.History = rclgo.HistoryKeepAll
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, popts))
	connected(t, pub)
	for i := range 100 {
		check(t, pub.Publish(text(t, fmt.Sprint(i))))
	}
	for i := range 100 {
		if v := await(t, "the next message", got); v != fmt.Sprint(i) {
			t.Fatalf("got %s, want %d", v, i)
		}
	}
}

func TestServedOnlyWhileSpun(t *testing.T) {
	c := newContext(t)
	talkers := func() (*rclgo.Node, *rclgo.Publisher, *rclgo.Subscription, <-chan string) {
		n := must[*rclgo.Node](t)(c.NewNode(unique("node"), ""))
		topic := unique("/spun")
		sub, heard := listen(t, n, topic, nil)
		pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, stringType(t), nil))
		connected(t, pub)
		return n, pub, sub, heard
	}
	nodeA, pubA, _, heardA := talkers()
	_, pubB, subB, heardB := talkers()
	check(t, pubB.Publish(text(t, "b1")))
	check(t, pubA.Publish(text(t, "a1")))
	stopA := spin(t, nodeA.Spin)
	if got := await(t, "the spun node hears", heardA); got != "a1" {
		t.Fatal(got)
	}
	if len(heardB) > 0 {
		t.Fatal("a node is served that nothing spins")
	}
	ws := must[*rclgo.WaitSet](t)(c.NewWaitSet())
	stopWS := spin(t, ws.Run)
	ws.AddSubscriptions(subB) // while it runs
	if got := await(t, "the wait set's subscription hears", heardB); got != "b1" {
		t.Fatal(got)
	}
	stopA()
	check(t, pubA.Publish(text(t, "a2")))
	check(t, pubB.Publish(text(t, "b2")))
	await(t, "the wait set goes on", heardB)
	stopWS()
	if len(heardA) > 0 {
		t.Fatal("a handler ran after Spin had returned")
	}
	spin(t, c.Spin)
	if got := await(t, "the context serves all", heardA); got != "a2" {
		t.Fatal(got)
	}
}

func TestSpinReturnsWhyItEnded(t *testing.T) {
	n := newNode(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := n.Context().Spin(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := n.Spin(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("late: %v", err)
	}
	spun := make(chan error, 1)
	go func() { spun <- n.Spin(context.Background()) }()
	check(t, n.Close())
	if err := await(t, "spin ends with its node", spun); !errors.Is(err, &rclgo.NodeInvalid{}) {
		t.Errorf("closed: %v", err)
	}
	ws := must[*rclgo.WaitSet](t)(n.Context().NewWaitSet())
	stranger, _ := listen(t, newNode(t), "elsewhere", nil)
	ws.AddSubscriptions(stranger)
	if err := ws.Run(context.Background()); !errors.Is(err, &rclgo.InvalidArgument{}) {
		t.Errorf("other context: %v", err)
	}
}

func TestContextsOfOtherDomainsDoNotMeet(t *testing.T) {
	ts := stringType(t)
	near := newNode(t)
	opts := rclgo.NewDefaultContextOptions()
	if opts.DomainID = 100; must[uint](t)(near.Context().DomainID()) == opts.DomainID {
		opts.DomainID = 99
	}
	far := must[*rclgo.Context](t)(rclgo.NewContextWithOpts(nil, opts))
	t.Cleanup(func() { check(t, far.Close()) })
	if id := must[uint](t)(far.DomainID()); id != opts.DomainID {
		t.Fatalf("domain %d", id)
	}
	farNode := must[*rclgo.Node](t)(far.NewNode("far", ""))
	topic := unique("/domain")
	farPub := must[*rclgo.Publisher](t)(farNode.NewPublisher(topic, ts, nil))
	nearPub := must[*rclgo.Publisher](t)(near.NewPublisher(topic, ts, nil))
	must[*rclgo.Subscription](t)(near.NewSubscription(topic, ts, nil, nil))
	connected(t, nearPub)
	if n := must[int](t)(farPub.GetSubscriptionCount()); n != 0 {
		t.Fatalf("%d subscriptions across domains", n)
	}
}
