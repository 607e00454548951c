package client

import (
	"testing"

	"rstate/internal/machine"
)

// TestL6WhenStepsHaveRun: a network has run its steps when it rests without a loop after a change that came after the
// goal.
func TestL6WhenStepsHaveRun(t *testing.T) {
	m, err := machine.Preset("roscle")
	if err != nil {
		t.Fatal(err)
	}
	before := netStand{"a", 4, true, "paused"}
	for name, c := range map[string]struct {
		now  netStand
		want bool
	}{
		"the state from before":      {before, false},
		"the loop runs":              {netStand{"a", 5, true, "running"}, false},
		"the way to the pause":       {netStand{"a", 6, false, "paused"}, false},
		"paused":                     {netStand{"a", 6, true, "paused"}, true},
		"reset meanwhile":            {netStand{"a", 7, true, "initial"}, true},
		"stopped meanwhile":          {netStand{"a", 6, true, "stopped"}, true},
		"another run of the daemon":  {netStand{"b", 9, true, "paused"}, false},
		"a state of another machine": {netStand{"a", 9, true, "armed"}, false},
	} {
		if got := loopIsOver(m, before, c.now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestL6HowManyStepsHaveRun(t *testing.T) {
	for name, c := range map[string]struct {
		times []partTime
		want  uint64
	}{
		"all": {[]partTime{{"/a", false, 5}, {"/a", true, 5}, {"/b", false, 5},
			{"/b", true, 5}}, 5},
		"the first was interrupted": {[]partTime{{"/a", false, 1}}, 0},
		"the third, in step_end": {[]partTime{{"/a", false, 3}, {"/a", true, 3}, {"/b", false, 3},
			{"/b", true, 2}}, 2},
		"the third, in step_begin": {[]partTime{{"/a", true, 2}, {"/a", false, 3}, {"/b", false, 2},
			{"/b", true, 2}}, 2},
		"no participant has answered ever": {nil, 0},
	} {
		if got := stepsEnded(c.times); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
