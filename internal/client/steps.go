//go:build ros

package client

import (
	"context"
	"slices"

	"rstate/internal/machine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// AwaitSteps waits until the loop has stopped that a goal has started, and returns the state in which the network rests
// then. before is a state from before the goal was sent. Its error is *NoDaemon, or that of ctx.
func (c *Client) AwaitSteps(ctx context.Context, m *machine.Machine, command string, before *rstate_msgs_msg.InstanceState) (after *rstate_msgs_msg.InstanceState, err error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := c.watch(waiting, command, cancel)
	after, err = c.Until(waiting, func(s *rstate_msgs_msg.InstanceState) bool { return loopIsOver(m, restOf(before), restOf(s)) })
	if why := lost(); err != nil && why != nil {
		err = why
	}
	return after, err
}

func restOf(s *rstate_msgs_msg.InstanceState) netStand {
	here := netStand{run: s.InstanceId, settled: s.Settled, label: s.State.Label}
	if i := slices.IndexFunc(s.ChangesSeen, func(o rstate_msgs_msg.Seen) bool { return o.Instance == s.InstanceId }); i >= 0 {
		here.changes = s.ChangesSeen[i].N
	}
	return here
}

// StepsRun returns how many steps have ended in the run of the loop between two states.
func StepsRun(before, after *rstate_msgs_msg.InstanceState) uint64 {
	if after.Step == before.Step && after.StepTime == before.StepTime && slices.Equal(after.StepTimes, before.StepTimes) {
		return 0 // no step has begun, and the times are those of an earlier run
	}
	var times []partTime
	for _, t := range after.StepTimes {
		times = append(times, partTime{t.Node, t.Phase == rstate_msgs_srv.Step_Request_STEP_END, t.Count})
	}
	return stepsEnded(times)
}
