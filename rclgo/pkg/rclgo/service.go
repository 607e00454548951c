package rclgo

import (
	"errors"
	"math"
	"strconv"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// ServiceOptions configures a service.
type ServiceOptions struct {
	Qos           QosProfile
	Introspection ServiceIntrospection // what is published as service events

	// Inline calls the handler on the goroutine that serves everything of the context, which
	// saves two changes of thread for each request. The handler may send, publish and answer, and
	// should answer before it returns. It must not block, make or close anything, or read a clock.
	Inline bool

	// ResponseTimeout is how long the service tries to reach a client that the middleware
	// has not discovered yet: requests and responses are discovered separately. Zero is
	// DefaultResponseTimeout. With a negative value SendResponse tries once and returns a
	// *Timeout.
	ResponseTimeout time.Duration
	// OnResponseLost is called when SendResponse has returned nil but the response could
	// not be sent within ResponseTimeout. nil logs a warning.
	OnResponseLost func(id RequestID, err error)
}

// DefaultResponseTimeout is longer than the 3 s after which the middleware repeats an
// announcement that was lost.
const DefaultResponseTimeout = 10 * time.Second

// NewDefaultServiceOptions returns the default profile for services.
func NewDefaultServiceOptions() *ServiceOptions {
	return &ServiceOptions{Qos: NewDefaultServiceQosProfile()}
}

// ServiceResponseSender answers one request, during the handler or after it, from any
// goroutine. SendResponse returns nil when the response was sent or when the service will
// retry: see ServiceOptions.ResponseTimeout.
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
	out         *serviceWriter
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
	s.out = newServiceWriter(s, options)
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
		if options.Inline {
			s.onReady = func(uint8) { s.rest(s.serveSome(takesAtOnce)) }
		}
		s.finalize = s.end
		n.adopt(&s.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// end is the service's finalize. Loop only.
func (s *Service) end() error {
	s.out.close()
	return s.h.Close(s.node.h)
}

// Close closes the service. Requests that are being handled can no longer be answered.
func (s *Service) Close() (err error) { return s.closeTree() }

// Node returns what the service was made from.
func (s *Service) Node() *Node { return s.node }

// serve handles requests until none waits, which saves a round of the loop for each.
func (s *Service) serve() turn { return s.serveSome(math.MaxInt) }

// serveSome is serve with a limit. Only serveSome takes requests, and its calls do not overlap.
func (s *Service) serveSome(most int) turn {
	n := 0
	for ; n < most && s.served.Load(); n++ {
		req, header, err := s.take()
		if err != nil {
			return turnOf(n, s.takeFault(s.node.Logger(), "take a request", err))
		}
		if req != nil {
			s.call(func() { s.handler(infoFromHeader(header), req, responder{s, header}) })
		}
	}
	return turnOf(n, false)
}

// take returns nil for a request that cannot be decoded, and therefore cannot be answered.
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

func (r responder) SendResponse(resp types.Message) error {
	if resp == nil {
		return fail(r.op(), errNilMessage)
	}
	ts := r.s.ts.Response()
	mem := ts.PrepareMemory()
	err := types.Encode(ts, mem, resp)
	if err != nil {
		ts.ReleaseMemory(mem)
		return fail(r.op(), err)
	}
	return fail(r.op(), r.s.out.put(r.header, mem))
}

func (r responder) op() string { return "answer on service " + r.s.ServiceName }
