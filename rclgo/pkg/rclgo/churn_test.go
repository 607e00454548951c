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
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/ownshm"
	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestMadeAndClosedWhileSpinning makes and closes everything from many goroutines.
func TestMadeAndClosedWhileSpinning(t *testing.T) {
	before := ownshm.Files() // of rclpy, which another test may have started
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
		// Longer than patience: this is much work.
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
	svc, err3 := n.NewService("churn", srv, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
			_ = s.SendResponse(srv.Response().New())
		})
	cli, err4 := n.NewClient("churn", srv, nil)
	timer, err5 := n.NewTimer(time.Millisecond, func(*rclgo.Timer) {})
	ws, err6 := c.NewWaitSet()
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return err
	}
	ws.AddTimers(timer)
	run := make(chan error, 1)
	go func() { run <- ws.Run(context.Background()) }()
	ws.AddSubscriptions(sub)
	closers := []func() error{pub.Close, sub.Close, svc.Close, cli.Close, timer.Close, n.Close, n.Close,
		n.Clock().Close, ws.Close}
	if rand.IntN(4) == 0 {
		server, err1 := test_msgs_action.NewFibonacciServer(n, "fib",
			test_msgs_action.NewFibonacciAction(fibonacci(nil)), nil)
		client, err2 := test_msgs_action.NewFibonacciClient(n, "fib", nil)
		life, err3 := n.NewLifecycle(rclgo.LifecycleCallbacks{}, nil)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		closers = append(closers, server.Close, client.Close, life.Close)
	}
	cancel := n.OnGraphChange(func() {})
	defer cancel()
	if err := errors.Join(unlessUnsupported(pub.OnMatched(func(rclgo.Matched) {})),
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
	if err := <-run; !errors.Is(err, &rclgo.WaitSetInvalid{}) {
		errs[0] = errors.Join(errs[0], fmt.Errorf("the wait set ended by %w", err))
	}
	return errors.Join(errs[:]...)
}

// TestContextsSideBySide makes and closes whole contexts from many goroutines; the process
// shares the initialisation of rcl.
func TestContextsSideBySide(t *testing.T) {
	ended := make(chan error, 4)
	for w := range cap(ended) {
		go func() {
			var errs []error
			for round := range 5 {
				errs = append(errs, wholeContext(fmt.Sprintf("context_%d_%d", w, round)))
			}
			ended <- errors.Join(errs...)
		}()
	}
	for range cap(ended) {
		check(t, await(t, "the contexts are closed", ended))
	}
	check(t, clean())
}

func wholeContext(name string) error {
	c, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		return err
	}
	spun := make(chan error, 1)
	go func() { spun <- c.Spin(context.Background()) }()
	_, err = c.NewNode(name, "")
	err = errors.Join(err, c.Close())
	if ended := <-spun; !errors.Is(ended, &rclgo.AlreadyShutdown{}) {
		err = errors.Join(err, fmt.Errorf("spin: %w", ended))
	}
	return err
}

// TestSharedMemoryIsGivenBack also checks the files themselves: those of a participant
// belong to it alone. Ports are shared with other processes.
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
