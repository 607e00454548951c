package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// TestF4CancelAtEveryCall: whenever the cancel comes, the network is either back where it was or where it was to go,
// whole, and the goal says which.
func TestF4CancelAtEveryCall(t *testing.T) {
	scripts := map[string]simnet.Script{}
	for _, n := range []string{"/lidar", "/slam", "/camera", "/arm_driver"} {
		scripts[n] = simnet.Script{On: []simnet.On{{Takes: 20 * ms}}}
	}
	for _, r := range []struct {
		command  string
		first    []string
		from, to string
	}{
		{"configure", nil, "unconfigured", "inactive"},
		{"activate", ways[1].way, "inactive", "active"},
		{"deactivate", ways[2].way, "active", "inactive"},
		{"cleanup", ways[1].way, "inactive", "unconfigured"},
	} {
		for late := time.Duration(0); late <= 70*ms; late += 5 * ms {
			t.Run(fmt.Sprintf("%s after %v", r.command, late), func(t *testing.T) {
				tell := []simnet.Beat{send(r.command),
					when(simnet.Then().Later(late), simnet.Cancel{Handle: r.command})}
				trace := story{first: r.first, scripts: scripts, tell: tell}.run(t)
				want := map[string]string{"canceled canceled": r.from,
					"succeeded done": r.to}[trace.Goal(r.command).Verdict()]
				if want == "" || trace.Truth() != strings.Join([]string{want, want, want, want}, " ") {
					t.Errorf("%s, nodes %s\n%v", trace.Goal(r.command).Verdict(), trace.Truth(), trace)
				}
			})
		}
	}
}

// TestE5OptionalNodes: on the way up an optional node may fail, on the way down a living one counts as required.
func TestE5OptionalNodes(t *testing.T) {
	camera := func(do string, o simnet.On) map[string]simnet.Script { return one("/camera", on(do, o)) }
	refuse, hang, die := simnet.On{End: simnet.Refuse}, simnet.On{End: simnet.Hang}, simnet.On{End: simnet.Die}
	play(t, []story{
		{
			name: "configure refused", scripts: camera("configure", refuse), tell: []simnet.Beat{send("configure")},
			goals: "configure: succeeded done", states: "unconfigured configuring inactive",
			ends: "inactive inactive unconfigured inactive",
		},
		{
			name: "configure kills", scripts: camera("configure", die), tell: []simnet.Beat{send("configure")},
			goals: "configure: succeeded done", states: "unconfigured configuring inactive",
			ends: "inactive inactive - inactive",
		},
		{
			name: "activate hangs", scripts: camera("activate", hang), first: ways[1].way,
			tell:  []simnet.Beat{send("activate")},
			goals: "activate: succeeded done", states: "activating active", ends: "active active activating active",
		},
		{
			name: "never there", scripts: one("/camera", simnet.Script{Never: true}),
			tell:  []simnet.Beat{send("active")},
			goals: "active: succeeded done", ends: "active active - active",
			states: "unconfigured configuring inactive activating active",
		},
		{
			name: "deactivate refused", scripts: camera("deactivate", refuse), first: ways[2].way,
			tell:  []simnet.Beat{send("deactivate")},
			goals: "deactivate: aborted restored", states: "deactivating errorprocessing active",
			ends: "active active active active",
		},
		{
			name: "deactivate kills", scripts: camera("deactivate", die), first: ways[2].way,
			tell:  []simnet.Beat{send("deactivate")},
			goals: "deactivate: succeeded done", states: "deactivating inactive", ends: "inactive inactive - inactive",
		},
		{
			name: "late: join", scripts: one("/camera", simnet.Script{Born: 15 * time.Second}),
			tell:  []simnet.Beat{send("active")},
			goals: "active: succeeded done", ends: "active active active active",
			opt: simnet.Options{Rest: 10 * time.Second},
		},
		{
			name: "late: leave", keys: "defaults: {late: leave}",
			scripts: one("/camera", simnet.Script{Born: 15 * time.Second}),
			tell:    []simnet.Beat{send("active")}, goals: "active: succeeded done",
			ends: "active active unconfigured active",
			opt:  simnet.Options{Rest: 10 * time.Second},
		},
		{
			name: "late, but armed", scripts: one("/camera", simnet.Script{Born: 15 * time.Second}),
			tell:  []simnet.Beat{send("armed")},
			goals: "armed: succeeded done", ends: "active active unconfigured active*",
			opt: simnet.Options{Rest: 10 * time.Second},
		},
	})
}

