package engine_test

import (
	"testing"
	"time"

	"rstate/internal/simnet"
)

const rock = "simulation: demo\nmachine: rock\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n"

// The life of Rock components: what a hook that refuses or errs leads to, exceptions, and fatal errors.
func TestPresetRock(t *testing.T) {
	refuse, err := simnet.On{End: simnet.Refuse}, simnet.On{End: simnet.Err}
	running := []string{"configure", "start"}
	play(t, []story{
		{
			name: "a whole life", net: rock, tell: []simnet.Beat{
				send("configure"), after("configure", "start"), after("start", "stop"), after("stop", "cleanup"), after("cleanup", "shutdown"),
			},
			states: "preoperational stopped running stopped preoperational finalized", ends: "finalized finalized", exit: 1,
		},
		{
			name: "a refused configure changes nothing", net: rock, scripts: one("/b", on("configure", refuse)), tell: []simnet.Beat{send("configure")},
			goals: "configure: aborted restored", states: "preoperational", ends: "unconfigured unconfigured",
		},
		{
			name: "a configure that errs changes nothing", net: rock, scripts: one("/b", on("configure", err)), tell: []simnet.Beat{send("configure")},
			goals: "configure: aborted restored", states: "preoperational", ends: "unconfigured unconfigured",
		},
		{
			name: "a start that errs is refused, and its node configured again", net: rock, first: []string{"configure"}, scripts: one("/b", on("activate", err)),
			tell: []simnet.Beat{send("start")}, goals: "start: aborted restored", states: "none", ends: "inactive inactive",
			calls: "activate a, activate b, deactivate a, configure b",
		},
		{
			name: "an error in stop is an exception", net: rock, first: running, scripts: one("/b", on("deactivate", err)), tell: []simnet.Beat{send("stop")},
			goals: "stop: aborted restored", ends: "unconfigured unconfigured", why: "/b deactivate erred",
		},
		{
			name: "an error on the way to exception is fatal", net: rock, first: running,
			scripts: one("/b", simnet.Script{On: []simnet.On{{Do: "deactivate", End: simnet.Err}}}), tell: []simnet.Beat{send("exception")},
			goals: "exception: aborted restored", states: "fatal",
		},
		{
			name: "exception is left by reset", net: rock, first: append(running, "exception"), tell: []simnet.Beat{send("reset"), after("reset", "configure")},
			goals: "reset: succeeded done, configure: succeeded done", states: "preoperational stopped", ends: "inactive inactive",
		},
		{
			name: "not by configure", net: rock, first: append(running, "exception"), tell: []simnet.Beat{send("configure")}, goals: "configure: rejected",
		},
		{
			name: "a node that errs while running", net: rock, first: running,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Raise{Node: "/b"}), when(simnet.Then().Later(3*time.Second), simnet.Nothing{})},
			states: "exception", ends: "unconfigured unconfigured",
		},
	})
}
