package rclgo

import (
	"errors"
	"strconv"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// PublisherOptions configures a publisher.
type PublisherOptions struct {
	Qos QosProfile
}

// NewDefaultPublisherOptions returns the default profile for topics.
func NewDefaultPublisherOptions() *PublisherOptions {
	return &PublisherOptions{Qos: NewDefaultQosProfile()}
}

// Publisher sends messages to a topic.
type Publisher struct {
	entity
	TopicName string // expanded and remapped
	node      *Node
	ts        types.MessageTypeSupport
	h         *rcl.Publisher
	events    events
}

// NewPublisher makes a publisher. options may be nil.
func (n *Node) NewPublisher(
	topicName string,
	ros2msg types.MessageTypeSupport,
	options *PublisherOptions,
) (pub *Publisher, err error) {
	if options == nil {
		options = NewDefaultPublisherOptions()
	}
	op := "create publisher " + strconv.Quote(topicName)
	if err := noNUL(op, codeTopicNameInvalid, topicName); err != nil {
		return nil, err
	}
	if err := types.Check(ros2msg); err != nil {
		return nil, fail(op, err)
	}
	p := &Publisher{node: n, ts: ros2msg}
	p.events.owner = &p.entity
	err = n.build(op, func() (err error) {
		if p.h, err = rcl.NewPublisher(n.h, ros2msg.TypeSupport(), topicName, options.Qos.rcl()); err != nil {
			return err
		}
		p.TopicName = p.h.TopicName()
		p.what, p.invalid = "publisher "+strconv.Quote(p.TopicName), codePublisherInvalid
		p.finalize = func() error { return p.h.Close(n.h) }
		n.adopt(&p.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Close closes the publisher.
func (p *Publisher) Close() (err error) { return p.closeTree() }

// Node returns what the publisher was made from.
func (p *Publisher) Node() *Node { return p.node }

// Publish sends a message, which must be of the publisher's type. It may be called from
// any goroutine.
func (p *Publisher) Publish(ros2msg types.Message) error {
	op := "publish on " + p.TopicName
	return fail(op, withC(p.ts, ros2msg, func(msg unsafe.Pointer) error {
		return p.use(op, func() error { return p.h.Publish(msg) })
	}))
}

// PublishSerialized sends a message that is encoded already, as by Serialize.
func (p *Publisher) PublishSerialized(msg []byte) error {
	return p.use("publish on "+p.TopicName, func() error { return p.h.PublishBytes(msg) })
}

// AssertLiveliness asserts that the publisher is alive, for LivelinessManualByTopic.
func (p *Publisher) AssertLiveliness() error {
	return p.use("assert liveliness on "+p.TopicName, p.h.AssertLiveliness)
}

// GetSubscriptionCount returns how many subscriptions the publisher reaches.
func (p *Publisher) GetSubscriptionCount() (count int, err error) {
	err = p.use("count subscriptions of "+p.TopicName, func() (err error) {
		count, err = p.h.Matched()
		return err
	})
	return count, err
}

// WaitForAllAcked waits until the reliable subscriptions have acknowledged all messages, or the
// timeout has passed, which is an error.
func (p *Publisher) WaitForAllAcked(timeout time.Duration) error {
	return p.use("wait for acknowledgements on "+p.TopicName,
		func() error { return p.h.WaitForAllAcked(int64(timeout)) })
}

// GID returns the publisher's identifier in the MessageInfo of its messages, see MessageInfo.PublisherGID.
func (p *Publisher) GID() (id GID, err error) {
	err = p.use("identify the publisher on "+p.TopicName, func() error {
		short, err := p.h.GID()
		id = gidFrom(short)
		return err
	})
	return id, err
}

var errNilMessage = errors.New("the message is nil")

// withC calls fn with a C copy of msg.
func withC(ts types.MessageTypeSupport, msg types.Message, fn func(unsafe.Pointer) error) error {
	if msg == nil {
		return errNilMessage
	}
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	if err := types.Encode(ts, mem, msg); err != nil {
		return err
	}
	return fn(mem)
}
