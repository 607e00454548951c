// Command subscriber prints the texts that it receives on topic /hello.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	std_msgs_msg "example.org/publisher_subscriber/msgs/std_msgs/msg"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := subscribe(ctx); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func subscribe(ctx context.Context) error {
	rosArgs, _, err := rclgo.ParseArgs(os.Args[1:])
	if err != nil {
		return err
	}
	if err := rclgo.Init(rosArgs); err != nil {
		return err
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("subscriber", "")
	if err != nil {
		return err
	}
	hello, err := std_msgs_msg.NewStringSubscription(node, "/hello", nil,
		func(msg *std_msgs_msg.String, _ *rclgo.MessageInfo, err error) {
			if err != nil {
				_ = node.Logger().Error("cannot take a message: ", err)
				return
			}
			fmt.Println("received", msg.Data)
		})
	if err != nil {
		return err
	}
	// rclgo.Spin serves everything of the program. A wait set serves what you add to it.
	set, err := rclgo.NewWaitSet()
	if err != nil {
		return err
	}
	set.AddSubscriptions(hello.Subscription)
	return set.Run(ctx)
}
