package rclgo_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestSendFunc: a response comes once, also to one of many requests at once; a call that was forgotten gets none, and
// one whose client is closed gets the reason. The service handles requests inline, and survives a handler that panics.
func TestSendFunc(t *testing.T) {
	before := rcl.LiveHandles()
	n, srv, name := newNode(t), setBool(t), unique("/inline")
	spin(t, n.Spin)
	panics := make(chan any, 1)
	n.OnPanic(func(_ string, value any) { panics <- value })
	options := rclgo.NewDefaultServiceOptions()
	options.Inline = true
	count := 0
	silent := make(chan struct{}, 1)
	must[*rclgo.Service](t)(n.NewService(name, srv, options,
		func(_ *rclgo.ServiceInfo, m types.Message, s rclgo.ServiceResponseSender) {
			count++ // of one goroutine
			data, err := m.(*introspection.DynamicMessage).Get("data")
			check(t, err)
			switch {
			case count == 2:
				panic("the second one")
			case data.(bool):
				check(t, s.SendResponse(message(t, srv.Response(), "message", fmt.Sprint(count))))
			default:
				silent <- struct{}{}
			}
		}))
	c := must[*rclgo.Client](t)(n.NewClient(name, srv, nil))
	eventually(t, "the server is matched", func() bool {
		yes, err := c.Available()
		check(t, err)
		return yes
	})
	type end struct {
		said string
		err  error
	}
	ends := make(chan end, 10)
	send := func(answered bool) (forget func() bool) {
		return must[func() bool](t)(c.SendFunc(message(t, srv.Request(), "data", answered),
			func(m types.Message, info *rclgo.ServiceInfo, err error) {
				if err != nil {
					ends <- end{err: err}
					return
				}
				word, err := m.(*introspection.DynamicMessage).Get("message")
				if info == nil {
					err = errors.New("no information")
				}
				ends <- end{word.(string), err}
			}))
	}
	if e := func() end { send(true); return await(t, "the response", ends) }(); e.said != "1" || e.err != nil {
		t.Errorf("%+v", e)
	}
	second := send(true)
	if v := await(t, "the panic", panics); v != "the second one" {
		t.Errorf("the handler panicked with %v", v)
	}
	if !second() || second() {
		t.Error("a call that waits can be forgotten, once")
	}
	said := map[string]bool{}
	for range 5 {
		send(true)
	}
	for range 5 {
		e := await(t, "each response", ends)
		check(t, e.err)
		said[e.said] = true
	}
	if len(said) != 5 || !said["3"] || !said["7"] {
		t.Errorf("five requests were answered with %v", said)
	}
	third := send(false)
	await(t, "the request that is not answered", silent)
	check(t, c.Close())
	if e := await(t, "the end of the client", ends); !errors.Is(e.err, &rclgo.ClientInvalid{}) || third() {
		t.Errorf("after Close: %+v", e)
	}
	if _, err := c.SendFunc(srv.Request().New(), nil); !errors.Is(err, &rclgo.ClientInvalid{}) {
		t.Errorf("SendFunc after Close: %v", err)
	}
	check(t, n.Context().Close())
	if left := rcl.LiveHandles(); left != before || len(ends) > 0 {
		t.Errorf("%d handles, %d before; %d responses more", left, before, len(ends))
	}
}

// TestSendFuncAndSend: both ways of calling get their own responses.
func TestSendFuncAndSend(t *testing.T) {
	n, srv, name := newNode(t), setBool(t), unique("/both")
	spin(t, n.Spin)
	must[*rclgo.Service](t)(n.NewService(name, srv, nil,
		func(_ *rclgo.ServiceInfo, m types.Message, s rclgo.ServiceResponseSender) {
			data, err := m.(*introspection.DynamicMessage).Get("data")
			check(t, err)
			check(t, s.SendResponse(message(t, srv.Response(), "message", fmt.Sprint(data))))
		}))
	c := must[*rclgo.Client](t)(n.NewClient(name, srv, nil))
	eventually(t, "the server is matched", func() bool {
		yes, err := c.Available()
		check(t, err)
		return yes
	})
	later := make(chan any, 1)
	for range 20 {
		must[func() bool](t)(c.SendFunc(message(t, srv.Request(), "data", true),
			func(m types.Message, _ *rclgo.ServiceInfo, err error) {
				word := any(err)
				if err == nil {
					word, _ = m.(*introspection.DynamicMessage).Get("message")
				}
				later <- word
			}))
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		m, _, err := c.Send(ctx, message(t, srv.Request(), "data", false))
		cancel()
		check(t, err)
		if word, _ := m.(*introspection.DynamicMessage).Get("message"); word != "false" {
			t.Fatalf("Send got %v", word)
		}
		if word := await(t, "the other response", later); word != "true" {
			t.Fatalf("SendFunc got %v", word)
		}
	}
}

