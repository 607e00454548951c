// Command client asks for Fibonacci numbers of both actions of the server and prints them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	test_msgs_action "example.org/action_client_server/msgs/test_msgs/action"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := ask(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(ctx context.Context) error {
	rosArgs, _, err := rclgo.ParseArgs(os.Args[1:])
	if err != nil {
		return err
	}
	if err := rclgo.Init(rosArgs); err != nil {
		return err
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("asker", "")
	if err != nil {
		return err
	}
	client, err := test_msgs_action.NewFibonacciClient(node, "/fibonacci", nil)
	if err != nil {
		return err
	}
	untyped, err := node.NewActionClient("/fibonacci_untyped", test_msgs_action.FibonacciTypeSupport, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	spun := make(chan error, 1)
	go func() { spun <- rclgo.Spin(ctx) }()
	defer func() { cancel(); <-spun }()
	if err := errors.Join(found(ctx, client.ActionClient), found(ctx, untyped)); err != nil {
		return err
	}

	goal := test_msgs_action.NewFibonacci_Goal()
	goal.Order = 6
	result, _, err := client.WatchGoal(ctx, goal,
		func(_ context.Context, f *test_msgs_action.Fibonacci_FeedbackMessage) {
			fmt.Println("feedback", f.Feedback.Sequence)
		})
	if err != nil {
		return err
	}
	fmt.Println("result", rclgo.GoalStatus(result.Status), result.Result.Sequence)

	answer, _, err := untyped.WatchGoal(ctx, goal, func(_ context.Context, m types.Message) {
		fmt.Println("untyped feedback", m.(*test_msgs_action.Fibonacci_FeedbackMessage).Feedback.Sequence)
	})
	if err != nil {
		return err
	}
	fmt.Println("untyped result", answer.(*test_msgs_action.Fibonacci_GetResult_Response).Result.Sequence)

	goal.Order = -1
	_, _, err = client.WatchGoal(ctx, goal, nil)
	fmt.Println("rejected:", err != nil)
	return nil
}

// found waits for a server.
func found(ctx context.Context, client *rclgo.ActionClient) error {
	for {
		if yes, err := client.Available(); yes || err != nil {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
