package rcl

// #include "seam.h"
// #include <rcl/event.h>
// #include <rmw/event.h>
import "C"

// Event is one QoS event of a publisher or subscription, which must outlive it.
type Event struct{ c C.rcl_event_t }

// EventKind names an event for rcl and for rmw, and the struct in which the middleware reports it.
type EventKind struct{ event, rmw, status C.int }

// The events of a publisher.
var (
	OfferedDeadlineMissed = EventKind{
		C.RCL_PUBLISHER_OFFERED_DEADLINE_MISSED, C.RMW_EVENT_OFFERED_DEADLINE_MISSED, C.RCLGO_STATUS_COUNT}
	LivelinessLost = EventKind{
		C.RCL_PUBLISHER_LIVELINESS_LOST, C.RMW_EVENT_LIVELINESS_LOST, C.RCLGO_STATUS_COUNT}
	OfferedIncompatibleQoS = EventKind{
		C.RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS, C.RMW_EVENT_OFFERED_QOS_INCOMPATIBLE, C.RCLGO_STATUS_QOS}
	PublicationMatched = EventKind{
		C.RCL_PUBLISHER_MATCHED, C.RMW_EVENT_PUBLICATION_MATCHED, C.RCLGO_STATUS_MATCHED}
)

// The events of a subscription.
var (
	RequestedDeadlineMissed = EventKind{
		C.RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED, C.RMW_EVENT_REQUESTED_DEADLINE_MISSED, C.RCLGO_STATUS_COUNT}
	LivelinessChanged = EventKind{
		C.RCL_SUBSCRIPTION_LIVELINESS_CHANGED, C.RMW_EVENT_LIVELINESS_CHANGED, C.RCLGO_STATUS_LIVELINESS}
	RequestedIncompatibleQoS = EventKind{
		C.RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS, C.RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE, C.RCLGO_STATUS_QOS}
	MessageLost = EventKind{
		C.RCL_SUBSCRIPTION_MESSAGE_LOST, C.RMW_EVENT_MESSAGE_LOST, C.RCLGO_STATUS_LOST}
	SubscriptionMatched = EventKind{
		C.RCL_SUBSCRIPTION_MATCHED, C.RMW_EVENT_SUBSCRIPTION_MATCHED, C.RCLGO_STATUS_MATCHED}
)

// Supported reports whether the middleware says that it has the events. It may be wrong: some
// let them be made and never report one. If the middleware cannot be asked, Supported returns true,
// and making the event tells.
func (k EventKind) Supported() bool { return bool(C.rclgo_event_supported(k.rmw)) }

// Middleware returns the identifier of the middleware in use, such as "rmw_fastrtps_cpp".
func Middleware() string { return C.GoString(C.rclgo_middleware()) }

// unsupported is what NewEvent returns for events that the middleware does not have.
func unsupported() error {
	return &Error{Code: C.RCL_RET_UNSUPPORTED, Text: Middleware() + " has no such events"}
}

// Status is the union of the fields that events report. For liveliness, Current counts the
// alive and Total the not alive publishers.
type Status struct {
	Total, TotalChange     int
	Current, CurrentChange int
	Policy                 int
}

// NewEvent makes one of the publisher's events. It does not ask a middleware for events that the
// middleware says it has not: what a middleware writes about that on the console is not ours.
func (p *Publisher) NewEvent(kind EventKind) (*Event, error) {
	if !kind.Supported() {
		return nil, unsupported()
	}
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Event](C.rclgo_publisher_event_new(&p.c, kind.event))
}

// NewEvent makes one of the subscription's events.
func (s *Subscription) NewEvent(kind EventKind) (*Event, error) {
	if !kind.Supported() {
		return nil, unsupported()
	}
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Event](C.rclgo_subscription_event_new(&s.c, kind.event))
}

// Close finalises and frees e.
func (e *Event) Close() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_event_free(&e.c))
}

// Take reads the changes since the last Take.
func (e *Event) Take(kind EventKind) (Status, error) {
	r := C.rclgo_event_take(&e.c, kind.status)
	return Status{
		Total: int(r.total), TotalChange: int(r.total_change),
		Current: int(r.current), CurrentChange: int(r.current_change),
		Policy: int(r.policy),
	}, check(r.ret)
}
