package rclgo

import (
	"fmt"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// QoS events of publishers and subscriptions. A second call of the same On method
// replaces the handler; nil ends the event. Change counts are relative to the previous call
// of the handler.
//
// If the middleware does not have an event, its On method returns an error that is *Unsupported.
// The publisher or subscription works as before. EventSupported asks in advance.

// EventType is a kind of QoS event.
type EventType int

// The kinds of events, each with the methods that watch it.
const (
	EventOfferedDeadlineMissed    EventType = iota // Publisher.OnDeadlineMissed
	EventLivelinessLost                            // Publisher.OnLivelinessLost
	EventOfferedIncompatibleQos                    // Publisher.OnIncompatibleQos
	EventPublicationMatched                        // Publisher.OnMatched
	EventRequestedDeadlineMissed                   // Subscription.OnDeadlineMissed
	EventLivelinessChanged                         // Subscription.OnLivelinessChanged
	EventRequestedIncompatibleQos                  // Subscription.OnIncompatibleQos
	EventMessageLost                               // Subscription.OnMessageLost
	EventSubscriptionMatched                       // Subscription.OnMatched
)

var eventTypes = [...]struct {
	kind rcl.EventKind
	name string
}{
	EventOfferedDeadlineMissed:    {rcl.OfferedDeadlineMissed, "offered deadline missed"},
	EventLivelinessLost:           {rcl.LivelinessLost, "liveliness lost"},
	EventOfferedIncompatibleQos:   {rcl.OfferedIncompatibleQoS, "offered QoS incompatible"},
	EventPublicationMatched:       {rcl.PublicationMatched, "publication matched"},
	EventRequestedDeadlineMissed:  {rcl.RequestedDeadlineMissed, "requested deadline missed"},
	EventLivelinessChanged:        {rcl.LivelinessChanged, "liveliness changed"},
	EventRequestedIncompatibleQos: {rcl.RequestedIncompatibleQoS, "requested QoS incompatible"},
	EventMessageLost:              {rcl.MessageLost, "message lost"},
	EventSubscriptionMatched:      {rcl.SubscriptionMatched, "subscription matched"},
}

func (t EventType) known() bool { return t >= 0 && int(t) < len(eventTypes) }

func (t EventType) String() string {
	if t.known() {
		return eventTypes[t].name
	}
	return "EventType(" + strconv.Itoa(int(t)) + ")"
}

// EventSupported reports whether the middleware says that it has events of a kind. A middleware
// can say so and never report one: rmw_zenoh_cpp does that for liveliness. A program that depends
// on an event must watch one arrive first. If the middleware is too old to be asked, EventSupported
// returns true, and the method that watches the event tells.
func EventSupported(t EventType) bool { return t.known() && eventTypes[t].kind.Supported() }

// MiddlewareIdentifier returns the name of the middleware in use, such as "rmw_fastrtps_cpp".
func MiddlewareIdentifier() string { return rcl.Middleware() }

// DeadlineMissed counts the periods without the message that the deadline requires.
type DeadlineMissed struct{ TotalCount, TotalCountChange int }

// LivelinessLost counts how often a publisher did not assert its liveliness in time.
type LivelinessLost struct{ TotalCount, TotalCountChange int }

// LivelinessChanged counts the publishers of a subscription.
type LivelinessChanged struct {
	AliveCount, AliveCountChange       int
	NotAliveCount, NotAliveCountChange int
}

// QosPolicyKind is a bit for each policy of a profile, as in rmw.
type QosPolicyKind int

// The policies that can be incompatible.
const (
	QosPolicyInvalid QosPolicyKind = 1 << iota
	QosPolicyDurability
	QosPolicyDeadline
	QosPolicyLiveliness
	QosPolicyReliability
	QosPolicyHistory
	QosPolicyLifespan
	QosPolicyDepth
	QosPolicyLivelinessLeaseDuration
	QosPolicyAvoidRosNamespaceConventions
)

var qosPolicyNames = map[QosPolicyKind]string{
	QosPolicyDurability: "durability", QosPolicyDeadline: "deadline", QosPolicyLiveliness: "liveliness",
	QosPolicyReliability: "reliability", QosPolicyHistory: "history", QosPolicyLifespan: "lifespan",
	QosPolicyDepth: "depth", QosPolicyLivelinessLeaseDuration: "liveliness lease duration",
	QosPolicyAvoidRosNamespaceConventions: "ROS namespace conventions",
}

func (k QosPolicyKind) String() string {
	if name, ok := qosPolicyNames[k]; ok {
		return name
	}
	return "QosPolicyKind(" + strconv.Itoa(int(k)) + ")"
}

// IncompatibleQos counts the refused endpoints, and names the incompatible policy of the
// last one.
type IncompatibleQos struct {
	TotalCount, TotalCountChange int
	LastPolicy                   QosPolicyKind
}

// String includes the remedy.
func (e IncompatibleQos) String() string {
	return fmt.Sprintf("incompatible QoS with %d other endpoints, the last for its %v; "+
		"let the publisher offer as much as the subscription asks for, or the subscription ask for less",
		e.TotalCount, e.LastPolicy)
}

// MessageLost counts messages that never arrived.
type MessageLost struct{ TotalCount, TotalCountChange int }

// Matched counts endpoints found and lost.
type Matched struct {
	TotalCount, TotalCountChange     int // ever found
	CurrentCount, CurrentCountChange int
}

// OnDeadlineMissed sets the handler that is called when the publisher publishes too rarely.
func (p *Publisher) OnDeadlineMissed(handler func(DeadlineMissed)) error {
	return on(&p.events, EventOfferedDeadlineMissed, p.newEvent, handler, deadlineMissed)
}

// OnLivelinessLost sets the handler that is called when the publisher did not assert its
// liveliness in time.
func (p *Publisher) OnLivelinessLost(handler func(LivelinessLost)) error {
	return on(&p.events, EventLivelinessLost, p.newEvent, handler, func(s rcl.Status) LivelinessLost {
		return LivelinessLost{s.Total, s.TotalChange}
	})
}

// OnIncompatibleQos sets the handler that is called when a subscription requests more than the
// publisher offers.
func (p *Publisher) OnIncompatibleQos(handler func(IncompatibleQos)) error {
	return on(&p.events, EventOfferedIncompatibleQos, p.newEvent, handler, incompatible)
}

// OnMatched sets the handler that is called when a subscription appears or disappears.
func (p *Publisher) OnMatched(handler func(Matched)) error {
	return on(&p.events, EventPublicationMatched, p.newEvent, handler, matched)
}

// OnDeadlineMissed sets the handler that is called when a publisher publishes too rarely.
func (s *Subscription) OnDeadlineMissed(handler func(DeadlineMissed)) error {
	return on(&s.events, EventRequestedDeadlineMissed, s.newEvent, handler, deadlineMissed)
}

// OnLivelinessChanged sets the handler that is called when a publisher becomes alive or stops
// being alive.
func (s *Subscription) OnLivelinessChanged(handler func(LivelinessChanged)) error {
	return on(&s.events, EventLivelinessChanged, s.newEvent, handler, func(s rcl.Status) LivelinessChanged {
		return LivelinessChanged{s.Current, s.CurrentChange, s.Total, s.TotalChange}
	})
}

// OnIncompatibleQos sets the handler that is called when a publisher offers less than the
// subscription requests.
func (s *Subscription) OnIncompatibleQos(handler func(IncompatibleQos)) error {
	return on(&s.events, EventRequestedIncompatibleQos, s.newEvent, handler, incompatible)
}

// OnMessageLost sets the handler that is called when a message did not arrive.
func (s *Subscription) OnMessageLost(handler func(MessageLost)) error {
	return on(&s.events, EventMessageLost, s.newEvent, handler, func(s rcl.Status) MessageLost {
		return MessageLost{s.Total, s.TotalChange}
	})
}

// OnMatched sets the handler that is called when a publisher appears or disappears.
func (s *Subscription) OnMatched(handler func(Matched)) error {
	return on(&s.events, EventSubscriptionMatched, s.newEvent, handler, matched)
}

func (p *Publisher) newEvent(k EventType) (*rcl.Event, error) {
	return p.h.NewEvent(eventTypes[k].kind)
}
func (s *Subscription) newEvent(k EventType) (*rcl.Event, error) {
	return s.h.NewEvent(eventTypes[k].kind)
}

func deadlineMissed(s rcl.Status) DeadlineMissed { return DeadlineMissed{s.Total, s.TotalChange} }

func incompatible(s rcl.Status) IncompatibleQos {
	return IncompatibleQos{s.Total, s.TotalChange, QosPolicyKind(s.Policy)}
}

func matched(s rcl.Status) Matched {
	return Matched{s.Total, s.TotalChange, s.Current, s.CurrentChange}
}

// events are the QoS events of one publisher or subscription.
type events struct {
	owner *entity
	mu    sync.Mutex
	m     map[EventType]*event
}

// event is one QoS event, a child of its publisher or subscription.
type event struct {
	entity
	h    *rcl.Event
	kind EventType
	tell func(rcl.Status) // calls the handler
	look *time.Timer      // of lookAgain
}

// lookEvery is how often an event that is not ready is looked at all the same. Fast DDS reads a status, then takes the
// mark off that makes the event ready. A change between the two has no mark, and without a look would come with the
// next change only: of two writers that die together, one would stay alive.
const lookEvery = 500 * time.Millisecond

// take takes the status of an event that is ready. The loop does that: until then the event stays ready. Loop only.
func (e *event) take() {
	status, err := e.status()
	if err != nil {
		e.rest(turnOf(0, e.takeFault(GetLogger("rclgo"), "take an "+e.what, err)))
		return
	}
	e.rest(moved)
	e.dispatch(func() { e.tell(status) })
}

// lookAgain tells a change that has no mark. Loop only.
func (e *event) lookAgain() {
	if e.gone {
		return
	}
	defer e.look.Reset(lookEvery)
	if e.busy || !e.served.Load() {
		return
	}
	status, err := e.status()
	if err == nil && (status.TotalChange != 0 || status.CurrentChange != 0) {
		e.dispatch(func() { e.tell(status) })
	}
}

func (e *event) status() (rcl.Status, error) { return e.h.Take(eventTypes[e.kind].kind) }

// on replaces the handler of one kind of event.
func on[T any](es *events, kind EventType, open func(EventType) (*rcl.Event, error),
	handler func(T), convert func(rcl.Status) T) error {
	es.mu.Lock()
	defer es.mu.Unlock()
	if old := es.m[kind]; old != nil {
		delete(es.m, kind)
		if err := old.closeTree(); err != nil {
			return err
		}
	}
	if handler == nil {
		return nil
	}
	e := &event{kind: kind, tell: func(s rcl.Status) { handler(convert(s)) }}
	err := es.owner.build("watch the event "+strconv.Quote(kind.String())+" of "+es.owner.what, func() (err error) {
		if e.h, err = open(kind); err != nil {
			return err
		}
		e.what, e.invalid = "event of "+es.owner.what, codeEventInvalid
		e.entity.kind, e.handle = rcl.WaitEvent, unsafe.Pointer(e.h)
		e.onReady = func(uint8) { e.take() }
		e.finalize = func() error {
			e.look.Stop()
			return e.h.Close()
		}
		es.owner.adopt(&e.entity)
		e.look = time.AfterFunc(lookEvery, func() { e.loop.post(e.lookAgain) })
		return nil
	})
	if err != nil {
		return err
	}
	if es.m == nil {
		es.m = map[EventType]*event{}
	}
	es.m[kind] = e
	return nil
}
