//go:build ros

package rosnet

import (
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// ofAll returns the options of a subscription that reads the latched message of each instance.
func ofAll() *rclgo.SubscriptionOptions {
	o := rclgo.NewDefaultSubscriptionOptions()
	o.Qos.Durability, o.Qos.Depth = rclgo.DurabilityTransientLocal, sharedDepth
	o.Qos.Liveliness, o.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, livelinessLease
	return o
}

// ofPlain returns the options of a subscription that also reads peers of four fields. They latch
// nothing and promise no liveliness. A subscription that asks for either would not match them, and
// both sides would log that.
func ofPlain() *rclgo.SubscriptionOptions {
	o := rclgo.NewDefaultSubscriptionOptions()
	o.Qos.Depth = sharedDepth
	return o
}

// hear subscribes to a topic that this instance also publishes. It does not decode our own
// messages, because that would cost more than publishing them. heard gets nil for our own messages,
// and for messages that cannot be decoded.
func hear[T any, M interface {
	*T
	types.Message
}](own *rclgo.Publisher, topic string, kind types.MessageTypeSupport, options *rclgo.SubscriptionOptions,
	heard func(M, *rclgo.MessageInfo)) (*rclgo.Subscription, error) {
	we, err := own.GID()
	if err != nil {
		return nil, err
	}
	return own.Node().NewSubscription(topic, kind, options, func(s *rclgo.Subscription) {
		text, info, err := s.TakeSerializedMessage()
		if err != nil {
			return
		}
		var m M
		if info.PublisherGID != we {
			if decoded, err := rclgo.Deserialize(text, kind); err == nil {
				m, _ = decoded.(M)
			}
		}
		heard(m, info)
	})
}
