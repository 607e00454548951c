// Command server serves two actions that count Fibonacci numbers: /fibonacci over the typed
// wrappers of the bindings, and /fibonacci_untyped over messages.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	test_msgs_action "example.org/action_client_server/msgs/test_msgs/action"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errNegative = errors.New("the order must not be negative")

// typed accepts a goal, reports each step and returns the result. An error before Accept rejects
// the goal; an error after it aborts the goal.
func typed(ctx context.Context, goal *test_msgs_action.FibonacciGoalHandle) (*test_msgs_action.Fibonacci_Result,
	error) {
	if goal.Description.Order < 0 {
		return nil, errNegative
	}
	sender, err := goal.Accept()
	if err != nil {
		return nil, err
	}
	return count(ctx, goal.Description.Order, sender.Send)
}

// untyped does the same over types.Message.
func untyped(ctx context.Context, goal *rclgo.GoalHandle) (types.Message, error) {
	description := goal.Description.(*test_msgs_action.Fibonacci_Goal)
	if description.Order < 0 {
		return nil, errNegative
	}
	sender, err := goal.Accept()
	if err != nil {
		return nil, err
	}
	return count(ctx, description.Order, func(f *test_msgs_action.Fibonacci_Feedback) error { return sender.Send(f) })
}

func count(ctx context.Context, order int32,
	feedback func(*test_msgs_action.Fibonacci_Feedback) error) (*test_msgs_action.Fibonacci_Result, error) {
	result := test_msgs_action.NewFibonacci_Result()
	for a, b := int32(0), int32(1); len(result.Sequence) < int(order); a, b = b, a+b {
		if err := ctx.Err(); err != nil {
			return nil, err // the client has canceled the goal
		}
		result.Sequence = append(result.Sequence, a)
		if err := feedback(&test_msgs_action.Fibonacci_Feedback{Sequence: result.Sequence}); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func serve(ctx context.Context) error {
	rosArgs, _, err := rclgo.ParseArgs(os.Args[1:])
	if err != nil {
		return err
	}
	if err := rclgo.Init(rosArgs); err != nil {
		return err
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("counter", "")
	if err != nil {
		return err
	}
	if _, err := test_msgs_action.NewFibonacciServer(node, "/fibonacci", test_msgs_action.NewFibonacciAction(typed),
		nil); err != nil {
		return err
	}
	action := rclgo.NewAction(test_msgs_action.FibonacciTypeSupport, untyped)
	if _, err := node.NewActionServer("/fibonacci_untyped", action, nil); err != nil {
		return err
	}
	return rclgo.Spin(ctx)
}
