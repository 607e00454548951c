package rclgo_test

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// hostile are payloads that no serializer writes. Each of the first ended a process that read it.
var hostile = []string{
	"0001000e", "00010001", "00010002", "00010003", // padding, and nothing of which it is a part
	"", "00", "0001", "000100", "00010000", "0000000f",
	"00010000ffffffff", "00000000ffffffff", "00010003ffffffff", "00010000fffffffe00000000",
	"0001000000000080ffffffff", "0001000001000000ffffffff01000000ffffffff", "00ff0000", "ff010000", "00070003ffffffff",
	"00010000" + strings.Repeat("ff", 64), "00070000" + strings.Repeat("ff", 64), "00030000" + strings.Repeat("ff", 64),
}

// TestNoBytesEndAProcess sends bytes that are no messages to everything of a node that decodes: subscriptions, a
// service, a client, both sides of an action, and the middleware's own topic. Each of them works afterwards.
func TestNoBytesEndAProcess(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(101)) // the bytes end the rclpy processes of other tests
	n, other := newNode(t), newNode(t)
	ns := "/t/" + unique("raw")
	typed, opened := make(chan string, 1000), make(chan string, 1000)
	qos := &rclgo.SubscriptionOptions{Qos: deep()}
	must[*rclgo.Subscription](t)(n.NewSubscription(ns+"/topic", stringType(t), qos, func(s *rclgo.Subscription) {
		m := stringType(t).New()
		if _, err := s.TakeMessage(m); err == nil {
			typed <- field[string](t, m, "data")
		}
	}))
	must[*rclgo.Subscription](t)(n.NewSubscription(ns+"/topic", stringType(t), qos, func(s *rclgo.Subscription) {
		if buf, _, err := s.TakeSerializedMessage(); err == nil {
			if m, err := rclgo.Deserialize(buf, stringType(t)); err == nil {
				opened <- field[string](t, m, "data")
			}
		}
	}))
	get := must[types.ServiceTypeSupport](t)(introspection.LoadDynamicService("rcl_interfaces", "GetParameters"))
	must[*rclgo.Service](t)(n.NewService(ns+"/service", get, nil,
		func(_ *rclgo.ServiceInfo, _ types.Message, answer rclgo.ServiceResponseSender) {
			_ = answer.SendResponse(get.Response().New())
		}))
	fibonacci := test_msgs_action.FibonacciTypeSupport
	must[*rclgo.ActionServer](t)(n.NewActionServer(ns+"/action", rclgo.NewAction(fibonacci,
		func(context.Context, *rclgo.GoalHandle) (types.Message, error) {
			return test_msgs_action.NewFibonacci_Result(), nil
		}), nil))
	client := must[*rclgo.Client](t)(other.NewClient(ns+"/service", get, nil))
	actor := must[*rclgo.ActionClient](t)(other.NewActionClient(ns+"/action", fibonacci, nil))
	spin(t, n.Context().Spin)
	spin(t, other.Context().Spin)
	available(t, client)

	action := "test_msgs.action.Fibonacci.Impl."
	goal := "q" + ns + "/action/_action/"
	throw(t, hostile,
		"ros_discovery_info rmw_dds_common.msg.ParticipantEntitiesInfo",
		"rt"+ns+"/topic std_msgs.msg.String",
		"rq"+ns+"/serviceRequest rcl_interfaces.srv.GetParameters.Request",
		"rr"+ns+"/serviceReply rcl_interfaces.srv.GetParameters.Response",
		"r"+goal+"send_goalRequest "+action+"SendGoalService.Request",
		"r"+goal+"get_resultRequest "+action+"GetResultService.Request",
		"r"+goal+"cancel_goalRequest action_msgs.srv.CancelGoal.Request",
		"rt"+goal[1:]+"feedback "+action+"FeedbackMessage",
		"rt"+goal[1:]+"status action_msgs.msg.GoalStatusArray")

	pub := must[*rclgo.Publisher](t)(other.NewPublisher(ns+"/topic", stringType(t), nil))
	connected(t, pub)
	check(t, pub.Publish(text(t, "after")))
	for what, heard := range map[string]<-chan string{"a typed message": typed, "a serialized message": opened} {
		for got := ""; got != "after"; {
			if got = await(t, what, heard); got != "after" {
				t.Errorf("%s of bytes that are none: %q", what, got)
			}
		}
	}
	_, _, err := client.Send(within(t), get.Request().New())
	check(t, err)
	_, _, err = actor.SendGoal(within(t), test_msgs_action.NewFibonacci_Goal())
	check(t, err)
}

// throw sends payloads on topics of DDS, each with its type, from a process of its own.
func throw(t *testing.T, payloads []string, topics ...string) {
	t.Helper()
	cmd := exec.Command("python3", "testdata/raw.py")
	var in, out, faults strings.Builder
	for _, one := range topics {
		fmt.Fprint(&in, one)
		for _, p := range payloads {
			fmt.Fprintf(&in, " %s-", p)
		}
		fmt.Fprintln(&in)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in.String()), &out, &faults
	if err := cmd.Run(); err != nil || strings.Count(out.String(), "\n") != len(topics) {
		t.Fatalf("the bytes were not sent: %v\n%s%s", err, out.String(), faults.String())
	}
}
