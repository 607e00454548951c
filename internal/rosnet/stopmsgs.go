//go:build ros

package rosnet

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/latch"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// What messages say of stops.

func latchesMessage(list []latch.Latch) []rstate_msgs_msg.StopLatch {
	out := make([]rstate_msgs_msg.StopLatch, len(list))
	for k, l := range list {
		out[k] = rstate_msgs_msg.StopLatch{Origin: l.Origin, InstanceId: l.Instance, Latched: l.Latched,
			Acknowledged: l.Acknowledged, Why: l.Why, At: stamp(l.At)}
	}
	return out
}

// latchesOf reads the stops that a peer tells of. What is wrong with them is returned in words; empty: nothing is.
func latchesOf(list []rstate_msgs_msg.StopLatch) (latches []latch.Latch, wrong string) {
	if wrong := tooMany("stops", len(list)); wrong != "" {
		return nil, wrong
	}
	for _, l := range list {
		if wrong := firstWrong(noName("stops", l.Origin), noName("stops", l.InstanceId),
			tooLong("stops", l.Origin, l.InstanceId, l.Why)); wrong != "" {
			return nil, wrong
		}
		latches = append(latches, latch.Latch{Origin: l.Origin, Instance: l.InstanceId, Latched: l.Latched,
			Acknowledged: l.Acknowledged, Why: l.Why, At: time.Unix(int64(l.At.Sec), int64(l.At.Nanosec))})
	}
	return latches, ""
}

// describeStops puts what a snapshot says of stops into the words of ~/state.
func describeStops(m *rstate_msgs_msg.InstanceState, v *engine.StopsView) {
	for _, in := range v.Inputs {
		m.StopInputs = append(m.StopInputs, rstate_msgs_msg.StopInput{Topic: in.Topic, Kind: string(in.Kind), Why: in.Why,
			Age: age(in.Age), Writers: in.Writers})
	}
	m.Stops, m.StopsForbid = latchesMessage(v.Open), v.Forbids
}
