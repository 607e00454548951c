package rclgo

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// SubscriptionOptions configures a subscription.
type SubscriptionOptions struct {
	Qos QosProfile
}

// NewDefaultSubscriptionOptions returns the default profile for topics.
func NewDefaultSubscriptionOptions() *SubscriptionOptions {
	return &SubscriptionOptions{Qos: NewDefaultQosProfile()}
}

// MessageInfo describes a received message.
type MessageInfo struct {
	SourceTimestamp   time.Time
	ReceivedTimestamp time.Time
	FromIntraProcess  bool

	// PublisherGID identifies the publisher. It is the EndpointGID of the graph with most middlewares, and
	// with Fast DDS. Cyclone DDS has another number here.
	PublisherGID GID
	// The sequence numbers that the publisher and the subscription gave the message; the
	// maximum of uint64 if the middleware does not count.
	PublicationSequenceNumber uint64
	ReceptionSequenceNumber   uint64
}

// SubscriptionCallback is called when a message waits, and sometimes when none does: see
// [NothingTaken]. If it does not take the message, it
// is called again after a pause, which grows from 10 ms to 1 s, or as soon as something
// takes from the subscription.
type SubscriptionCallback func(*Subscription)

// Subscription receives messages from a topic.
type Subscription struct {
	entity
	TopicName   string // expanded and remapped
	Ros2MsgType types.MessageTypeSupport
	Callback    SubscriptionCallback
	node        *Node
	h           *rcl.Subscription
	takeMu      sync.Mutex
	takes       atomic.Uint64 // calls of take that did not fail, with or without a message
	seen        atomic.Uint64 // takes, when the callback last returned
	got         atomic.Uint64 // messages
	gotSeen     uint64        // got, when the callback last returned; the callback's goroutine's
	events      events
}

// NewSubscription makes a subscription. options may be nil. Without a callback the loop does
// not wait for messages; the program takes them.
func (n *Node) NewSubscription(
	topicName string,
	ros2msg types.MessageTypeSupport,
	options *SubscriptionOptions,
	subscriptionCallback SubscriptionCallback,
) (sub *Subscription, err error) {
	if options == nil {
		options = NewDefaultSubscriptionOptions()
	}
	op := "create subscription " + strconv.Quote(topicName)
	if err := noNUL(op, codeTopicNameInvalid, topicName); err != nil {
		return nil, err
	}
	if err := types.Check(ros2msg); err != nil {
		return nil, fail(op, err)
	}
	s := &Subscription{node: n, Ros2MsgType: ros2msg, Callback: subscriptionCallback}
	s.events.owner = &s.entity
	err = n.build(op, func() (err error) {
		if s.h, err = rcl.NewSubscription(n.h, ros2msg.TypeSupport(), topicName, options.Qos.rcl()); err != nil {
			return err
		}
		s.TopicName = s.h.TopicName()
		s.what, s.invalid = "subscription "+strconv.Quote(s.TopicName), codeSubscriptionInvalid
		if subscriptionCallback != nil {
			s.kind, s.handle = rcl.WaitSubscription, unsafe.Pointer(s.h)
			s.moved = func() bool { return s.takes.Load() != s.seen.Load() }
			s.onReady = func(uint8) {
				s.dispatchPaced(func() turn {
					s.Callback(s)
					return s.turn()
				})
			}
		}
		s.finalize = func() error { return s.h.Close(n.h) }
		n.adopt(&s.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// turn returns what came of one call of the callback, which may have left the taking to others.
func (s *Subscription) turn() turn {
	took := s.takes.Load()
	tried := s.seen.Swap(took) != took
	got := s.got.Load()
	came := got != s.gotSeen
	s.gotSeen = got
	switch {
	case came:
		return moved
	case tried:
		return nothing
	}
	return stuck
}

// Close closes the subscription.
func (s *Subscription) Close() (err error) { return s.closeTree() }

// Node returns what the subscription was made from.
func (s *Subscription) Node() *Node { return s.node }

// TakeMessage moves the next message into out, which must be of the subscription's
// type. If there is no message, the error is a SubscriptionTakeFailed. A message whose bytes
// are none of the type is an error too, and is taken: the next call returns the one after it.
func (s *Subscription) TakeMessage(out types.Message) (*MessageInfo, error) {
	op := "take from " + s.TopicName
	if out == nil {
		return nil, fail(op, errNilMessage)
	}
	buf, info, err := s.TakeSerializedMessage()
	if err != nil {
		return nil, err
	}
	if err := deserialize(out, buf, s.Ros2MsgType); err != nil {
		return nil, fail(op, err)
	}
	return info, nil
}

// TakeSerializedMessage returns the next message without decoding it.
func (s *Subscription) TakeSerializedMessage() ([]byte, *MessageInfo, error) {
	var buf []byte
	var info rcl.MessageInfo
	err := s.take("take from "+s.TopicName, func() (err error) {
		buf, info, err = s.h.TakeBytes()
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return buf, infoFrom(info), nil
}

// take is like use, but its calls do not overlap.
func (s *Subscription) take(op string, fn func() error) error {
	s.takeMu.Lock()
	defer s.takeMu.Unlock()
	err := s.use(op, fn)
	if err != nil {
		s.takeFault(s.node.Logger(), op, err)
		if !errors.Is(err, &SubscriptionTakeFailed{}) {
			return err // the message may still be there
		}
	} else {
		s.got.Add(1)
	}
	s.takes.Add(1)
	s.resume()
	return err
}

// GetPublisherCount returns how many publishers reach the subscription.
func (s *Subscription) GetPublisherCount() (count int, err error) {
	err = s.use("count publishers of "+s.TopicName, func() (err error) {
		count, err = s.h.Matched()
		return err
	})
	return count, err
}

func infoFrom(i rcl.MessageInfo) *MessageInfo {
	return &MessageInfo{
		SourceTimestamp:           time.Unix(0, i.Source),
		ReceivedTimestamp:         time.Unix(0, i.Received),
		FromIntraProcess:          i.IntraProcess,
		PublisherGID:              gidFrom(i.GID),
		PublicationSequenceNumber: i.PublicationSequence,
		ReceptionSequenceNumber:   i.ReceptionSequence,
	}
}
