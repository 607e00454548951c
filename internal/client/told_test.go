//go:build ros

package client

import (
	"testing"
	"testing/synctest"
	"time"

	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// TestC2AResultWaitsForTheStepsThatItNames: a phase that was told to its end is not the last one. Here
// the result of "send armed" comes before the feedback of the arming.
func TestC2AResultWaitsForTheStepsThatItNames(t *testing.T) {
	step := func(node, step, verdict string) rstate_msgs_msg.NodeResult {
		return rstate_msgs_msg.NodeResult{Name: node, Step: step, Verdict: verdict}
	}
	feedback := func(done, total uint32, last rstate_msgs_msg.NodeResult,
		before ...rstate_msgs_msg.NodeResult) *rstate_msgs_action.Transition_Feedback {
		return &rstate_msgs_action.Transition_Feedback{Done: done, Total: total, Last: last, Before: before}
	}
	result := []rstate_msgs_msg.NodeResult{step("/lidar", "", "done"), step("/arm", "arm", "done")}
	activating := feedback(2, 2, step("/arm", "activate", "done"), step("/lidar", "activate", "done"))
	for name, c := range map[string]struct {
		late  []*rstate_msgs_action.Transition_Feedback // one every 0.2 s
		waits time.Duration
	}{
		"the last phase comes late": {[]*rstate_msgs_action.Transition_Feedback{feedback(1, 2,
			step("/lidar", "", "done")), feedback(2, 2, step("/arm", "arm", "done"))}, 400 * time.Millisecond},
		"in one message": {[]*rstate_msgs_action.Transition_Feedback{feedback(2, 2,
			step("/arm", "arm", "done"), step("/lidar", "", "done"))}, 200 * time.Millisecond},
		"a step is never told": {[]*rstate_msgs_action.Transition_Feedback{feedback(1, 2,
			step("/lidar", "", "done"))}, time.Second},
		"it says another end of step": {[]*rstate_msgs_action.Transition_Feedback{feedback(2, 2,
			step("/arm", "arm", "refused"), step("/lidar", "", "done"))}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := newStepsTold()
				told.note(activating)
				go func() {
					for _, f := range c.late {
						time.Sleep(200 * time.Millisecond)
						told.note(f)
					}
				}()
				began := time.Now()
				told.await(t.Context(), result)
				if waited := time.Since(began); waited != c.waits {
					t.Errorf("it waited %v, want %v", waited, c.waits)
				}
			})
		})
	}
	told := newStepsTold()
	told.note(feedback(2, 2, step("/arm", "arm", "done"), step("/lidar", "", "done")))
	told.await(t.Context(), result)
}
