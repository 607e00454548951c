package engine_test

import (
	"slices"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// at gives each node of the demo network a state to be found in; Unknown is not there.
func at(lidar, slam, camera, arm lifecycle.State) map[string]simnet.Script {
	scripts := map[string]simnet.Script{}
	for i, s := range []lifecycle.State{lidar, slam, camera, arm} {
		name := []string{"/lidar", "/slam", "/camera", "/arm_driver"}[i]
		scripts[name] = simnet.Script{State: s, Never: s == lifecycle.Unknown}
	}
	return scripts
}

const (
	un = lifecycle.Unconfigured
	in = lifecycle.Inactive
	ac = lifecycle.Active
	fi = lifecycle.Finalized
	no = lifecycle.Unknown
)

// TestS2Start: the state that a start finds, and what it does to get there.
func TestS2Start(t *testing.T) {
	armed := at(ac, ac, ac, ac)
	s := armed["/arm_driver"]
	s.Armed = true
	armed["/arm_driver"] = s
	play(t, []story{
		{name: "all unconfigured", scripts: at(un, un, un, un), states: "unconfigured", calls: "none"},
		{name: "all inactive", scripts: at(in, in, in, in), states: "inactive", calls: "disarm arm_driver"},
		{name: "all active, never armed", scripts: at(ac, ac, ac, ac), states: "active", calls: "disarm arm_driver",
			ends: "active active active active"},
		{name: "armed is disarmed", scripts: armed, states: "active", calls: "disarm arm_driver",
			ends: "active active active active"},
		{name: "armed though the journal says so", scripts: armed, opt: simnet.Options{Last: "armed"}, states: "active",
			ends: "active active active active"},
		{name: "all finalized ends", scripts: at(fi, fi, fi, fi), states: "finalized", calls: "none", exit: 1},
		{name: "a new life after a shutdown", scripts: at(un, un, un, un), opt: simnet.Options{Last: "finalized"},
			states: "unconfigured"},
		{name: "an optional node elsewhere joins", scripts: at(ac, ac, un, ac), states: "active",
			ends: "active active active active"},
		{
			name: "mixed is lowered to the lowest, from the top", scripts: at(ac, in, in, ac),
			states: "unknown inactive",
			calls:  "disarm arm_driver, deactivate arm_driver, deactivate lidar",
			ends:   "inactive inactive inactive inactive",
		},
		{
			name: "mixed with a journal is that state, and not intact", scripts: at(ac, in, ac, ac),
			opt:    simnet.Options{Last: "active"},
			states: "active", calls: "disarm arm_driver", ends: "active inactive active active",
		},
		{
			name: "mixed, startup: hold", keys: "startup: hold", scripts: at(ac, in, in, ac), states: "inactive",
			calls: "disarm arm_driver",
			ends:  "active inactive inactive active",
		},
		{
			name: "startup: reset", keys: "startup: reset", scripts: at(in, in, in, in), states: "unknown unconfigured",
			ends: "unconfigured unconfigured unconfigured unconfigured",
		},
		{name: "startup: refuse, mixed", keys: "startup: refuse", scripts: at(ac, in, in, ac), states: "none", exit: 2},
		{name: "startup: refuse, whole", keys: "startup: refuse", scripts: at(ac, ac, ac, ac), states: "active"},
		{name: "a required node is missing", scripts: at(ac, no, ac, ac), states: "active",
			ends: "active - active active"},
		{name: "no node is present", scripts: at(no, no, no, no), states: "unconfigured", calls: "none"},
		{
			name: "nothing but disarm and shutdown while nodes are missing", scripts: at(un, no, un, un),
			tell: []simnet.Beat{{When: simnet.At(time.Second), Do: simnet.Send{Command: "configure"}}}, why: "",
			goals: "configure: rejected",
		},
	})
}

// TestStartSaysWhatItWaitsFor: until every node is read only shutdown and disarm are taken.
func TestStartSaysWhatItWaitsFor(t *testing.T) {
	w := simnet.New(story{}.network(t), simnet.Options{Seed: 1, Scripts: at(un, no, un, un)})
	w.Tell(
		simnet.Beat{When: simnet.At(time.Second), Do: simnet.Send{Command: "configure"}},
		simnet.Beat{When: simnet.At(3100 * ms), Do: simnet.Send{Command: "disarm"}},
		simnet.Beat{When: simnet.At(3200 * ms), Do: simnet.Send{Command: "shutdown"}},
	)
	trace := w.Run()
	if g := trace.Goal("configure"); g.Verdict() != "rejected" ||
		g.Why != "the nodes have not all been read yet: /slam is not there" {
		t.Errorf("configure: %s, %s", g.Verdict(), g.Why)
	}
	if got := trace.Goal("disarm").Verdict(); got != "succeeded already" {
		t.Errorf("disarm: %s", got)
	}
	if got, want := trace.Goal("shutdown").Verdict(),
		"aborted finalized"; got != want && trace.Truth() != "finalized - finalized finalized" {
		t.Errorf("shutdown: %s, nodes %s", got, trace.Truth())
	}
}

// TestS3ShownAtOnce: the message that shows a state also names the nodes that are not as it says.
func TestS3ShownAtOnce(t *testing.T) {
	s := engine.New(story{}.network(t), engine.Options{Instance: "a"})
	found := false
	// no node appears until discovery is over
	for _, at := range []time.Duration{0, 3 * time.Second, 10 * time.Second} {
		var effects []engine.Effect
		s, effects = engine.Step(s, engine.Time{Steady: at}, engine.Tick{})
		for _, e := range effects {
			if show, ok := e.(engine.Show); ok && show.State == "unconfigured" {
				found = true
				if show.Snapshot.Intact || len(show.Snapshot.Deviations) != 3 {
					t.Errorf("shown as intact: %v, without %v", show.Snapshot.Intact, show.Snapshot.Deviations)
				}
			}
		}
	}
	if !found {
		t.Error("unconfigured was never shown")
	}
}

// TestS3DriftAndLoss: what is reported, what is brought back, and what takes the ladder.
func TestS3DriftAndLoss(t *testing.T) {
	const three = "nodes:\n  /a: {}\n  /b: {after: [/a]}\n  /c: {after: [/b]}\n"
	up := []string{"active"}
	drift := when(simnet.Then(), simnet.Move{Node: "/b", To: lifecycle.Inactive})
	die := when(simnet.Then(), simnet.Kill{Node: "/b"})
	back := when(simnet.Then().Later(2*time.Second), simnet.Respawn{Node: "/b"})
	long := simnet.Options{Rest: 30 * time.Second}
	play(t, []story{
		{name: "drift, report", net: three, keys: "simulation: x\n", first: up, tell: []simnet.Beat{drift},
			states: "none", calls: "none", ends: "active inactive active", opt: long},
		{name: "drift, restore", net: three, keys: "simulation: x\ndefaults: {on_drift: restore}\n", first: up,
			tell: []simnet.Beat{drift}, states: "none", calls: "activate b", ends: "active active active", opt: long},
		{name: "drift, error", net: three, keys: "simulation: x\ndefaults: {on_drift: error}\n", first: up,
			tell: []simnet.Beat{drift}, states: "errorprocessing active", calls: "activate b",
			ends: "active active active", opt: long},
		{name: "loss, report", net: three, keys: "simulation: x\n", first: up, tell: []simnet.Beat{die}, states: "none",
			calls: "none", ends: "active - active", opt: long},
		{name: "loss and rebirth, report", net: three, keys: "simulation: x\n", first: up,
			tell: []simnet.Beat{die, back}, states: "none", calls: "none", ends: "active unconfigured active",
			opt: long},
		{name: "loss and rebirth, restore", net: three, keys: "simulation: x\ndefaults: {on_loss: restore}\n",
			first: up, tell: []simnet.Beat{die, back}, states: "none", calls: "configure b, activate b",
			ends: "active active active", opt: long},
		{name: "loss, error", net: three, keys: "simulation: x\ndefaults: {on_loss: error}\n", first: up,
			tell: []simnet.Beat{die}, states: "errorprocessing unconfigured", ends: "unconfigured - unconfigured",
			calls: "deactivate c, cleanup c, deactivate a, cleanup a", opt: long},
		{
			name: "drift and soon after loss, error", net: three,
			keys: "simulation: x\ndefaults: {on_drift: error, on_loss: error}\n", first: up,
			tell:   []simnet.Beat{drift, when(simnet.Shown("active").Later(100*ms), simnet.Kill{Node: "/b"})},
			states: "errorprocessing active errorprocessing unconfigured", ends: "unconfigured - unconfigured",
			opt: long,
		},
		{
			name: "restore gives up after three tries", net: three,
			keys: "simulation: x\ndefaults: {on_drift: restore}\n", first: up, tell: []simnet.Beat{drift},
			scripts: one("/b", simnet.Script{On: []simnet.On{{Do: "activate", Times: 1},
				{Do: "activate", End: simnet.Refuse}}}),
			states: "none", calls: "activate b, activate b, activate b", ends: "active inactive active", opt: long,
		},
		{
			name: "a lowering command ends a restore", net: three,
			keys: "simulation: x\ndefaults: {on_drift: restore}\n", first: up,
			scripts: one("/b", simnet.Script{On: []simnet.On{{Do: "activate", Times: 1},
				{Do: "activate", Takes: time.Second}}}),
			tell:   []simnet.Beat{drift, when(simnet.Begun("activate", "/b"), simnet.Send{Command: "deactivate"})},
			states: "deactivating inactive", goals: "deactivate: succeeded done", ends: "inactive inactive inactive",
			opt: long,
		},
	})
}

// TestS3WhatAnotherToolPutsRightIsSeen: a tool may do just what we did last, and its announcements look like ours.
func TestS3WhatAnotherToolPutsRightIsSeen(t *testing.T) {
	move := func(to lifecycle.State) simnet.Beat {
		return when(simnet.Then().Later(2*time.Second), simnet.Move{Node: "/slam", To: to})
	}
	play(t, []story{
		{
			name: "it activates again", first: ways[2].way, goals: "active: succeeded already", calls: "none",
			tell: []simnet.Beat{move(in), move(ac),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "active"})},
		},
		{
			name: "it deactivates again", first: append(slices.Clone(ways[2].way), "deactivate"),
			goals: "inactive: succeeded already", calls: "none",
			tell: []simnet.Beat{move(ac), move(in),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "inactive"})},
		},
		{
			name: "our own event was lost", first: ways[2].way, goals: "active: succeeded already", calls: "none",
			scripts: one("/slam", on("activate", simnet.On{Events: simnet.Lost})),
			tell: []simnet.Beat{move(in), move(ac),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "active"})},
		},
	})
}

