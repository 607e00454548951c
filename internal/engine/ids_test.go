package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// once is a goal with the id that all goals of these tests have.
func once(command, handle string) simnet.Send {
	return simnet.Send{Command: command, Handle: handle, ID: "42"}
}

// TestC2AnIDNamesOneRequest: a request that is repeated joins its goal or gets its result, as long as the result
// describes the network. After that a lowering runs, and any other is rejected.
func TestC2AnIDNamesOneRequest(t *testing.T) {
	slow := one("/lidar", on("configure", simnet.On{Takes: time.Second}))
	slowDisarm := one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: 500 * ms}, {}}})
	ended := func(handle string, s simnet.Send) simnet.Beat { return when(simnet.Ended(handle), s) }
	play(t, []story{
		{
			name: "it joins the running goal", scripts: slow,
			tell: []simnet.Beat{when(simnet.Then(), once("configure", "a")),
				when(simnet.Begun("configure", "/lidar"), once("Configure", "b"))},
			states: "unconfigured configuring inactive", goals: "a: succeeded done, b: succeeded done",
			calls: "configure lidar, configure camera, configure slam, configure arm_driver",
		},
		{
			name:   "it gets the result of the goal that has ended",
			tell:   []simnet.Beat{when(simnet.Then(), once("configure", "a")), ended("a", once("configure", "b"))},
			states: "unconfigured configuring inactive", goals: "a: succeeded done, b: succeeded done",
			calls: "configure lidar, configure camera, configure slam, configure arm_driver",
		},
		{
			name:    "its result is not repeated while the network is on its way to another state",
			scripts: one("/lidar", on("activate", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{
				when(simnet.Then(), once("configure", "a")), ended("a", simnet.Send{Command: "activate"}),
				when(simnet.Begun("activate", "/lidar"), once("configure", "b")),
			},
			states: "unconfigured configuring inactive activating active",
			goals:  "a: succeeded done, activate: succeeded done, b: rejected",
		},
		{
			name: "a disarm disarms what was armed since", first: ways[3].way,
			tell: []simnet.Beat{
				when(simnet.Then(), once("disarm", "a")), ended("a", simnet.Send{Command: "arm"}),
				ended("arm", once("disarm", "b")),
			},
			states: "disarming active arming armed disarming active",
			goals:  "a: succeeded done, arm: succeeded done, b: succeeded done",
			ends:   "active active active active",
		},
		{
			name: "a disarm that a node refused is tried again", first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{No: true}, {}}}),
			tell:    []simnet.Beat{when(simnet.Then(), once("disarm", "a")), ended("a", once("disarm", "b"))},
			states:  "disarming arming armed disarming active", goals: "a: aborted restored, b: succeeded done",
			ends: "active active active active",
		},
		{
			name: "the result of a disarm holds while nothing may be armed", first: ways[3].way,
			tell: []simnet.Beat{
				when(simnet.Then(), once("disarm", "a")), ended("a", simnet.Send{Command: "deactivate"}),
				ended("deactivate", once("disarm", "b")),
			},
			states: "disarming active deactivating inactive",
			goals:  "a: succeeded done, deactivate: succeeded done, b: succeeded done",
		},
		{
			name: "a raising goal does not run twice", tell: []simnet.Beat{
				here, when(simnet.Then(), once("configure", "a")), ended("a", simnet.Send{Command: "cleanup"}),
				ended("cleanup", once("configure", "b")),
			},
			states: "configuring inactive cleaningup unconfigured",
			goals:  "a: succeeded done, cleanup: succeeded done, b: rejected",
			why:    "id used before, and the state has changed since",
		},
		{
			name: "not even where the network has come back to the state", first: ways[1].way, tell: []simnet.Beat{
				when(simnet.Then(), once("activate", "a")), ended("a", simnet.Send{Command: "deactivate"}),
				ended("deactivate", simnet.Send{Command: "activate"}),
				ended("activate", once("activate", "b")),
			},
			goals: "a: succeeded done, deactivate: succeeded done, activate: succeeded done, b: rejected",
			why:   "id used before, and the state has changed since",
		},
		{
			name: "nor where a node has left its place", first: ways[1].way, keys: "defaults: {on_drift: report}\n",
			tell: []simnet.Beat{
				when(simnet.Then(), once("activate", "a")),
				when(simnet.Ended("a"), simnet.Move{Node: "/slam", To: lifecycle.Inactive}),
				when(simnet.Then().Later(100*ms), once("activate", "b")),
			},
			goals: "a: succeeded done, b: rejected", why: "id used before, and the state has changed since",
			states: "activating active",
		},
		{
			name: "nor where a node has come back elsewhere that counted as there for being gone", first: ways[1].way,
			keys: "defaults: {on_drift: report, on_loss: report}\n", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Kill{Node: "/lidar"}),
				when(simnet.Then().Later(time.Second), once("unconfigured", "a")),
				when(simnet.Ended("a"), simnet.Respawn{Node: "/lidar", State: lifecycle.Active}),
				when(simnet.Then().Later(time.Second), once("unconfigured", "b")),
			},
			goals: "a: succeeded done, b: rejected", why: "id used before, and the state has changed since",
		},
		{
			name: "a lowering runs again", first: ways[2].way, tell: []simnet.Beat{
				when(simnet.Then(), once("inactive", "a")), ended("a", simnet.Send{Command: "activate"}),
				ended("activate", once("inactive", "b")),
			},
			states: "deactivating inactive activating active deactivating inactive",
			goals:  "a: succeeded done, activate: succeeded done, b: succeeded done",
		},
		{
			name: "another command does not join", scripts: slow, tell: []simnet.Beat{
				when(simnet.Then(), once("configure", "a")),
				when(simnet.Begun("configure", "/lidar"), once("active", "b")),
			},
			goals: "a: succeeded done, b: rejected", why: "id used before, for configure",
			states: "unconfigured configuring inactive",
		},
		{
			name:  "nor gets another's result",
			tell:  []simnet.Beat{when(simnet.Then(), once("configure", "a")), ended("a", once("active", "b"))},
			goals: "a: succeeded done, b: rejected", why: "id used before, for configure",
		},
		{
			name: "another command that lowers runs", first: ways[1].way,
			tell: []simnet.Beat{when(simnet.Then(), once("activate", "a")), ended("a", once("deactivate", "b")),
				ended("b", once("shutdown", "c"))},
			states: "activating active deactivating inactive shuttingdown finalized",
			goals:  "a: succeeded done, b: succeeded done, c: succeeded done", exit: 1,
		},
		{
			name: "a disarm with the id of the arming that runs ends it", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: 500 * ms}}}),
			tell: []simnet.Beat{when(simnet.Then(), once("arm", "a")),
				when(simnet.Called("arm", "/arm_driver"), once("disarm", "b"))},
			states: "arming disarming active", goals: "a: aborted preempted, b: succeeded done",
			ends: "active active active active",
		},
		{
			name: "a disarm does not join one that is being cancelled", first: ways[3].way, scripts: slowDisarm,
			tell: []simnet.Beat{
				when(simnet.Then(), once("disarm", "a")),
				when(simnet.Called("disarm", "/arm_driver").Later(100*ms), simnet.Cancel{Handle: "a"}),
				when(simnet.Then().Later(50*ms), once("disarm", "b")),
			},
			goals: "a: aborted preempted, b: succeeded done", ends: "active active active active",
		},
		{
			name: "an id that is too long is none", scripts: slow, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Send{Command: "configure", Handle: "a", ID: strings.Repeat("x", 257)}),
				when(simnet.Ended("a"), simnet.Send{Command: "configure", Handle: "b", ID: strings.Repeat("x", 257)}),
			},
			goals: "a: succeeded done, b: rejected", why: "configure is not legal in inactive",
		},
		{
			name: "and no reason to refuse a disarm", first: ways[3].way, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Send{Command: "disarm", Handle: "a", ID: strings.Repeat("x", 1<<20)}),
			},
			goals: "a: succeeded done", ends: "active active active active",
		},
	})
}

