//go:build ros

// Command participant is a controller that counts its messages: participant.cpp in Go.
//
//	participant IN OUT FILE --ros-args -r __node:=NAME
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	std_msgs_msg "rstate/msgs/gen/std_msgs/msg"
	"rstate/ros/rstate/stepped"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	args, _, err := rclgo.ParseArgs(os.Args[4:])
	if err != nil {
		return err
	}
	if err := rclgo.Init(args); err != nil {
		return err
	}
	defer func() { _ = rclgo.Uninit() }()
	node, err := rclgo.NewNode("participant", "")
	if err != nil {
		return err
	}
	file, err := os.Create(os.Args[3])
	if err != nil {
		return err
	}
	defer file.Close()
	var values []float64
	var sum float64
	var count uint64
	var out *stepped.Publisher
	in, err := stepped.New(node, func(req *rstate_msgs_srv.Step_Request, resp *rstate_msgs_srv.Step_Response) {
		for _, v := range values {
			count++
			sum = 0.5*sum + v
			fmt.Fprintln(file, req.Step, req.Phase, count, strconv.FormatFloat(v, 'f', 6, 64))
		}
		values = nil
		resp.Ok = true
		if req.Phase == rstate_msgs_srv.Step_Request_STEP_CONTROLLER {
			m := std_msgs_msg.NewFloat64()
			m.Data = sum + float64(count)
			if err := out.Publish(m); err != nil {
				resp.Ok, resp.Message = false, err.Error()
			}
		}
	})
	if err != nil {
		return err
	}
	const typ = "std_msgs/msg/Float64"
	if out, err = in.NewPublisher(os.Args[2], typ, std_msgs_msg.Float64TypeSupport); err != nil {
		return err
	}
	err = in.NewSubscription(os.Args[1], typ, std_msgs_msg.Float64TypeSupport, func(m types.Message) {
		values = append(values, m.(*std_msgs_msg.Float64).Data)
	})
	if err != nil {
		return err
	}
	if _, err := node.NewLifecycle(rclgo.LifecycleCallbacks{}, nil); err != nil {
		return err
	}
	if err := node.Spin(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}
