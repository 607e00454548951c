package stall

import (
	"slices"
	"testing"
)

func TestAgain(t *testing.T) {
	const (
		stood  = "the process did not run for 0.6 s"
		early  = "it came before the daemon could receive it"
		lowers = "the network is not intact, /a is configuring (send unconfigured)"
		other  = "the node refuses"
	)
	for name, c := range map[string]struct {
		answers []string
		lowered []string
	}{
		"at once":                             {answers: []string{""}},
		"it fails":                            {answers: []string{other}},
		"after a stall":                       {answers: []string{stood, ""}},
		"too early, and then it fails":        {answers: []string{early, other}},
		"nodes have to go back after a stall": {answers: []string{stood, lowers, ""}, lowered: []string{"unconfigured"}},
		"nodes have to go back, and nothing stalls": {answers: []string{lowers}},
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			var lowered []string
			Again(t, "a goal", func() string { sent++; return c.answers[sent-1] },
				func(command string) { lowered = append(lowered, command) })
			if sent != len(c.answers) || !slices.Equal(lowered, c.lowered) {
				t.Errorf("sent %d times, and %v", sent, lowered)
			}
		})
	}
}

func TestCount(t *testing.T) {
	if n := Count("it runs\nthe process did not run for 1 s\nthe loop did not run for 2 s, and the process not for 1 s\n"); n != 2 {
		t.Errorf("%d stalls", n)
	}
}
