package rclgo_test

import (
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestRclpyAsksForATypeDescription(t *testing.T) {
	h, n := pyhost(t), openNode(t)
	topic := unique("/described")
	must[*rclgo.Publisher](t)(n.NewPublisher(topic, messageType(t, "std_msgs", "ColorRGBA"), nil))
	asker := newNode(t)
	eventually(t, "rclpy's graph has the publisher", func() bool {
		count, err := asker.CountPublishers(topic)
		check(t, err)
		return count == 1
	})
	var hash string
	eventually(t, "rclpy knows the hash", func() bool {
		e := await(t, "rclpy looks", h.do(t, "hash", unique("hash"), map[string]any{"topic": topic}))
		if e.Error == "" {
			hash = e.Msg["hash"].(string)
		}
		return hash != ""
	})
	ask := func(hash string) map[string]any {
		return until(t, h.do(t, "call", unique("call"), map[string]any{
			"type": "type_description_interfaces/srv/GetTypeDescription",
			"name": n.FullyQualifiedName() + "/get_type_description",
			"msg": map[string]any{"type_name": "std_msgs/msg/ColorRGBA", "type_hash": hash,
				"include_type_sources": true},
		}), "answered").Msg
	}
	m := ask(hash)
	if m["successful"] != true {
		t.Fatalf("answer %v", m)
	}
	described := m["type_description"].(map[string]any)["type_description"].(map[string]any)
	if described["type_name"] != "std_msgs/msg/ColorRGBA" || len(described["fields"].([]any)) != 4 ||
		len(m["type_sources"].([]any)) == 0 {
		t.Errorf("answer %v", m)
	}
	if m := ask("RIHS01_" + strings.Repeat("0", 64)); m["successful"] != false || m["failure_reason"] == "" {
		t.Errorf("answer for an unknown type %v", m)
	}
}

func TestTypeDescriptionsCanBeSwitchedOff(t *testing.T) {
	opts := rclgo.NewDefaultNodeOptions()
	opts.StartTypeDescriptionService = true
	own, _, err := rclgo.ParseArgs([]string{"--ros-args", "-p", "start_type_description_service:=false"})
	check(t, err)
	opts.Arguments = own
	n := must[*rclgo.Node](t)(newContext(t).NewNodeWithOpts(unique("node"), "", opts))
	if served := must[map[string][]string](t)(n.GetServiceNamesAndTypesByNode(n.Name(),
		n.Namespace())); len(served) > 0 {
		t.Errorf("it serves %v", served)
	}
	refusal(t, n.Parameters().Set(param{"start_type_description_service", true}), "read-only")
}

// TestServiceEvents turns service events on at both ends; Go and rclpy receive them.
func TestServiceEvents(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	spin(t, n.Spin)
	name, ts := unique("/watched"), setBool(t)
	heard := make(chan types.Message, 100)
	event := must[*introspection.DynamicType](t)(introspection.LoadDynamic("std_srvs", "srv/SetBool_Event"))
	sub := must[*rclgo.Subscription](t)(n.NewSubscription(name+"/_service_event", event, nil,
		func(s *rclgo.Subscription) {
			m := event.New()
			if _, err := s.TakeMessage(m); err == nil {
				heard <- m
			}
		}))
	events := h.do(t, "subscribe", name, map[string]any{"type": "std_srvs/srv/SetBool.Event",
		"topic": name + "/_service_event"})
	until(t, events, "done")
	sopts, copts := rclgo.NewDefaultServiceOptions(), rclgo.NewDefaultClientOptions()
	sopts.Introspection, copts.Introspection = rclgo.ServiceIntrospectionContents, rclgo.ServiceIntrospectionMetadata
	must[*rclgo.Service](t)(n.NewService(name, ts, sopts,
		func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
			if err := s.SendResponse(message(t, ts.Response(), "message", "done")); err != nil {
				t.Error(err)
			}
		}))
	c := must[*rclgo.Client](t)(n.NewClient(name, ts, copts))
	available(t, c)
	for who, count := range map[string]func() (int, error){
		"Go":    sub.GetPublisherCount,
		"rclpy": func() (int, error) { return n.CountPublishers(name + "/_service_event") },
	} {
		eventually(t, who+" finds both publishers of events", func() bool { return must[int](t)(count()) == 2 })
	}
	heardByRclpy := func() bool {
		for len(events) > 0 {
			if m := (<-events).Msg; len(m["response"].([]any)) > 0 {
				return m["response"].([]any)[0].(map[string]any)["message"] == "done"
			}
		}
		return false
	}
	kinds := map[uint8]int{} // contents by kind of event
	eventually(t, "all four events are heard, and rclpy hears the response", func() bool {
		must[types.Message](t)(first(c.Send(within(t), message(t, ts.Request(), "data", true))))
		for len(heard) > 0 {
			m := <-heard
			parts := len(field[[]any](t, m, "request")) + len(field[[]any](t, m, "response"))
			kinds[field[uint8](t, m, "info.event_type")] = parts
		}
		return len(kinds) == 4 && heardByRclpy()
	})
	// Sent and received by the client, which publishes no contents; received and sent by the
	// server.
	for kind, want := range map[uint8]int{0: 0, 1: 1, 2: 1, 3: 0} {
		if kinds[kind] != want {
			t.Errorf("events of kind %d carry %d messages, want %d", kind, kinds[kind], want)
		}
	}
}

func first[T, U any](v T, _ U, err error) (T, error) { return v, err }
