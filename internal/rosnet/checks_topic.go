//go:build ros

package rosnet

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/measure"
	"rstate/internal/network"
)

// topicCheck listens to one topic of any type. It decodes messages only where the check names a field, and then only
// the newest of each tick. Only the listener's goroutine uses it, except for came and arrived.
type topicCheck struct {
	w           *World
	node, check int
	spec        *network.Check

	sub     *rclgo.Subscription      // nil: none yet
	kind    string                   // the type that it is for
	support types.MessageTypeSupport // of that type
	came    atomic.Uint64            // messages
	arrived atomic.Pointer[arrival]  // the newest message, if its age or a field of it counts
	decoded *arrival                 // the one of which value is
	value   network.Scalar           // of the field
	unread  string                   // why the field cannot be read
	fault   string
	looked  time.Time
}

// arrival is a message that has come.
type arrival struct {
	at   time.Time
	data []byte // empty where no field of it counts
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
	in := engine.TopicCounted{Node: t.node, Check: t.check, Count: t.came.Load(), Age: -1, Fault: t.fault}
	a := t.arrived.Load()
	if a == nil || in.Fault != "" {
		return in
	}
	in.Age = max(0, now.Sub(a.at))
	if t.spec.Field != "" {
		t.decode(a)
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
	// Room for messages that arrive while this process is not scheduled.
	opts.Qos.Depth = 10 + int(math.Min(t.spec.Rate, 1000))
	t.came.Store(0)
	t.arrived.Store(nil)
	t.decoded, t.kind, t.support = nil, kind, support
	t.sub, err = t.w.node.NewSubscription(t.spec.Topic, support, opts, t.take)
	return err
}

// take notes a message. It is called by the executor.
func (t *topicCheck) take(sub *rclgo.Subscription) {
	data, _, err := sub.TakeSerializedMessage()
	if err != nil {
		return
	}
	t.came.Add(1)
	switch t.spec.Kind() {
	case network.CheckAge:
		t.arrived.Store(&arrival{at: time.Now()})
	case network.CheckField:
		t.arrived.Store(&arrival{at: time.Now(), data: data})
	}
}
