//go:build ros

package rosnet

import (
	"context"
	"sync"
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
}

// request is the context of one request in flight. rclgo's Send calls Done only once the request is
// on the wire, since only then it has to wait. That call gives the turn to the next request.
type request struct {
	context.Context
	number uint64
	cancel context.CancelFunc
	before <-chan struct{} // closed when the one before is on the wire, or never will be
	once   sync.Once
	sent   chan struct{}
}

// Done returns the Done channel of the context and marks r as sent; see request.
func (r *request) Done() <-chan struct{} {
	r.once.Do(func() { close(r.sent) })
	return r.Context.Done()
}

// begin takes a place in the order.
func (f *flight) begin(parent context.Context) *request {
	r := &request{sent: make(chan struct{})}
	r.Context, r.cancel = context.WithCancel(parent)
	f.mu.Lock()
	defer f.mu.Unlock()
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
		return r.Err() == nil
	}
	select {
	case <-r.before:
	case <-r.Context.Done():
	}
	return r.Err() == nil
}

// recall gives up the requests that are not on the wire yet.
func (f *flight) recall() {
	f.mu.Lock()
	defer f.mu.Unlock()
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
	r.Done() // releases the request that waits for r
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
