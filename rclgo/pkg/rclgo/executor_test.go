package rclgo_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/ownshm"
	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestMadeAndClosedWhileSpinning makes and closes everything from many goroutines.
func TestMadeAndClosedWhileSpinning(t *testing.T) {
	before := ownshm.Files() // of rclpy, which may have been started by another test
	c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
	spun := make(chan error, 1)
	go func() { spun <- c.Spin(context.Background()) }()
	const workers, rounds = 8, 125 // 1000 in all
	failed := make(chan error, workers)
	for w := range workers {
		go func() {
			for round := range rounds {
				if err := churn(t, c, fmt.Sprintf("churn_%d_%d", w, round)); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range workers {
		// Longer than patience: there is much to do.
		select {
		case err := <-failed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(5 * time.Minute):
			t.Fatal("a worker does not end")
		}
	}
	check(t, c.Close())
	if err := await(t, "Spin ends", spun); !errors.Is(err, &rclgo.AlreadyShutdown{}) {
		t.Errorf("spin: %v", err)
	}
	check(t, clean())
	eventually(t, "no file in shared memory is left", func() bool {
		return !slices.ContainsFunc(ownshm.Files(), func(name string) bool { return !slices.Contains(before, name) })
	})
}

// churn is one round of a worker.
func churn(t *testing.T, c *rclgo.Context, name string) error {
	ts, srv := stringType(t), setBool(t)
	opts := rclgo.NewDefaultNodeOptions()
	opts.StartParameterServices, opts.StartTypeDescriptionService = rand.IntN(4) == 0, rand.IntN(4) == 0
	n, err := c.NewNodeWithOpts(name, "", opts)
	if err != nil {
		return err
	}
	pub, err1 := n.NewPublisher("/churn", ts, nil)
	sub, err2 := n.NewSubscription("/churn", ts, nil, func(s *rclgo.Subscription) { _, _ = s.TakeMessage(ts.New()) })
	svc, err3 := n.NewService("churn", srv, nil, func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
		_ = s.SendResponse(srv.Response().New())
	})
	cli, err4 := n.NewClient("churn", srv, nil)
	timer, err5 := n.NewTimer(time.Millisecond, func(*rclgo.Timer) {})
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return err
	}
	closers := []func() error{pub.Close, sub.Close, svc.Close, cli.Close, timer.Close, n.Close, n.Close, n.Clock().Close}
	if rand.IntN(4) == 0 {
		server, err1 := test_msgs_action.NewFibonacciServer(n, "fib", test_msgs_action.NewFibonacciAction(fibonacci(nil)), nil)
		client, err2 := test_msgs_action.NewFibonacciClient(n, "fib", nil)
		life, err3 := n.NewLifecycle(rclgo.LifecycleCallbacks{}, nil)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		closers = append(closers, server.Close, client.Close, life.Close)
	}
	cancel := n.OnGraphChange(func() {})
	defer cancel()
	if err := errors.Join(pub.OnMatched(func(rclgo.Matched) {}),
		second(n.Parameters().Declare("rounds", 1, nil)),
		n.Parameters().Set(param{"use_sim_time", true}, param{"rounds", 2})); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Millisecond)
	_, _, _ = cli.Send(ctx, srv.Request().New())
	stop()
	if err := pub.Publish(ts.New()); err != nil {
		return err
	}
	rand.Shuffle(len(closers), func(i, j int) { closers[i], closers[j] = closers[j], closers[i] })
	var wg sync.WaitGroup
	var errs [2]error
	for half := range errs {
		wg.Go(func() {
			for i := half; i < len(closers); i += 2 {
				errs[half] = errors.Join(errs[half], closers[i]())
			}
		})
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// TestSharedMemoryIsGivenBack looks at the files themselves too: those of a participant
// are nobody else's. Ports are shared with other processes.
func TestSharedMemoryIsGivenBack(t *testing.T) {
	check(t, clean())
	c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
	n := must[*rclgo.Node](t)(c.NewNode(unique("node"), ""))
	pub := must[*rclgo.Publisher](t)(n.NewPublisher("a", stringType(t), nil))
	check(t, pub.Publish(text(t, "x")))
	mapped := sharedMemory(os.Getpid())
	if len(mapped) == 0 {
		t.Skip("the middleware uses no shared memory here")
	}
	check(t, c.Close())
	check(t, clean())
	for _, file := range mapped {
		if strings.Contains(file, "_port") {
			continue
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left (%v)", file, err)
		}
	}
}

func TestCloseInAnyOrderAndTwice(t *testing.T) {
	ts, srv := stringType(t), setBool(t)
	for seed := range 12 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeSteadyTime, nil))
			n := must[*rclgo.Node](t)(c.NewNode(unique("node"), ""))
			pub := must[*rclgo.Publisher](t)(n.NewPublisher("a", ts, nil))
			check(t, pub.OnMatched(func(rclgo.Matched) {}))
			sub, _ := listen(t, n, "a", nil)
			svc := must[*rclgo.Service](t)(n.NewService("b", srv, nil, func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}))
			cli := must[*rclgo.Client](t)(n.NewClient("b", srv, nil))
			timer := must[*rclgo.Timer](t)(c.NewTimer(time.Millisecond, nil))
			ws := must[*rclgo.WaitSet](t)(c.NewWaitSet())
			all := []func() error{c.Close, n.Close, pub.Close, sub.Close, svc.Close, cli.Close, timer.Close, c.Clock().Close, ws.Close}
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
	must[*rclgo.Service](t)(n.NewService(name, srv, nil, func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
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
	spin(t, n.Spin) // both at once still serve an entity once
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
