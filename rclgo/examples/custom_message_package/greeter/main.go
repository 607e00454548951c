// Command greeter publishes a message of a package of its own on topic ~/hello. The first
// argument that is not for ROS is the name to greet.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	greeting_msgs_msg "example.org/greeter/msgs/greeting_msgs/msg"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

//go:generate go run github.com/tiiuae/rclgo/cmd/rclgo-gen generate -d msgs --include-go-package-deps ./...

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := greet(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func greet(ctx context.Context) error {
	rosArgs, args, err := rclgo.ParseArgs(os.Args[1:])
	if err != nil {
		return err
	}
	if err := rclgo.Init(rosArgs); err != nil {
		return err
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("greeter", "")
	if err != nil {
		return err
	}
	pub, err := greeting_msgs_msg.NewHelloPublisher(node, "~/hello", nil)
	if err != nil {
		return err
	}
	hello := greeting_msgs_msg.NewHello()
	hello.Name = "gopher"
	if len(args) > 0 {
		hello.Name = args[0]
	}
	for tick := time.NewTicker(500 * time.Millisecond); ; {
		if err := pub.Publish(hello); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
