package engine_test

import (
	"testing"
	"time"

	"rstate/internal/simnet"
)

// TestA3ADisarmIsOvertaken: a node handles two requests at once, and confirms the newer disarm or
// an older one while the other one still runs. Its last answer counts, and the state never shows a
// node as armed that the other disarm has disarmed.
func TestA3ADisarmIsOvertaken(t *testing.T) {
	const both = "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {after: [/a], arm: {}, deadline: {arm: 20s}}\n"
	slow := func(second time.Duration) simnet.Script { // the first is confirmed after it was repeated
		return simnet.Script{Parallel: true, Disarm: []simnet.Reply{{Takes: 1200 * ms}, {Takes: second}, {}}}
	}
	again := []simnet.Beat{send("disarm"), when(simnet.Ended("disarm"), simnet.Send{Command: "arm"})}
	play(t, []story{
		{
			name: "the arm waits for it", first: ways[3].way, scripts: one("/arm_driver", slow(700*ms)), tell: again,
			states: "disarming active arming armed", goals: "disarm: succeeded done, arm: succeeded done",
			calls: "disarm arm_driver, disarm arm_driver, arm arm_driver", ends: "active active active active*",
		},
		{
			name: "it comes when it is late, and the network is armed", first: ways[3].way,
			scripts: one("/arm_driver", slow(5*time.Second)), tell: again,
			states: "disarming active arming armed disarming active",
			goals:  "disarm: succeeded done, arm: succeeded done",
			calls:  "disarm arm_driver, disarm arm_driver, arm arm_driver, disarm arm_driver",
			ends:   "active active active active",
		},
		{
			name: "it comes when it is late, and another is still arming", net: both, first: ways[3].way, tell: again,
			scripts: map[string]simnet.Script{"/a": slow(5 * time.Second),
				"/b": {Arm: []simnet.Reply{{}, {Takes: 6 * time.Second}}}},
			states: "disarming active arming errorprocessing active",
			goals:  "disarm: succeeded done, arm: aborted restored",
			why:    "/a has answered to an earlier disarm after it was armed", ends: "active active",
		},
		{
			name: "its answer is lost, and it is not waited for for ever", first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Parallel: true,
				Disarm: []simnet.Reply{{Takes: 1200 * ms}, {Silent: true}, {}}}), tell: again,
			goals: "disarm: succeeded done, arm: succeeded done", ends: "active active active active*",
		},
	})
}

// TestA3ArmingOfWhoNeverConfirmsEnds: the process of a node is replaced while others are being armed, and the new one
// never confirms that it is not armed. The disarm is repeated for ever, and the goal ends all the same.
func TestA3ArmingOfWhoNeverConfirmsEnds(t *testing.T) {
	play(t, []story{{
		net:   "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {after: [/a], arm: {}, lifecycle: false, deadline: {disarm: 2s}}\n",
		first: ways[2].way, tell: []simnet.Beat{send("arm"),
			when(simnet.Called("arm", "/a").Later(300*ms), simnet.Respawn{Node: "/b"})},
		scripts: map[string]simnet.Script{"/a": {Arm: []simnet.Reply{{Takes: 1500 * ms}}},
			"/b": {Disarm: []simnet.Reply{{}, {Silent: true}}}},
		goals: "arm: aborted held", why: "/b does not confirm that it has disarmed",
	}})
}
