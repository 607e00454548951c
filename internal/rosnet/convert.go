//go:build ros

package rosnet

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// networkState returns a state of the network with the id that the machine gives it.
func networkState(m *machine.Machine, name string) rstate_msgs_msg.State {
	if name == "" {
		name = machine.Unknown
	}
	s, _ := m.State(name)
	return rstate_msgs_msg.State{Id: s.ID, Label: name}
}

func nodeState(s lifecycle.State) rstate_msgs_msg.State {
	return rstate_msgs_msg.State{Id: uint8(s), Label: s.String()}
}

func nodeResult(r engine.NodeResult) rstate_msgs_msg.NodeResult {
	return rstate_msgs_msg.NodeResult{
		Name:      r.Node,
		Step:      r.Step,
		Verdict:   string(r.Verdict),
		Evidence:  r.Evidence,
		FromState: nodeState(r.From),
		ToState:   nodeState(r.State),
		Elapsed:   duration(r.Elapsed),
	}
}

// duration rounds towards the past, as ROS does: nanoseconds are never negative.
func duration(d time.Duration) builtin_interfaces_msg.Duration {
	sec := d / time.Second
	nano := d % time.Second
	if nano < 0 {
		sec, nano = sec-1, nano+time.Second
	}
	return builtin_interfaces_msg.Duration{Sec: int32(sec), Nanosec: uint32(nano)}
}

func stamp(t time.Time) builtin_interfaces_msg.Time {
	return builtin_interfaces_msg.Time{Sec: int32(t.Unix()), Nanosec: uint32(t.Nanosecond())}
}
