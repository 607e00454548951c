//go:build ros

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/machine"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

func TestStepsByTheCommandOfTheMachine(t *testing.T) {
	for _, c := range []struct {
		machine, want string
		legal         []string
	}{
		{"cle", "run_step", []string{"start", "run_step", "reset", "shutdown"}},
		{"cle", "", []string{"initialize", "shutdown"}},
		{"roscle", "start", []string{"start", "reset", "stop"}},
		{"cloe", "resume", []string{"resume", "stop", "reset", "abort", "disconnect"}},
		{"rstate", "", []string{"configure", "shutdown"}},
	} {
		m, err := machine.Preset(c.machine)
		if err != nil {
			t.Fatal(err)
		}
		if got := stepsBy(m, c.legal); got != c.want {
			t.Errorf("%s steps with %q, want %q", c.machine, got, c.want)
		}
	}
}

func TestLoopLine(t *testing.T) {
	ms := func(n int) builtin_interfaces_msg.Duration {
		return builtin_interfaces_msg.Duration{Nanosec: uint32(n) * uint32(time.Millisecond)}
	}
	s := &rstate_msgs_msg.InstanceState{}
	if got := loopLine(s); got != "" {
		t.Errorf("without a loop: %q", got)
	}
	s.Step, s.Phase, s.StepTime, s.StepRate = 1204, "step_simulator",
		builtin_interfaces_msg.Time{Sec: 24, Nanosec: 80e6}, 49.84
	s.StepTimes = []rstate_msgs_msg.StepTime{
		{Node: "/pilot", Phase: 2, Mean: ms(3), Max: ms(9)}, {Node: "/physics", Phase: 1, Mean: ms(11), Max: ms(20)},
	}
	want := "step 1204 at 24.08s of simulated time, step_simulator, 49.8 steps a second; slowest: /physics takes 11ms for step_simulator, 20ms at most"
	if got := loopLine(s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.StepOverruns = 3
	if got := loopLine(s); !strings.Contains(got, "49.8 steps a second, overruns: 3; slowest") {
		t.Errorf("with overruns: %q", got)
	}
	s = &rstate_msgs_msg.InstanceState{Step: 7, StepFault: "/physics failed in step_end of cycle 7"}
	if got := loopLine(s); got != "step 7 at 0s of simulated time; stopped by a fault: /physics failed in step_end of cycle 7" {
		t.Errorf("after a fault: %q", got)
	}
}

// TestL6HowStepsEnd: a goal that succeeded has not run its steps if the loop stopped before.
func TestL6HowStepsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		answered, rests, fault string
		ran                    uint64
		want                   string
	}{
		"all, in a goal that waits": {"stopped", "stopped", "", 5, "true done stopped: as the daemon says"},
		"all, in a goal that ends first": {"running", "paused", "", 5,
			"true done paused: 5 of 5 steps have run; the network is paused"},
		"paused before": {"running", "paused", "", 3,
			"false preempted paused: 3 of 5 steps have run; the network is paused: pause of anna"},
		"a fault": {"running", "paused", "/sim hangs", 4,
			"false held paused: 4 of 5 steps have run; the network is paused: /sim hangs"},
	} {
		r := &rstate_msgs_action.Transition_Result{Success: true, Outcome: "done", Message: "as the daemon says",
			State: rstate_msgs_msg.State{Label: c.answered}}
		judgeSteps(r, &rstate_msgs_msg.InstanceState{State: rstate_msgs_msg.State{Label: c.rests}, StepFault: c.fault,
			Cause: "pause of anna"}, 5, c.ran)
		if got := fmt.Sprintf("%v %s %s: %s", r.Success, r.Outcome, r.State.Label, r.Message); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	text, err := json.Marshal(stepped{message{rstate_msgs_msg.State{Id: 3, Label: "active"}}, 5, 4})
	if want := `{"id":3,"label":"active","steps_asked":5,"steps_run":4}`; err != nil || string(text) != want {
		t.Errorf("%s, want %s (%v)", text, want, err)
	}
}
