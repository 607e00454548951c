//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"sync"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// maxInFlight bounds the requests of one client that wait for an answer. The engine asks again when
// an answer is late, and a late one is still worth hearing, but a node that never answers must not
// gather goroutines.
const maxInFlight = 8

// flight is the requests of one client that are on their way. They go on the wire in the order of
// begin, each on a goroutine of its own: no request may be overtaken by the one before it. The
// oldest is given up when there are too many.
type flight struct {
	mu   sync.Mutex
	last uint64
	open []*request // oldest first
	tail <-chan struct{}
	shut bool // nothing leaves any more
}

// request is one request in flight.
type request struct {
	ctx    context.Context // ends when the request is given up
	number uint64
	cancel context.CancelFunc
	before <-chan struct{} // closed when the one before is on the wire, or never will be
	once   sync.Once
	sent   chan struct{}
}

// passTurn lets the next request go: r is on the wire, or never will be.
func (r *request) passTurn() { r.once.Do(func() { close(r.sent) }) }

// depart puts r on the wire, unless it was given up since its turn came.
func (r *request) depart(wire func() error) error {
	defer r.passTurn()
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return wire()
}

// send puts r on the wire in its turn, and waits for the response until r is given up.
func send[T types.Message](r *request, c *rclgo.Client, what types.Message) (response T, err error) {
	type answer struct {
		msg types.Message
		err error
	}
	came := make(chan answer, 1)
	var forget func() bool
	err = r.depart(func() (err error) {
		forget, err = c.SendFunc(what, func(msg types.Message, _ *rclgo.ServiceInfo, err error) { came <- answer{msg, err} })
		return err
	})
	if err != nil {
		return response, err
	}
	var a answer
	select {
	case a = <-came:
	case <-r.ctx.Done():
		if forget() {
			return response, fmt.Errorf("cannot call service %s: no response: %w", c.ServiceName, r.ctx.Err())
		}
		a = <-came // it came just before
	}
	if a.err != nil {
		return response, a.err
	}
	return a.msg.(T), nil
}

// begin takes a place in the order.
func (f *flight) begin(parent context.Context) *request {
	r := &request{sent: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(parent)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shut {
		r.cancel()
		return r
	}
	if len(f.open) >= maxInFlight {
		f.open[0].cancel()
		f.open = f.open[1:]
	}
	f.last++
	r.number, r.before, f.tail = f.last, f.tail, r.sent
	f.open = append(f.open, r)
	return r
}

// turn waits until the requests before r are on the wire; it returns false when r has been given
// up.
func (r *request) turn() bool {
	if r.before == nil {
		return r.ctx.Err() == nil
	}
	select {
	case <-r.before:
	case <-r.ctx.Done():
	}
	return r.ctx.Err() == nil
}

// recall gives up the requests that are not on the wire yet.
func (f *flight) recall() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recallHeld()
}

// close is recall for good: what begins later does not leave either.
func (f *flight) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shut = true
	f.recallHeld()
}

// busy reports whether a request is on its way, or may be.
func (f *flight) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open) > 0
}

func (f *flight) recallHeld() {
	for _, r := range f.open {
		select {
		case <-r.sent:
		default:
			r.cancel()
		}
	}
}

// end gives up the place of r.
func (f *flight) end(r *request) {
	r.passTurn()
	r.cancel()
	f.forget(r.number)
}

func (f *flight) forget(number uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, w := range f.open {
		if w.number == number {
			f.open = append(f.open[:i:i], f.open[i+1:]...)
			return
		}
	}
}
