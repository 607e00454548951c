package rclgo_test

import (
	"fmt"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func TestPublishToRclpy(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	topic := unique("/out")
	events := h.do(t, "subscribe", topic, map[string]any{"type": "std_msgs/msg/String", "topic": topic, "depth": 1000})
	until(t, events, "done")
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, stringType(t), &rclgo.PublisherOptions{Qos: deep()}))
	connected(t, pub)
	for i := range 20 {
		check(t, pub.Publish(text(t, fmt.Sprintf("grüße %d", i))))
	}
	for i := range 20 {
		if got, want := until(t, events, "heard").Msg["data"], fmt.Sprintf("grüße %d", i); got != want {
			t.Fatalf("rclpy heard %q, want %q", got, want)
		}
	}
}

func TestSubscribeToRclpy(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	spin(t, n.Context().Spin)
	topic := unique("/in")
	sub, heard := listen(t, n, topic, &rclgo.SubscriptionOptions{Qos: deep()})
	until(t, h.do(t, "advertise", topic, map[string]any{"type": "std_msgs/msg/String", "topic": topic, "depth": 1000}),
		"done")
	eventually(t, "the subscription finds its publisher", func() bool {
		count, err := sub.GetPublisherCount()
		check(t, err)
		return count == 1
	})
	eventually(t, "rclpy's publisher finds us", func() bool {
		until(t, h.do(t, "publish", topic, map[string]any{"msg": map[string]any{"data": "probe"}}), "done")
		return len(heard) > 0
	})
	for i := range 20 {
		h.do(t, "publish", topic, map[string]any{"msg": map[string]any{"data": fmt.Sprint(i)}})
	}
	for want := 0; want < 20; {
		got := await(t, "a message from rclpy", heard)
		if got == "probe" {
			continue
		}
		if got != fmt.Sprint(want) {
			t.Fatalf("heard %q, want %d: order is lost", got, want)
		}
		want++
	}
}

func TestLatchedMessageReachesLateRclpy(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	topic := unique("/latched")
	opts := rclgo.NewDefaultPublisherOptions()
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, 1
	pub := must[*rclgo.Publisher](t)(n.NewPublisher(topic, stringType(t), opts))
	check(t, pub.Publish(text(t, "old")))
	check(t, pub.Publish(text(t, "last")))
	events := h.do(t, "subscribe", topic,
		map[string]any{"type": "std_msgs/msg/String", "topic": topic, "latched": true})
	if got := until(t, events, "heard").Msg["data"]; got != "last" {
		t.Fatalf("rclpy heard %q", got)
	}
}

func TestCallRclpy(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	spin(t, n.Spin)
	name, ts := unique("/service"), setBool(t)
	events := h.do(t, "serve", name, map[string]any{
		"type": "std_srvs/srv/SetBool", "name": name,
		"answer": map[string]any{"success": true, "message": "said rclpy"},
	})
	until(t, events, "done")
	c := must[*rclgo.Client](t)(n.NewClient(name, ts, nil))
	available(t, c)
	for i := range 10 {
		resp, info, err := c.Send(within(t), message(t, ts.Request(), "data", i%2 == 0))
		check(t, err)
		if !field[bool](t, resp, "success") || field[string](t, resp, "message") != "said rclpy" {
			t.Fatalf("answer %v", resp)
		}
		if info.RequestID.SequenceNumber <= 0 || info.SourceTimestamp.IsZero() {
			t.Fatalf("header %+v", info)
		}
		if got := until(t, events, "asked").Msg["data"]; got != (i%2 == 0) {
			t.Fatalf("rclpy was asked %v", got)
		}
	}
}

func TestRclpyCalls(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	spin(t, n.Spin)
	name, ts := unique("/service"), setBool(t)
	must[*rclgo.Service](t)(n.NewService(name, ts, nil,
		func(_ *rclgo.ServiceInfo, req types.Message, s rclgo.ServiceResponseSender) {
			on := field[bool](t, req, "data")
			if err := s.SendResponse(message(t, ts.Response(), "success", on, "message", fmt.Sprint(on))); err != nil {
				t.Error(err)
			}
		}))
	for _, on := range []bool{true, false} {
		events := h.do(t, "call", unique("call"), map[string]any{
			"type": "std_srvs/srv/SetBool", "name": name, "msg": map[string]any{"data": on},
		})
		if m := until(t, events, "answered").Msg; m["success"] != on || m["message"] != fmt.Sprint(on) {
			t.Fatalf("rclpy got %v", m)
		}
	}
}

func TestLogReachesRosout(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	id := unique("rosout")
	events := h.do(t, "subscribe", id, map[string]any{
		"type": "rcl_interfaces/msg/Log", "topic": "/rosout", "latched": true, "depth": 1000,
	})
	until(t, events, "done")
	check(t, n.Logger().Warnf("battery at %d %%", 7))
	check(t, n.Logger().Child("arm").Info("moved"))
	for _, want := range []struct{ name, msg string }{
		{n.Logger().Name(), "battery at 7 %"},
		{n.Logger().Name() + ".arm", "moved"},
	} {
		for {
			m := until(t, events, "heard").Msg
			if m["name"] != want.name {
				continue // of other nodes
			}
			if m["msg"] != want.msg || m["function"] == "" || m["line"] == 0.0 {
				t.Fatalf("heard %v, want %v with its place", m, want)
			}
			break
		}
	}
}
