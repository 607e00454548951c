package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/simnet"
)

// TestA8ALateLoopKeepsWhatItBelieves: it also keeps its work and goals, and no node counts as
// silent for the time in which the loop was late.
func TestA8ALateLoopKeepsWhatItBelieves(t *testing.T) {
	late := when(simnet.Then(), simnet.Late{For: 2 * time.Second})
	play(t, []story{
		{name: "at rest", first: ways[2].way, tell: []simnet.Beat{late}, states: "none", calls: "none"},
		{name: "armed on a lease that holds", keys: "proof: 5s\n", first: armedAll, tell: []simnet.Beat{late},
			states: "none", calls: "none", ends: "active active active active*"},
		{
			name: "a transition", first: ways[1].way,
			scripts: one("/slam", on("activate", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{send("activate"),
				when(simnet.Begun("activate", "/slam"), simnet.Late{For: 20 * time.Second})},
			states: "activating active", goals: "activate: succeeded done",
			calls: "activate lidar, activate camera, activate slam, activate arm_driver",
		},
		{
			name: "a goal that came meanwhile", first: ways[1].way,
			tell:   []simnet.Beat{late, when(simnet.Then().Later(time.Second), simnet.Send{Command: "activate"})},
			states: "activating active", goals: "activate: succeeded done",
		},
		{name: "half a second is none", first: armedAll, keys: "proof: 5s\n",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Late{For: 500 * ms})}, states: "none"},
	})
}

// TestA8ALateLoopMeasuresNoRate: counts that have waited to be read came in a longer time than it takes to read them.
func TestA8ALateLoopMeasuresNoRate(t *testing.T) {
	// wherever the next count comes
	for _, after := range []time.Duration{200 * ms, 220 * ms, 240 * ms, 260 * ms, 280 * ms} {
		play(t, []story{{
			name: after.String(), net: checked, first: ways[2].way,
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Publish{Node: "/a", Share: 0.3}), send("arm"),
				when(simnet.Shown("arming").Later(after), simnet.Late{For: 3 * time.Second}),
			},
			goals: "arm: aborted restored", why: "/a is not fit to arm: /scan comes at", calls: "none",
		}})
	}
}

// TestA8ALeaseThatWasNotRenewedIsOver: nodes have disarmed by themselves, so it is not renewed; all are disarmed, one
// way. The reason is what was measured, and no node is blamed.
func TestA8ALeaseThatWasNotRenewedIsOver(t *testing.T) {
	const plain = "simulation: x\nnodes:\n  /a: {}\n  /b: {lifecycle: false, arm: {}}\n"
	for _, c := range []struct {
		story
		cause string
	}{
		{story{name: "the loop was late", first: armedAll,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Late{For: 700 * ms})}, states: "disarming active",
			calls: "disarm arm_driver"},
			"disarm: the arm lease was not renewed in time: the loop was busy for 0.7 s"},
		{story{name: "for less than is reported", net: plain, keys: "proof: 200ms\n", first: armedAll,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Late{For: 400 * ms})}, states: "disarming active",
			calls: "disarm b"},
			"disarm: the arm lease was not renewed in time: no proof of the last 200ms: the loop did not turn in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if trace := c.run(t); trace.Last.Cause != c.cause || len(trace.Lapses) != 1 {
				t.Errorf("cause %q, want %q; %d nodes disarmed by themselves", trace.Last.Cause, c.cause,
					len(trace.Lapses))
			}
		})
	}
	play(t, []story{{
		name: "in the middle of an arming",
		net:  "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}, after: [/a]}\n", first: ways[2].way,
		scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Takes: time.Second}}}),
		tell: []simnet.Beat{send("arm"),
			when(simnet.Called("arm", "/b").Later(100*ms), simnet.Late{For: 2 * time.Second})},
		goals: "arm: aborted restored", why: "the arm lease was not renewed in time: the loop was busy for 2.0 s",
		ends: "active active",
	}})
}

// TestA8ALeaseThatDoesNotLeaveIsOver: the loop goes on, and what it says reaches no node.
func TestA8ALeaseThatDoesNotLeaveIsOver(t *testing.T) {
	trace := story{
		first: armedAll, tell: []simnet.Beat{when(simnet.Then(), simnet.HoldUp{For: 2 * time.Second})},
		states: "disarming active",
		calls:  "disarm arm_driver",
	}.run(t)
	const cause = "disarm: the arm lease was not renewed in time: the middleware does not take it"
	if trace.Last.Cause != cause {
		t.Errorf("cause %q, want %q", trace.Last.Cause, cause)
	}
	play(t, []story{
		{name: "for less than a proof lasts", first: armedAll,
			tell: []simnet.Beat{when(simnet.Then(), simnet.HoldUp{For: 250 * ms})}, states: "none"},
		{name: "before anything is armed", first: ways[2].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.HoldUp{For: 2 * time.Second})}, states: "none"},
	})
}