// TestC2AJoinedGoalIsCancelledByItsLastClient: cancelling detaches a client, and cancels the work only for the last
// one.
func TestC2AJoinedGoalIsCancelledByItsLastClient(t *testing.T) {
	slow := one("/lidar", on("configure", simnet.On{Takes: time.Second}))
	begun := simnet.Begun("configure", "/lidar")
	cancel := func(handle string) simnet.Beat {
		return when(simnet.Then().Later(100*ms), simnet.Cancel{Handle: handle})
	}
	ask := []simnet.Beat{here, when(simnet.Then(), once("configure", "a")), when(begun, once("configure", "b"))}
	slowDisarm := one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: 500 * ms}, {}}})
	play(t, []story{
		{
			name: "the first one lets go", scripts: slow, tell: append(ask, cancel("a")),
			states: "configuring inactive",
			goals:  "a: canceled canceled, b: succeeded done",
		},
		{
			name: "the one that joined lets go", scripts: slow, tell: append(ask, cancel("b")),
			states: "configuring inactive",
			goals:  "a: succeeded done, b: canceled canceled", why: "configure goes on: 1 other client waits for it",
		},
		{
			name: "both do", scripts: slow, tell: append(ask, cancel("a"), cancel("b")),
			states: "configuring unconfigured",
			goals:  "a: canceled canceled, b: canceled canceled",
			why:    "configure was cancelled; the network is unconfigured again",
		},
		{
			name: "one of two that disarm, without an id", first: ways[3].way, scripts: slowDisarm,
			tell: []simnet.Beat{
				send("disarm"), when(simnet.Called("disarm", "/arm_driver"),
					simnet.Send{Command: "disarm", Handle: "second"}), cancel("disarm"),
			},
			states: "disarming active", goals: "disarm: canceled canceled, second: succeeded done",
			ends: "active active active active",
		},
		{
			name: "joining an arming takes the authority for it", first: ways[2].way,
			keys:    "arming: {secret_file: key}\n",
			scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: 500 * ms}}}),
			tell: []simnet.Beat{
				when(simnet.Then(), once("arm", "a")),
				when(simnet.Called("arm", "/arm_driver"),
					simnet.Send{Command: "arm", Handle: "b", ID: "42", Unauthorized: true}), cancel("a"),
			},
			goals: "a: canceled canceled, b: rejected", why: "asks for authority", ends: "active active active active",
		},
	})
}