// TestF4Cancel: cancelling takes the nodes back to where the transition found them.
func TestF4Cancel(t *testing.T) {
	slow := func(do string, nodes ...string) map[string]simnet.Script {
		scripts := map[string]simnet.Script{}
		for _, n := range nodes {
			scripts[n] = on(do, simnet.On{Takes: time.Second})
		}
		return scripts
	}
	cancel := func(m simnet.Moment, handle string) simnet.Beat { return when(m, simnet.Cancel{Handle: handle}) }
	play(t, []story{
		{
			name: "configure at its beginning", scripts: slow("configure", "/lidar"),
			tell:   []simnet.Beat{send("configure"), cancel(simnet.Then(), "configure")},
			states: "unconfigured configuring unconfigured", goals: "configure: canceled canceled",
			ends: "unconfigured unconfigured unconfigured unconfigured",
		},
		{
			name: "configure in its middle", scripts: slow("configure", "/slam"),
			tell:   []simnet.Beat{send("configure"), cancel(simnet.Begun("configure", "/slam"), "configure")},
			states: "unconfigured configuring unconfigured", goals: "configure: canceled canceled",
			ends:  "unconfigured unconfigured unconfigured unconfigured",
			calls: "configure lidar, configure camera, configure slam, cleanup camera, cleanup slam, cleanup lidar",
		},
		{
			name: "cleanup", first: ways[1].way, scripts: slow("cleanup", "/slam"),
			tell:   []simnet.Beat{send("cleanup"), cancel(simnet.Begun("cleanup", "/slam"), "cleanup")},
			states: "cleaningup inactive", goals: "cleanup: canceled canceled",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "activate", first: ways[1].way, scripts: slow("activate", "/slam"),
			tell:   []simnet.Beat{send("activate"), cancel(simnet.Begun("activate", "/slam"), "activate")},
			states: "activating inactive", goals: "activate: canceled canceled",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "deactivate", first: ways[2].way, scripts: slow("deactivate", "/slam"),
			tell:   []simnet.Beat{send("deactivate"), cancel(simnet.Begun("deactivate", "/slam"), "deactivate")},
			states: "deactivating active", goals: "deactivate: canceled canceled", ends: "active active active active",
		},
		{
			name: "arm", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: 500 * ms}}}),
			tell:    []simnet.Beat{send("arm"), cancel(simnet.Called("arm", "/arm_driver"), "arm")},
			states:  "arming active", goals: "arm: canceled canceled", ends: "active active active active",
		},
		{
			name: "shutdown is refused", first: ways[2].way, scripts: slow("shutdown", "/slam"),
			tell:   []simnet.Beat{send("shutdown"), cancel(simnet.Begun("shutdown", "/slam"), "shutdown")},
			states: "shuttingdown finalized", goals: "shutdown: succeeded done",
			ends: "finalized finalized finalized finalized", exit: 1,
		},
		{
			name:   "after its end is refused",
			tell:   []simnet.Beat{send("configure"), cancel(simnet.Ended("configure"), "configure")},
			states: "unconfigured configuring inactive", goals: "configure: succeeded done",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "in error processing is refused", first: ways[1].way,
			scripts: map[string]simnet.Script{"/slam": on("activate", simnet.On{End: simnet.Refuse}),
				"/lidar": on("deactivate", simnet.On{Takes: time.Second})},
			tell:   []simnet.Beat{send("activate"), cancel(simnet.Begun("deactivate", "/lidar"), "activate")},
			states: "activating errorprocessing inactive", goals: "activate: aborted restored",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "a call that fails meanwhile is only recorded", first: ways[1].way,
			scripts: one("/slam", on("activate", simnet.On{Takes: time.Second, End: simnet.Refuse})),
			tell:    []simnet.Beat{send("activate"), cancel(simnet.Begun("activate", "/slam"), "activate")},
			states:  "activating inactive", goals: "activate: canceled canceled",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "the undo fails", first: ways[1].way,
			scripts: map[string]simnet.Script{"/slam": on("activate", simnet.On{Takes: time.Second}),
				"/lidar": on("deactivate", simnet.On{End: simnet.Refuse, Times: 1})},
			tell:   []simnet.Beat{send("activate"), cancel(simnet.Begun("activate", "/slam"), "activate")},
			states: "activating errorprocessing unconfigured", goals: "activate: aborted unconfigured",
			ends: "unconfigured unconfigured unconfigured unconfigured",
		},
		{
			name: "C5 the second step of a path", scripts: slow("activate", "/slam"),
			tell:   []simnet.Beat{send("active"), cancel(simnet.Begun("activate", "/slam"), "active")},
			states: "unconfigured configuring inactive activating inactive", goals: "active: canceled canceled",
			ends: "inactive inactive inactive inactive",
		},
	})
}