// TestA8WhatWasNotSentIsDecidedAnew: on what is known by then, whatever it was.
func TestA8WhatWasNotSentIsDecidedAnew(t *testing.T) {
	play(t, []story{
		{
			name: "arm", opt: simnet.Options{StallArm: 1, StallFor: 2 * time.Second, StallLate: true},
			first: ways[2].way, tell: []simnet.Beat{send("arm")},
			states: "arming armed", goals: "arm: succeeded done", calls: "arm arm_driver",
			ends: "active active active active*",
		},
		{
			name: "arm, and its node has strayed",
			opt:  simnet.Options{StallArm: 1, StallFor: 2 * time.Second, StallLate: true}, first: ways[2].way,
			tell: []simnet.Beat{send("arm"),
				when(simnet.Then().Later(time.Second), simnet.Move{Node: "/slam", To: 2})},
			goals: "arm: aborted restored", ends: "active active active active",
		},
	})
	for at := 1; at < 120; at++ { // right after whatever effect, of whatever work
		trace := story{
			opt:   simnet.Options{StallAt: at, StallFor: time.Second, StallLate: true},
			tell:  []simnet.Beat{send("active")},
			goals: "active: succeeded done", ends: "active active active active",
		}.run(t)
		if work := trace.Work(); strings.Count(work, "configure") != 4 || strings.Count(work, "activate") != 4 {
			t.Fatalf("late after effect %d: %s", at, work)
		}
	}
}

// TestS1ALateLoopYieldsToAnyAnswer: as one that was stopped.
func TestS1ALateLoopYieldsToAnyAnswer(t *testing.T) {
	proof := simnet.Rival{Instance: younger, Holds: true, Answered: true, Stood: true}
	play(t, []story{{
		name: "another has answered", first: ways[2].way,
		tell: []simnet.Beat{when(simnet.Then(), simnet.Late{For: 2 * time.Second}),
			when(simnet.Then().Later(3*time.Second), proof)},
		states: "none", calls: "none", ends: "active active active active", exit: 4,
	}})
}

// TestA8GoalsAroundAStall: those that may have been sent before its end raise nothing, those that come while the nodes
// are read wait for that, and what arms does not wait.
func TestA8GoalsAroundAStall(t *testing.T) {
	stall := when(simnet.Then(), simnet.Stall{For: 2 * time.Second})
	during := func(command string) simnet.Beat {
		return when(simnet.Then().Later(time.Second), simnet.Send{Command: command})
	}
	const old = "it may have been sent before rstate could receive it (the process did not run for 2.0 s), so it raises nothing; send it again"
	silent := []simnet.Beat{stall, when(simnet.Then(), simnet.Freeze{Node: "/slam"})}
	thaw := when(simnet.Then().Later(time.Second), simnet.Thaw{Node: "/slam"})
	later := func(command string, then ...simnet.Beat) []simnet.Beat {
		beats := append(silent[:2:2], when(simnet.Then().Later(3500*ms), simnet.Send{Command: command}))
		return append(beats, then...)
	}
	play(t, []story{
		{name: "raises, sent during the stall", first: ways[1].way, tell: []simnet.Beat{stall, during("activate")},
			states: "unknown inactive", goals: "activate: rejected", why: old},
		{name: "a state to rise to", first: ways[1].way, tell: []simnet.Beat{stall, during("active")},
			states: "unknown inactive", goals: "active: rejected", why: old},
		{name: "arms", first: ways[2].way, tell: []simnet.Beat{stall, during("armed")}, states: "unknown active",
			goals: "armed: rejected"},
		{name: "lowers", first: ways[2].way, tell: []simnet.Beat{stall, during("deactivate")},
			states: "unknown active deactivating inactive", goals: "deactivate: succeeded done"},
		{name: "is so already", first: ways[2].way, tell: []simnet.Beat{stall, during("active")},
			states: "unknown active", goals: "active: succeeded already"},
		{name: "raises, just after the stall", first: ways[1].way,
			tell:  []simnet.Beat{stall, when(simnet.Then().Later(2900*ms), simnet.Send{Command: "activate"})},
			goals: "activate: rejected", why: old},
		{name: "raises, a second after it", first: ways[1].way,
			tell:  []simnet.Beat{stall, when(simnet.Then().Later(3100*ms), simnet.Send{Command: "activate"})},
			goals: "activate: succeeded done"},
		{name: "raises, while the nodes are read", first: ways[1].way, tell: later("activate", thaw),
			states: "unknown inactive activating active", goals: "activate: succeeded done"},
		{name: "lowers, while the nodes are read", first: ways[2].way, tell: later("inactive", thaw),
			states: "unknown active deactivating inactive", goals: "inactive: succeeded done"},
		{
			name: "arms, while the nodes are read", first: ways[2].way, tell: later("arm", thaw),
			states: "unknown active", goals: "arm: rejected",
			why: "a goal that arms does not wait for that: send it again when the network has settled",
		},
		{
			name: "another stall meanwhile", first: ways[1].way,
			tell:  later("activate", stall, when(simnet.Then().Later(2*time.Second), simnet.Thaw{Node: "/slam"})),
			goals: "activate: rejected", why: old,
		},
		{
			name: "another stall meanwhile, and the nodes are read long after it", first: ways[1].way,
			goals: "activate: rejected", why: old,
			tell: later("activate", stall, when(simnet.Then().Later(4*time.Second), simnet.Thaw{Node: "/slam"})),
		},
		{
			name: "a shutdown meanwhile", first: ways[1].way,
			tell:  later("activate", when(simnet.Then(), simnet.Send{Command: "shutdown"}), thaw),
			goals: "activate: rejected, shutdown: succeeded done", exit: 1,
		},
		{name: "the end meanwhile", first: ways[1].way, tell: later("activate", when(simnet.Then(), simnet.Stop{})),
			goals: "activate: rejected", why: "rstate is stopping", exit: 1},
	})
}
