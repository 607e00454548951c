//go:build ros

package demo

import (
	"fmt"
	"math"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/session"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	std_msgs_msg "rstate/msgs/gen/std_msgs/msg"
	"rstate/ros/rstate/stepped"
)

// Stepper makes a demo node a participant of a stepped loop.
type Stepper struct {
	Takes time.Duration // of each call
	// what it wants at the end of a step, by the number of the step; each until another step begins
	Wants map[uint64]uint8
	Fails uint64 // it fails in this step, once; 0: in none
	Data  bool   // it publishes a number on ~/wave at the end of each step, and counts it

	wanted uint64 // the step in which it wanted something last
}

const (
	waveTopic  = "~/wave"
	waveType   = "std_msgs/msg/Float64"
	wavePeriod = 2.0 // s of simulated time
)

// openData offers ~/step and ~/step_data, and publishes.
func (b *body) openData(node *rclgo.Node) error {
	var out *stepped.Publisher
	counting, err := stepped.New(node, func(req *rstate_msgs_srv.Step_Request, resp *rstate_msgs_srv.Step_Response) {
		pause(b.ctx, b.Stepper.Takes)
		did := b.step(req)
		if req.Phase == rstate_msgs_srv.Step_Request_STEP_END && did.Ok {
			m := std_msgs_msg.NewFloat64()
			m.Data = math.Sin(2 * math.Pi / wavePeriod * (float64(req.Now.Sec) + float64(req.Now.Nanosec)/1e9))
			if err := out.Publish(m); err != nil {
				did.Ok, did.Message = false, err.Error()
			}
		}
		if resp.Ok, resp.Want, resp.Message = did.Ok, did.Want, did.Message; did.Message != "" {
			b.log.Info(did.Message)
		}
	})
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	if out, err = counting.NewPublisher(waveTopic, waveType, std_msgs_msg.Float64TypeSupport); err != nil {
		return &session.NoROS{Cause: err}
	}
	return nil
}

// openStep offers ~/step.
func (b *body) openStep(node *rclgo.Node) error {
	if b.Stepper.Data {
		return b.openData(node)
	}
	options := rclgo.NewDefaultServiceOptions()
	options.Inline = b.Stepper.Takes == 0 // else it would hold up the other nodes of the process
	_, err := rstate_msgs_srv.NewStepService(node, "~/step", options,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.Step_Request,
			answer rstate_msgs_srv.StepServiceResponseSender) {
			pause(b.ctx, b.Stepper.Takes)
			resp := b.step(req)
			if resp.Message != "" {
				b.log.Info(resp.Message)
			}
			if err := answer.SendResponse(resp); err != nil && b.ctx.Err() == nil {
				b.log.Warn("cannot answer a step", zap.Error(err))
			}
		})
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	return nil
}

// step does a part of a phase.
func (b *body) step(req *rstate_msgs_srv.Step_Request) *rstate_msgs_srv.Step_Response {
	s, resp := b.Stepper, rstate_msgs_srv.NewStep_Response()
	resp.Ok = true
	b.mu.Lock()
	defer b.mu.Unlock()
	if req.Step != s.wanted || req.Phase == rstate_msgs_srv.Step_Request_RESET {
		delete(s.Wants, s.wanted)
	}
	switch want, wants := s.Wants[req.Step]; {
	case req.Step == s.Fails && req.Step > 0:
		s.Fails = 0
		resp.Ok, resp.Message = false, fmt.Sprintf("fails in step %d", req.Step)
	case wants && req.Phase == rstate_msgs_srv.Step_Request_STEP_END:
		s.wanted = req.Step // it wants that again if the step is interrupted and runs again
		resp.Want, resp.Message = want, fmt.Sprintf("has had enough after step %d", req.Step)
	}
	return resp
}