// TestF1Ladder: the rungs, one after another, and what stands at the end of them.
func TestF1Ladder(t *testing.T) {
	refuse := simnet.On{End: simnet.Refuse}
	stuck := map[string]simnet.Script{
		"/slam":  on("activate", refuse),
		"/lidar": on("deactivate", refuse), // cannot be taken back
	}
	play(t, []story{
		{
			name: "neither origin nor unconfigured: shut down", scripts: stuck, first: ways[1].way,
			tell:   []simnet.Beat{send("activate")},
			states: "activating errorprocessing shuttingdown finalized", goals: "activate: aborted finalized",
			ends: "finalized finalized finalized finalized", exit: 6,
		},
		{
			name: "last_resort: hold", keys: "last_resort: hold", scripts: stuck, first: ways[1].way,
			tell:   []simnet.Beat{send("activate")},
			states: "activating errorprocessing inactive", goals: "activate: aborted held",
		},
		{
			name:    "a node that erred comes back by itself",
			scripts: one("/slam", on("activate", simnet.On{End: simnet.Err})), first: ways[1].way,
			tell: []simnet.Beat{send("activate")}, states: "activating errorprocessing inactive",
			goals: "activate: aborted restored",
			calls: "activate lidar, activate camera, activate slam, deactivate camera, deactivate lidar, configure slam",
			ends:  "inactive inactive inactive inactive", why: "/slam activate erred; it is now unconfigured",
		},
	})
}

// TestF1AnArmingThatAskedNothingTakesNobodyDown: an arming that was refused before any request has
// changed nothing, so no node is lowered for it. The policies handle what is still wrong then.
func TestF1AnArmingThatAskedNothingTakesNobodyDown(t *testing.T) {
	silent := when(simnet.Then(), simnet.Freeze{Node: "/slam"})
	cancel := when(simnet.Then().Later(100*ms), simnet.Cancel{Handle: "arm"})
	stays := "arming errorprocessing active"
	play(t, []story{
		{
			name: "a silent node", first: ways[2].way, tell: []simnet.Beat{silent, send("arm")},
			states: stays, goals: "arm: aborted held", calls: "none", why: "/slam does not answer get_state",
		},
		{
			name: "its policy says what follows", keys: "defaults: {on_drift: error, on_loss: error}\n",
			first:  ways[2].way,
			tell:   []simnet.Beat{send("arm"), when(simnet.Shown("arming"), simnet.Kill{Node: "/slam"})},
			states: stays + " errorprocessing unconfigured", goals: "arm: aborted held",
		},
		{
			name: "cancelled, with a silent node", first: ways[2].way,
			tell: []simnet.Beat{silent, when(simnet.Then().Later(2*time.Second), simnet.Send{Command: "arm"}),
				cancel},
			states: stays, goals: "arm: aborted held", calls: "none",
		},
		{
			name: "one that was asked may be armed: the whole ladder", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{No: true, Takes: time.Second}}}),
			tell:    []simnet.Beat{send("arm"), when(simnet.Called("arm", "/arm_driver"), simnet.Kill{Node: "/slam"})},
			states:  "arming errorprocessing unconfigured", goals: "arm: aborted unconfigured",
		},
	})
}