// answerer serves requests with true, on a context of its own.
func answerer(t *testing.T, name string, srv types.ServiceTypeSupport) {
	t.Helper()
	n := newNode(t)
	spin(t, n.Spin)
	options := rclgo.NewDefaultServiceOptions()
	options.Inline = true
	must[*rclgo.Service](t)(n.NewService(name, srv, options,
		func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
			check(t, s.SendResponse(message(t, srv.Response(), "success", true)))
		}))
}

// TestSendFuncThatIsAnsweredAtOnce: the function of a call whose response comes before its request is noted runs when
// SendFunc has let go of the client. It may send again while another goroutine closes the client, and is called once.
func TestSendFuncThatIsAnsweredAtOnce(t *testing.T) {
	n, srv, name := newNode(t), setBool(t), unique("/early")
	spin(t, n.Spin)
	answerer(t, name, srv)
	c := must[*rclgo.Client](t)(n.NewClient(name, srv, nil))
	available(t, c)
	c.AnswersFirst()
	closed, ends := make(chan error, 1), make(chan error, 10)
	go func() {
		forget, err := c.SendFunc(srv.Request().New(), func(_ types.Message, _ *rclgo.ServiceInfo, err error) {
			ends <- err
			go func() { closed <- c.Close() }()
			eventually(t, "the client shuts", c.Shuts)
			closed <- await(t, "Close, which waits for no call that has its answer", closed)
			_, err = c.SendFunc(srv.Request().New(),
				func(types.Message, *rclgo.ServiceInfo, error) { t.Error("a call of a closed client is answered") })
			ends <- err
		})
		if err == nil && forget() {
			err = errors.New("a call that was answered can be forgotten")
		}
		ends <- err
	}()
	check(t, await(t, "the response", ends))
	if err := await(t, "the second call, from the function of the first", ends); !errors.Is(err,
		&rclgo.ClientInvalid{}) {
		t.Errorf("the second call: %v", err)
	}
	check(t, await(t, "the first SendFunc", ends))
	check(t, await(t, "Close", closed))
	if len(ends) > 0 {
		t.Errorf("another end: %v", <-ends)
	}
}

// TestInlineRequestsDoNotStarveOthers: a service whose requests never end is served in turn with everything else of its
// context.
func TestInlineRequestsDoNotStarveOthers(t *testing.T) {
	n, srv, name := newNode(t), setBool(t), unique("/endless")
	spin(t, n.Spin)
	c := must[*rclgo.Client](t)(n.NewClient(name, srv, nil))
	options := rclgo.NewDefaultServiceOptions()
	options.Inline = true
	var over atomic.Bool
	more := func() {
		_, err := c.SendFunc(srv.Request().New(), func(types.Message, *rclgo.ServiceInfo, error) {})
		check(t, err)
	}
	busy := make(chan struct{})
	count := 0
	must[*rclgo.Service](t)(n.NewService(name, srv, options,
		func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {
			if count++; count == 1000 {
				close(busy)
			}
			if !over.Load() {
				more()
			}
		}))
	defer over.Store(true)
	available(t, c)
	more()
	await(t, "1000 requests in a row", busy)
	read := make(chan error, 1)
	go func() {
		_, err := n.Context().Clock().Now()
		read <- err
	}()
	check(t, await(t, "the loop reads a clock while requests come", read))
}

// TestResponsesDoNotStarveOthers: a client whose responses never end is served in turn with everything else of its
// context.
func TestResponsesDoNotStarveOthers(t *testing.T) {
	n, srv, name := newNode(t), setBool(t), unique("/flood")
	spin(t, n.Spin)
	answerer(t, name, srv)
	c := must[*rclgo.Client](t)(n.NewClient(name, srv, nil))
	available(t, c)
	defer c.Flood()()
	ends := make(chan error, 1)
	must[func() bool](t)(c.SendFunc(srv.Request().New(),
		func(_ types.Message, _ *rclgo.ServiceInfo, err error) { ends <- err }))
	check(t, await(t, "the response before the flood", ends))
	closed := make(chan error, 1)
	go func() { closed <- c.Close() }()
	check(t, await(t, "Close, for which the loop must not be busy", closed))
}
