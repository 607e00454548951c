package testmsgs_test

import (
	"context"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/ownshm"
	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	test_msgs_srv "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/srv"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	if code, ran := ownshm.Enter(); ran {
		os.Exit(code)
	}
	os.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	if os.Getenv("ROS_DOMAIN_ID") == "" {
		os.Setenv("ROS_DOMAIN_ID", strconv.Itoa(20+os.Getpid()%80))
	}
	os.Exit(m.Run())
}

// newNode returns a node that is served until the test ends.
func newNode(t *testing.T) *rclgo.Node {
	t.Helper()
	c, err := rclgo.NewContext(rclgo.ClockTypeROSTime, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.NewNode("wire", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Spin(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// eventually fails the test unless yes becomes true.
func eventually(t *testing.T, what string, yes func() (bool, error)) {
	t.Helper()
	deadline := time.After(patience)
	for tick := time.Tick(5 * time.Millisecond); ; {
		if ok, err := yes(); err != nil || ok {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		select {
		case <-tick:
		case <-deadline:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func TestTypedTopic(t *testing.T) {
	n := newNode(t)
	heard := make(chan *test_msgs_msg.MultiNested, 1)
	_, err := test_msgs_msg.NewMultiNestedSubscription(n, "nested", nil,
		func(msg *test_msgs_msg.MultiNested, _ *rclgo.MessageInfo, err error) {
			if err != nil {
				t.Error(err)
			}
			heard <- msg
		})
	if err != nil {
		t.Fatal(err)
	}
	pub, err := test_msgs_msg.NewMultiNestedPublisher(n, "nested", nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the topic is matched", func() (bool, error) {
		count, err := pub.GetSubscriptionCount()
		return count == 1, err
	})
	sent := test_msgs_msg.NewMultiNested()
	sent.ArrayOfArrays[1].StringValues[2] = "deep"
	sent.UnboundedSequenceOfUnboundedSequences = []test_msgs_msg.UnboundedSequences{{Int8Values: []int8{-1, 2}}}
	if err := pub.Publish(sent); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-heard:
		if !reflect.DeepEqual(got, sent) {
			t.Errorf("got %+v, want %+v", got, sent)
		}
	case <-time.After(patience):
		t.Fatal("nothing was heard")
	}
}

func TestTypedService(t *testing.T) {
	n := newNode(t)
	_, err := test_msgs_srv.NewBasicTypesService(n, "basic", nil,
		func(_ *rclgo.ServiceInfo, req *test_msgs_srv.BasicTypes_Request,
			out test_msgs_srv.BasicTypesServiceResponseSender) {
			resp := test_msgs_srv.NewBasicTypes_Response()
			resp.Int64Value, resp.StringValue = -req.Int64Value, req.StringValue+"!"
			if err := out.SendResponse(resp); err != nil {
				t.Error(err)
			}
		})
	if err != nil {
		t.Fatal(err)
	}
	client, err := test_msgs_srv.NewBasicTypesClient(n, "basic", nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the service is there", client.Available)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	resp, _, err := client.Send(ctx, &test_msgs_srv.BasicTypes_Request{Int64Value: 7, StringValue: "hey"})
	if err != nil || resp.Int64Value != -7 || resp.StringValue != "hey!" {
		t.Errorf("got %+v, %v", resp, err)
	}
}

func TestTypedAction(t *testing.T) {
	n := newNode(t)
	action := test_msgs_action.NewFibonacciAction(
		func(_ context.Context, goal *test_msgs_action.FibonacciGoalHandle) (*test_msgs_action.Fibonacci_Result,
			error) {
			feedback, err := goal.Accept()
			if err != nil {
				return nil, err
			}
			sequence := []int32{goal.Description.Order}
			if err := feedback.Send(&test_msgs_action.Fibonacci_Feedback{Sequence: sequence}); err != nil {
				return nil, err
			}
			return &test_msgs_action.Fibonacci_Result{Sequence: sequence}, nil
		})
	if _, err := test_msgs_action.NewFibonacciServer(n, "fib", action, nil); err != nil {
		t.Fatal(err)
	}
	client, err := test_msgs_action.NewFibonacciClient(n, "fib", nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the action is there", client.Available)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	resp, id, err := client.WatchGoal(ctx, &test_msgs_action.Fibonacci_Goal{Order: 5}, nil)
	if err != nil || id == nil {
		t.Fatal(id, err)
	}
	if rclgo.ResultStatus(resp) != rclgo.GoalSucceeded || !reflect.DeepEqual(resp.Result.Sequence, []int32{5}) {
		t.Errorf("got %+v", resp)
	}
}