// TestF3ArmingFaults: what becomes of arm and disarm where the node that is armed does not do its part.
func TestF3ArmingFaults(t *testing.T) {
	arm := func(r ...simnet.Reply) map[string]simnet.Script { return one("/arm_driver", simnet.Script{Arm: r}) }
	disarm := func(r ...simnet.Reply) map[string]simnet.Script { return one("/arm_driver", simnet.Script{Disarm: r}) }
	play(t, []story{
		{
			name: "F3 arm refused", scripts: arm(simnet.Reply{No: true, Says: "brake open"}), first: ways[2].way,
			tell:   []simnet.Beat{send("arm")},
			states: "arming errorprocessing active", goals: "arm: aborted restored",
			ends: "active active active active", why: "brake open",
		},
		{
			name: "F3 arm silent", scripts: arm(simnet.Reply{Silent: true}), first: ways[2].way,
			tell:   []simnet.Beat{send("arm")},
			states: "arming errorprocessing active", goals: "arm: aborted restored",
			ends:  "active active active active",
			calls: "arm arm_driver, disarm arm_driver, disarm arm_driver", // the second proves it
		},
		{
			name: "F3 arm done and not answered", scripts: arm(simnet.Reply{Mute: true}), first: ways[2].way,
			tell:   []simnet.Beat{send("arm")},
			states: "arming errorprocessing active", goals: "arm: aborted restored",
			ends: "active active active active",
		},
		{
			name:    "A3 disarm is repeated until it is confirmed",
			scripts: disarm(simnet.Reply{Silent: true}, simnet.Reply{}), first: ways[3].way,
			tell: []simnet.Beat{send("disarm")}, states: "disarming active", goals: "disarm: succeeded done",
			calls: "disarm arm_driver, disarm arm_driver", ends: "active active active active",
		},
		{
			name: "A5 a disarm without an answer does not arm again", first: ways[3].way,
			scripts: disarm(simnet.Reply{Silent: true}, simnet.Reply{Silent: true}, simnet.Reply{Silent: true},
				simnet.Reply{}),
			tell: []simnet.Beat{send("disarm")}, states: "disarming active", goals: "disarm: aborted held",
			ends: "active active active inactive",
		},
		{
			name: "A1 arming starts no node", first: ways[2].way, scripts: one("/slam", simnet.Script{}),
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Inactive, Quiet: true}), send("arm"),
			},
			states: "arming errorprocessing active", goals: "arm: aborted restored",
			ends: "active active active active", why: "/slam is inactive, not active",
			calls: "activate slam", // by the ladder, as far as it was known to be, and with nothing armed
		},
		{
			name:    "nothing is armed after a loss in the middle of arming",
			net:     "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {after: [/a], arm: {}}\n",
			scripts: one("/a", simnet.Script{Arm: []simnet.Reply{{Takes: 1500 * ms}}}), first: ways[2].way,
			tell:   []simnet.Beat{send("arm"), when(simnet.Called("arm", "/a").Later(500*ms), simnet.Kill{Node: "/a"})},
			states: "arming errorprocessing unconfigured", goals: "arm: aborted unconfigured", ends: "- unconfigured",
			calls: "arm a, deactivate b, cleanup b",
		},
		{
			name: "A2 loss of a required node disarms at once", first: ways[3].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/lidar"})},
			states: "disarming active", ends: "- active active active", calls: "disarm arm_driver",
		},
		{
			name: "A2 drift of a required node disarms at once", first: ways[3].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Inactive})},
			states: "disarming active", ends: "active inactive active active", calls: "disarm arm_driver",
		},
		{
			name: "an optional node lost does not disarm", first: ways[3].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/camera"})},
			states: "none", ends: "active active - active*", calls: "none",
		},
	})
}

// TestF2GoneIsGoodEnough: an absent node does not delay a goal for a state that its absence
// satisfies, and the result names it. A state that wants more than that is not reached.
func TestF2GoneIsGoodEnough(t *testing.T) {
	dies := func(node string) simnet.Beat { return when(simnet.Then(), simnet.Kill{Node: node}) }
	later := when(simnet.Then().Later(time.Second), simnet.Nothing{})
	play(t, []story{
		{
			name: "unconfigured", first: ways[2].way, tell: []simnet.Beat{dies("/slam"), later, send("unconfigured")},
			goals: "unconfigured: succeeded done", ends: "unconfigured - unconfigured unconfigured",
			why: "the network is unconfigured; /slam is lost: left the graph, which counts as unconfigured",
		},
		{
			name: "unconfigured already", tell: []simnet.Beat{dies("/slam"), later, send("unconfigured")},
			goals: "unconfigured: succeeded already", states: "unconfigured",
			why: "the network is unconfigured already; /slam is lost: left the graph, which counts as unconfigured",
		},
		{
			name: "inactive", first: ways[2].way, tell: []simnet.Beat{dies("/slam"), later, send("inactive")},
			goals: "inactive: succeeded done", ends: "inactive - inactive inactive",
			why: "the network is inactive; /slam is lost: left the graph",
		},
		{
			name: "inactive already", first: []string{"inactive"},
			tell:  []simnet.Beat{dies("/slam"), later, send("inactive")},
			goals: "inactive: aborted restored",
		},
		{
			name: "inactive, and one is lost on the way", first: ways[2].way,
			scripts: one("/slam", on("deactivate", simnet.On{End: simnet.Die})),
			tell:    []simnet.Beat{send("inactive")}, goals: "inactive: aborted unconfigured",
		},
		{
			name: "one that strays", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Move{Node: "/lidar", To: lifecycle.Inactive}), dies("/slam"), later,
				send("unconfigured"),
			},
			goals: "unconfigured: aborted restored",
		},
		{
			name: "an optional one is no matter", first: ways[1].way,
			tell:  []simnet.Beat{dies("/camera"), later, send("unconfigured")},
			goals: "unconfigured: succeeded done", why: "the network is unconfigured",
		},
	})
}

