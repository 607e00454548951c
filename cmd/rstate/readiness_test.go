//go:build ros

package main

import (
	"strings"
	"testing"

	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// TestA10EachReasonIsSaidOnce: what is among the reasons against arming is not said again by stop inputs and checks,
// unless the reasons are not shown.
func TestA10EachReasonIsSaidOnce(t *testing.T) {
	s := rstate_msgs_msg.NewInstanceState()
	s.Readiness = rstate_msgs_msg.InstanceState_READY_NOT
	s.Obstacles = []rstate_msgs_msg.Obstacle{
		{Why: "stopped at 12:00:00Z by /r: /estop: /button says stop", WhatToDo: "release it"},
		{Why: "stop input /estop: /button says stop"},
		{Name: "/a", Why: "does not pass its check: /t comes at 1 Hz, not 10 Hz"},
	}
	s.StopInputs = []rstate_msgs_msg.StopInput{{Topic: "/estop", Kind: "stop", Why: "/button says stop"}}
	s.Stops = []rstate_msgs_msg.StopLatch{{Origin: "/r", Why: "/estop: /button says stop"}}
	s.Checks = []rstate_msgs_msg.Check{
		{Name: "/a", Subject: "/t", Known: true, Fault: "comes at 1 Hz, not 10 Hz"},
		{Name: "/b", Subject: "/t", Known: true, Fault: "comes at 1 Hz, not 10 Hz", When: "stay"},
	}
	said := func() string {
		var b strings.Builder
		for _, line := range append(stopLines(s), readinessLines(s)...) {
			b.WriteString(line.String() + "\n")
		}
		return b.String()
	}
	for words, n := range map[string]int{
		"/button says stop": 2, "stopped": 1, "comes at 1 Hz": 2, "stop input /estop  stop": 1,
	} {
		if got := strings.Count(said(), words); got != n {
			t.Errorf("%q is there %d times, want %d:\n%s", words, got, n, said())
		}
	}
	s.Readiness = rstate_msgs_msg.InstanceState_READY_ARMED
	for _, words := range []string{"/button says stop", "stopped: since", "rstate acknowledge", "check /a", "check /b"} {
		if !strings.Contains(said(), words) {
			t.Errorf("%q is missing:\n%s", words, said())
		}
	}
}

// TestA10ARefusalInLines: a refusal with several reasons has a line for each.
func TestA10ARefusalInLines(t *testing.T) {
	one := "arm was rejected: arm is not legal in active; legal now: shutdown"
	if got := inLines(one); got != one {
		t.Errorf("one reason became %q", got)
	}
	want := "arm was rejected: a (do b);\n  c;\n  legal now: shutdown"
	if got := inLines("arm was rejected: a (do b); c; legal now: shutdown"); got != want {
		t.Errorf("two reasons became %q", got)
	}
}
