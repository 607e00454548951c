//go:build ros

package main

import (
	"bytes"
	"testing"

	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// TestStatusInWords: columns are aligned, and no line ends in blanks.
func TestStatusInWords(t *testing.T) {
	inactive := rstate_msgs_msg.State{Id: 2, Label: "inactive"}
	node := func(name, cause string) rstate_msgs_msg.NodeState {
		return rstate_msgs_msg.NodeState{Name: name, Present: true, Lifecycle: true, State: inactive, Cause: cause}
	}
	optional := node("/camera", "")
	optional.Optional = true
	for name, c := range map[string]struct {
		nodes []rstate_msgs_msg.NodeState
		want  string
	}{
		"all well": {[]rstate_msgs_msg.NodeState{node("/lidar", ""), optional}, "  /lidar   inactive\n  /camera  inactive, optional\n"},
		"one cause": {
			[]rstate_msgs_msg.NodeState{optional, node("/slam", "is unconfigured, not inactive"), node("/arm", "")},
			"  /camera  inactive, optional\n  /slam    inactive            is unconfigured, not inactive\n  /arm     inactive\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := rstate_msgs_msg.NewInstanceState()
			s.Name, s.Simulation, s.State, s.Target, s.Intact = "/rstate", "demo", inactive, inactive, true
			s.Nodes, s.Legal = c.nodes, []string{"activate", "shutdown"}
			var out bytes.Buffer
			printState(&out, s)
			if want := "/rstate (simulation demo): inactive\n" + c.want + "legal now: activate, shutdown\n"; out.String() != want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), want)
			}
		})
	}
}
