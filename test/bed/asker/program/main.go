//go:build ros

// Command program is a client that sends goals: asker.cpp in Go.
//
//	program ACTION
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if err := rclgo.Init(nil); err != nil {
		return err
	}
	defer func() { _ = rclgo.Uninit() }()
	node, err := rclgo.NewNode("asker", "")
	if err != nil {
		return err
	}
	client, err := rstate_msgs_action.NewTransitionClient(node, os.Args[1], nil)
	if err != nil {
		return err
	}
	go func() { _ = node.Spin(ctx) }()
	for there := false; !there; time.Sleep(20 * time.Millisecond) {
		if there, err = client.Available(); err != nil {
			return err
		}
	}
	say("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fields := strings.Split(lines.Text(), " ")
		goal := rstate_msgs_action.NewTransition_Goal()
		goal.Command, goal.Seen, goal.Client = fields[0], strings.TrimPrefix(fields[1], "-"), fields[2]
		go func() {
			switch answer, _, err := client.SendGoal(ctx, goal); {
			case err != nil:
				say(err.Error())
			case answer.Accepted:
				say("accepted")
			default:
				say("rejected")
			}
		}()
		say("sent")
	}
	return nil
}

func say(what string) { fmt.Fprintln(os.Stderr, what) }
