//go:build ros

package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"rstate/internal/term"
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
	reports, repeats := node("/motion", ""), node("/base", "is lost")
	reports.Report, reports.ReportCount = "MOVING", 1
	repeats.Report, repeats.ReportCount = "BLOCKED", 3
	for name, c := range map[string]struct {
		nodes []rstate_msgs_msg.NodeState
		want  string
	}{
		"all well": {[]rstate_msgs_msg.NodeState{node("/lidar", ""), optional},
			"  /lidar   inactive\n  /camera  inactive, optional\n"},
		"one cause": {
			[]rstate_msgs_msg.NodeState{optional, node("/slam", "is unconfigured, not inactive"), node("/arm", "")},
			"  /camera  inactive, optional\n  /slam    inactive            is unconfigured, not inactive\n  /arm     inactive\n",
		},
		"sub-states": {
			[]rstate_msgs_msg.NodeState{reports, repeats},
			"  /motion  inactive, reports MOVING\n  /base    inactive, reports BLOCKED (3 times)  is lost\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := rstate_msgs_msg.NewInstanceState()
			s.Name, s.Simulation, s.State, s.Target, s.Intact = "/rstate", "demo", inactive, inactive, true
			s.Nodes, s.Legal = c.nodes, []string{"activate", "shutdown"}
			var out bytes.Buffer
			printState(&out, s)
			if want := "/rstate (simulation demo): inactive\n" + c.want +
				"legal now: activate, shutdown\n"; out.String() != want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), want)
			}
		})
	}
}

// TestWatchTellsOfSubStates: watch prints a line for a new sub-state, and none for one that is repeated.
func TestWatchTellsOfSubStates(t *testing.T) {
	of := func(report string, count uint32) *rstate_msgs_msg.InstanceState {
		s := rstate_msgs_msg.NewInstanceState()
		s.State.Label, s.Target.Label, s.Intact = "running", "running", true
		n := rstate_msgs_msg.NodeState{Name: "/motion", Present: true, Lifecycle: true, Report: report,
			ReportCount: count}
		n.State.Label = "active"
		s.Nodes = []rstate_msgs_msg.NodeState{n}
		return s
	}
	quiet, moving, still, blocked := of("", 0), of("MOVING", 1), of("MOVING", 7), of("BLOCKED", 1)
	for name, c := range map[string]struct {
		before, now *rstate_msgs_msg.InstanceState
		want        string
	}{
		"the first":  {quiet, moving, "[/motion: active, reports MOVING (was active)]"},
		"repeated":   {moving, still, "[]"},
		"another":    {still, blocked, "[/motion: active, reports BLOCKED (was active, reports MOVING)]"},
		"of no more": {blocked, quiet, "[/motion: active (was active, reports BLOCKED)]"},
	} {
		if got := fmt.Sprint(changes(c.before, c.before, c.now)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestF2StatusAndWatchShowTheWaits: what a rollback waits for, and for how long still.
func TestF2StatusAndWatchShowTheWaits(t *testing.T) {
	s := rstate_msgs_msg.NewInstanceState()
	s.State.Label, s.Target.Label = "errorprocessing", "inactive"
	s.Progress.WaitingFor = []string{"/slam: a sign of life, 21 s left", "/lidar: answer to activate, 3 s left"}
	for name, lines := range map[string][]term.Line{
		"status": statusLines(s), "watch": newPage(os.Stdout).lines(s, true, time.Now(), 80, 24),
	} {
		for _, wait := range s.Progress.WaitingFor {
			if l := lineOf(lines, wait); l == nil || l.String() != "waiting: "+wait || l[0].Style != term.Yellow {
				t.Errorf("%s shows %q as %q", name, wait, l)
			}
		}
	}
}