// TestE6LossDuringATransition: a required node that is lost fails the transition at once, one that strays gets its step
// again, once.
func TestE6LossDuringATransition(t *testing.T) {
	slow := one("/arm_driver", on("activate", simnet.On{Takes: 3 * time.Second}))
	begun := simnet.Begun("activate", "/arm_driver")
	play(t, []story{
		{
			name: "lost after its step", scripts: slow, first: ways[1].way,
			tell:   []simnet.Beat{send("activate"), when(begun, simnet.Kill{Node: "/lidar"})},
			states: "activating errorprocessing unconfigured", goals: "activate: aborted unconfigured",
			ends: "- unconfigured unconfigured unconfigured",
			why:  "/lidar left the graph",
		},
		{
			name: "reborn after its step", scripts: slow, first: ways[1].way, opt: simnet.Options{Notice: 400 * ms},
			tell: []simnet.Beat{send("activate"), when(begun, simnet.Kill{Node: "/lidar"}),
				when(simnet.Then().Later(100*ms), simnet.Respawn{Node: "/lidar"})},
			states: "activating errorprocessing inactive", goals: "activate: aborted restored",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "strayed after its step", scripts: slow, first: ways[1].way,
			tell:   []simnet.Beat{send("activate"), when(begun, simnet.Move{Node: "/lidar", To: lifecycle.Inactive})},
			states: "activating active", goals: "activate: succeeded done", ends: "active active active active",
			calls: "activate lidar, activate camera, activate slam, activate arm_driver, activate lidar",
		},
		{
			name: "strayed twice", scripts: slow, first: ways[1].way,
			tell: []simnet.Beat{
				send("activate"), when(begun, simnet.Move{Node: "/lidar", To: lifecycle.Inactive}),
				when(simnet.Then().Later(time.Second), simnet.Move{Node: "/lidar", To: lifecycle.Inactive}),
			},
			states: "activating errorprocessing inactive", goals: "activate: aborted restored",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "an optional node lost", scripts: slow, first: ways[1].way,
			tell:   []simnet.Beat{send("activate"), when(begun, simnet.Kill{Node: "/camera"})},
			states: "activating active", goals: "activate: succeeded done", ends: "active active - active",
		},
	})
}

