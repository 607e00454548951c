// Command publisher says something ten times a second, until it is interrupted.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

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
	node, err := rclgo.NewNode("talker", "original")
	if err != nil {
		return fmt.Errorf("no node: %w", err)
	}
	defer node.Close()
	pub, err := std_msgs_msg.NewStringPublisher(node, "/original/chatter", nil)
	if err != nil {
		return fmt.Errorf("no publisher: %w", err)
	}
	defer pub.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	msg := std_msgs_msg.NewString()
	for i := 0; ; i++ {
		msg.Data = fmt.Sprintf("number %d from %s", i, node.FullyQualifiedName())
		if err := pub.Publish(msg); err != nil {
			return fmt.Errorf("not published: %w", err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
