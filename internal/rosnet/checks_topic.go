//go:build ros

package rosnet

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/measure"
	"rstate/internal/network"
)

// topicCheck listens to one topic of any type. It takes what has come at each tick, so that no message wakes the
// process. It decodes messages only where the check names a field, and then only the newest of each tick. Only the
// listener's goroutine uses it.
type topicCheck struct {
	w           *World
	node, check int
	spec        *network.Check

	sub     *rclgo.Subscription      // nil: none yet
	kind    string                   // the type that it is for
	support types.MessageTypeSupport // of that type
	came    uint64                   // messages
	arrived *arrival                 // the newest message
	taken   time.Time                // when all that had come was taken
	decoded *arrival                 // the one of which value is
	value   network.Scalar           // of the field
	unread  string                   // why the field cannot be read
	fault   string
	looked  time.Time
}

// arrival is a message that has come.
type arrival struct {
	at   time.Time
	data []byte
}

func (t *topicCheck) close() {
	if t.sub != nil {
		if err := t.sub.Close(); err != nil {
			t.w.log.Warn("cannot end a subscription", zap.String("topic", t.spec.Topic), zap.Error(err))
		}
		t.sub = nil
	}
	t.looked = time.Time{}
}

// look ensures that a subscription of the published type exists.
func (t *topicCheck) look(now time.Time) {
	if t.sub != nil {
		if n, err := t.sub.GetPublisherCount(); err == nil && n > 0 {
			t.fault = ""
			return
		}
	}
	if now.Sub(t.looked) < lookForType {
		return
	}
	t.looked = now
	kind, fault := t.published()
	t.fault = fault
	if fault != "" || t.sub != nil && kind == t.kind {
		return
	}
	t.close()
	if err := t.open(kind); err != nil {
		t.fault = "cannot be listened to: " + err.Error()
	}
}

// sample is what has come until now.
func (t *topicCheck) sample(now time.Time) engine.TopicCounted {
	in := engine.TopicCounted{Node: t.node, Check: t.check, Count: t.came, Age: -1, Fault: t.fault}
	if t.arrived == nil || in.Fault != "" {
		return in
	}
	in.Age = max(0, now.Sub(t.arrived.at))
	if t.spec.Field != "" {
		t.decode(t.arrived)
		in.Value, in.Fault = t.value, t.unread
	}
	return in
}

// decode reads the field of a message, unless it has.
func (t *topicCheck) decode(a *arrival) {
	if a == t.decoded || t.support == nil {
		return
	}
	t.decoded, t.value = a, network.Scalar{}
	if t.unread = measure.Unfit(t.kind, t.support, t.spec.Field, t.spec.Bound); t.unread != "" {
		return // no message of this type has it
	}
	msg, err := rclgo.Deserialize(a.data, t.support)
	if err != nil {
		t.unread = "cannot be read: its newest message is no " + t.kind
		return
	}
	t.value, t.unread = measure.Field(t.kind, msg, t.spec.Field)
}

// published returns the type of the topic's publishers, or why no type can be used.
func (t *topicCheck) published() (kind, fault string) {
	infos, err := t.w.node.GetPublishersInfoByTopic(t.spec.Topic, true)
	if err != nil {
		return "", "cannot be looked for: " + err.Error()
	}
	var kinds []string
	for _, info := range infos {
		if !slices.Contains(kinds, info.TopicType) {
			kinds = append(kinds, info.TopicType)
		}
	}
	slices.Sort(kinds)
	switch {
	case len(kinds) == 0:
		return "", "has no publisher"
	case t.spec.Type != "" && slices.Contains(kinds, t.spec.Type):
		return t.spec.Type, ""
	case t.spec.Type != "":
		return "", fmt.Sprintf("is published as %s, not %s", strings.Join(kinds, " and "), t.spec.Type)
	case len(kinds) > 1:
		return "", "is published as " + strings.Join(kinds, " and ") + "; say in the file which is meant, with type:"
	}
	return kinds[0], ""
}

// open subscribes with the QoS that matches every publisher: best effort, volatile.
func (t *topicCheck) open(kind string) error {
	pkg, name, _ := strings.Cut(kind, "/")
	support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
	if err != nil {
		return err
	}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Reliability, opts.Qos.Durability = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile
	opts.Qos.Depth = 1
	if t.spec.Kind() == network.CheckRate {
		// Room for what comes between two readings, also those that are seldom, and while this process is not scheduled.
		opts.Qos.Depth = 10 + int(math.Min(t.spec.Rate, 3000))
	}
	t.came, t.arrived, t.taken = 0, nil, time.Now()
	t.decoded, t.kind, t.support = nil, kind, support
	t.sub, err = t.w.node.NewSubscription(t.spec.Topic, support, opts, nil)
	return err
}

// take takes all that has come.
func (t *topicCheck) take(now time.Time) {
	if t.sub == nil {
		return
	}
	drain(func() bool {
		data, info, err := t.sub.TakeSerializedMessage()
		if err == nil {
			t.came++
			t.arrived = &arrival{arrivedAt(info.ReceivedTimestamp, t.taken, now), data}
			t.w.checks.undated = t.w.checks.undated || info.ReceivedTimestamp.UnixNano() <= 0
		}
		return err == nil
	})
	t.taken = now
}

// drain takes until nothing is left. One take may take nothing though messages wait: of a writer that has died,
// Cyclone DDS has a sample without a message.
func drain(take func() (got bool)) {
	for nothing := 0; nothing < 2; nothing++ {
		if take() {
			nothing = -1
		}
	}
}

// arrivedAt is when a message came that was taken now, and was not there at the time before. A middleware that does
// not say when has its messages taken for older than they are, by a tick at most.
func arrivedAt(said, before, now time.Time) time.Time {
	at := now.Add(said.Sub(now)) // on the clock that is never set
	switch {
	case at.Before(before):
		return before
	case at.After(now):
		return now
	}
	return at
}
