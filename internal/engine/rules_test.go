package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// solo is a network of one node.
const solo = "simulation: x\nnodes:\n  /a: {}\n"

// TestC2AnOpenGoalBlocksNothing: the disarm that is still waited for is a goal without a transition. Meanwhile the
// network settles, and takes the next command.
func TestC2AnOpenGoalBlocksNothing(t *testing.T) {
	var silent []simnet.Reply
	for range 8 { // one a second, and one for each that asks for it
		silent = append(silent, simnet.Reply{Silent: true})
	}
	trace := story{
		keys: "defaults: {deadline: {disarm: 5s}}\n", first: ways[2].way,
		scripts: one("/arm_driver", simnet.Script{Arm: silent, Disarm: append(silent, simnet.Reply{})}),
		tell: []simnet.Beat{
			send("arm"), when(simnet.Shown("errorprocessing").Later(3*time.Second), simnet.Send{Command: "disarm"}),
			when(simnet.Ended("arm"), simnet.Send{Command: "deactivate"}),
		},
		states: "arming errorprocessing active deactivating inactive",
		goals:  "arm: aborted held, disarm: succeeded done, deactivate: succeeded done",
		ends:   "inactive inactive inactive inactive",
	}.run(t)
	if open, next := trace.Goal("disarm"), trace.Goal("deactivate"); open.Ended <= next.Asked {
		t.Errorf("disarm ended at %v, before deactivate was asked for at %v\n%v", open.Ended, next.Asked, trace)
	}
}

