package rcl

// #include "seam.h"
// #include <rcl/client.h>
// #include <rcl/service_introspection.h>
// #include <rcl/service.h>
import "C"

import "unsafe"

// Client is an rcl_client_t. SendRequest may run concurrently with everything but Close; two
// takes must not run concurrently.
type Client struct{ c C.rcl_client_t }

// Service is an rcl_service_t. SendResponse may run concurrently with everything but Close; two
// takes must not run concurrently.
type Service struct{ c C.rcl_service_t }

// Header is the middleware's data about a request or response. Times are nanoseconds since the
// Unix epoch.
type Header struct {
	Source, Received int64
	GUID             [16]int8
	Sequence         int64
}

// NewClient makes a client.
func NewClient(n *Node, typeSupport unsafe.Pointer, name string, qos QoS) (*Client, error) {
	cname, free := cString(name)
	defer free()
	profile := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Client](C.rclgo_client_new(&n.c, typeSupport, cname, &profile))
}

// Close finalises and frees c.
func (c *Client) Close(n *Node) error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_client_free(&c.c, &n.c))
}

// ServiceName returns the service's name, expanded and remapped.
func (c *Client) ServiceName() string { return C.GoString(C.rcl_client_get_service_name(&c.c)) }

// SendRequest sends the C message msg and returns the request's number.
func (c *Client) SendRequest(msg unsafe.Pointer) (int64, error) {
	r := C.rclgo_send_request(&c.c, msg)
	return int64(r.v), check(r.ret)
}

// TakeResponse moves the next response into the C message msg.
func (c *Client) TakeResponse(msg unsafe.Pointer) (Header, error) {
	return goHeader(C.rclgo_take_response(&c.c, msg))
}

// NewService makes a service.
func NewService(n *Node, typeSupport unsafe.Pointer, name string, qos QoS) (*Service, error) {
	cname, free := cString(name)
	defer free()
	profile := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Service](C.rclgo_service_new(&n.c, typeSupport, cname, &profile))
}

// Close finalises and frees s.
func (s *Service) Close(n *Node) error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_service_free(&s.c, &n.c))
}

// ServiceName returns the service's name, expanded and remapped.
func (s *Service) ServiceName() string { return C.GoString(C.rcl_service_get_service_name(&s.c)) }

// TakeRequest moves the next request into the C message msg.
func (s *Service) TakeRequest(msg unsafe.Pointer) (Header, error) {
	return goHeader(C.rclgo_take_request(&s.c, msg))
}

// SendResponse answers the request with header h.
func (s *Service) SendResponse(h Header, msg unsafe.Pointer) error {
	return check(C.rclgo_send_response(&s.c, cRequestID(h), msg))
}

// Introspection selects what is published about requests and responses as service events.
type Introspection int

// The degrees of introspection.
const (
	IntrospectionOff      Introspection = C.RCL_SERVICE_INTROSPECTION_OFF
	IntrospectionMetadata Introspection = C.RCL_SERVICE_INTROSPECTION_METADATA
	IntrospectionContents Introspection = C.RCL_SERVICE_INTROSPECTION_CONTENTS
)

// Introspect makes c publish service events. It must not run concurrently with another method
// of c; clock must outlive c.
func (c *Client) Introspect(n *Node, clock *Clock, typeSupport unsafe.Pointer, qos QoS, state Introspection) error {
	profile := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return check(C.rclgo_client_introspect(&c.c, &n.c, &clock.c, typeSupport, &profile, C.int(state)))
}

// Introspect makes s publish service events. It must not run concurrently with another method
// of s; clock must outlive s.
func (s *Service) Introspect(n *Node, clock *Clock, typeSupport unsafe.Pointer, qos QoS, state Introspection) error {
	profile := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return check(C.rclgo_service_introspect(&s.c, &n.c, &clock.c, typeSupport, &profile, C.int(state)))
}

func goHeader(r C.rclgo_header) (Header, error) {
	h := Header{
		Source:   int64(r.info.source_timestamp),
		Received: int64(r.info.received_timestamp),
		Sequence: int64(r.info.request_id.sequence_number),
	}
	id := &r.info.request_id
	copy(h.GUID[:], unsafe.Slice((*int8)(unsafe.Pointer(&id.writer_guid[0])), len(id.writer_guid)))
	return h, check(r.ret)
}
