package rclgo_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestMessageInfoNamesThePublisher(t *testing.T) {
	n, ts, topic := newNode(t), stringType(t), unique("/info")
	spin(t, n.Spin)
	type taken struct {
		info *rclgo.MessageInfo
		err  error
	}
	got := make(chan taken, 10)
	must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, func(s *rclgo.Subscription) {
		info, err := s.TakeMessage(ts.New())
		got <- taken{info, err}
	}))
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
	connected(t, pub)
	var infos []rclgo.TopicEndpointInfo
	eventually(t, "the publisher is in the graph", func() bool {
		infos = must[[]rclgo.TopicEndpointInfo](t)(n.GetPublishersInfoByTopic(topic, true))
		return len(infos) == 1
	})
	before := time.Now()
	var last uint64
	for range 3 {
		check(t, pub.Publish(text(t, "x")))
		m := await(t, "a message", got)
		check(t, m.err)
		own := must[rclgo.GID](t)(pub.GID())
		if same := m.info.PublisherGID == infos[0].EndpointGID; same != ours().MessageGIDs {
			t.Errorf("GID %v, in the graph %v; with %s these are the same: %v", m.info.PublisherGID,
				infos[0].EndpointGID, rclgo.MiddlewareIdentifier(), ours().MessageGIDs)
		}
		if own == (rclgo.GID{}) || own != infos[0].EndpointGID && ours().MessageGIDs {
			t.Errorf("its own GID is %v, in the graph %v", own, infos[0].EndpointGID)
		}
		if m.info.SourceTimestamp.Before(before.Add(-time.Second)) ||
			m.info.ReceivedTimestamp.Before(m.info.SourceTimestamp) {
			t.Errorf("times %v %v", m.info.SourceTimestamp, m.info.ReceivedTimestamp)
		}
		if n := m.info.PublicationSequenceNumber; n != math.MaxUint64 { // it counts
			if n <= last {
				t.Errorf("sequence number %d after %d", n, last)
			}
			last = n
		}
	}
	if i := infos[0]; i.NodeName != n.Name() || i.NodeNamespace != n.Namespace() || i.TopicType != "std_msgs/msg/String" ||
		i.EndpointType != rclgo.EndpointPublisher || i.QosProfile.Reliability != rclgo.ReliabilityReliable {
		t.Errorf("endpoint %+v", i)
	}
}

func TestTakeFromEmptySubscription(t *testing.T) {
	n, ts := newNode(t), stringType(t)
	sub := must[*rclgo.Subscription](t)(n.NewSubscription("quiet", ts, nil, nil))
	_, err := sub.TakeMessage(ts.New())
	if !errors.Is(err, &rclgo.SubscriptionTakeFailed{}) {
		t.Errorf("take: %v", err)
	}
	if _, _, err = sub.TakeSerializedMessage(); !errors.Is(err, &rclgo.SubscriptionTakeFailed{}) {
		t.Errorf("take serialized: %v", err)
	}
}

func TestSerializedMessages(t *testing.T) {
	n, ts, topic := newNode(t), stringType(t), unique("/bytes")
	buf := must[[]byte](t)(rclgo.Serialize(text(t, "wörter")))
	back := must[types.Message](t)(rclgo.Deserialize(buf, ts))
	if got := field[string](t, back, "data"); got != "wörter" {
		t.Fatalf("came back as %q", got)
	}
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(topic, ts, nil, nil))
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, ts, nil))
	connected(t, pub)
	check(t, pub.PublishSerialized(buf))
	var got []byte
	eventually(t, "the message arrives", func() bool {
		var err error
		got, _, err = sub.TakeSerializedMessage()
		return err == nil
	})
	if !bytes.Equal(got, buf) {
		t.Fatalf("took % x, sent % x", got, buf)
	}
	if _, err := rclgo.Deserialize([]byte{0, 1}, ts); err == nil {
		t.Error("rubbish was decoded")
	}
}

func TestNilAndForeignMessagesAreRefused(t *testing.T) {
	n, ts := newNode(t), stringType(t)
	pub := must[*rclgo.Publisher](t)(n.NewPublisher("x", ts, nil))
	if err := pub.Publish(nil); err == nil {
		t.Error("nil was published")
	}
	if err := pub.Publish(messageType(t, "std_msgs", "Int32").New()); err == nil {
		t.Error("an Int32 was published as a String")
	}
	if _, err := rclgo.Serialize(nil); err == nil {
		t.Error("nil was serialized")
	}
}

