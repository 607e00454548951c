//go:build ros

package main

import (
	"strings"
	"testing"

	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

// Error processing rolls every node back, so its name says enough. A cancelled transition keeps its label while it is rolled
// back, so the label gets a word more.
func TestNamesOfPhases(t *testing.T) {
	for _, c := range []struct{ told, want string }{
		{"activating done, activating refused, errorprocessing undone, errorprocessing undone", "activating, activating, errorprocessing, errorprocessing"},
		{"activating done, activating skipped, activating undone, activating undone", "activating, activating, activating, rolled back, activating, rolled back"},
		{"activating skipped, activating undone, errorprocessing undone, errorprocessing done", "activating, activating, rolled back, errorprocessing, errorprocessing"},
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
