// Command publisher sends a text to topic /hello every half second. The first argument that is
// not for ROS replaces the text.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	std_msgs_msg "example.org/publisher_subscriber/msgs/std_msgs/msg"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := publish(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func publish(ctx context.Context) error {
	rosArgs, args, err := rclgo.ParseArgs(os.Args[1:])
	if err != nil {
		return err
	}
	if err := rclgo.Init(rosArgs); err != nil {
		return err
	}
	defer rclgo.Uninit() // closes the node and the publisher too
	node, err := rclgo.NewNode("publisher", "")
	if err != nil {
		return err
	}
	hello, err := std_msgs_msg.NewStringPublisher(node, "/hello", nil)
	if err != nil {
		return err
	}
	msg := std_msgs_msg.NewString()
	msg.Data = "gopher"
	if len(args) > 0 {
		msg.Data = args[0]
	}
	for tick := time.NewTicker(500 * time.Millisecond); ; {
		if err := hello.Publish(msg); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
