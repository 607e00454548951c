package rcl

// #include "seam.h"
// #include <rcl/event.h>
import "C"

// Event is one QoS event of a publisher or subscription, which must outlive it.
type Event struct{ c C.rcl_event_t }

// EventKind names an event and the struct in which the middleware reports it.
type EventKind struct{ event, status C.int }

// The events of a publisher.
var (
	OfferedDeadlineMissed  = EventKind{C.RCL_PUBLISHER_OFFERED_DEADLINE_MISSED, C.RCLGO_STATUS_COUNT}
	LivelinessLost         = EventKind{C.RCL_PUBLISHER_LIVELINESS_LOST, C.RCLGO_STATUS_COUNT}
	OfferedIncompatibleQoS = EventKind{C.RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS, C.RCLGO_STATUS_QOS}
	PublicationMatched     = EventKind{C.RCL_PUBLISHER_MATCHED, C.RCLGO_STATUS_MATCHED}
)

// The events of a subscription.
var (
	RequestedDeadlineMissed  = EventKind{C.RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED, C.RCLGO_STATUS_COUNT}
	LivelinessChanged        = EventKind{C.RCL_SUBSCRIPTION_LIVELINESS_CHANGED, C.RCLGO_STATUS_LIVELINESS}
	RequestedIncompatibleQoS = EventKind{C.RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS, C.RCLGO_STATUS_QOS}
	MessageLost              = EventKind{C.RCL_SUBSCRIPTION_MESSAGE_LOST, C.RCLGO_STATUS_LOST}
	SubscriptionMatched      = EventKind{C.RCL_SUBSCRIPTION_MATCHED, C.RCLGO_STATUS_MATCHED}
)

// Status is the union of the fields that events report. For liveliness, Current counts the
// alive and Total the not alive publishers.
type Status struct {
	Total, TotalChange     int
	Current, CurrentChange int
	Policy                 int
}

// NewEvent makes one of the publisher's events.
func (p *Publisher) NewEvent(kind EventKind) (*Event, error) {
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Event](C.rclgo_publisher_event_new(&p.c, kind.event))
}

// NewEvent makes one of the subscription's events.
func (s *Subscription) NewEvent(kind EventKind) (*Event, error) {
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
