package testmsgs_test

import (
	"context"
	"testing"

	action_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/msg"
	action_msgs_srv "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/srv"
	action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	srv "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/srv"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The names and signatures that the original's generator produces. The compiler checks each;
// the functions are never called.

type (
	ctx = context.Context
	// apiMessage is the API of a message, P being its pointer type.
	apiMessage[P any] interface {
		types.Message
		Clone() P
	}
)

func apiOfAMessage(n *rclgo.Node) {
	var _ apiMessage[*msg.Nested] = msg.NewNested()
	var _ msg.BasicTypes = msg.Nested{}.BasicTypesValue
	var _ types.MessageTypeSupport = msg.NestedTypeSupport
	var _ func(dst, src []msg.Nested) = msg.CloneNestedSlice
	var _ int16 = msg.Constants_INT16_CONST

	var popts *rclgo.PublisherOptions
	var pub *msg.NestedPublisher
	pub, _ = msg.NewNestedPublisher(n, "", popts)
	var _ *rclgo.Publisher = pub.Publisher
	var _ func(*msg.Nested) error = pub.Publish

	var sopts *rclgo.SubscriptionOptions
	var heard msg.NestedSubscriptionCallback = func(*msg.Nested, *rclgo.MessageInfo, error) {}
	var sub *msg.NestedSubscription
	sub, _ = msg.NewNestedSubscription(n, "", sopts, heard)
	var _ *rclgo.Subscription = sub.Subscription
	var _ func(*msg.Nested) (*rclgo.MessageInfo, error) = sub.TakeMessage
}

func apiOfAService(n *rclgo.Node) {
	var _ apiMessage[*srv.Arrays_Request] = srv.NewArrays_Request()
	var _ apiMessage[*srv.Arrays_Response] = srv.NewArrays_Response()
	var _, _ types.MessageTypeSupport = srv.Arrays_RequestTypeSupport, srv.Arrays_ResponseTypeSupport
	var _ types.ServiceTypeSupport = srv.ArraysTypeSupport

	var copts *rclgo.ClientOptions
	var client *srv.ArraysClient
	client, _ = srv.NewArraysClient(n, "", copts)
	var _ *rclgo.Client = client.Client
	var _ func(ctx, *srv.Arrays_Request) (*srv.Arrays_Response, *rclgo.ServiceInfo, error) = client.Send

	var sopts *rclgo.ServiceOptions
	var asked srv.ArraysServiceRequestHandler = func(_ *rclgo.ServiceInfo, _ *srv.Arrays_Request,
		s srv.ArraysServiceResponseSender) {
		var _ func(*srv.Arrays_Response) error = s.SendResponse
	}
	var service *srv.ArraysService
	service, _ = srv.NewArraysService(n, "", sopts, asked)
	var _ *rclgo.Service = service.Service
}

func apiOfAnActionsMessages() {
	var _ apiMessage[*action.Fibonacci_Goal] = action.NewFibonacci_Goal()
	var _ apiMessage[*action.Fibonacci_Result] = action.NewFibonacci_Result()
	var _ apiMessage[*action.Fibonacci_Feedback] = action.NewFibonacci_Feedback()
	var _ apiMessage[*action.Fibonacci_FeedbackMessage] = action.NewFibonacci_FeedbackMessage()
	var _ apiMessage[*action.Fibonacci_SendGoal_Request] = action.NewFibonacci_SendGoal_Request()
	var _ apiMessage[*action.Fibonacci_SendGoal_Response] = action.NewFibonacci_SendGoal_Response()
	var _ apiMessage[*action.Fibonacci_GetResult_Request] = action.NewFibonacci_GetResult_Request()
	var _ apiMessage[*action.Fibonacci_GetResult_Response] = action.NewFibonacci_GetResult_Response()
	var _, _ types.ServiceTypeSupport = action.Fibonacci_SendGoalTypeSupport, action.Fibonacci_GetResultTypeSupport
	var _ types.ActionTypeSupport = action.FibonacciTypeSupport
	var _ types.GoalID = action.Fibonacci_FeedbackMessage{}.GoalID.Uuid
}

// apiAction is implemented by the program.
type apiAction struct{}

func (apiAction) ExecuteGoal(_ ctx, g *action.FibonacciGoalHandle) (*action.Fibonacci_Result, error) {
	var _ *rclgo.GoalHandle = g.GoalHandle
	var _ *action.Fibonacci_Goal = g.Description
	var sender *action.FibonacciFeedbackSender
	sender, err := g.Accept()
	var _ func(*action.Fibonacci_Feedback) error = sender.Send
	return nil, err
}

func apiOfAnActionsServer(n *rclgo.Node) {
	var made action.FibonacciAction = action.NewFibonacciAction(apiAction{}.ExecuteGoal)
	var opts *rclgo.ActionServerOptions
	var server *action.FibonacciServer
	for _, a := range []action.FibonacciAction{made, apiAction{}} {
		server, _ = action.NewFibonacciServer(n, "", a, opts)
	}
	var _ *rclgo.ActionServer = server.ActionServer
}

func apiOfAnActionsClient(n *rclgo.Node) {
	var opts *rclgo.ActionClientOptions
	var c *action.FibonacciClient
	c, _ = action.NewFibonacciClient(n, "", opts)
	var _ *rclgo.ActionClient = c.ActionClient
	var fed action.FibonacciFeedbackHandler = func(ctx, *action.Fibonacci_FeedbackMessage) {}
	var told action.FibonacciStatusHandler = func(ctx, *action_msgs_msg.GoalStatus) {}
	var _ <-chan error = c.WatchFeedback(nil, nil, fed)
	var _ <-chan error = c.WatchStatus(nil, nil, told)
	var _ func(ctx, *action.Fibonacci_Goal, action.FibonacciFeedbackHandler) (*action.Fibonacci_GetResult_Response,
		*types.GoalID, error) = c.WatchGoal
	var _ func(ctx, *action.Fibonacci_Goal) (*action.Fibonacci_SendGoal_Response, *types.GoalID, error) = c.SendGoal
	var _ func(ctx, *action.Fibonacci_SendGoal_Request) (*action.Fibonacci_SendGoal_Response, error) = c.SendGoalRequest
	var _ func(ctx, *types.GoalID) (*action.Fibonacci_GetResult_Response, error) = c.GetResult
	var _ func(ctx, *action_msgs_srv.CancelGoal_Request) (*action_msgs_srv.CancelGoal_Response, error) = c.CancelGoal
}

var _ = []any{apiOfAMessage, apiOfAService, apiOfAnActionsMessages, apiOfAnActionsServer, apiOfAnActionsClient}

// TestTypesAreRegisteredUnderBothNames: a program can look a type up by either name.
func TestTypesAreRegisteredUnderBothNames(t *testing.T) {
	for _, pkg := range []string{"test_msgs/", "test_msgs/msg/"} {
		if got, ok := typemap.GetMessage(pkg + "Nested"); !ok || got != msg.NestedTypeSupport {
			t.Errorf("%sNested is %v, %v", pkg, got, ok)
		}
	}
	for _, pkg := range []string{"test_msgs/", "test_msgs/srv/"} {
		if got, ok := typemap.GetService(pkg + "Arrays"); !ok || got != srv.ArraysTypeSupport {
			t.Errorf("%sArrays is %v, %v", pkg, got, ok)
		}
	}
	for _, pkg := range []string{"test_msgs/", "test_msgs/action/"} {
		if got, ok := typemap.GetAction(pkg + "Fibonacci"); !ok || got != action.FibonacciTypeSupport {
			t.Errorf("%sFibonacci is %v, %v", pkg, got, ok)
		}
	}
}

// TestCloneSharesNothing: neither with the message itself nor with what is in it.
func TestCloneSharesNothing(t *testing.T) {
	old := msg.NewMultiNested()
	old.UnboundedSequenceOfUnboundedSequences = []msg.UnboundedSequences{{Int32Values: []int32{1},
		StringValues: []string{"a"}}}
	list := make([]msg.MultiNested, 1)
	msg.CloneMultiNestedSlice(list, []msg.MultiNested{*old})
	for name, c := range map[string]*msg.MultiNested{"Clone": old.Clone(),
		"CloneMsg": old.CloneMsg().(*msg.MultiNested), "slice": &list[0]} {
		sameMessage(t, name, c, old)
		c.UnboundedSequenceOfUnboundedSequences[0].Int32Values[0] = 2
		c.UnboundedSequenceOfUnboundedSequences[0].StringValues[0] = "b"
		if in := old.UnboundedSequenceOfUnboundedSequences[0]; in.Int32Values[0] != 1 || in.StringValues[0] != "a" {
			t.Errorf("%s shares %+v", name, in)
		}
	}
}
