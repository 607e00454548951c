package rclgo

import (
	"errors"
	"sync"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// responsesHeld bounds the responses of one service that wait until the middleware has
// discovered their clients.
const responsesHeld = 1000

// serviceWriter sends the responses of one service. The sender's goroutine sends the
// response, which avoids a change of goroutine. If the middleware has not discovered the
// client, the response waits, and so do all later ones to the same client. A separate
// goroutine sends the waiting responses, in order for each client, and runs only while there
// are some.
//
// The middleware itself waits up to 0.1 s for a client before it reports a timeout; in that
// case it has sent nothing. The loop must not wait that long: for a handler on the loop, the
// separate goroutine sends the first response to each client.
type serviceWriter struct {
	send            func(rcl.Header, unsafe.Pointer) error
	release         func(unsafe.Pointer)
	lost            func(RequestID, error)
	patience, pause time.Duration
	inline          bool // the sender's goroutine may be the loop

	mu      sync.Mutex
	met     map[[16]int8]struct{} // if inline: the clients that a response has reached
	waiting []*heldResponse       // oldest first
	held    int
	clients map[[16]int8]int // how many of them each client has
	running bool
	closed  chan struct{}
}

type heldResponse struct {
	header rcl.Header
	msg    unsafe.Pointer
	until  time.Time
}

func newServiceWriter(s *Service, opts *ServiceOptions) *serviceWriter {
	w := &serviceWriter{
		send: func(h rcl.Header, msg unsafe.Pointer) error {
			return s.use("answer", func() error { return s.h.SendResponse(h, msg) })
		},
		release:  s.ts.Response().ReleaseMemory,
		lost:     opts.OnResponseLost,
		patience: opts.ResponseTimeout, pause: replyAgain,
		inline: opts.Inline, met: map[[16]int8]struct{}{},
		clients: map[[16]int8]int{}, closed: make(chan struct{}),
	}
	if w.patience == 0 {
		w.patience = DefaultResponseTimeout
	}
	if handler := w.lost; handler != nil {
		w.lost = func(id RequestID, err error) { s.call(func() { handler(id, err) }) }
	} else {
		w.lost = func(_ RequestID, err error) {
			_ = s.node.Logger().Warnf("service %s: cannot answer a client: %v", s.ServiceName, err)
		}
	}
	return w
}

// put sends a response, or keeps it for the writer. It takes ownership of msg.
func (w *serviceWriter) put(header rcl.Header, msg unsafe.Pointer) error {
	w.mu.Lock()
	behind := w.clients[header.GUID] > 0
	if w.inline && w.patience > 0 {
		_, met := w.met[header.GUID]
		behind = behind || !met
	}
	w.mu.Unlock()
	err := newError(codeTimeout, "answer", "too many responses wait for their clients")
	if !behind {
		err = w.send(header, msg)
	}
	if w.patience > 0 && errors.Is(err, &Timeout{}) && w.hold(header, msg) {
		return nil
	}
	w.release(msg)
	return err
}

// hold adds a response to the waiting ones. It reports false if too many wait.
func (w *serviceWriter) hold(header rcl.Header, msg unsafe.Pointer) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held >= responsesHeld {
		return false
	}
	w.waiting = append(w.waiting, &heldResponse{header, msg, time.Now().Add(w.patience)})
	w.held++
	w.clients[header.GUID]++
	if !w.running {
		w.running = true
		go w.run()
	}
	return true
}

// run sends waiting responses until there are none.
func (w *serviceWriter) run() {
	for {
		w.mu.Lock()
		if len(w.waiting) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		round := w.waiting
		w.waiting = nil
		w.mu.Unlock()
		kept := w.round(round)
		w.mu.Lock()
		w.waiting = append(kept, w.waiting...)
		w.mu.Unlock()
		if len(kept) == 0 {
			continue
		}
		select {
		case <-w.closed:
		case <-time.After(w.pause):
		}
	}
}

// round tries each client once, and sends its further responses while that succeeds. It
// returns the responses that still wait.
func (w *serviceWriter) round(list []*heldResponse) (kept []*heldResponse) {
	deaf := map[[16]int8]bool{}
	for _, r := range list {
		err := newError(codeTimeout, "answer", "the middleware has not found the client")
		if !deaf[r.header.GUID] {
			err = w.send(r.header, r.msg)
		}
		late := errors.Is(err, &Timeout{})
		if late && time.Now().Before(r.until) {
			deaf[r.header.GUID] = true
			kept = append(kept, r)
			continue
		}
		w.release(r.msg)
		w.mu.Lock()
		w.meet(r.header.GUID, err)
		w.held--
		if w.clients[r.header.GUID]--; w.clients[r.header.GUID] == 0 {
			delete(w.clients, r.header.GUID)
		}
		w.mu.Unlock()
		if err != nil && !errors.Is(err, &ServiceInvalid{}) {
			w.lost(RequestID{WriterGUID: r.header.GUID, SequenceNumber: r.header.Sequence}, err)
		}
	}
	return kept
}

// maxMet bounds the memory for clients that were reached.
const maxMet = 1024

// meet remembers that a response has reached a client. The lock is held.
func (w *serviceWriter) meet(client [16]int8, err error) {
	if !w.inline || err != nil {
		return
	}
	if len(w.met) >= maxMet {
		clear(w.met)
	}
	w.met[client] = struct{}{}
}

// close drops the waiting responses: after the service's gate is shut, each send fails.
func (w *serviceWriter) close() { close(w.closed) }
