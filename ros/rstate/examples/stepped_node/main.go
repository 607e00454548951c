//go:build ros

// Command stepped_node is a participant of a stepped loop, a world in which a ball falls to the ground: stepped_node.py
// in Go.
//
//	go run -tags ros ./ros/rstate/examples/stepped_node --ros-args -r __node:=world -p height:=10.0
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	std_msgs_msg "rstate/msgs/gen/std_msgs/msg"
	"rstate/ros/rstate/stepped"
)

const gravity = 9.81 // m/s²

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	args, _, err := rclgo.ParseArgs(os.Args[1:])
	if err != nil {
		return err
	}
	if err := rclgo.Init(args); err != nil {
		return err
	}
	defer func() { _ = rclgo.Uninit() }() // closes the node too
	node, err := rclgo.NewNode("stepped_node", "")
	if err != nil {
		return err
	}
	w := &world{}
	if w.drop, err = rclgo.DeclareParameter(node, "height", 10.0, nil); err != nil {
		return err
	}
	w.now.height = w.drop
	n, err := stepped.New(node, w.step)
	if err != nil {
		return err
	}
	if w.heights, err = n.NewPublisher("~/height", "std_msgs/msg/Float64",
		std_msgs_msg.Float64TypeSupport); err != nil {
		return err
	}
	_, err = node.NewLifecycle(rclgo.LifecycleCallbacks{OnActivate: w.turns(true), OnDeactivate: w.turns(false),
		OnError: w.turns(false)}, nil)
	if err != nil {
		return err
	}
	if err := node.Spin(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// ball is where the ball is, and how fast it falls.
type ball struct{ height, speed float64 } // m, m/s

type world struct {
	drop      float64 // from where the ball falls
	active    atomic.Bool
	now, next ball // next is where the step leads
	heights   *stepped.Publisher
}

func (w *world) turns(active bool) rclgo.LifecycleCallback {
	return func(context.Context, rclgo.LifecycleState) rclgo.TransitionResult {
		w.active.Store(active)
		return rclgo.TransitionSuccess
	}
}

// tell publishes the height.
func (w *world) tell() error {
	m := std_msgs_msg.NewFloat64()
	m.Data = w.now.height
	return w.heights.Publish(m)
}

// step does a phase. An error stops the loop.
func (w *world) step(req *rstate_msgs_srv.Step_Request, resp *rstate_msgs_srv.Step_Response) {
	if !w.active.Load() {
		resp.Message = "it is not active"
		return
	}
	switch req.Phase {
	case rstate_msgs_srv.Step_Request_RESET:
		w.now = ball{height: w.drop}
	case rstate_msgs_srv.Step_Request_STEP_BEGIN:
		w.next = w.now
	case rstate_msgs_srv.Step_Request_STEP_SIMULATOR:
		// A step that was interrupted is run again with the same number. So what it did counts from its end.
		dt := float64(req.Dt.Sec) + float64(req.Dt.Nanosec)/1e9
		w.next.speed = w.now.speed + gravity*dt
		w.next.height = max(w.now.height-w.next.speed*dt, 0)
	case rstate_msgs_srv.Step_Request_STEP_END:
		w.now = w.next
		if err := w.tell(); err != nil {
			resp.Message = err.Error()
			return
		}
		if w.now.height == 0 {
			resp.Want, resp.Message = rstate_msgs_srv.Step_Response_SUCCEED, "the ball has hit the ground"
		}
	}
	resp.Ok = true
}
