package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/simnet"
)

// undying is the demo network with an arm that nothing disarms but a call.
var undying = strings.Replace(demo, "arm: {}", "arm: {dead_man: none}", 1)

// TestS1TheNameIsKeptThroughAStall: the instance does not take it twice, and does what only lowers
// at once. An answer of another instance means that it took over meanwhile: nothing more is
// touched.
func TestS1TheNameIsKeptThroughAStall(t *testing.T) {
	stall := when(simnet.Then(), simnet.Stall{For: 800 * ms})
	meanwhile := func(do ...simnet.Act) []simnet.Beat {
		beats := []simnet.Beat{stall, when(simnet.Then().Later(400*ms), simnet.Nothing{})}
		for _, a := range do {
			beats = append(beats, when(simnet.Then(), a))
		}
		return beats
	}
	proof := simnet.Rival{Instance: younger, Holds: true, Answered: true}
	play(t, []story{
		{name: "nobody else", tell: meanwhile(), states: "unknown active", calls: "disarm arm_driver",
			ends: "active active active active"},
		{name: "disarm", tell: meanwhile(simnet.Send{Command: "disarm"}), goals: "disarm: succeeded done",
			calls: "disarm arm_driver", states: "unknown active"},
		{name: "shutdown", tell: meanwhile(simnet.Send{Command: "shutdown"}), goals: "shutdown: succeeded done",
			states: "unknown shuttingdown finalized", exit: 1},
		{name: "another has answered", tell: meanwhile(proof), states: "unknown", calls: "none",
			ends: "active active active active*", exit: 4},
		{
			name: "and a disarm before that", tell: meanwhile(simnet.Send{Command: "disarm"}, proof),
			states: "unknown", calls: "disarm arm_driver", goals: "disarm: aborted preempted", exit: 4,
		},
		{
			name:   "another is heard, and has not answered",
			tell:   meanwhile(simnet.Rival{Instance: younger, Holds: true, Renews: true}),
			states: "unknown active", calls: "disarm arm_driver", ends: "active active active active",
		},
	}, func(s *story) { s.net, s.first = undying, ways[3].way })
}

// TestS1WhoYieldsAndStandsStillTouchesNothing: what it had armed, and has not yet disarmed, is the other's by then.
func TestS1WhoYieldsAndStandsStillTouchesNothing(t *testing.T) {
	deaf := simnet.Script{Disarm: []simnet.Reply{{Silent: true}, {Silent: true}}}
	play(t, []story{{
		name: "while a node does not confirm", net: undying, first: ways[3].way, scripts: one("/arm_driver", deaf),
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Rival{Instance: older, Holds: true, Answered: true}),
			when(simnet.Then().Later(500*ms), simnet.Stall{For: time.Second}),
		},
		calls: "disarm arm_driver", ends: "active active active active*", exit: 4,
	}})
}

// TestS1WhoYieldsWhileSomethingRuns: what still comes of it is heard, and decides nothing.
func TestS1WhoYieldsWhileSomethingRuns(t *testing.T) {
	play(t, []story{{
		name: "a failure is being put right", net: "simulation: x\nnodes:\n  /a: {}\n  /b: {after: [/a], arm: {}}\n",
		first: ways[2].way,
		scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Silent: true}},
			Disarm: []simnet.Reply{{Takes: 200 * ms}}}),
		tell: []simnet.Beat{
			send("arm"), when(simnet.Called("arm", "/b"), simnet.Freeze{Node: "/a"}),
			when(simnet.Shown("errorprocessing").Later(50*ms),
				simnet.Rival{Instance: older, Holds: true, Answered: true}),
		},
		goals: "arm: aborted preempted", ends: "active active", exit: 6,
	}})
}

// TestA6NobodyCoordinatesAnyMore: a coordinator that is stopped or killed while armed leaves its nodes armed no longer
// than the last proof is good for, whatever clocks show and however late its messages come; and nothing is armed again.
func TestA6NobodyCoordinatesAnyMore(t *testing.T) {
	for _, gone := range []simnet.Act{simnet.Stall{For: time.Minute}, simnet.Crash{DownFor: time.Minute}} {
		for _, apart := range []time.Duration{0, 10_000 * time.Hour} {
			for _, late := range []float64{0, 0.3} {
				t.Run(fmt.Sprintf("%v, clocks apart by up to %v, %v of the messages late or twice", gone, apart, late),
					func(t *testing.T) {
						trace := story{
							first: armedAll,
							opt: simnet.Options{Seed: 4, Apart: apart, Noise: simnet.Noise{Lease: late},
								Limit: 5 * time.Minute},
							tell:  []simnet.Beat{when(simnet.Then().Later(3*time.Second), gone)},
							calls: "disarm arm_driver",
							ends:  "active active active active",
						}.run(t)
						last := trace.Marked + 3*time.Second
						if l := trace.Lapses; len(l) != 1 || l[0] < last+300*ms || l[0] > last+510*ms {
							t.Errorf("it disarmed by itself at %v, the last proof was before %v\n%v", l, last, trace)
						}
					})
			}
		}
	}
}

// TestA3AnArmUnderWayIsNotForgotten: what a slow node was asked before a stall, or before it could not be seen for a
// while, it does after it; its yes is none to the disarm that it has refused meanwhile.
func TestA3AnArmUnderWayIsNotForgotten(t *testing.T) {
	tell := []simnet.Beat{
		send("arm"), when(simnet.Called("arm", "/arm_driver").Later(10*ms), simnet.Stall{For: time.Second}),
		when(simnet.Then().Later(10*ms), simnet.Send{Command: "disarm"}),
	}
	slow := func(disarm ...simnet.Reply) map[string]simnet.Script {
		return one("/arm_driver", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Takes: 3 * time.Second}},
			Disarm: disarm})
	}
	play(t, []story{
		{
			name: "disarms are refused meanwhile", net: undying, first: ways[2].way, tell: tell,
			scripts: slow(simnet.Reply{No: true}, simnet.Reply{No: true}, simnet.Reply{}),
			states:  "arming unknown active", goals: "arm: aborted preempted, disarm: succeeded done",
			calls: "arm arm_driver, disarm arm_driver, disarm arm_driver, disarm arm_driver",
			ends:  "active active active active",
		},
		{
			name: "a disarm is done meanwhile", net: undying, first: ways[2].way, tell: tell, scripts: slow(),
			opt:    simnet.Options{Rest: 5 * time.Second},
			states: "arming unknown active", calls: "arm arm_driver, disarm arm_driver, disarm arm_driver",
			ends: "active active active active",
		},
	})
}

// TestA8StoppedInTheMiddle: what was wished before a gap is not done after it, wherever in the middle of its doing the
// gap comes.
func TestA8StoppedInTheMiddle(t *testing.T) {
	play(t, []story{
		{
			name: "right before it arms", opt: simnet.Options{StallArm: 1, StallFor: 2 * time.Second},
			first: ways[2].way, tell: []simnet.Beat{send("arm")},
			states: "arming unknown active", goals: "arm: aborted preempted", why: "the process did not run for 2.0 s",
			calls: "disarm arm_driver, disarm arm_driver", ends: "active active active active",
		},
		{
			name: "hardly", opt: simnet.Options{StallArm: 1, StallFor: 200 * ms}, first: ways[2].way,
			tell:   []simnet.Beat{send("arm")},
			states: "arming armed", goals: "arm: succeeded done", calls: "arm arm_driver",
			ends: "active active active active*",
		},
	})
}