// TestF7Stop: SIGTERM ends goals, disarms, and leaves the other nodes as they are, unless the file says otherwise.
func TestF7Stop(t *testing.T) {
	stop := when(simnet.Then(), simnet.Stop{})
	slow := one("/slam", on("activate", simnet.On{Takes: time.Second}))
	play(t, []story{
		{name: "at rest", first: ways[2].way, tell: []simnet.Beat{stop}, states: "none", calls: "none",
			ends: "active active active active", exit: 1},
		{name: "armed", first: ways[3].way, tell: []simnet.Beat{stop}, states: "disarming active",
			calls: "disarm arm_driver", ends: "active active active active", exit: 1},
		{
			name: "armed, and the node does not answer", first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}),
			tell:    []simnet.Beat{stop}, ends: "active active active active", exit: 6,
		},
		{
			name: "while activating", scripts: slow, first: ways[1].way,
			tell:  []simnet.Beat{send("activate"), when(simnet.Begun("activate", "/slam"), simnet.Stop{})},
			goals: "activate: aborted preempted", why: "rstate stops", exit: 1,
		},
		{
			name: "while arming", first: ways[2].way,
			tell:  []simnet.Beat{send("arm"), when(simnet.Called("arm", "/arm_driver"), simnet.Stop{})},
			goals: "arm: aborted preempted", ends: "active active active active", exit: 1,
		},
		{
			name: "on_exit: shutdown", keys: "on_exit: shutdown", first: ways[3].way, tell: []simnet.Beat{stop},
			states: "shuttingdown finalized", ends: "finalized finalized finalized finalized", exit: 1,
		},
		{
			name: "on_exit: shutdown, and a node hangs", keys: "on_exit: shutdown", first: ways[2].way,
			scripts: one("/slam", on("shutdown", simnet.On{End: simnet.Hang})),
			tell:    []simnet.Beat{stop}, exit: 6,
		},
		{
			name: "it is asked to shut down", first: ways[3].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Stop{OnExit: network.ExitShutdown})},
			states: "shuttingdown finalized", ends: "finalized finalized finalized finalized", exit: 1,
		},
		{
			name: "it is asked not to shut down", keys: "on_exit: shutdown", first: ways[3].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Stop{OnExit: network.ExitDisarm})},
			ends: "active active active active", exit: 1,
		},
		{name: "on_exit: leave disarms too", keys: "on_exit: leave", first: ways[3].way, tell: []simnet.Beat{stop},
			ends: "active active active active", exit: 1},
		{name: "before every node is read", scripts: at(ac, no, ac, ac), tell: nil, states: "active"},
	})
}

