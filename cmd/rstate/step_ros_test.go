//go:build ros

package main

import (
	"testing"
	"time"

	"rstate/internal/machine"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
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
	s.Step, s.Phase, s.StepTime, s.StepRate = 1204, "step_simulator", builtin_interfaces_msg.Time{Sec: 24, Nanosec: 80e6}, 49.84
	s.StepTimes = []rstate_msgs_msg.StepTime{
		{Node: "/pilot", Phase: 2, Mean: ms(3), Max: ms(9)}, {Node: "/physics", Phase: 1, Mean: ms(11), Max: ms(20)},
	}
	want := "step 1204 at 24.08s of simulated time, step_simulator, 49.8 steps a second; slowest: /physics takes 11ms for step_simulator, 20ms at most"
	if got := loopLine(s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s = &rstate_msgs_msg.InstanceState{Step: 7, StepFault: "/physics failed in step_end of cycle 7"}
	if got := loopLine(s); got != "step 7 at 0s of simulated time; stopped by a fault: /physics failed in step_end of cycle 7" {
		t.Errorf("after a fault: %q", got)
	}
}
