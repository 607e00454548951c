package rcl

// #include "seam.h"
// #include <rcl/publisher.h>
// #include <rcl/subscription.h>
import "C"

import "unsafe"

// Publisher is an rcl_publisher_t. Publish, PublishBytes, AssertLiveliness and Matched
// may run concurrently.
type Publisher struct{ c C.rcl_publisher_t }

// Subscription is an rcl_subscription_t. Two takes must not run concurrently.
type Subscription struct{ c C.rcl_subscription_t }

// MessageInfo is the middleware's data about a received message. Times are nanoseconds since
// the Unix epoch.
type MessageInfo struct {
	Source, Received                       int64
	PublicationSequence, ReceptionSequence uint64
	GID                                    [16]byte
	IntraProcess                           bool
}

// NewPublisher makes a publisher.
func NewPublisher(n *Node, typeSupport unsafe.Pointer, topic string, qos QoS) (*Publisher, error) {
	ctopic, free := cString(topic)
	defer free()
	profile := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Publisher](C.rclgo_publisher_new(&n.c, typeSupport, ctopic, &profile))
}

// Close finalises and frees p.
func (p *Publisher) Close(n *Node) error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_publisher_free(&p.c, &n.c))
}

// TopicName returns the topic's name, expanded and remapped.
func (p *Publisher) TopicName() string { return C.GoString(C.rcl_publisher_get_topic_name(&p.c)) }

// Publish sends a C message, which the caller still owns.
func (p *Publisher) Publish(msg unsafe.Pointer) error { return check(C.rclgo_publish(&p.c, msg)) }

// PublishBytes sends a serialized message.
func (p *Publisher) PublishBytes(buf []byte) error {
	return check(C.rclgo_publish_bytes(&p.c, unsafe.Pointer(unsafe.SliceData(buf)), C.size_t(len(buf))))
}

// AssertLiveliness asserts liveliness, for the manual policy.
func (p *Publisher) AssertLiveliness() error { return check(C.rclgo_publisher_assert(&p.c)) }

// Matched counts the subscriptions that p reaches.
func (p *Publisher) Matched() (int, error) {
	r := C.rclgo_publisher_matched(&p.c)
	return int(r.v), check(r.ret)
}

// WaitForAllAcked waits until the reliable subscriptions have acknowledged all messages.
func (p *Publisher) WaitForAllAcked(nanoseconds int64) error {
	return check(C.rclgo_publisher_acked(&p.c, C.int64_t(nanoseconds)))
}

// GID returns the identifier that MessageInfo has for p's messages.
func (p *Publisher) GID() (id [16]byte, err error) {
	var gid C.rmw_gid_t
	err = check(C.rclgo_publisher_gid(&p.c, &gid))
	return goGID(&gid), err
}

// NewSubscription makes a subscription.
func NewSubscription(n *Node, typeSupport unsafe.Pointer, topic string, qos QoS) (*Subscription, error) {
	ctopic, free := cString(topic)
	defer free()
	profile := qos.c()
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Subscription](C.rclgo_subscription_new(&n.c, typeSupport, ctopic, &profile))
}

// Close finalises and frees s.
func (s *Subscription) Close(n *Node) error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_subscription_free(&s.c, &n.c))
}

// TopicName returns the topic's name, expanded and remapped.
func (s *Subscription) TopicName() string {
	return C.GoString(C.rcl_subscription_get_topic_name(&s.c))
}

// Take moves the next message into the C message msg.
func (s *Subscription) Take(msg unsafe.Pointer) (MessageInfo, error) {
	r := C.rclgo_take(&s.c, msg)
	return goInfo(&r.info), check(r.ret)
}

// TakeBytes returns the next message without decoding it.
func (s *Subscription) TakeBytes() ([]byte, MessageInfo, error) {
	r := C.rclgo_take_bytes(&s.c)
	if err := check(r.ret); err != nil {
		return nil, MessageInfo{}, err
	}
	return goBytes(r.buf, r.len), goInfo(&r.info), nil
}

// Matched counts the publishers that reach s.
func (s *Subscription) Matched() (int, error) {
	r := C.rclgo_subscription_matched(&s.c)
	return int(r.v), check(r.ret)
}

// Serialize encodes the C message msg.
func Serialize(msg, typeSupport unsafe.Pointer) ([]byte, error) {
	r := C.rclgo_serialize(msg, typeSupport)
	if err := check(r.ret); err != nil {
		return nil, err
	}
	return goBytes(r.buf, r.len), nil
}

// Deserialize decodes buf into the C message msg.
func Deserialize(buf []byte, typeSupport, msg unsafe.Pointer) error {
	return check(C.rclgo_deserialize(unsafe.Pointer(unsafe.SliceData(buf)), C.size_t(len(buf)), typeSupport, msg))
}

// goBytes copies and frees.
func goBytes(p *C.uint8_t, n C.size_t) []byte {
	defer C.free(unsafe.Pointer(p))
	return append(make([]byte, 0, n), unsafe.Slice((*byte)(p), n)...)
}

func goInfo(i *C.rmw_message_info_t) MessageInfo {
	return MessageInfo{
		Source:              int64(i.source_timestamp),
		Received:            int64(i.received_timestamp),
		PublicationSequence: uint64(i.publication_sequence_number),
		ReceptionSequence:   uint64(i.reception_sequence_number),
		IntraProcess:        bool(i.from_intra_process),
		GID:                 goGID(&i.publisher_gid),
	}
}

func goGID(gid *C.rmw_gid_t) (id [16]byte) {
	copy(id[:], unsafe.Slice((*byte)(&gid.data[0]), len(gid.data)))
	return id
}