func TestBadNames(t *testing.T) {
	n, ts, srv := newNode(t), stringType(t), setBool(t)
	fib, c := test_msgs_action.FibonacciTypeSupport, n.Context()
	for name, tc := range map[string]struct {
		err  error
		kind error // nil: any
		says string
	}{
		"node name":      {second(c.NewNode("a b", "")), &rclgo.NodeInvalidName{}, `node "/a b"`},
		"node namespace": {second(c.NewNode("a", "/b c")), &rclgo.NodeInvalidNamespace{}, `node "/b c/a"`},
		"topic":          {second(n.NewPublisher("a b", ts, nil)), &rclgo.TopicNameInvalid{}, `publisher "a b"`},
		"subscription":   {second(n.NewSubscription("/a//b", ts, nil, nil)), &rclgo.TopicNameInvalid{}, "repeated '/'"},
		"service":        {second(n.NewClient("1a", srv, nil)), &rclgo.ServiceNameInvalid{}, "number"},
		"substitution":   {second(n.NewPublisher("{nothing}", ts, nil)), &rclgo.TopicNameInvalid{}, "{nothing}"},
		"clock":          {second(c.NewClock(9)), &rclgo.InvalidArgument{}, "create clock"},
		"action":         {second(n.NewActionClient("a b", fib, nil)), &rclgo.ActionNameInvalid{}, "must not contain"},
		"unknown node": {second(n.GetPublisherNamesAndTypesByNode(true, "nobody", "/")), &rclgo.NodeNameNonExistent{},
			"GetNodeNames lists"},
	} {
		if tc.err == nil || tc.kind != nil && !errors.Is(tc.err, tc.kind) ||
			!strings.Contains(tc.err.Error(), tc.says) {
			t.Errorf("%s: %v (%T), want a %T that says %q", name, tc.err, tc.err, tc.kind, tc.says)
		}
	}
}

// TestTypesThatAreNotThere: a missing type is an error before anything is made of it.
func TestTypesThatAreNotThere(t *testing.T) {
	n := newNode(t)
	const missing, none = "no_msgs is not installed", "its type is nil; if it was looked up by name, import"
	message := func() types.Message { return nil }
	msg := introspection.NewMessageType("no_msgs/msg/Such", message)
	srv := introspection.NewServiceType("no_msgs/srv/Such", msg, msg)
	action := introspection.NewActionType("no_msgs/action/Such", introspection.ActionParts{
		Goal: msg, Result: msg, Feedback: msg, FeedbackMessage: msg, SendGoal: srv, GetResult: srv, CancelGoal: srv,
		GoalStatusArray: msg,
	})
	answer := func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}
	for _, tc := range []struct {
		what string
		err  error
		says string
	}{
		{"publisher", second(n.NewPublisher("a", msg, nil)), missing},
		{"subscription", second(n.NewSubscription("a", msg, nil, nil)), missing},
		{"client", second(n.NewClient("a", srv, nil)), missing},
		{"service", second(n.NewService("a", srv, nil, answer)), missing},
		{"action client", second(n.NewActionClient("a", action, nil)), missing},
		{"action server", second(n.NewActionServer("a", rclgo.NewAction(action, nil), nil)), missing},
		{"publisher", second(n.NewPublisher("a", introspection.NewMessageType("std_msgs/msg/Such", message), nil)),
			"std_msgs is installed but has no such message; check the name, or build the package anew"},
		{"publisher", second(n.NewPublisher("a", nil, nil)), none},
		{"subscription", second(n.NewSubscription("a", nil, nil, nil)), none},
		{"client", second(n.NewClient("a", nil, nil)), none},
		{"service", second(n.NewService("a", nil, nil, answer)), none},
		{"action client", second(n.NewActionClient("a", nil, nil)), none},
		{"action server", second(n.NewActionServer("a", rclgo.NewAction(nil, nil), nil)), none},
	} {
		refusal(t, tc.err, "cannot create "+tc.what+` "a": `, tc.says)
		if tc.says == missing {
			refusal(t, tc.err, "install it or source the workspace that has it")
		}
	}
}

