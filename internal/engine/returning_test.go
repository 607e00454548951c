package engine_test

import (
	"testing"
	"time"

	"rstate/internal/simnet"
)

// TestF2AReturnThatFails: a command that failed without error processing leads back to its origin. Where that fails
// too, the next rung follows.
func TestF2AReturnThatFails(t *testing.T) {
	play(t, []story{
		{
			name: "to a state above the initial one: every node to unconfigured", net: rock,
			first: []string{"configure"},
			scripts: one("/b", simnet.Script{On: []simnet.On{
				{Do: "activate", End: simnet.Err}, {Do: "configure", Times: 1}, {Do: "configure", End: simnet.Refuse},
			}}),
			tell: []simnet.Beat{send("start")}, goals: "start: aborted unconfigured", ends: "unconfigured unconfigured",
		},
		{
			name: "to the initial one: the last resort", net: rock, exit: 6,
			scripts: map[string]simnet.Script{"/a": on("cleanup", simnet.On{End: simnet.Refuse}),
				"/b": on("configure", simnet.On{End: simnet.Err})},
			tell: []simnet.Beat{send("configure")}, goals: "configure: aborted finalized",
			ends: "finalized finalized",
		},
	})
}

// TestA8LateWhileTurningBack: what leads back to armed begins anew after a late loop, as an arming does.
func TestA8LateWhileTurningBack(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /drive: {arm: {}}\n  /eye: {checks: [{topic: /scan, rate: 2Hz}]}\n"
	play(t, []story{{
		name: "before a node was asked", net: net, first: ways[3].way,
		scripts: one("/drive", simnet.Script{Disarm: []simnet.Reply{{Takes: time.Second}}}),
		tell: []simnet.Beat{
			send("disarm"),
			when(simnet.Then().Later(200*ms), simnet.Cancel{Handle: "disarm"}),
			when(simnet.Then().Later(1100*ms), simnet.Late{For: time.Second}),
		},
		goals: "disarm: canceled canceled", ends: "active* active",
	}})
}
