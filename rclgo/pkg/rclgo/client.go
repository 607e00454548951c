package rclgo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// ClientOptions configures a client.
type ClientOptions struct {
	Qos           QosProfile
	Introspection ServiceIntrospection // what is published as service events
}

// NewDefaultClientOptions returns the default profile for services.
func NewDefaultClientOptions() *ClientOptions {
	return &ClientOptions{Qos: NewDefaultServiceQosProfile()}
}

// RequestID identifies a request among all of its service.
type RequestID struct {
	WriterGUID     [16]int8
	SequenceNumber int64
}

// ServiceInfo describes a received request or response.
type ServiceInfo struct {
	SourceTimestamp   time.Time
	ReceivedTimestamp time.Time
	RequestID         RequestID
}

// Client calls a service.
type Client struct {
	entity
	ServiceName string // expanded and remapped
	node        *Node
	ts          types.ServiceTypeSupport
	h           *rcl.Client
	calls       calls
	takeOne     func(msg unsafe.Pointer) (rcl.Header, error) // loop only
	sendOne     func(msg unsafe.Pointer) (sequence int64, err error)
}

// NewClient makes a client. options may be nil.
func (n *Node) NewClient(
	serviceName string,
	typeSupport types.ServiceTypeSupport,
	options *ClientOptions,
) (c *Client, err error) {
	if options == nil {
		options = NewDefaultClientOptions()
	}
	op := "create client " + strconv.Quote(serviceName)
	if err := noNUL(op, codeServiceNameInvalid, serviceName); err != nil {
		return nil, err
	}
	if err := types.Check(typeSupport); err != nil {
		return nil, fail(op, err)
	}
	c = &Client{node: n, ts: typeSupport}
	c.calls.init(&c.entity, typeSupport.Response())
	err = n.build(op, func() (err error) {
		if c.h, err = rcl.NewClient(n.h, typeSupport.TypeSupport(), serviceName, options.Qos.rcl()); err != nil {
			return err
		}
		if err = introspect(n, c.h, typeSupport, options.Introspection); err != nil {
			return errors.Join(err, c.h.Close(n.h))
		}
		c.ServiceName = c.h.ServiceName()
		c.what, c.invalid = "client "+strconv.Quote(c.ServiceName), codeClientInvalid
		c.kind, c.handle = rcl.WaitClient, unsafe.Pointer(c.h)
		c.takeOne, c.sendOne = c.h.TakeResponse, c.h.SendRequest
		c.onReady = c.takeAll
		c.finalize = func() error {
			c.calls.close()
			return c.h.Close(n.h)
		}
		n.adopt(&c.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Close ends the calls that wait and closes the client.
func (c *Client) Close() error { return c.closeTree() }

// Node returns what the client was made from.
func (c *Client) Node() *Node { return c.node }

// Available reports whether the graph shows a server.
func (c *Client) Available() (yes bool, err error) {
	err = c.use("look for service "+c.ServiceName, func() (err error) {
		c.node.queryMu.Lock()
		defer c.node.queryMu.Unlock()
		yes, err = c.node.h.ServerAvailable(c.h)
		return err
	})
	return yes, err
}

// OnLateResponse sets the handler for responses to calls that have given up. Calls of
// handler do not overlap. With nil late responses are dropped.
func (c *Client) OnLateResponse(handler func(types.Message, *ServiceInfo)) {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	c.calls.onLate = handler
}

// Send calls the service. It returns when the response arrives, when ctx ends or when the
// client is closed. It may be called from many goroutines, and needs something to spin the
// client.
func (c *Client) Send(ctx context.Context, req types.Message) (types.Message, *ServiceInfo, error) {
	op := "call service " + c.ServiceName
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("cannot %s: %w", op, err)
	}
	var w call
	err := withC(c.ts.Request(), req, func(msg unsafe.Pointer) error {
		return c.use(op, func() (err error) {
			w, err = c.calls.send(func() (int64, error) { return c.sendOne(msg) })
			return err
		})
	})
	if err != nil {
		return nil, nil, fail(op, err)
	}
	select {
	case <-w.answered:
	case <-ctx.Done():
		if c.calls.giveUp(w) {
			return nil, nil, fmt.Errorf("cannot %s: no response: %w", op, ctx.Err())
		}
		<-w.answered
	}
	r := w.response
	if r.msg == nil {
		return nil, nil, c.closedError(op)
	}
	msg, err := r.decode(c.calls.ts)
	if err != nil {
		return nil, nil, fail(op, err)
	}
	return msg, infoFromHeader(r.header), nil
}

// SendFunc calls the service and returns when the request is sent. If err is nil, done is called
// once: with the response, or with the reason why there will be none. It runs on the goroutine
// that serves everything of the context, or on the caller's, maybe before SendFunc returns. It
// may send, publish and answer. It must not block, make or close anything, or read a clock.
// After forget has returned true, done is not called any more.
func (c *Client) SendFunc(req types.Message, done func(types.Message, *ServiceInfo, error)) (forget func() bool,
	err error) {
	op := "call service " + c.ServiceName
	var w call
	var answered bool
	ends := func(r response) {
		if r.msg == nil {
			c.call(func() { done(nil, nil, c.closedError(op)) })
			return
		}
		msg, err := r.decode(c.calls.ts)
		if err != nil {
			c.call(func() { done(nil, nil, fail(op, err)) })
			return
		}
		c.call(func() { done(msg, infoFromHeader(r.header), nil) })
	}
	err = withC(c.ts.Request(), req, func(msg unsafe.Pointer) error {
		return c.use(op, func() (err error) {
			w, answered, err = c.calls.sendWith(pending{done: ends}, func() (int64, error) { return c.sendOne(msg) })
			return err
		})
	})
	if err != nil {
		return nil, fail(op, err)
	}
	if answered {
		w.end() // outside of the gate, so that done may wait for nothing that shuts it
	}
	return func() bool { return c.calls.giveUp(w) }, nil
}

// takesAtOnce bounds what the loop takes of one entity in a row. The rest stays ready for the next
// round, so a flood does not starve other entities, timers and Close.
const takesAtOnce = 64

// takeAll takes the waiting responses. Loop only.
func (c *Client) takeAll(uint8) {
	for n := range takesAtOnce {
		r := response{msg: c.calls.ts.PrepareMemory()}
		var err error
		if r.header, err = c.takeOne(r.msg); err != nil {
			c.calls.ts.ReleaseMemory(r.msg)
			c.rest(turnOf(n, c.takeFault(c.node.Logger(), "take a response of service "+c.ServiceName, err)))
			return
		}
		c.calls.deliver(r)
	}
	c.rest(moved)
}

func infoFromHeader(h rcl.Header) *ServiceInfo {
	return &ServiceInfo{
		SourceTimestamp:   time.Unix(0, h.Source),
		ReceivedTimestamp: time.Unix(0, h.Received),
		RequestID:         RequestID{WriterGUID: h.GUID, SequenceNumber: h.Sequence},
	}
}

// response is a C message with its header. Its owner releases it, once.
type response struct {
	msg    unsafe.Pointer
	header rcl.Header
}

// decode releases the C message.
func (r response) decode(ts types.MessageTypeSupport) (types.Message, error) {
	defer ts.ReleaseMemory(r.msg)
	msg := ts.New()
	return msg, types.Decode(ts, msg, r.msg)
}

// call is one request, on which its caller waits for the response.
type call struct {
	seq      int64
	*pending // shared with the table of calls
}

type pending struct {
	answered chan struct{} // closed when response is set, or stays zero for good
	response response
	all      *responses     // of a request to every server; nil: one response is all
	done     func(response) // takes the response, instead of answered; may be nil
}

// end is called once, without the lock.
func (p *pending) end() {
	if p.done != nil {
		p.done(p.response)
		return
	}
	close(p.answered)
}

// maxTombstones bounds the memory for calls that were given up. A response that arrives
// after so many others is dropped.
const maxTombstones = 1024

// calls is a client's table of requests by sequence number. A recreated client starts
// with an empty one, and the middleware gives it other responses: a response never
// meets a request of an earlier client.
type calls struct {
	ts    types.MessageTypeSupport
	owner *entity

	mu         sync.Mutex
	waiting    map[int64]*pending
	sending    int                  // requests without a number yet
	sendingAll int                  // those of them that go to every server
	early      map[int64][]response // arrived before their request had its number
	tombstones map[int64]struct{}   // given up
	order      []int64              // of tombstones, oldest first; may hold removed ones
	onLate     func(types.Message, *ServiceInfo)
	late       []response
	lateRuns   bool
}

func (c *calls) init(owner *entity, ts types.MessageTypeSupport) {
	c.owner, c.ts = owner, ts
	c.waiting, c.early = map[int64]*pending{}, map[int64][]response{}
	c.tombstones = map[int64]struct{}{}
}

// send runs fn, which returns the request's number, and registers the request. It does not
// hold the lock meanwhile, so that the loop can deliver.
func (c *calls) send(fn func() (int64, error)) (call, error) { return c.sendFor(nil, fn) }

// sendFor is send for a request with one response (all is nil) or many.
func (c *calls) sendFor(all *responses, fn func() (int64, error)) (call, error) {
	w, answered, err := c.sendWith(pending{answered: make(chan struct{}), all: all}, fn)
	if answered {
		w.end()
	}
	return w, err
}

// sendWith leaves it to the caller to end a call that is answered already.
func (c *calls) sendWith(p pending, fn func() (int64, error)) (w call, answered bool, err error) {
	c.mu.Lock()
	c.sending++
	if p.all != nil {
		c.sendingAll++
	}
	c.mu.Unlock()
	w.pending = &p
	w.seq, err = fn()
	return w, c.sent(&p, w.seq, err), err
}

// sent notes the number of a request. It reports whether its one response is there already.
func (c *calls) sent(p *pending, seq int64, err error) (answered bool) {
	all := p.all
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sending--
	if all != nil {
		c.sendingAll--
	}
	var early []response
	if err == nil {
		early = c.early[seq]
		delete(c.early, seq)
	}
	switch {
	case err != nil:
	case all != nil:
		c.waiting[seq] = p
		for _, r := range early {
			all.put(r)
		}
	case len(early) > 0:
		p.response, answered = early[0], true
		c.release(early[1:])
	default:
		c.waiting[seq] = p
	}
	if c.sending == 0 {
		for seq, list := range c.early { // answers without a request
			c.release(list)
			delete(c.early, seq)
		}
	}
	return answered
}

func (c *calls) release(list []response) {
	for _, r := range list {
		c.ts.ReleaseMemory(r.msg)
	}
}

// deliver passes r to its call or to the handler for late ones, or keeps it. Loop only.
func (c *calls) deliver(r response) {
	if p := c.find(r); p != nil {
		p.end()
	}
}

// find returns the call that r ends; nil if it ends none.
func (c *calls) find(r response) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	seq := r.header.Sequence
	if p, ok := c.waiting[seq]; ok {
		if p.all != nil {
			p.all.put(r)
			return nil
		}
		delete(c.waiting, seq)
		p.response = r
		return p
	}
	_, given := c.tombstones[seq]
	delete(c.tombstones, seq)
	twice := len(c.early[seq]) > 0 // two servers of one name both answer
	switch {
	case given && c.onLate != nil:
		c.late = append(c.late, r)
		if !c.lateRuns {
			c.lateRuns = true
			go c.runLate()
		}
	case !given && c.sending > 0 && (!twice || c.sendingAll > 0):
		c.early[seq] = append(c.early[seq], r)
	default:
		c.ts.ReleaseMemory(r.msg)
	}
	return nil
}

// giveUp leaves a tombstone, unless the answer has arrived.
func (c *calls) giveUp(w call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[w.seq] != w.pending {
		return false
	}
	delete(c.waiting, w.seq)
	c.tombstones[w.seq] = struct{}{}
	c.order = append(c.order, w.seq)
	if len(c.order) > maxTombstones {
		delete(c.tombstones, c.order[0])
		c.order = c.order[1:]
	}
	return true
}

// runLate calls the handler for late responses until there are none.
func (c *calls) runLate() {
	for {
		c.mu.Lock()
		if len(c.late) == 0 {
			c.lateRuns = false
			c.mu.Unlock()
			return
		}
		r, handler := c.late[0], c.onLate
		c.late = c.late[1:]
		c.mu.Unlock()
		if msg, err := r.decode(c.ts); err == nil && handler != nil {
			c.owner.call(func() { handler(msg, infoFromHeader(r.header)) })
		}
	}
}

// close ends all calls without an answer. Loop only, after the last send.
func (c *calls) close() {
	c.mu.Lock()
	waiting := c.waiting
	c.waiting = map[int64]*pending{}
	c.mu.Unlock()
	for _, p := range waiting {
		p.end()
	}
}
