package rclgo

import (
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// ServiceIntrospection selects what a client or service publishes about its requests and
// responses, on the topic <service>/_service_event with the type <type>_Event.
type ServiceIntrospection int

// The degrees of introspection.
const (
	ServiceIntrospectionOff      = ServiceIntrospection(rcl.IntrospectionOff)
	ServiceIntrospectionMetadata = ServiceIntrospection(rcl.IntrospectionMetadata) // client, time and sequence number
	ServiceIntrospectionContents = ServiceIntrospection(rcl.IntrospectionContents) // the messages too
)

// introspectable is a client or service.
type introspectable interface {
	Introspect(*rcl.Node, *rcl.Clock, unsafe.Pointer, rcl.QoS, rcl.Introspection) error
}

// introspect turns service events on, stamped with the node's time. Loop only, before h is
// shared.
func introspect(n *Node, h introspectable, ts types.ServiceTypeSupport, state ServiceIntrospection) error {
	if state == ServiceIntrospectionOff {
		return nil
	}
	qos := NewDefaultQosProfile()
	return h.Introspect(n.h, n.clock.h, ts.TypeSupport(), qos.rcl(), rcl.Introspection(state))
}