// TestC5Paths: a goal that names a state takes its commands one after another, each a transition of its own; what fails
// or is cancelled is only the one that runs.
func TestC5Paths(t *testing.T) {
	refuse := on("activate", simnet.On{End: simnet.Refuse})
	play(t, []story{
		{
			name: "each is a transition of its own", tell: []simnet.Beat{here, send("armed")},
			states: "configuring inactive activating active arming armed", published: "inactive+ active+ armed+",
			goals: "armed: succeeded done",
		},
		{
			name: "down goes the way back, and through no armed state", first: ways[3].way,
			tell:      []simnet.Beat{send("unconfigured")},
			states:    "disarming active deactivating inactive cleaningup unconfigured",
			goals:     "unconfigured: succeeded done",
			published: "disarming+ active deactivating+ inactive cleaningup+ unconfigured",
		},
		{
			name: "what fails is the one that runs", scripts: one("/slam", refuse),
			tell:   []simnet.Beat{here, send("armed")},
			states: "configuring inactive activating errorprocessing inactive", goals: "armed: aborted restored",
			why:  "the network is inactive again",
			ends: "inactive inactive inactive inactive",
		},
		{
			name:    "what is cancelled is the one that runs",
			scripts: one("/slam", on("activate", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{here, send("armed"),
				when(simnet.Begun("activate", "/slam"), simnet.Cancel{Handle: "armed"})},
			states: "configuring inactive activating inactive", goals: "armed: canceled canceled",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "no state above both ends lies on the way", net: modes, first: ways[1].way,
			tell:   []simnet.Beat{send("mapping")},
			states: "preparing_map mapping", goals: "mapping: succeeded done", calls: "activate a",
			ends: "active inactive",
		},
		{
			name: "from one armed state to another the way is over what lies between", net: arms,
			first: []string{"configure", "activate", "arm"},
			tell:  []simnet.Beat{send("towed")}, states: "disarming active hitching towed",
			goals: "towed: succeeded done",
			calls: "disarm a, disarm b, arm a", ends: "active* active",
		},
		{
			name: "nor where the way through it is shorter", net: detour, first: ways[1].way,
			tell:   []simnet.Beat{send("docked")},
			states: "parked waiting docked", goals: "docked: succeeded done", calls: "none",
		},
	})
}

// modes is a network with a state of its own, in which one node is active and the other is not.
const modes = `
simulation: x
nodes: {/a: {}, /b: {}}
groups: {some: [/a]}
extends: rstate
states:
  mapping: {nodes: {some: active, others: inactive}}
  preparing_map: {transition: true}
transitions:
  map: {from: [inactive, active], via: preparing_map, to: mapping, cancel: origin}
`

// arms is a network with two states that arm: all, or one of its nodes.
const arms = `
simulation: x
nodes: {/a: {arm: {}}, /b: {arm: {}, after: [/a]}}
groups: {hitch: [/a]}
extends: rstate
states:
  towed: {nodes: active, armed: [hitch], disarmed: active}
  hitching: {transition: true}
transitions:
  hitch: {from: [active], via: hitching, to: towed}
  unhitch: {from: [towed], via: disarming, to: active}
`

// detour is a network with two ways to be docked: a short one over active, and one that stays low.
const detour = `
simulation: x
nodes: {/a: {}}
extends: rstate
states: {parked: {nodes: inactive}, waiting: {nodes: inactive}, docked: {nodes: inactive}}
transitions:
  dock: {from: [active], to: docked}
  park: {from: [inactive], to: parked}
  wait: {from: [parked], to: waiting}
  enter: {from: [waiting], to: docked}
`

// TestC6Repeats: a command whose end is reached is rejected or ignored, as the machine says; the name of a state that
// is reached succeeds everywhere.
func TestC6Repeats(t *testing.T) {
	const ignoring, report = "extends: rstate\nrepeat: ignore\n", "defaults: {on_drift: report}\n"
	strays := when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Unconfigured})
	later := func(command string) simnet.Beat {
		return when(simnet.Then().Later(100*ms), simnet.Send{Command: command})
	}
	play(t, []story{
		{name: "reject", first: ways[1].way, tell: []simnet.Beat{send("configure")}, goals: "configure: rejected",
			states: "none", published: "none", calls: "none"},
		{
			name: "ignore", keys: ignoring, first: ways[1].way, tell: []simnet.Beat{send("configure")},
			goals:  "configure: succeeded already",
			states: "none", published: "none", calls: "none",
		},
		{
			name: "a repeat repairs what is not intact", keys: ignoring + report, first: ways[1].way,
			tell:  []simnet.Beat{strays, later("configure")},
			goals: "configure: succeeded done", calls: "configure slam", ends: "inactive inactive inactive inactive",
		},
		{
			name: "every command that leads there does", keys: ignoring + report,
			first: []string{"configure", "activate", "deactivate"},
			tell:  []simnet.Beat{strays, later("deactivate")}, goals: "deactivate: succeeded done",
			calls: "configure slam", ends: "inactive inactive inactive inactive",
		},
		{
			name: "but a disarm never raises a node", keys: ignoring + report, first: ways[2].way,
			tell:  []simnet.Beat{strays, later("disarm")},
			goals: "disarm: succeeded already", calls: "none",
		},
		{name: "ignore what leads elsewhere", keys: ignoring, first: ways[2].way,
			tell: []simnet.Beat{send("configure")}, goals: "configure: rejected"},
		{name: "a state, reject", first: ways[1].way, tell: []simnet.Beat{send("inactive")},
			goals: "inactive: succeeded already", published: "none", calls: "none"},
		{
			name: "but not while an optional node has not confirmed its disarm", first: ways[3].way,
			keys:    "defaults: {deadline: {disarm: 1s}}\n",
			net:     "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {optional: true, arm: {}}\n",
			scripts: one("/b", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}),
			tell:    []simnet.Beat{send("disarm"), when(simnet.Ended("disarm"), simnet.Send{Command: "active"})},
			goals:   "disarm: aborted held, active: aborted held",
			why:     "the network is active, but not intact: /b may be armed",
		},
		{
			name: "nor while a process that is not configured has not confirmed, although nothing has strayed",
			net:  "simulation: x\nnodes:\n  /a: {arm: {dead_man: none}}\n", opt: simnet.Options{Unsure: true},
			scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}),
			early:   []simnet.Beat{when(simnet.At(10*time.Second), simnet.Send{Command: "unconfigured"})},
			goals:   "unconfigured: aborted held", why: "the network is unconfigured already, but not confirmed to be disarmed",
		},
		{name: "a state, ignore", keys: ignoring, first: ways[1].way, tell: []simnet.Beat{send("inactive")},
			goals: "inactive: succeeded already", published: "none"},
	})
	trace := story{keys: ignoring + report, first: ways[2].way, tell: []simnet.Beat{strays, later("configure")},
		goals: "configure: rejected"}.run(t)
	if legal := trace.Goal("configure").Legal; slices.Contains(legal, "disarm") || !slices.Contains(legal, "activate") {
		t.Errorf("a network that is not intact takes %v: a disarm repairs nothing", legal)
	}
}

