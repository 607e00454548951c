//go:build ros

package app

import (
	"fmt"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// DemoStepper makes a demo node a participant of a stepped loop.
type DemoStepper struct {
	Takes time.Duration    // of each call
	Wants map[uint64]uint8 // what it wants at the end of a step, by the number of the step; each once
	Fails uint64           // it fails in this step, once; 0: in none
}

// openStep offers ~/step.
func (b *body) openStep(node *rclgo.Node) error {
	options := rclgo.NewDefaultServiceOptions()
	options.Inline = b.Stepper.Takes == 0 // else it would hold up the other nodes of the process
	_, err := rstate_msgs_srv.NewStepService(node, "~/step", options,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.Step_Request, answer rstate_msgs_srv.StepServiceResponseSender) {
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
		return &NoROS{err}
	}
	return nil
}

// step does a part of a phase.
func (b *body) step(req *rstate_msgs_srv.Step_Request) *rstate_msgs_srv.Step_Response {
	s, resp := b.Stepper, rstate_msgs_srv.NewStep_Response()
	resp.Ok = true
	b.mu.Lock()
	defer b.mu.Unlock()
	switch want, wants := s.Wants[req.Step]; {
	case req.Step == s.Fails && req.Step > 0:
		s.Fails = 0
		resp.Ok, resp.Message = false, fmt.Sprintf("fails in step %d", req.Step)
	case wants && req.Phase == rstate_msgs_srv.Step_Request_STEP_END:
		delete(s.Wants, req.Step)
		resp.Want, resp.Message = want, fmt.Sprintf("has had enough after step %d", req.Step)
	}
	return resp
}
