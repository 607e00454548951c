package engine_test

import (
	"testing"

	"rstate/internal/simnet"
	"rstate/internal/stepper"
)

// loopOfA gives the first of several instances the stepped loop.
const loopOfA = "loop: {participants: {/a_base: {as: simulator}}}\n"

// lowered is a machine whose network can be lowered below the states of the loop.
const lowered = "extends: cle\ntransitions: {lower: {from: [stopped], to: created}}\n"

// A peer ends the loop of this instance with its command, and nothing raises afterwards.
func TestL3ACommandOfAPeerEndsTheLoop(t *testing.T) {
	cast(t, []several{
		{
			name: "a lower command", all: []instance{
				{
					keys: lowered + loopOfA, plain: true, tell: []simnet.Beat{asks(1, "initialize"), asks(2, "start")},
					goals:  "initialize 1: succeeded done, start 2: succeeded done",
					states: "stopped running stopped created", published: "stopped+ running+",
					ends: "created, wants created",
				},
				{
					keys: lowered, plain: true, tell: []simnet.Beat{asks(3, "lower")},
					goals: "lower 3: succeeded done", states: "stopped created", published: "stopped+",
					ends: "created, wants created",
				},
			},
		},
		{
			name: "a command of the machine that waits for the step", all: []instance{
				{
					keys: "machine: cloe\n" + loopOfA, plain: true,
					script: steps(simnet.Step{Cycle: 100, Takes: 900 * ms}),
					tell:   []simnet.Beat{asks(1, "connect"), asks(2, "start")},
					goals:  "connect 1: succeeded done, start 2: succeeded done",
					states: "connecting connect start step stopping stop disconnecting disconnect",
					ends:   "disconnect, wants stop, behind",
				},
				{
					keys: "machine: cloe\n", plain: true, tell: []simnet.Beat{asks(4, "stop")},
					goals: "stop 4: succeeded done", ends: "disconnect, wants stop, behind",
				},
			},
		},
		{
			name: "a lower command while another command waits for the step", all: []instance{
				{
					keys: lowered + loopOfA, plain: true, script: steps(simnet.Step{Cycle: 100, Takes: 900 * ms}),
					tell: []simnet.Beat{
						asks(1, "initialize"), asks(2, "start"),
						when(simnet.Stepped("step_begin", "/a_base").Time(100), simnet.Send{Command: "reset"}),
						when(simnet.Then().Later(100*ms), simnet.In{World: 1, Do: simnet.Send{Command: "lower"}}),
					},
					goals:  "initialize 1: succeeded done, start 2: succeeded done, reset: aborted superseded",
					states: "stopped running created", ends: "created, wants created",
				},
				{keys: lowered, plain: true, ends: "created, wants created"},
			},
		},
		{
			name: "a failure that spreads where no command leads, and the end of the loop", all: []instance{
				{
					keys: "machine: cle\npeers: {required: [/b]}\n" + loopOfA, plain: true,
					script: steps(simnet.Step{Cycle: 200, Want: stepper.Stop}),
					tell: []simnet.Beat{asks(1, "initialize"), asks(2, "start"),
						when(simnet.LoopEnded("stop"), simnet.Nothing{})},
					goals:  "initialize 1: succeeded done, start 2: succeeded done",
					states: "stopped running stopping stopped", published: "stopped+ running+ stopping stopped",
					ends: "stopped, wants created, behind",
				},
				{
					keys: "machine: cle\ndefaults: {on_loss: error}\n", plain: true,
					tell: []simnet.Beat{does(3, simnet.Kill{Node: "/b_base"})},
					ends: "created, wants created",
				},
			},
		},
	})
}

// Any instance disarms all of them, also one that is armed while its loop runs.
func TestC4APeerDisarmsInALoop(t *testing.T) {
	const armed = `extends: cle
states:
  armed: {nodes: active, armed: true, disarmed: running, loop: running, adopt_as: stopped}
  arming: {transition: true}
  disarming: {transition: true}
  releasing: {transition: true}
transitions:
  arm: {from: [running], via: arming, to: armed, role: arm}
  disarm: {from: [armed], via: disarming, to: running, role: disarm}
  shutdown: {from: any, via: releasing, to: released, role: shutdown}
`
	several{all: []instance{
		{
			keys: armed + loopOfA, tell: []simnet.Beat{asks(1, "initialize"), asks(2, "start"), asks(3, "arm")},
			goals:  "initialize 1: succeeded done, start 2: open, arm 3: succeeded done",
			states: "stopped running arming armed disarming running", ends: "running, wants running",
		},
		{keys: armed, tell: []simnet.Beat{asks(4, "disarm")}, goals: "disarm 4: succeeded done",
			ends: "stopped, wants running"},
	}}.run(t)
}

// One instance of a simulation has the loop.
func TestL2OneInstanceHasTheLoop(t *testing.T) {
	const loopOfB = "loop: {participants: {/b_base: {as: simulator}}}\n"
	cast(t, []several{
		{
			name: "a second start names the first", all: []instance{
				{
					keys: "machine: cle\n" + loopOfA, plain: true,
					tell:  []simnet.Beat{asks(1, "initialize"), asks(2, "start")},
					goals: "initialize 1: succeeded done, start 2: open", ends: "running, wants running",
				},
				{
					keys: "machine: cle\n" + loopOfB, plain: true, tell: []simnet.Beat{asks(3, "start")},
					goals: "start 3: rejected", why: "/a has the loop", published: "none",
					ends: "stopped, wants running",
				},
			},
		},
		{
			name: "two start at once, and the older keeps it", all: []instance{
				{
					keys: "machine: cle\n" + loopOfA, plain: true,
					tell:  []simnet.Beat{asks(1, "initialize"), asks(2, "start")},
					goals: "initialize 1: succeeded done, start 2: open", states: "stopped running",
					ends: "running, wants running",
				},
				{
					keys: "machine: cle\n" + loopOfB, plain: true, tell: []simnet.Beat{asks(2, "start")},
					goals: "start 2: aborted held", why: "/a has the loop", states: "stopped running stopped",
					ends: "stopped, wants running",
				},
			},
		},
		{
			name: "cloe: two start at once, and neither is aborted", all: []instance{
				{
					keys: "machine: cloe\n" + loopOfA, plain: true,
					tell:  []simnet.Beat{asks(1, "connect"), asks(2, "start")},
					goals: "connect 1: succeeded done, start 2: open", ends: "step, wants step",
				},
				{
					keys: "machine: cloe\n" + loopOfB, plain: true, tell: []simnet.Beat{asks(2, "start")},
					goals: "start 2: aborted held", ends: "pause, wants step",
				},
			},
		},
	})
}
