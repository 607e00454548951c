package engine_test

import (
	"testing"

	"rstate/internal/simnet"
)

// TestA9UnsafeWhileArming: a node that was asked to arm may be armed, so it may offer what is unsafe, until it answers no.
func TestA9UnsafeWhileArming(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {arm: {}, optional: true, unsafe: [/a/move], deadline: {arm: 1s}}\n  /b: {after: [/a], arm: {}}\n"
	tell := []simnet.Beat{send("arm"), when(simnet.Called("arm", "/a").Later(100*ms), simnet.Advertise{Node: "/a"})}
	arms := func(r simnet.Reply) map[string]simnet.Script {
		return map[string]simnet.Script{"/a": {Arm: []simnet.Reply{r}}}
	}
	play(t, []story{
		{name: "it does not answer", scripts: arms(simnet.Reply{Silent: true}), states: "arming armed", goals: "arm: succeeded done", calls: "arm a, arm b"},
		{name: "it answers yes", scripts: arms(simnet.Reply{Takes: 500 * ms}), states: "arming armed", goals: "arm: succeeded done", calls: "arm a, arm b"},
		{
			name: "it answers no", scripts: arms(simnet.Reply{No: true, Takes: 500 * ms}), states: "arming errorprocessing active",
			goals: "arm: aborted restored", why: "/b was not asked to arm: /a advertises /a/move although it is not armed",
		},
	}, func(s *story) { s.net, s.first, s.tell = net, ways[2].way, tell })
}
