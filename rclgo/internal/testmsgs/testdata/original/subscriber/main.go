// Command subscriber prints the received messages, until it is interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	std_msgs_msg "robot/msgs/std_msgs/msg"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func run() error {
	rosArgs, _, err := rclgo.ParseArgs(os.Args[1:])
	if err != nil {
		return fmt.Errorf("bad arguments: %w", err)
	}
	if err := rclgo.Init(rosArgs); err != nil {
		return fmt.Errorf("no context: %w", err)
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("listener", "original")
	if err != nil {
		return fmt.Errorf("no node: %w", err)
	}
	defer node.Close()
	sub, err := std_msgs_msg.NewStringSubscription(node, "/original/chatter", nil,
		func(msg *std_msgs_msg.String, info *rclgo.MessageInfo, err error) {
			if err != nil {
				node.Logger().Errorf("nothing taken: %v", err)
				return
			}
			fmt.Println("heard", msg.Data, !info.SourceTimestamp.IsZero())
		})
	if err != nil {
		return fmt.Errorf("no subscription: %w", err)
	}
	defer sub.Close()
	ws, err := rclgo.NewWaitSet()
	if err != nil {
		return fmt.Errorf("no wait set: %w", err)
	}
	defer ws.Close()
	ws.AddSubscriptions(sub.Subscription)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := ws.Run(ctx); !errors.Is(err, context.Canceled) {
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
