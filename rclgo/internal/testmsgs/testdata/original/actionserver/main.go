// Command actionserver computes Fibonacci numbers for its clients, until it is interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	test_msgs_action "robot/msgs/test_msgs/action"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func count(ctx context.Context, goal *test_msgs_action.FibonacciGoalHandle) (*test_msgs_action.Fibonacci_Result, error) {
	if goal.Description.Order < 0 {
		return nil, errors.New("there is no such number") // not accepted: rejected
	}
	sender, err := goal.Accept()
	if err != nil {
		return nil, err
	}
	goal.Logger().Infof("goal %s is accepted", goal.ID.String())
	feedback := test_msgs_action.NewFibonacci_Feedback()
	feedback.Sequence = []int32{0, 1}
	for i := int32(1); i < goal.Description.Order; i++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n := len(feedback.Sequence)
		feedback.Sequence = append(feedback.Sequence, feedback.Sequence[n-1]+feedback.Sequence[n-2])
		if err := sender.Send(feedback); err != nil {
			return nil, err
		}
	}
	result := test_msgs_action.NewFibonacci_Result()
	result.Sequence = feedback.Sequence
	return result, nil
}

func run() error {
	if err := rclgo.Init(nil); err != nil {
		return fmt.Errorf("no context: %w", err)
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("counter", "original")
	if err != nil {
		return fmt.Errorf("no node: %w", err)
	}
	defer node.Close()
	server, err := test_msgs_action.NewFibonacciServer(node, "/original/count",
		test_msgs_action.NewFibonacciAction(count), rclgo.NewDefaultActionServerOptions())
	if err != nil {
		return fmt.Errorf("no server: %w", err)
	}
	defer server.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := rclgo.Spin(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
