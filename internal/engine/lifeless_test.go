package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// TestF2ALifelessNodeCountsAsLost: one hung node is no reason to finalize the healthy ones. The network rests
// in unconfigured, not intact, and names the node. A node that answers, and then refuses or errs, still leads
// to the last resort.
func TestF2ALifelessNodeCountsAsLost(t *testing.T) {
	const quick = "defaults: {deadline: {configure: 1s, activate: 1s, deactivate: 1s, cleanup: 1s, shutdown: 1s}}\n"
	hang, names := simnet.On{End: simnet.Hang}, "/slam gives no sign of life: it counts as lost"
	back := "activating errorprocessing unconfigured"
	frozen := []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/slam"}), send("deactivate")}
	play(t, []story{
		{
			name: "from inactive", first: ways[1].way, scripts: one("/slam", on("activate", hang)),
			tell:   []simnet.Beat{send("activate")},
			states: back, goals: "activate: aborted unconfigured",
			ends: "unconfigured activating unconfigured unconfigured", why: names,
		},
		{
			name: "from unconfigured, where the first rung ends already", scripts: one("/slam", on("configure", hang)),
			tell:  []simnet.Beat{send("configure")},
			goals: "configure: aborted unconfigured", ends: "unconfigured configuring unconfigured unconfigured",
			why: names,
		},
		{
			name: "cancelled", scripts: one("/slam", on("configure", hang)),
			tell: []simnet.Beat{send("configure"),
				when(simnet.Begun("configure", "/slam"), simnet.Cancel{Handle: "configure"})},
			ends: "unconfigured configuring unconfigured unconfigured", why: names,
			goals: "configure: canceled canceled",
		},
		{name: "suspended", first: ways[2].way, tell: frozen, goals: "deactivate: aborted unconfigured", why: names,
			ends: "unconfigured active unconfigured unconfigured"},
		{
			name: "not raised after that", first: ways[2].way,
			tell: append(frozen, when(simnet.Ended("deactivate").Later(time.Second),
				simnet.Send{Command: "configure"})),
			goals: "deactivate: aborted unconfigured, configure: rejected", why: "/slam has not answered to deactivate",
		},
		{
			name: "it comes back on the second rung", first: ways[2].way,
			tell:  append(frozen, when(simnet.Called("cleanup", "/lidar"), simnet.Thaw{Node: "/slam"})),
			goals: "deactivate: aborted unconfigured", ends: "unconfigured unconfigured unconfigured unconfigured",
		},
		{
			name: "it was passed over, and one of two of its name ends", first: ways[1].way,
			scripts: map[string]simnet.Script{"/slam": on("activate", hang),
				"/lidar": on("cleanup", simnet.On{Takes: 900 * ms})},
			tell: []simnet.Beat{
				send("activate"), when(simnet.Called("cleanup", "/lidar").Later(200*ms),
					simnet.Hear{In: engine.NodeSeen{Node: 1, Epoch: 1, Count: 2}}),
				when(simnet.Then().Later(200*ms), simnet.Hear{In: engine.NodeSeen{Node: 1, Epoch: 1, Count: 1}}),
			},
			states: back, goals: "activate: aborted unconfigured",
			ends: "unconfigured activating unconfigured unconfigured", why: names,
		},
		{
			name: "it answers, and refuses", first: ways[1].way,
			scripts: one("/slam", simnet.Script{On: []simnet.On{{Do: "activate", End: simnet.ErrFatal}}}),
			tell:    []simnet.Beat{send("activate")}, goals: "activate: aborted finalized", exit: 6,
		},
		{
			name: "it refuses there", first: ways[2].way,
			scripts: one("/lidar", simnet.Script{On: []simnet.On{{Do: "deactivate", End: simnet.Refuse}}}),
			keys:    "defaults: {on_loss: error}\n",
			tell:    []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/slam"})},
			exit:    6,
		},
		{
			name: "it only reads that are answered", first: ways[1].way,
			scripts: one("/slam", simnet.Script{Parallel: true, On: []simnet.On{{Do: "activate", End: simnet.Hang}}}),
			tell:    []simnet.Beat{send("activate")}, goals: "activate: aborted finalized", exit: 6,
		},
		{
			name: "it may be armed", first: ways[3].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/arm_driver"}), send("unconfigured")},
			why:  "/arm_driver",
		},
	}, func(s *story) {
		if s.keys == "" {
			s.keys = quick
		}
		s.opt.Rest = 5 * time.Second
	})
}

