//go:build ros

package main

import (
	"io"
	"strings"
	"testing"

	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// Error processing rolls every node back, so its name says enough. A cancelled transition keeps its label while it is
// rolled back, so the label gets a word more.
func TestNamesOfPhases(t *testing.T) {
	for _, c := range []struct{ told, want string }{
		{"activating done, activating refused, errorprocessing undone, errorprocessing undone",
			"activating, activating, errorprocessing, errorprocessing"},
		{"activating done, activating skipped, activating undone, activating undone",
			"activating, activating, activating, rolled back, activating, rolled back"},
		{"activating skipped, activating undone, errorprocessing undone, errorprocessing done",
			"activating, activating, rolled back, errorprocessing, errorprocessing"},
	} {
		var names phaseNames
		var got []string
		for _, told := range strings.Split(c.told, ", ") {
			var f rstate_msgs_action.Transition_Feedback
			f.State.Label, f.Last.Verdict, _ = strings.Cut(told, " ")
			got = append(got, names.of(&f))
		}
		if list := strings.Join(got, ", "); list != c.want {
			t.Errorf("%s:\n got  %s\n want %s", c.told, list, c.want)
		}
	}
}

// TestF4TheBoardEndsWithTheResult: the result overtakes the last feedback, which told of the rollback.
func TestF4TheBoardEndsWithTheResult(t *testing.T) {
	b := makeBoard(io.Discard)
	node := func(step, verdict string) rstate_msgs_msg.NodeResult {
		return rstate_msgs_msg.NodeResult{Name: "/lidar", Step: step, Verdict: verdict}
	}
	f := rstate_msgs_action.Transition_Feedback{Done: 1, Total: 2,
		Last: node("configure", rstate_msgs_msg.NodeResult_DONE)}
	f.State.Label = "configuring"
	b.progress(&f)
	b.result(&rstate_msgs_action.Transition_Result{Nodes: []rstate_msgs_msg.NodeResult{node("cleanup",
		rstate_msgs_msg.NodeResult_UNDONE)}})
	if got := outcome(b.phases[0].results["/lidar"]); got != "rolled back (cleanup)" || b.phases[0].done != 1 {
		t.Errorf("it shows %q, and %d done", got, b.phases[0].done)
	}
}