// TestC4ADisarmBeforeTheStateIsKnownEndsInTime: its result comes at the deadline of the disarm, although the start
// still waits for another node. Where each process confirms, it comes at once.
func TestC4ADisarmBeforeTheStateIsKnownEndsInTime(t *testing.T) {
	for _, c := range []struct {
		name     string
		disarm   []simnet.Reply
		goals    string
		at, most time.Duration // when the result comes, after the goal
	}{
		{"a node gives no answer", []simnet.Reply{{Silent: true}}, "disarm: aborted held", 2 * time.Second,
			2 * time.Second},
		{"a node refuses", []simnet.Reply{{No: true}}, "disarm: aborted held", 2 * time.Second, 2 * time.Second},
		{"a node confirms late", []simnet.Reply{{Takes: 6 * time.Second}}, "disarm: aborted held", 2 * time.Second,
			2 * time.Second},
		{"a node confirms the second one", []simnet.Reply{{Silent: true}, {}}, "disarm: succeeded done", 0, 10 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			goal := story{
				net: "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {}\n", goals: c.goals,
				scripts: map[string]simnet.Script{"/a": {State: ac, Armed: true, Disarm: c.disarm},
					"/b": {Never: true}},
				early: []simnet.Beat{when(simnet.Called("disarm", "/a").Later(100*ms),
					simnet.Send{Command: "disarm"})},
			}.run(t).Goal("disarm")
			if took := goal.Ended - goal.Asked; took < c.at || took > c.most {
				t.Errorf("the result came after %v, want %v to %v", took, c.at, c.most)
			}
		})
	}
}