func TestGraphQueries(t *testing.T) {
	n, ts, srv := newNode(t), stringType(t), setBool(t)
	spin(t, n.Context().Spin)
	changed := make(chan struct{}, 1000)
	cancel := n.OnGraphChange(func() { changed <- struct{}{} })
	other := must[*rclgo.Node](t)(newContext(t).NewNode(unique("other"), "/t"))
	twin := must[*rclgo.Node](t)(other.Context().NewNode(other.Name(), "/t"))
	topic, service := unique("/topic"), unique("/service")
	must[*rclgo.Publisher](t)(other.NewPublisher(topic, ts, nil))
	must[*rclgo.Subscription](t)(other.NewSubscription(topic, ts, nil, nil))
	must[*rclgo.Service](t)(other.NewService(service, srv, nil,
		func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}))
	must[*rclgo.Client](t)(other.NewClient(service, srv, nil))
	counts := map[string]func() (int, error){
		"publishers":    func() (int, error) { return n.CountPublishers(topic) },
		"subscribers":   func() (int, error) { return n.CountSubscribers(topic) },
		"services":      func() (int, error) { return n.CountServices(service) },
		"clients":       func() (int, error) { return n.CountClients(service) },
		"subscriptions": func() (int, error) { l, err := n.GetSubscriptionsInfoByTopic(topic, true); return len(l), err },
		"topic type": func() (int, error) {
			m, err := n.GetTopicNamesAndTypes(true)
			return len(m[topic]), err
		},
		"service type": func() (int, error) { m, err := n.GetServiceNamesAndTypes(); return len(m[service]), err },
		"raw topic": func() (int, error) {
			m, err := n.GetTopicNamesAndTypes(false)
			return len(m["rt"+topic]), err
		},
		"of node: publishers": func() (int, error) {
			m, err := n.GetPublisherNamesAndTypesByNode(true, other.Name(), "/t")
			return len(m[topic]), err
		},
		"of node: subscribers": func() (int, error) {
			m, err := n.GetSubscriberNamesAndTypesByNode(true, other.Name(), "/t")
			return len(m[topic]), err
		},
		"of node: services": func() (int, error) {
			m, err := n.GetServiceNamesAndTypesByNode(other.Name(), "/t")
			return len(m[service]), err
		},
		"of node: clients": func() (int, error) {
			m, err := n.GetClientNamesAndTypesByNode(other.Name(), "/t")
			return len(m[service]), err
		},
	}
	for what, count := range counts {
		eventually(t, what+" are one", func() bool { got, err := count(); return err == nil && got == 1 })
	}
	await(t, "the graph changes", changed)
	eventually(t, "two nodes of one name are seen twice", func() bool {
		names, _, err := n.GetNodeNames()
		check(t, err)
		found := 0
		for _, name := range names {
			if name == other.Name() {
				found++
			}
		}
		return found == 2
	})
	if m := must[map[string][]string](t)(n.GetActionServerNamesAndTypesByNode(n.Name(), n.Namespace())); len(m) != 0 {
		t.Errorf("actions %v", m)
	}
	if m := must[map[string][]string](t)(n.GetActionClientNamesAndTypesByNode(n.Name(), n.Namespace())); len(m) != 0 {
		t.Errorf("actions %v", m)
	}
	cancel()
	check(t, twin.Close())
	check(t, other.Close())
	eventually(t, "a closed node leaves the graph", func() bool {
		_, err := n.GetPublisherNamesAndTypesByNode(true, other.Name(), "/t")
		return errors.Is(err, &rclgo.NodeNameNonExistent{})
	})
}

func TestEveryNodeOfAContextHearsOfTheGraph(t *testing.T) {
	c := newContext(t)
	spin(t, c.Spin)
	var heard []chan struct{}
	for range 3 {
		n := must[*rclgo.Node](t)(c.NewNode(unique("node"), ""))
		ch := make(chan struct{}, 1000)
		heard = append(heard, ch)
		t.Cleanup(n.OnGraphChange(func() { ch <- struct{}{} }))
	}
	must[*rclgo.Node](t)(newContext(t).NewNode(unique("news"), ""))
	for _, ch := range heard {
		await(t, "a node hears", ch)
	}
}