// TestE5ACommandRepairsOptionalNodes: the command, or the name, of the present state brings an optional node
// back that has strayed. Nothing is to be done for one that is absent or finalized, or while the network is
// armed.
func TestE5ACommandRepairsOptionalNodes(t *testing.T) {
	stray := func(to lifecycle.State) simnet.Beat { return when(simnet.Then(), simnet.Move{Node: "/camera", To: to}) }
	later := func(command string) simnet.Beat {
		return when(simnet.Then().Later(500*ms), simnet.Send{Command: command})
	}
	all, but := "active active active active", "active active inactive active"
	play(t, []story{
		{name: "by its command", first: ways[2].way, tell: []simnet.Beat{stray(lifecycle.Inactive), later("activate")},
			goals: "activate: succeeded done", ends: all},
		{name: "by the state", first: ways[2].way, tell: []simnet.Beat{stray(lifecycle.Inactive), later("active")},
			goals: "active: succeeded done", ends: all},
		{name: "from further away", first: ways[2].way,
			tell: []simnet.Beat{stray(lifecycle.Unconfigured), later("active")}, goals: "active: succeeded done",
			ends: all},
		{
			name: "it refuses", first: ways[2].way,
			scripts: one("/camera", simnet.Script{On: []simnet.On{{Do: "activate", Times: 1},
				{Do: "activate", End: simnet.Refuse}}}),
			tell: []simnet.Beat{stray(lifecycle.Inactive), later("active")}, goals: "active: succeeded done",
			ends: but,
		},
		{name: "too high", first: ways[1].way, tell: []simnet.Beat{stray(lifecycle.Active), later("inactive")},
			goals: "inactive: succeeded done", ends: "inactive inactive inactive inactive"},
		{name: "all is well", first: ways[2].way, tell: []simnet.Beat{later("active")},
			goals: "active: succeeded already", calls: "none"},
		{name: "absent", first: ways[2].way,
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/camera"}), later("active")},
			goals: "active: succeeded already", calls: "none"},
		{name: "finalized", first: ways[2].way, tell: []simnet.Beat{stray(lifecycle.Finalized), later("active")},
			goals: "active: succeeded already", calls: "none"},
		{
			name: "armed", first: ways[3].way, tell: []simnet.Beat{stray(lifecycle.Inactive), later("armed")},
			goals: "armed: succeeded already", calls: "none", ends: "active active inactive active*",
		},
	})
	t.Run("it is legal, and shown so", func(t *testing.T) {
		w := simnet.New(story{}.network(t), simnet.Options{Seed: 1})
		w.Tell(when(simnet.Settled(), simnet.Send{Command: "active"}),
			when(simnet.Ended("active"), simnet.Move{Node: "/camera", To: lifecycle.Inactive}),
			when(simnet.Then().Later(500*ms), simnet.Nothing{}))
		trace := w.Run()
		if legal := strings.Join(trace.Last.Legal, " "); !strings.Contains(legal, "activate") {
			t.Errorf("legal: %s", legal)
		}
	})
}

// TestA6ALapseNamesTheNode: a disarm for an old proof always says whose proof it was. Here the loop is late for
// less than is reported: the lease has run out, although the answer to the newest probe waits to be read.
func TestA6ALapseNamesTheNode(t *testing.T) {
	lapses := 0
	for after := time.Duration(0); after < 100*ms; after += 5 * ms {
		trace := story{
			keys: "proof: 200ms\n", first: ways[3].way,
			opt:  simnet.Options{Latency: simnet.Range{Min: 10 * ms, Max: 12 * ms}},
			tell: []simnet.Beat{when(simnet.Then().Later(time.Second+after), simnet.Late{For: 170 * ms})},
		}.run(t)
		if !strings.Contains(trace.Last.Cause, "no proof of the last 200ms") {
			continue
		}
		lapses++
		if !strings.Contains(trace.Last.Cause, "; that of /arm_driver is ") {
			t.Errorf("%v later it says %q", after, trace.Last.Cause)
		}
	}
	if lapses == 0 {
		t.Error("in no moment was the lease what ended it")
	}
}

// TestC1ARejectionNamesWhoseCommandRuns: and a word that is nearly a command is answered with it.
func TestC1ARejectionNamesWhoseCommandRuns(t *testing.T) {
	play(t, []story{
		{
			name: "busy", scripts: one("/slam", on("configure", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Send{Command: "configure", Client: "anna@cell4"}),
				when(simnet.Begun("configure", "/slam"), simnet.Send{Command: "activate"}),
			},
			goals: "configure: succeeded done, activate: rejected",
			why:   "configure is under way, asked for by anna@cell4",
		},
		{name: "misspelt", tell: []simnet.Beat{send("activ")}, goals: "activ: rejected",
			why: `"activ" is neither a command nor a state of machine rstate; did you mean active?`},
	})
}
