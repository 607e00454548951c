package rclgo_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestManyCallsAtOnce(t *testing.T) {
	n, ts, name := newNode(t), setBool(t), unique("/echo")
	spin(t, n.Spin)
	must[*rclgo.Service](t)(n.NewService(name, ts, nil,
		func(_ *rclgo.ServiceInfo, req types.Message, s rclgo.ServiceResponseSender) {
			if err := s.SendResponse(message(t, ts.Response(), "success", field[bool](t, req, "data"))); err != nil {
				t.Error(err)
			}
		}))
	c := must[*rclgo.Client](t)(n.NewClient(name, ts, nil))
	available(t, c)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 25 {
				want := (i+k)%2 == 0
				resp, _, err := c.Send(within(t), message(t, ts.Request(), "data", want))
				if err != nil {
					t.Error(err)
					return
				}
				if got := field[bool](t, resp, "success"); got != want {
					t.Errorf("call %d/%d got another's answer", i, k)
				}
			}
		})
	}
	wg.Wait()
}

func TestSendHonoursItsContext(t *testing.T) {
	n, ts := newNode(t), setBool(t)
	spin(t, n.Spin)
	c := must[*rclgo.Client](t)(n.NewClient(unique("/nobody"), ts, nil))
	if yes, err := c.Available(); yes || err != nil {
		t.Errorf("available %v, %v", yes, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := c.Send(ctx, ts.Request().New()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if _, _, err := c.Send(ctx, ts.Request().New()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLateResponseGoesToItsHandlerAndNoFurther(t *testing.T) {
	n, ts, name := newNode(t), setBool(t), unique("/late")
	spin(t, n.Spin)
	senders := make(chan rclgo.ServiceResponseSender, 10)
	must[*rclgo.Service](t)(n.NewService(name, ts, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
			senders <- s // answered by the test
		}))
	c := must[*rclgo.Client](t)(n.NewClient(name, ts, nil))
	available(t, c)
	late := make(chan string, 10)
	c.OnLateResponse(func(m types.Message, info *rclgo.ServiceInfo) {
		if info.RequestID.SequenceNumber <= 0 {
			t.Errorf("the request has number %d", info.RequestID.SequenceNumber)
		}
		late <- field[string](t, m, "message")
	})
	ctx, cancel := context.WithCancel(context.Background())
	gaveUp := make(chan error, 1)
	go func() { gaveUp <- third(c.Send(ctx, ts.Request().New())) }()
	first := await(t, "the first request", senders)
	cancel()
	if err := await(t, "the first call gives up", gaveUp); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	answer := make(chan types.Message, 1)
	go func() {
		resp, _, err := c.Send(within(t), ts.Request().New())
		if err != nil {
			t.Error(err)
		}
		answer <- resp
	}()
	secondSender := await(t, "the second request", senders)
	check(t, first.SendResponse(message(t, ts.Response(), "message", "old")))
	if got := await(t, "the late response", late); got != "old" {
		t.Errorf("late: %q", got)
	}
	select {
	case m := <-answer:
		t.Fatalf("the second call got the first one's answer: %v", m)
	default:
	}
	check(t, first.SendResponse(message(t, ts.Response(), "message", "twice"))) // the tombstone was removed
	check(t, secondSender.SendResponse(message(t, ts.Response(), "message", "new")))
	if got := field[string](t, await(t, "the second answer", answer), "message"); got != "new" {
		t.Errorf("second call: %q", got)
	}
	if len(late) > 0 {
		t.Errorf("a response without a request was reported: %s", <-late)
	}
}

func TestServiceHandlerIsRequired(t *testing.T) {
	n := newNode(t)
	if _, err := n.NewService("x", setBool(t), nil, nil); !errors.Is(err, &rclgo.InvalidArgument{}) {
		t.Error(err)
	}
}