// TestE3RequestsRestOnWhatIsKnown: every request rests on what was heard of its node later than the last request. On
// the way that was commanded the last round of the watch is new enough, on the way back a second is the most. None goes
// out beside another.
func TestE3RequestsRestOnWhatIsKnown(t *testing.T) {
	for _, r := range []struct {
		story
		asked string
	}{
		{story{name: "a node that was heard in the last round is asked at once",
			tell: []simnet.Beat{send("configure"),
				when(simnet.Ended("configure").Later(3*time.Second), simnet.Send{Command: "activate"})}},
			"read configure activate"},
		{story{name: "on the way back an old read is not enough", net: solo + "  /b: {after: [/a]}\n",
			scripts: one("/b", on("configure", simnet.On{Takes: 2 * time.Second, End: simnet.Refuse})),
			tell:    []simnet.Beat{send("configure")}}, "read configure read cleanup"},
		{story{name: "the read that committed one command is the fresh read of the next",
			tell: []simnet.Beat{send("active")}}, "read configure activate"},
		{story{name: "nor is one of before the last round, and without an answer there is no request",
			net:  "simulation: x\nnodes:\n  /b: {}\n  /a: {after: [/b]}\n",
			tell: []simnet.Beat{send("configure")}, scripts: map[string]simnet.Script{
				"/a": {Reads: []simnet.Loss{simnet.None, simnet.LoseAnswer, simnet.LoseRequest, simnet.LoseAnswer}},
				"/b": on("configure", simnet.On{Takes: 8 * time.Second}),
			}}, "read read read read read configure"},
		{story{name: "what is in flight is awaited", scripts: one("/a", on("configure", simnet.On{Takes: 1500 * ms})),
			exit: 1,
			tell: []simnet.Beat{send("configure"),
				when(simnet.Begun("configure", "/a"), simnet.Send{Command: "shutdown"})}},
			"read configure read shutdown"},
	} {
		t.Run(r.name, func(t *testing.T) {
			if r.net == "" {
				r.net = solo
			}
			if trace := r.run(t); trace.Asked("/a") != r.asked {
				t.Errorf("it was asked: %s, want %s\n%v", trace.Asked("/a"), r.asked, trace)
			}
		})
	}
}

// TestE3FormerProcesses: what a process that has died still answers is dropped.
func TestE3FormerProcesses(t *testing.T) {
	play(t, []story{{
		name: "a yes from the dead", net: "simulation: x\nlast_resort: hold\nnodes:\n  /a: {}\n",
		opt:     simnet.Options{Notice: 10 * ms},
		scripts: one("/a", on("configure", simnet.On{Late: time.Second, Events: simnet.Lost, Times: 1})),
		tell: []simnet.Beat{
			here, send("configure"), when(simnet.Begun("configure", "/a").Later(100*ms), simnet.Kill{Node: "/a"}),
			when(simnet.Then().Later(100*ms), simnet.Respawn{Node: "/a"}),
			when(simnet.Then().Later(50*ms), simnet.Send{Command: "configure", Handle: "again"}),
		},
		states: "configuring errorprocessing unconfigured configuring inactive",
		goals:  "configure: aborted restored, again: succeeded done",
		calls:  "configure a, configure a", ends: "inactive",
	}})
}

// TestE7TheNewestReadHasToAgree: a yes lets others go on, and settles nothing.
func TestE7TheNewestReadHasToAgree(t *testing.T) {
	mute := one("/a", simnet.Script{
		On:    []simnet.On{{Events: simnet.Lost}},
		Reads: []simnet.Loss{simnet.None, simnet.LoseAnswer, simnet.LoseAnswer, simnet.LoseAnswer},
	})
	trace := story{net: solo, scripts: mute, tell: []simnet.Beat{here, send("configure")},
		states: "configuring inactive", goals: "configure: succeeded done"}.run(t)
	if g := trace.Goal("configure"); g.Ended-g.Asked < 3*time.Second {
		t.Errorf("it was settled after %v: the answers to three reads were lost\n%v", g.Ended-g.Asked, trace)
	}
	play(t, []story{{
		name: "a node that has left since is not there", net: "simulation: x\nnodes: {/a: {}, /b: {}}\n",
		scripts: one("/b", on("configure", simnet.On{Takes: time.Second})),
		tell: []simnet.Beat{here, send("configure"),
			when(simnet.Begun("configure", "/b").Later(500*ms), simnet.Move{Node: "/a", To: lifecycle.Unconfigured})},
		states: "configuring inactive", goals: "configure: succeeded done",
		calls: "configure a, configure b, configure a", ends: "inactive inactive",
	}})
}

