package rclgo

import (
	"context"
	"sync"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// SendToAll calls the service, calls sent, if there is one, when the request has left, and calls heard for every
// response, in order and on the caller's goroutine, until ctx ends. ROS allows several servers of one name, and Send
// returns the fastest response only. The end of ctx is not an error.
func (c *Client) SendToAll(ctx context.Context, req types.Message, sent func(),
	heard func(types.Message, *ServiceInfo)) error {
	op := "call every service " + c.ServiceName
	all := &responses{come: make(chan struct{}, 1)}
	var w call
	err := withC(c.ts.Request(), req, func(msg unsafe.Pointer) error {
		return c.use(op, func() (err error) {
			w, err = c.calls.sendFor(all, func() (int64, error) { return c.sendOne(msg) })
			return err
		})
	})
	if err != nil {
		return fail(op, err)
	}
	defer c.calls.forget(w, all)
	if sent != nil {
		sent()
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.answered: // closed without a response: the client is closed
			return c.closedError(op)
		case <-all.come:
		}
		for _, r := range all.take() {
			// A response that cannot be decoded is skipped; another server may send a valid one.
			if msg, err := r.decode(c.calls.ts); err == nil && ctx.Err() == nil {
				heard(msg, infoFromHeader(r.header))
			}
		}
	}
}

// responses are the responses to one request that were not looked at yet.
type responses struct {
	mu   sync.Mutex
	list []response
	come chan struct{} // holds a token when there are some
}

func (r *responses) put(one response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, one)
	select {
	case r.come <- struct{}{}:
	default:
	}
}

func (r *responses) take() []response {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}

// forget ends a request to all. No response to it is kept after that.
func (c *calls) forget(w call, all *responses) {
	c.mu.Lock()
	delete(c.waiting, w.seq)
	c.mu.Unlock()
	for _, r := range all.take() {
		c.ts.ReleaseMemory(r.msg)
	}
}
