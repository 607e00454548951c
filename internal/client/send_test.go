//go:build ros

package client

import (
	"fmt"
	"testing"

	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// TestC2EachStepOfAFeedbackIsShown: steps that share a message are shown one by one, each with its own count.
func TestC2EachStepOfAFeedbackIsShown(t *testing.T) {
	node := func(name string) rstate_msgs_msg.NodeResult { return rstate_msgs_msg.NodeResult{Name: name} }
	m := rstate_msgs_action.Transition_Feedback{Done: 5, Total: 9, Last: node("/e"),
		Before: []rstate_msgs_msg.NodeResult{node("/c"), node("/d")}}
	var got []string
	oneByOne(&m, func(f *rstate_msgs_action.Transition_Feedback) {
		got = append(got, fmt.Sprint(f.Last.Name, " ", f.Done, "/", f.Total))
	})
	if want := []string{"/c 3/9", "/d 4/9", "/e 5/9"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("it shows %q, want %q", got, want)
	}
}
