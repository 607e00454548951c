package engine_test

import (
	"testing"
	"time"

	"rstate/internal/simnet"
)

// TestA9UnsafeWhileArming: a node that was asked to arm may be armed, so it may offer what is unsafe, until it answers
// no.
func TestA9UnsafeWhileArming(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {arm: {}, optional: true, unsafe: [/a/move], deadline: {arm: 1s}}\n  /b: {after: [/a], arm: {}}\n"
	tell := []simnet.Beat{send("arm"), when(simnet.Called("arm", "/a").Later(100*ms), simnet.Advertise{Node: "/a"})}
	arms := func(r simnet.Reply) map[string]simnet.Script {
		return map[string]simnet.Script{"/a": {Arm: []simnet.Reply{r}}}
	}
	play(t, []story{
		{name: "it does not answer", scripts: arms(simnet.Reply{Silent: true}), states: "arming armed",
			goals: "arm: succeeded done", calls: "arm a, arm b"},
		{name: "it answers yes", scripts: arms(simnet.Reply{Takes: 500 * ms}), states: "arming armed",
			goals: "arm: succeeded done", calls: "arm a, arm b"},
		{
			name: "it answers no", scripts: arms(simnet.Reply{No: true, Takes: 500 * ms}),
			states: "arming errorprocessing active",
			goals:  "arm: aborted restored",
			why:    "/b was not asked to arm: /a advertises /a/move although it is not armed",
		},
	}, func(s *story) { s.net, s.first, s.tell = net, ways[2].way, tell })
}

// TestA9OfferedAfterADisarm: a name that appears after a node was asked to disarm is no sign that the node is still
// armed, so a disarm that the node refuses does not lead back to armed (A5).
func TestA9OfferedAfterADisarm(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /arm: {arm: {}, unsafe: [/move], checks: [{topic: /scan, rate: 1Hz}]}\n"
	replies := []simnet.Reply{{Mute: true}, {No: true}, {}}
	again := when(simnet.Shown("disarming").Later(1100*ms), simnet.Advertise{Node: "/arm"})
	play(t, []story{
		{
			name: "it is gone, and comes back", tell: []simnet.Beat{send("disarm"), again},
			scripts: one("/arm", simnet.Script{Disarm: replies}), states: "disarming arming disarming active",
			goals: "disarm: aborted held",
			why:   "/arm was not asked to arm: /arm advertises /move although it is not armed",
		},
		{
			name: "it has come while the node was arming", first: ways[2].way,
			tell: []simnet.Beat{
				send("arm"), when(simnet.Called("arm", "/arm").Later(100*ms), simnet.Advertise{Node: "/arm"}),
				when(simnet.Shown("armed").Later(time.Second), simnet.Send{Command: "disarm"}),
			},
			scripts: one("/arm", simnet.Script{Arm: []simnet.Reply{{Takes: 300 * ms}}, Disarm: replies}),
			states:  "arming armed disarming arming armed", goals: "arm: succeeded done, disarm: aborted restored",
		},
		{
			name: "it never goes", tell: []simnet.Beat{send("disarm")},
			scripts: one("/arm", simnet.Script{Disarm: replies[1:]}), states: "disarming arming armed",
			goals: "disarm: aborted restored",
		},
	}, func(s *story) {
		if s.net = net; s.first == nil {
			s.first = ways[3].way
		}
	})
}
