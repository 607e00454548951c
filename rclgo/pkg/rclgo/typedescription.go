package rclgo

import (
	"strconv"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
)

// startTypeDescription is the parameter that can turn ~/get_type_description off.
const startTypeDescription = "start_type_description_service"

// describeTypes makes ~/get_type_description, unless the parameter turns it off. rcl answers
// from its table of the node's types; messages stay in C.
func (n *Node) describeTypes() error {
	start, err := DeclareParameter(n, startTypeDescription, true, &ParameterDescriptor{
		Description: "serve ~/get_type_description", ReadOnly: true,
	})
	if err != nil || !start {
		return err
	}
	ts, err := introspection.LoadDynamicService("type_description_interfaces", "GetTypeDescription")
	if err != nil {
		return err
	}
	s := &Service{node: n, ts: ts}
	s.out = newServiceWriter(s, NewDefaultServiceOptions())
	return n.build("create service ~/get_type_description", func() (err error) {
		if s.h, err = n.h.NewTypeDescriptionService(); err != nil {
			return err
		}
		s.ServiceName = s.h.ServiceName()
		s.what, s.invalid = "service "+strconv.Quote(s.ServiceName), codeServiceInvalid
		s.kind, s.handle = rcl.WaitService, unsafe.Pointer(s.h)
		s.onReady = func(uint8) { s.dispatchPaced(s.describe) }
		s.finalize = s.end
		n.adopt(&s.entity)
		return nil
	})
}

// describe answers one request. rcl reads the node's table of types, which changes as
// entities are made, so that part runs on the loop.
func (s *Service) describe() turn {
	req, resp := s.ts.Request().PrepareMemory(), s.ts.Response().PrepareMemory()
	defer s.ts.Request().ReleaseMemory(req)
	var header rcl.Header
	err := s.use("take request", func() (err error) {
		header, err = s.h.TakeRequest(req)
		return err
	})
	if err != nil {
		s.ts.Response().ReleaseMemory(resp)
		return turnOf(0, s.takeFault(s.node.Logger(), "take a request", err))
	}
	err = s.ask("describe a type", func() error {
		s.node.h.DescribeType(header, req, resp)
		return nil
	})
	if err != nil {
		s.ts.Response().ReleaseMemory(resp)
		return moved
	}
	_ = s.out.put(header, resp) // fails if the client or the node is gone
	return moved
}