// TestF2Rungs: each rung is a new plan and is tried once. It raises no node above where the node
// was, and never arms.
func TestF2Rungs(t *testing.T) {
	twice := func(do string, o simnet.On) simnet.Script {
		o.Do = do
		return simnet.Script{On: []simnet.On{{Do: do, Times: 1}, o}}
	}
	late := func(keys string) story {
		return story{
			keys: keys, first: ways[1].way, scripts: one("/slam", on("activate", simnet.On{Takes: 15 * time.Second})),
			tell: []simnet.Beat{send("activate")},
		}
	}
	waits, gives := late(""), late("defaults: {deadline: {recover: 1s}}\n")
	waits.name, waits.states, waits.goals = "a late call is waited for", "activating errorprocessing inactive",
		"activate: aborted restored"
	gives.name, gives.states, gives.goals = "to deadline.recover", "activating errorprocessing unconfigured",
		"activate: aborted unconfigured"
	play(t, []story{
		{
			name: "a node is raised at most to where it was", first: ways[2].way,
			scripts: one("/slam", twice("configure", simnet.On{End: simnet.Refuse})),
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Unconfigured}),
				when(simnet.Then().Later(100*ms), simnet.Send{Command: "activate"}),
			},
			states: "activating errorprocessing active", goals: "activate: aborted restored", calls: "configure slam",
			ends: "active unconfigured active active",
		},
		{
			name:    "a rung has steps that the command had not",
			scripts: one("/slam", on("activate", simnet.On{End: simnet.Err})), first: ways[1].way,
			tell: []simnet.Beat{send("activate")}, states: "activating errorprocessing inactive",
			goals: "activate: aborted restored",
			calls: "activate lidar, activate camera, activate slam, deactivate camera, deactivate lidar, configure slam",
		},
		{
			name: "a rung is tried once", first: ways[1].way, tell: []simnet.Beat{send("activate")},
			scripts: map[string]simnet.Script{"/slam": on("activate", simnet.On{End: simnet.Refuse}),
				"/lidar": on("deactivate", simnet.On{End: simnet.Refuse, Times: 1})},
			states: "activating errorprocessing unconfigured", goals: "activate: aborted unconfigured",
			calls: "activate lidar, activate camera, activate slam, deactivate camera, deactivate lidar, " +
				"cleanup camera, cleanup arm_driver, cleanup slam, deactivate lidar, cleanup lidar",
		},
		{
			name: "a gone node counts as unconfigured, not as inactive", first: ways[1].way,
			scripts: one("/slam", on("activate", simnet.On{End: simnet.Die})),
			tell:    []simnet.Beat{send("activate")}, states: "activating errorprocessing unconfigured",
			goals: "activate: aborted unconfigured",
			ends:  "unconfigured - unconfigured unconfigured",
		},
		{
			name: "where it was is what the first read says, where a call was under way",
			net:  "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {optional: true}\n",
			scripts: map[string]simnet.Script{
				"/a": {State: ac, Arm: []simnet.Reply{{No: true}}},
				"/b": {State: in, On: []simnet.On{{Do: "activate", End: simnet.Err, Takes: 300 * ms}}},
			},
			// b is on its way to its place
			tell: []simnet.Beat{send("arm")}, states: "active arming errorprocessing active",
			goals: "arm: aborted restored",
			calls: "disarm a, activate b, arm a", ends: "active unconfigured",
		},
		{
			name: "recovery never arms", keys: "defaults: {on_drift: error}\n", first: ways[3].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Inactive})},
			states: "disarming active errorprocessing active", calls: "disarm arm_driver, activate slam",
			ends: "active active active active",
		},
		waits, gives,
	})
}

