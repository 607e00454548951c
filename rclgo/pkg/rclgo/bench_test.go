package rclgo_test

import (
	"context"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// BenchmarkServiceCall is one call and its answer between two contexts.
func BenchmarkServiceCall(b *testing.B) {
	ts, err := introspection.LoadDynamicService("std_srvs", "SetBool")
	if err != nil {
		b.Fatal(err)
	}
	var nodes [2]*rclgo.Node
	for i := range nodes {
		c, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		if nodes[i], err = c.NewNode(unique("bench"), ""); err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go c.Spin(ctx)
	}
	name := unique("/bench")
	if _, err = nodes[0].NewService(name, ts, nil, func(_ *rclgo.ServiceInfo, _ types.Message, s rclgo.ServiceResponseSender) {
		if err := s.SendResponse(ts.Response().New()); err != nil {
			b.Error(err)
		}
	}); err != nil {
		b.Fatal(err)
	}
	c, err := nodes[1].NewClient(name, ts, nil)
	if err != nil {
		b.Fatal(err)
	}
	for yes := false; !yes; {
		if yes, err = c.Available(); err != nil {
			b.Fatal(err)
		}
	}
	req := ts.Request().New()
	for b.Loop() {
		if _, _, err := c.Send(context.Background(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPublish is one message handed to the middleware, with a reader.
func BenchmarkPublish(b *testing.B) {
	c, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	n, err := c.NewNode(unique("bench"), "")
	if err != nil {
		b.Fatal(err)
	}
	ts, err := rclgo.LoadDynamicMessageTypeSupport("std_msgs", "String")
	if err != nil {
		b.Fatal(err)
	}
	topic := unique("/bench")
	if _, err = n.NewSubscription(topic, ts, nil, nil); err != nil {
		b.Fatal(err)
	}
	pub, err := n.NewPublisher(topic, ts, nil)
	if err != nil {
		b.Fatal(err)
	}
	msg := ts.New()
	for b.Loop() {
		if err := pub.Publish(msg); err != nil {
			b.Fatal(err)
		}
	}
}