// TestE5AnOptionalNodeThatAppearsAndGoesHoldsNothing: its part has ended without it, and no work waits for
// the state of a process that has gone again.
func TestE5AnOptionalNodeThatAppearsAndGoesHoldsNothing(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes:\n  /a: {}\n  /b: {optional: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, now, reads, calls, result := engine.New(net, engine.Options{Instance: "a"}), time.Duration(0), true, [2]uint64{},
		""
	state := [2]lifecycle.State{un, un}
	var step func(in engine.Input)
	step = func(in engine.Input) {
		var effects []engine.Effect
		s, effects = engine.Step(s, engine.Time{Steady: now}, in)
		for _, e := range effects {
			switch e := e.(type) {
			case engine.ReadState:
				if e.Node == 0 || reads {
					step(engine.StateRead{Node: e.Node, Ticket: e.Ticket, State: state[e.Node]})
				}
			case engine.SyncJournal:
				step(engine.JournalSynced{Ticket: e.Ticket})
			case engine.CallNode:
				calls[e.Node] = e.Call
			case engine.FinishGoal:
				result = e.Result.Message
			}
		}
	}
	passes := func(by time.Duration) {
		for end := now + by; now < end; now += 50 * ms {
			step(engine.Tick{})
		}
	}
	done := func(i int) {
		state[i] = in
		step(engine.CallAnswered{Node: i, Call: calls[i], Success: true})
	}
	step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1, Epochs: []uint64{1}})
	step(engine.NodeSeen{Node: 1, Epoch: 1, Count: 1, Epochs: []uint64{1}})
	passes(4 * time.Second)
	step(engine.GoalAsked{Handle: "configure", Command: machine.ReadWord("configure")})
	done(1)
	passes(time.Second)
	reads = false
	step(engine.NodeEnded{Node: 1, Epoch: 1})
	passes(time.Second)
	step(engine.NodeSeen{Node: 1, Epoch: 2, Count: 2, Epochs: []uint64{1, 2}})
	passes(time.Second)
	step(engine.NodeSeen{Node: 1, Epoch: 2, Count: 1, Epochs: []uint64{2}})
	passes(time.Second)
	step(engine.NodeLost{Node: 1, Why: "left the graph"})
	passes(time.Second)
	done(0)
	passes(2 * time.Second)
	if result != "the network is inactive" {
		t.Errorf("the goal ends with %q", result)
	}
}

// TestE1OptionalNodesThatAppearTogether: during a transition they get their steps in the order of the file, whichever
// is read first.
func TestE1OptionalNodesThatAppearTogether(t *testing.T) {
	const net = "simulation: x\ndefaults: {deadline: {discover: 500ms}}\nnodes:\n  /a: {}\n  /b: {optional: true}\n  /c: {optional: true, after: [/b]}\n"
	born := 4500 * ms
	for seed := range uint64(30) {
		trace := story{
			net: net, opt: simnet.Options{Seed: seed + 1, Rest: 5 * time.Second,
				Discovery: simnet.Range{Min: ms, Max: ms}},
			scripts: map[string]simnet.Script{"/a": on("configure", simnet.On{Takes: 3 * time.Second}),
				"/b": {Born: born}, "/c": {Born: born}},
			tell: []simnet.Beat{send("configure")}, goals: "configure: succeeded done",
			ends: "inactive inactive inactive",
		}.run(t)
		if work := trace.Work(); !strings.Contains(work, "configure b, configure c") {
			t.Errorf("seed %d: %s", seed+1, work)
		}
	}
}
