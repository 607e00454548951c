//go:build ros

package client

import (
	"context"
	"fmt"
	"os"
	"path"
	"strconv"

	"go.uber.org/zap"

	"rstate/internal/doctor"
	"rstate/internal/gather"
	"rstate/internal/network"
	"rstate/internal/session"
)

// routerAttempts says how often rmw_zenoh looks for its router at a start; unset or 0: without end.
const routerAttempts = "ZENOH_ROUTER_CHECK_ATTEMPTS"

func waitsForRouter(attempts string) bool {
	n, err := strconv.Atoi(attempts)
	return err != nil || n == 0
}

// lookForRouter looks for the router of the middleware. Without one, the middleware is to look for it once instead of
// without end.
func lookForRouter(f *doctor.Facts) {
	gather.Router(f, os.Getenv)
	if len(f.Router.At) > 0 && !f.Router.Found && waitsForRouter(os.Getenv(routerAttempts)) {
		os.Setenv(routerAttempts, "1")
	}
}

// Examine looks at this ROS and at a network in it, as a node of its own that changes nothing: the
// network of a file, or if net is nil, the one that the named daemon drives. It returns what it has
// found when ctx is done or the examination is complete. If ROS is not usable, that is a fact too.
// Its error is *BadArgs.
func Examine(ctx context.Context, net *network.Network, daemon string, rosArgs []string) (doctor.Facts, error) {
	f := doctor.Facts{Asked: path.Join("/", daemon)}
	if net != nil {
		f.File = net.File
	}
	gather.Host(&f)
	if bad := doctor.NoDomain(f.Env); bad != "" {
		f.Stack.Fault = bad
		return f, nil
	}
	lookForRouter(&f)
	s, err := session.OpenToAsk(rosArgs, zap.NewNop())
	gather.Stack(&f)
	if bad, ok := err.(*session.BadArgs); ok {
		return f, bad
	}
	if err != nil {
		f.Stack.Fault = err.Error()
		return f, nil
	}
	defer s.End()
	if f.Stack.Domain, err = s.Domain(); err != nil {
		f.Stack.Fault = err.Error()
		return f, nil
	}
	node, err := s.Node(fmt.Sprintf("rstate_doctor_%d", os.Getpid()), "")
	if err != nil {
		f.Stack.Fault = err.Error()
		return f, nil
	}
	test, err := s.Tested(node)
	if err != nil {
		f.Stack.Fault = err.Error()
		return f, nil
	}
	s.Serve()
	f.Stack.Abilities = test.Abilities()
	gather.Look(ctx, node, gather.Wish{Network: net, Daemon: f.Asked}, &f)
	f.Stack.Abilities = test.Abilities() // an event has fired meanwhile, if any does
	return f, nil
}
