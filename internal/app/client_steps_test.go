//go:build ros

package app

import (
	"testing"

	"rstate/internal/machine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// TestL6WhenStepsHaveRun: a network has run its steps when it rests without a loop after a change that came after the goal.
func TestL6WhenStepsHaveRun(t *testing.T) {
	m, err := machine.Preset("roscle")
	if err != nil {
		t.Fatal(err)
	}
	state := func(run, label string, changes uint64, settled bool) *rstate_msgs_msg.InstanceState {
		return &rstate_msgs_msg.InstanceState{
			InstanceId: run, State: rstate_msgs_msg.State{Label: label}, Settled: settled,
			Seen: []rstate_msgs_msg.Seen{{Instance: "peer", N: 99}, {Instance: run, N: changes}},
		}
	}
	before := state("a", "paused", 4, true)
	for name, c := range map[string]struct {
		state *rstate_msgs_msg.InstanceState
		want  bool
	}{
		"the state from before":         {before, false},
		"the loop runs":                 {state("a", "running", 5, true), false},
		"the way to the pause":          {state("a", "paused", 6, false), false},
		"paused":                        {state("a", "paused", 6, true), true},
		"reset meanwhile":               {state("a", "initial", 7, true), true},
		"stopped meanwhile":             {state("a", "stopped", 6, true), true},
		"another run of the daemon":     {state("b", "paused", 9, true), false},
		"a state of another machine":    {state("a", "armed", 9, true), false},
		"nothing was ever changed here": {&rstate_msgs_msg.InstanceState{InstanceId: "a", Settled: true}, false},
	} {
		if got := loopIsOver(m, before, c.state); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestL6HowManyStepsHaveRun(t *testing.T) {
	times := func(list ...uint64) (times []rstate_msgs_msg.StepTime) { // of /a for step_begin, step_end; of /b
		for i, n := range list {
			if n > 0 {
				times = append(times, rstate_msgs_msg.StepTime{Node: [...]string{"/a", "/b"}[i/2], Phase: [...]uint8{0, 3}[i%2], Count: n})
			}
		}
		return times
	}
	before := &rstate_msgs_msg.InstanceState{Step: 7, StepTimes: times(7, 7, 7, 7)}
	for name, c := range map[string]struct {
		step  uint64
		times []rstate_msgs_msg.StepTime
		want  uint64
	}{
		"five":                             {12, times(5, 5, 5, 5), 5},
		"as many as before":                {14, times(7, 7, 7, 7), 7},
		"none has begun":                   {7, times(7, 7, 7, 7), 0},
		"the first was interrupted":        {8, times(1, 0, 0, 0), 0},
		"the third, in step_end":           {10, times(3, 3, 3, 2), 2},
		"the run before was interrupted":   {7, times(1, 1, 1, 1), 1},
		"no participant has answered ever": {8, nil, 0},
	} {
		if got := StepsRun(before, &rstate_msgs_msg.InstanceState{Step: c.step, StepTimes: c.times}); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
