package testmsgs_test

import (
	"context"
	"testing"

	action_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/msg"
	action_msgs_srv "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/srv"
	action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	srv "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/srv"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The parts of services and actions have publishers, subscriptions, clients and services
// of their own.
var (
	_ func(*rclgo.Node, string, *rclgo.PublisherOptions) (*srv.BasicTypes_RequestPublisher,
		error) = srv.NewBasicTypes_RequestPublisher
	_ func(*rclgo.Node, string, *rclgo.SubscriptionOptions,
		srv.BasicTypes_ResponseSubscriptionCallback) (*srv.BasicTypes_ResponseSubscription,
		error) = srv.NewBasicTypes_ResponseSubscription
	_ func(*rclgo.Node, string, *rclgo.PublisherOptions) (*action.Fibonacci_FeedbackMessagePublisher,
		error) = action.NewFibonacci_FeedbackMessagePublisher
	_ func(*rclgo.Node, string, *rclgo.ClientOptions) (*action.Fibonacci_SendGoalClient,
		error) = action.NewFibonacci_SendGoalClient
	_ func(*rclgo.Node, string, *rclgo.ServiceOptions,
		action.Fibonacci_GetResultServiceRequestHandler) (*action.Fibonacci_GetResultService,
		error) = action.NewFibonacci_GetResultService
	_ func(*action.Fibonacci_SendGoalClient, context.Context,
		*action.Fibonacci_SendGoal_Request) (*action.Fibonacci_SendGoal_Response, *rclgo.ServiceInfo,
		error) = (*action.Fibonacci_SendGoalClient).Send
)

func TestMessagesOfActionMsgsCarryIDs(t *testing.T) {
	id := types.GoalID{1, 2, 3}
	for _, m := range []types.GoalIDMessage{
		action_msgs_msg.NewGoalInfo(), action_msgs_msg.NewGoalStatus(), action_msgs_srv.NewCancelGoal_Request(),
	} {
		m.SetGoalID(&id)
		if *m.GetGoalID() != id {
			t.Errorf("%T keeps %v", m, m.GetGoalID())
		}
	}
}

func TestCallForEachGivesPointers(t *testing.T) {
	array := &action_msgs_msg.GoalStatusArray{StatusList: make([]action_msgs_msg.GoalStatus, 2)}
	array.CallForEach(func(m interface{}) { m.(*action_msgs_msg.GoalStatus).Status = 4 })
	resp := &action_msgs_srv.CancelGoal_Response{GoalsCanceling: make([]action_msgs_msg.GoalInfo, 2)}
	resp.CallForEach(func(m interface{}) { m.(types.GoalIDMessage).SetGoalID(&types.GoalID{7}) })
	for i := range 2 {
		if array.StatusList[i].Status != 4 || resp.GoalsCanceling[i].GetGoalID()[0] != 7 {
			t.Errorf("element %d is a copy", i)
		}
	}
}

// TestClientOfAnActionsService sends a goal with the client of the action's service.
func TestClientOfAnActionsService(t *testing.T) {
	n := newNode(t)
	server, err := action.NewFibonacciServer(n, "/parts", action.NewFibonacciAction(
		func(context.Context, *action.FibonacciGoalHandle) (*action.Fibonacci_Result, error) { return nil, nil }), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c, err := action.NewFibonacci_SendGoalClient(n, "/parts/_action/send_goal", nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the service is found", c.Available)
	resp, _, err := c.Send(within(t), action.NewFibonacci_SendGoal_Request())
	if err != nil || resp.Accepted {
		t.Errorf("%v, %v", resp, err)
	}
}