// TestF5ShuttingDownAlwaysArrives: no node delays another beyond a deadline, and the state shows
// the end for a second.
func TestF5ShuttingDownAlwaysArrives(t *testing.T) {
	down := "shuttingdown finalized"
	hang := simnet.On{End: simnet.Hang}
	stories := []story{
		{
			name:    "a busy node is asked when its call ends",
			scripts: one("/slam", on("activate", simnet.On{Takes: 3 * time.Second})), first: ways[1].way,
			tell: []simnet.Beat{send("activate"),
				when(simnet.Begun("activate", "/slam"), simnet.Send{Command: "shutdown"})},
			states: "activating " + down, goals: "activate: aborted preempted, shutdown: succeeded done", exit: 1,
		},
		{
			name: "or is late", scripts: one("/slam", on("activate", hang)), first: ways[1].way,
			tell: []simnet.Beat{send("activate"),
				when(simnet.Begun("activate", "/slam"), simnet.Send{Command: "shutdown"})},
			states: "activating " + down, goals: "activate: aborted preempted, shutdown: aborted finalized", exit: 6,
			calls: "activate lidar, activate camera, activate slam, shutdown camera, shutdown arm_driver, shutdown slam, shutdown lidar",
			ends:  "finalized activating finalized finalized",
		},
		{
			name: "a disarm that fails holds nothing up", first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{No: true}}}),
			tell:    []simnet.Beat{send("shutdown")}, states: down, goals: "shutdown: succeeded done",
			ends: "finalized finalized finalized finalized", exit: 1,
		},
		{
			name: "a node that lands in unconfigured is shut down once more", first: ways[2].way,
			tell:    []simnet.Beat{send("shutdown")},
			scripts: one("/slam", on("shutdown", simnet.On{End: simnet.Err, Times: 1})), states: down,
			goals: "shutdown: succeeded done", exit: 1,
			calls: "shutdown camera, shutdown arm_driver, shutdown slam, shutdown slam, shutdown lidar",
		},
		{
			name: "but not twice", first: ways[2].way, tell: []simnet.Beat{send("shutdown")},
			scripts: one("/slam", on("shutdown", simnet.On{End: simnet.Err})),
			states:  down, goals: "shutdown: aborted finalized", why: "not finalized: /slam", exit: 6,
			calls: "shutdown camera, shutdown arm_driver, shutdown slam, shutdown slam, shutdown lidar",
		},
		{
			name: "a yes that is not true is no end", first: ways[2].way, tell: []simnet.Beat{send("shutdown")},
			scripts: one("/slam", on("shutdown", simnet.On{End: simnet.Lie})),
			states:  down, goals: "shutdown: aborted finalized", why: "not finalized: /slam", exit: 6,
		},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			trace := s.run(t)
			g := trace.Goal("shutdown")
			if shown := trace.End - g.Ended; shown != time.Second {
				t.Errorf("finalized was shown for %v, want 1 s", shown)
			}
		})
	}
}

// TestF5AnEndThroughAnotherState: a command that takes the nodes to another state first goes on to the end from there.
func TestF5AnEndThroughAnotherState(t *testing.T) {
	const net = `simulation: x
machine:
  initial: low
  states:
    low: {nodes: unconfigured}
    mid: {nodes: inactive}
    over: {nodes: finalized, final: true, exit: 0}
  transitions:
    up: {from: [low], to: mid}
    back: {from: [mid], to: low}
    again: {from: [mid], to: mid, loop: true, through: low}
    close: {from: [mid], to: over, loop: true, through: low, arrives: always}
    end: {from: any, to: over}
nodes:
  /a: {}
`
	play(t, []story{{
		net: net, first: []string{"up"}, tell: []simnet.Beat{send("close")}, goals: "close: succeeded done",
		calls: "cleanup a, shutdown a", exit: 1,
		ends: "finalized",
	}, {
		name: "one that fails on the way there can be the last resort", net: net, first: []string{"up"},
		tell:    []simnet.Beat{send("again")},
		scripts: one("/a", simnet.Script{Parallel: true, On: []simnet.On{{Do: "cleanup", End: simnet.Hang}}}),
		goals:   "again: aborted finalized", calls: "cleanup a, shutdown a", exit: 6,
	}})
}

