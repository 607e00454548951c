// Package rmwfault lets a test have a middleware that can do less than the installed one, or that
// does something which only another one does. A test program that imports it has its own versions of
// some functions of rmw. It is for tests: a program must not import it.
package rmwfault

// #cgo LDFLAGS: -rdynamic -ldl
// #include "rmwfault.h"
// #include <rmw/event.h>
import "C"

import (
	"testing"

	_ "github.com/tiiuae/rclgo/internal/roscheck" // stops a build without ROS
)

// Take is a kind of take.
type Take C.int

// The kinds.
const (
	Message    Take = C.RMWFAULT_MESSAGE    // a message that the middleware decodes
	Serialized Take = C.RMWFAULT_SERIALIZED // a message in bytes
	Request    Take = C.RMWFAULT_REQUEST
	Response   Take = C.RMWFAULT_RESPONSE
	Event      Take = C.RMWFAULT_EVENT
)

// The events, as rmw numbers them.
const (
	OfferedDeadlineMissed    = C.RMW_EVENT_OFFERED_DEADLINE_MISSED
	LivelinessLost           = C.RMW_EVENT_LIVELINESS_LOST
	OfferedIncompatibleQos   = C.RMW_EVENT_OFFERED_QOS_INCOMPATIBLE
	PublicationMatched       = C.RMW_EVENT_PUBLICATION_MATCHED
	RequestedDeadlineMissed  = C.RMW_EVENT_REQUESTED_DEADLINE_MISSED
	LivelinessChanged        = C.RMW_EVENT_LIVELINESS_CHANGED
	RequestedIncompatibleQos = C.RMW_EVENT_REQUESTED_QOS_INCOMPATIBLE
	MessageLost              = C.RMW_EVENT_MESSAGE_LOST
	SubscriptionMatched      = C.RMW_EVENT_SUBSCRIPTION_MATCHED
)

// NoEvents makes every QoS event unsupported until the test ends.
func NoEvents(t testing.TB) { lack(t, -1) }

// NoEvent makes one QoS event unsupported until the test ends.
func NoEvent(t testing.TB, event int) { lack(t, 1<<event) }

func lack(t testing.TB, bits int) {
	C.rmwfault_no_events(C.long(bits))
	t.Cleanup(func() { C.rmwfault_no_events(0) })
}

// MuteEvents makes the middleware unable to say which events it has until the test ends, as
// librmw_implementation does with an older middleware. Events can be made.
func MuteEvents(t testing.TB) {
	C.rmwfault_mute_events(true)
	t.Cleanup(func() { C.rmwfault_mute_events(false) })
}

// OtherGIDs makes the GIDs in messages differ from those of the graph until the test ends.
func OtherGIDs(t testing.TB) {
	C.rmwfault_other_gids(true)
	t.Cleanup(func() { C.rmwfault_other_gids(false) })
}

// LateRequests hides the endpoints of the topics that carry the requests of services until the test ends, as
// if they were still to be discovered.
func LateRequests(t testing.TB) {
	C.rmwfault_late_requests(true)
	t.Cleanup(func() { C.rmwfault_late_requests(false) })
}

// NoRequestTopics makes the middleware have no topics of its own names, such as those that carry the
// requests of services, until the test ends.
func NoRequestTopics(t testing.TB) {
	C.rmwfault_no_request_topics(true)
	t.Cleanup(func() { C.rmwfault_no_request_topics(false) })
}

// Empty makes the next n takes of a kind find nothing. What is there stays, and wakes its reader
// again.
func Empty(t testing.TB, kind Take, n int) {
	C.rmwfault_empty(C.int(kind), C.long(n))
	t.Cleanup(func() { C.rmwfault_empty(C.int(kind), 0) })
}

// Calls counts the takes of a kind in this process.
func Calls(kind Take) int { return int(C.rmwfault_calls(C.int(kind))) }

// Duplicates counts how often something was in a wait set that held it already.
func Duplicates() int { return int(C.rmwfault_duplicates()) }

// Left returns how many of the takes that find nothing are still to come.
func Left(kind Take) int { return int(C.rmwfault_left(C.int(kind))) }
