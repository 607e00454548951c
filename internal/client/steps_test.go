//go:build ros

package client

import (
	"testing"

	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// TestTheTimesOfAnEarlierRunDoNotCount: a loop whose participants are not there runs no step.
func TestTheTimesOfAnEarlierRunDoNotCount(t *testing.T) {
	state := func(step, count uint64) *rstate_msgs_msg.InstanceState {
		return &rstate_msgs_msg.InstanceState{Step: step,
			StepTimes: []rstate_msgs_msg.StepTime{{Node: "/a", Count: count}, {Node: "/a", Phase: 3, Count: count}}}
	}
	for _, c := range []struct{ before, after, step, want uint64 }{{7, 7, 7, 0}, {7, 7, 14, 7}, {7, 1, 7, 1}} {
		if got := StepsRun(state(7, c.before), state(c.step, c.after)); got != c.want {
			t.Errorf("%+v: %d steps", c, got)
		}
	}
}
