//go:build ros

package app

import (
	"context"
	"slices"

	"rstate/internal/machine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// AwaitSteps waits until the loop has stopped that a goal has started, and returns the state in which the network rests then.
// before is a state from before the goal was sent. Its error is *NoDaemon, or that of ctx.
func (c *Client) AwaitSteps(ctx context.Context, m *machine.Machine, command string, before *rstate_msgs_msg.InstanceState) (after *rstate_msgs_msg.InstanceState, err error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := c.watch(waiting, command, cancel)
	after, err = c.Until(waiting, func(s *rstate_msgs_msg.InstanceState) bool { return loopIsOver(m, before, s) })
	if why := lost(); err != nil && why != nil {
		err = why
	}
	return after, err
}

// loopIsOver reports whether a network rests without a loop, and has changed since before. A state from before the goal may
// come late.
func loopIsOver(m *machine.Machine, before, s *rstate_msgs_msg.InstanceState) bool {
	here, known := m.State(s.State.Label)
	return s.InstanceId == before.InstanceId && changesOf(s) > changesOf(before) && s.Settled && known && here.Loop == machine.NoLoop
}

// changesOf returns how many changes the instance has made.
func changesOf(s *rstate_msgs_msg.InstanceState) uint64 {
	i := slices.IndexFunc(s.Seen, func(o rstate_msgs_msg.Seen) bool { return o.Instance == s.InstanceId })
	if i < 0 {
		return 0
	}
	return s.Seen[i].N
}

// StepsRun returns how many steps have ended in the run of the loop between two states: as many as the participant has ended that
// is behind the others.
func StepsRun(before, after *rstate_msgs_msg.InstanceState) uint64 {
	if after.Step == before.Step && after.StepTime == before.StepTime && slices.Equal(after.StepTimes, before.StepTimes) {
		return 0 // no step has begun, and the times are those of an earlier run
	}
	ended := map[string]uint64{}
	for _, t := range after.StepTimes {
		n := ended[t.Node]
		if t.Phase == rstate_msgs_srv.Step_Request_STEP_END {
			n = t.Count
		}
		ended[t.Node] = n
	}
	least := ^uint64(0)
	for _, n := range ended {
		least = min(least, n)
	}
	if len(ended) == 0 {
		return 0
	}
	return least
}
