package rclgo

import (
	"errors"
	"strconv"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// ServiceOptions is how a service is made.
type ServiceOptions struct {
	Qos           QosProfile
	Introspection ServiceIntrospection // what is published as service events
}

// NewDefaultServiceOptions has the default profile for services.
func NewDefaultServiceOptions() *ServiceOptions {
	return &ServiceOptions{Qos: NewDefaultServiceQosProfile()}
}

// ServiceResponseSender answers one request, during the handler or after it, from any
// goroutine.
type ServiceResponseSender interface {
	SendResponse(resp types.Message) error
}

// ServiceRequestHandler is called for each request.
type ServiceRequestHandler func(*ServiceInfo, types.Message, ServiceResponseSender)

// Service answers requests.
type Service struct {
	entity
	ServiceName string // expanded and remapped
	node        *Node
	ts          types.ServiceTypeSupport
	h           *rcl.Service
	handler     ServiceRequestHandler
}

// NewService makes a service. options may be nil.
func (n *Node) NewService(
	name string,
	typeSupport types.ServiceTypeSupport,
	options *ServiceOptions,
	handler ServiceRequestHandler,
) (s *Service, err error) {
	if options == nil {
		options = NewDefaultServiceOptions()
	}
	op := "create service " + strconv.Quote(name)
	if err := noNUL(op, codeServiceNameInvalid, name); err != nil {
		return nil, err
	}
	if err := types.Check(typeSupport); err != nil {
		return nil, fail(op, err)
	}
	if handler == nil {
		return nil, newError(codeInvalidArgument, op, "the handler is nil")
	}
	s = &Service{node: n, ts: typeSupport, handler: handler}
	err = n.build(op, func() (err error) {
		if s.h, err = rcl.NewService(n.h, typeSupport.TypeSupport(), name, options.Qos.rcl()); err != nil {
			return err
		}
		if err = introspect(n, s.h, typeSupport, options.Introspection); err != nil {
			return errors.Join(err, s.h.Close(n.h))
		}
		s.ServiceName = s.h.ServiceName()
		s.what, s.invalid = "service "+strconv.Quote(s.ServiceName), codeServiceInvalid
		s.kind, s.handle = rcl.WaitService, unsafe.Pointer(s.h)
		s.onReady = func(uint8) { s.dispatchPaced(s.serve) }
		s.finalize = func() error { return s.h.Close(n.h) }
		n.adopt(&s.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the service. Requests that are being handled can no longer be answered.
func (s *Service) Close() (err error) { return s.closeTree() }

// Node returns what the service was made from.
func (s *Service) Node() *Node { return s.node }

// serve handles requests until none waits, which saves a round of the loop for each.
// Only this runs takes, and only one of it at a time. It returns false if it cannot take.
func (s *Service) serve() bool {
	for s.served.Load() {
		req, header, err := s.take()
		switch {
		case errors.Is(err, &ServiceTakeFailed{}):
			return true
		case err != nil:
			s.takeFault(s.node.Logger(), "take a request", err)
			return false
		case req != nil:
			s.call(func() { s.handler(infoFromHeader(header), req, responder{s, header}) })
		}
	}
	return true
}

// take returns nil for a request that cannot be decoded; nobody can answer that.
func (s *Service) take() (types.Message, rcl.Header, error) {
	ts := s.ts.Request()
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	var header rcl.Header
	err := s.use("take request", func() (err error) {
		header, err = s.h.TakeRequest(mem)
		return err
	})
	if err != nil {
		return nil, header, err
	}
	req := ts.New()
	if err := types.Decode(ts, req, mem); err != nil {
		s.takeFault(s.node.Logger(), "decode a request for "+s.ServiceName, err)
		return nil, header, nil
	}
	return req, header, nil
}

// responder is the ServiceResponseSender of one request.
type responder struct {
	s      *Service
	header rcl.Header
}

// answerTries is how often a response is offered to a client whose reader is not found
// yet: requests and responses are discovered apart, and a busy host finds the second
// late. The middleware waits 0.1 s each time before it gives up, and has sent nothing.
const answerTries = 10

func (r responder) SendResponse(resp types.Message) error {
	return fail(r.op(), withC(r.s.ts.Response(), resp, r.send))
}

func (r responder) op() string { return "answer on service " + r.s.ServiceName }

// send answers with a C message.
func (r responder) send(msg unsafe.Pointer) (err error) {
	for range answerTries {
		err = r.s.use(r.op(), func() error { return r.s.h.SendResponse(r.header, msg) })
		if !errors.Is(err, &Timeout{}) {
			break
		}
	}
	return err
}
