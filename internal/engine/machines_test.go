package engine_test

import (
	"testing"

	"rstate/internal/simnet"
)

// bare is a network whose machine has no passing states.
const bare = `
simulation: x
nodes: {/a: {}, /b: {after: [/a]}}
machine:
  initial: idle
  states: {idle: {nodes: unconfigured}, busy: {nodes: active}, over: {nodes: finalized, final: true}}
  transitions:
    begin: {from: [idle], to: busy}
    stop: {from: [busy], to: idle}
    end: {from: any, to: over}
`

// TestM2WithoutVia: a network whose transition passes through no state shows its origin until the commit, when it fails
// and when it ends, too.
func TestM2WithoutVia(t *testing.T) {
	play(t, []story{
		{name: "up", net: bare, tell: []simnet.Beat{here, send("begin")}, states: "busy", goals: "begin: succeeded done", ends: "active active"},
		{
			name: "and back, where that fails", net: bare, scripts: one("/b", on("activate", simnet.On{End: simnet.Refuse})),
			tell: []simnet.Beat{here, send("begin")}, states: "none", goals: "begin: aborted restored", ends: "unconfigured unconfigured",
		},
		{
			name: "down", net: bare, first: []string{"begin"}, tell: []simnet.Beat{send("stop")}, states: "idle",
			goals: "stop: succeeded done", ends: "unconfigured unconfigured",
		},
		{
			name: "the end", net: bare, first: []string{"begin"}, tell: []simnet.Beat{send("end")}, states: "over", exit: 1,
			goals: "end: succeeded done", ends: "finalized finalized",
		},
		{
			name: "the end while another transition runs", net: bare, exit: 1, scripts: one("/a", on("configure", simnet.On{Takes: 1000 * ms})),
			tell:   []simnet.Beat{here, when(simnet.Then(), simnet.Send{Command: "begin"}), when(simnet.Begun("configure", "/a"), simnet.Send{Command: "end"})},
			states: "over", goals: "begin: aborted preempted, end: succeeded done", ends: "finalized finalized",
		},
	})
}

// partial is a network with states that leave a required node as it is.
const partial = `
simulation: x
nodes: {/a: {arm: {}}, /b: {}}
groups: {hands: [/a]}
extends: rstate
states: {ready: {nodes: {hands: active}}, moving: {nodes: {hands: active}, armed: true, disarmed: ready}}
transitions:
  prepare: {from: [inactive], via: activating, to: ready}
  move: {from: [ready], via: arming, to: moving}
  halt: {from: [moving], via: disarming, to: ready}
`

// TestA1AlsoReadsWhatIsLeftAsItIs: a required node that the armed state leaves as it is has to show that it lives.
func TestA1AlsoReadsWhatIsLeftAsItIs(t *testing.T) {
	first := []string{"configure", "prepare"}
	play(t, []story{
		{name: "all answer", net: partial, first: first, tell: []simnet.Beat{send("move")}, states: "arming moving", goals: "move: succeeded done", ends: "active* inactive"},
		{
			name: "one is silent", net: partial, first: first, tell: []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/b"}), send("move")},
			states: "arming errorprocessing ready", goals: "move: aborted restored", why: "/b does not answer get_state", calls: "none", ends: "active inactive",
		},
	})
}
