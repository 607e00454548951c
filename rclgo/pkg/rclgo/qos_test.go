package rclgo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// pair makes a publisher and a subscription, each with an option changed.
func pair(t *testing.T, offer, ask func(*rclgo.QosProfile)) (*rclgo.Publisher, *rclgo.Subscription) {
	t.Helper()
	n, topic, ts := newNode(t), unique("/qos"), stringType(t)
	spin(t, n.Spin)
	sopts, popts := rclgo.NewDefaultSubscriptionOptions(), rclgo.NewDefaultPublisherOptions()
	ask(&sopts.Qos)
	offer(&popts.Qos)
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, sopts, nil))
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, popts))
	return pub, sub
}

func plainQos(*rclgo.QosProfile) {}

// into returns a handler that fills a channel.
func into[T any]() (chan T, func(T)) {
	c := make(chan T, 1000)
	return c, func(v T) { c <- v }
}

func TestIncompatibleQosIsReported(t *testing.T) {
	supports(t, rclgo.EventOfferedIncompatibleQos, rclgo.EventRequestedIncompatibleQos)
	n, topic, ts := newNode(t), unique("/qos"), stringType(t)
	spin(t, n.Spin)
	popts := rclgo.NewDefaultPublisherOptions()
	popts.Qos.Reliability = rclgo.ReliabilityBestEffort
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, popts))
	offered, h := into[rclgo.IncompatibleQos]()
	check(t, pub.OnIncompatibleQos(h))
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, nil))
	asked, h2 := into[rclgo.IncompatibleQos]()
	check(t, sub.OnIncompatibleQos(h2))
	for what, c := range map[string]chan rclgo.IncompatibleQos{"offered": offered, "asked": asked} {
		if e := await(t, what+" QoS is reported", c); e.LastPolicy != rclgo.QosPolicyReliability || e.TotalCount != 1 {
			t.Errorf("%s: %+v", what, e)
		} else if want := "incompatible QoS with 1 other endpoints, the last for its reliability; let the publisher offer"; !strings.HasPrefix(e.String(), want) {
			t.Errorf("%s: it reads %q", what, e)
		}
	}
}

func TestMatchedEvents(t *testing.T) {
	if !rclgo.EventSupported(rclgo.EventPublicationMatched) {
		t.Skipf("%s has no such event", rclgo.MiddlewareIdentifier())
	}
	pub, sub := pair(t, plainQos, plainQos)
	found, h := into[rclgo.Matched]()
	check(t, pub.OnMatched(h))
	extra := must[*rclgo.Subscription](t)(sub.Node().NewSubscription(sub.TopicName, sub.Ros2MsgType, nil, nil))
	for e := await(t, "the subscriptions match", found); e.CurrentCount != 2; {
		e = await(t, "the second subscription matches", found)
	}
	check(t, extra.Close())
	if e := await(t, "a subscription goes", found); e.CurrentCount != 1 || e.CurrentCountChange != -1 {
		t.Errorf("%+v", e)
	}
	check(t, pub.OnMatched(nil)) // and no more
	check(t, sub.Close())
	eventually(t, "the subscription is gone", func() bool { return must[int](t)(pub.GetSubscriptionCount()) == 0 })
	if len(found) > 0 {
		t.Error("a cancelled handler was called")
	}
}

// TestAnEventThatIsNeverReadyIsToldAllTheSame: a middleware may lose the mark of a change.
func TestAnEventThatIsNeverReadyIsToldAllTheSame(t *testing.T) {
	supports(t, rclgo.EventSubscriptionMatched)
	pub, sub := pair(t, plainQos, plainQos)
	connected(t, pub)
	found, h := into[rclgo.Matched]()
	check(t, sub.OnMatched(h))
	sub.HideEvents()
	extra := must[*rclgo.Publisher](t)(pub.Node().NewPublisher(pub.TopicName, sub.Ros2MsgType, nil))
	for e := await(t, "the second publisher matches", found); e.CurrentCount != 2; {
		e = await(t, "the second publisher matches", found)
	}
	check(t, extra.Close())
	for e := await(t, "a publisher goes", found); e.CurrentCount != 1; {
		e = await(t, "a publisher goes", found)
	}
}

func TestLivelinessEvents(t *testing.T) {
	supports(t, rclgo.EventLivelinessLost, rclgo.EventLivelinessChanged)
	lease := func(q *rclgo.QosProfile) {
		q.Liveliness, q.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, 200*time.Millisecond
	}
	pub, sub := pair(t, lease, lease)
	lost, h := into[rclgo.LivelinessLost]()
	check(t, pub.OnLivelinessLost(h))
	changed, h2 := into[rclgo.LivelinessChanged]()
	check(t, sub.OnLivelinessChanged(h2))
	connected(t, pub)
	eventually(t, "the publisher is alive", func() bool {
		check(t, pub.AssertLiveliness()) // it may have fallen silent before the event is taken
		select {
		case e := <-changed:
			return e.AliveCount == 1
		default:
			return false
		}
	})
	for e := await(t, "the publisher falls silent", changed); e.NotAliveCount != 1; {
		e = await(t, "the publisher falls silent", changed)
	}
	if e := await(t, "the publisher knows", lost); e.TotalCount < 1 {
		t.Errorf("%+v", e)
	}
}

func TestDeadlineEvents(t *testing.T) {
	supports(t, rclgo.EventOfferedDeadlineMissed, rclgo.EventRequestedDeadlineMissed)
	deadline := func(q *rclgo.QosProfile) { q.Deadline = 100 * time.Millisecond }
	pub, sub := pair(t, deadline, deadline)
	offered, h := into[rclgo.DeadlineMissed]()
	check(t, pub.OnDeadlineMissed(h))
	asked, h2 := into[rclgo.DeadlineMissed]()
	check(t, sub.OnDeadlineMissed(h2))
	connected(t, pub)
	check(t, pub.Publish(text(t, "only one")))
	for range 3 {
		if e := await(t, "the publisher misses", offered); e.TotalCountChange < 1 {
			t.Errorf("%+v", e)
		}
		if e := await(t, "the subscription misses", asked); e.TotalCount < 1 {
			t.Errorf("%+v", e)
		}
	}
}

func TestQosSurvivesTheGraph(t *testing.T) {
	n := newNode(t)
	want := rclgo.QosProfile{
		History: rclgo.HistoryKeepLast, Depth: 3,
		Reliability: rclgo.ReliabilityBestEffort, Durability: rclgo.DurabilityTransientLocal,
		Deadline: 2 * time.Second, Lifespan: 3 * time.Second,
		Liveliness: rclgo.LivelinessManualByTopic, LivelinessLeaseDuration: 1500 * time.Millisecond,
	}
	topic := unique("/profile")
	must[*rclgo.Publisher](t)(n.NewPublisher(topic, stringType(t), &rclgo.PublisherOptions{Qos: want}))
	var infos []rclgo.TopicEndpointInfo
	eventually(t, "the publisher is in the graph", func() bool {
		infos = must[[]rclgo.TopicEndpointInfo](t)(n.GetPublishersInfoByTopic(topic, true))
		return len(infos) == 1
	})
	got := infos[0].QosProfile
	got.History, got.Depth = want.History, want.Depth // discovery does not carry them
	// DDS counts in parts of 2⁻³² s.
	for _, d := range []*time.Duration{&got.Deadline, &got.Lifespan, &got.LivelinessLeaseDuration} {
		*d = d.Round(time.Millisecond)
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
