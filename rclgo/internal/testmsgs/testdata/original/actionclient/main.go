// Command actionclient sends a goal that counts, and prints its feedback and result.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	action_msgs_srv "robot/msgs/action_msgs/srv"
	test_msgs_action "robot/msgs/test_msgs/action"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func run() error {
	if err := rclgo.Init(nil); err != nil {
		return fmt.Errorf("no context: %w", err)
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("asker", "original")
	if err != nil {
		return fmt.Errorf("no node: %w", err)
	}
	defer node.Close()
	client, err := test_msgs_action.NewFibonacciClient(node, "/original/count", nil)
	if err != nil {
		return fmt.Errorf("no client: %w", err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	spun := make(chan error, 1)
	go func() { spun <- node.Spin(ctx) }()

	// The original has no way to wait for a server but to look at the graph.
	for {
		_, _, err := node.GetNodeNames()
		if err != nil {
			return err
		}
		actions, err := node.GetActionServerNamesAndTypesByNode("counter", "/original")
		if err == nil && len(actions["/original/count"]) > 0 {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	goal := test_msgs_action.NewFibonacci_Goal()
	goal.Order = 5
	response, id, err := client.WatchGoal(ctx, goal, func(_ context.Context, msg *test_msgs_action.Fibonacci_FeedbackMessage) {
		_ = msg.Feedback.Sequence
	})
	if err != nil {
		return fmt.Errorf("the goal failed: %w", err)
	}
	fmt.Println("got", rclgo.GoalStatus(response.Status), response.Result.Sequence)

	again, err := client.GetResult(ctx, id)
	if err != nil {
		return fmt.Errorf("no result: %w", err)
	}
	fmt.Println("again", len(again.Result.Sequence))

	request := action_msgs_srv.NewCancelGoal_Request()
	request.GoalInfo.GoalId.Uuid = *id
	cancelled, err := client.CancelGoal(ctx, request)
	if err != nil {
		return fmt.Errorf("not cancelled: %w", err)
	}
	fmt.Println("cancel", cancelled.ReturnCode == action_msgs_srv.CancelGoal_Response_ERROR_GOAL_TERMINATED)

	goal.Order = -1
	answer, _, err := client.SendGoal(ctx, goal)
	if err != nil {
		return fmt.Errorf("not sent: %w", err)
	}
	fmt.Println("accepted", answer.Accepted)
	cancel()
	<-spun
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