// TestF5ASecondShutdownKeepsTheOrder: a node that was shut down and landed in unconfigured waits for one that comes
// after it and has appeared meanwhile.
func TestF5ASecondShutdownKeepsTheOrder(t *testing.T) {
	fails := simnet.On{Do: "shutdown", Takes: 3 * time.Second, End: simnet.Err, Times: 1}
	slow := on("shutdown", simnet.On{Takes: 4 * time.Second})
	slow.Born = 4500 * ms
	play(t, []story{{
		net:     "simulation: x\ndefaults: {deadline: {discover: 500ms, shutdown: 10s}}\nnodes:\n  /a: {}\n  /b: {optional: true, after: [/a]}\n",
		opt:     simnet.Options{Discovery: simnet.Range{Min: ms, Max: ms}},
		scripts: map[string]simnet.Script{"/a": {On: []simnet.On{fails}}, "/b": slow},
		tell:    []simnet.Beat{send("shutdown")}, goals: "shutdown: succeeded done",
		calls: "shutdown a, shutdown b, shutdown a", exit: 1,
		ends: "finalized finalized",
	}})
}

// TestF6WhatNobodyCommandedIsNotUndoneUpward: a start that lowers, and a disarming for safety, go on down or stay.
func TestF6WhatNobodyCommandedIsNotUndoneUpward(t *testing.T) {
	refuses := at(ac, in, in, ac)
	s := refuses["/lidar"]
	s.On = []simnet.On{{Do: "deactivate", End: simnet.Refuse}}
	refuses["/lidar"] = s
	play(t, []story{
		{
			name: "a start whose lowering fails", scripts: refuses, states: "unknown inactive",
			calls: "disarm arm_driver, deactivate arm_driver, deactivate lidar",
			ends:  "active inactive inactive inactive",
		},
		{
			name: "a disarming for safety whose cause goes away", first: ways[3].way,
			opt:     simnet.Options{Rest: 10 * time.Second},
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{}, {Takes: time.Second}}}),
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Inactive}),
				when(simnet.Called("disarm", "/arm_driver").Later(100*ms),
					simnet.Move{Node: "/slam", To: lifecycle.Active}),
			},
			states: "disarming active", ends: "active active active active",
		},
		{
			name: "a disarming for safety that the node refuses", first: ways[3].way,
			opt:     simnet.Options{Rest: 10 * time.Second},
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{}, {No: true}}}),
			tell:    []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/lidar"})},
			states:  "disarming active",
		},
	})
}

// TestS1AStartOnlyReads: reading begins at once; nothing is written before every listed node has been read, or three
// seconds have passed.
func TestS1AStartOnlyReads(t *testing.T) {
	found := func(slam simnet.Script) map[string]simnet.Script {
		scripts := at(ac, ac, ac, ac)
		s := scripts["/arm_driver"]
		s.Armed = true
		scripts["/arm_driver"] = s
		slam.State = ac
		scripts["/slam"] = slam
		return scripts
	}
	for _, r := range []struct {
		name     string
		slam     simnet.Script
		from, to time.Duration // between which the disarm goes out
	}{
		{"all are there", simnet.Script{}, 0, 20 * ms},
		{"the last one comes after two seconds", simnet.Script{Born: 2 * time.Second}, 2 * time.Second, 2020 * ms},
		{"one does not answer for a while", simnet.Script{Reads: []simnet.Loss{simnet.LoseAnswer, simnet.LoseAnswer}},
			2 * time.Second, 2020 * ms},
		{"one never comes", simnet.Script{Never: true}, 3 * time.Second, 3 * time.Second},
	} {
		t.Run(r.name, func(t *testing.T) {
			trace := story{scripts: found(r.slam), states: "active"}.run(t)
			first := trace.Calls[0]
			if first.Do != "disarm" || first.At < r.from || first.At > r.to {
				t.Errorf("%s at %v, want a disarm between %v and %v\n%v", first.Do, first.At, r.from, r.to, trace)
			}
			if asked := trace.Asked("/lidar"); !strings.HasPrefix(asked, "read") {
				t.Errorf("/lidar was asked: %s", asked)
			}
		})
	}
}
