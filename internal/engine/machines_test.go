package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// bare is a network whose machine has no passing states.
const bare = `
simulation: x
nodes: {/a: {}, /b: {after: [/a]}}
machine:
  initial: idle
  states: {idle: {nodes: unconfigured}, busy: {nodes: active}, over: {nodes: finalized, final: true}, left: {nodes: finalized, final: true}}
  transitions:
    leave: {from: [idle], to: left}
    begin: {from: [idle], to: busy}
    stop: {from: [busy], to: idle}
    end: {from: any, to: over}
`

// TestM2WithoutVia: a network whose transition passes through no state shows its origin until the commit, when it fails
// and when it ends, too.
func TestM2WithoutVia(t *testing.T) {
	play(t, []story{
		{name: "up", net: bare, tell: []simnet.Beat{here, send("begin")}, states: "busy",
			goals: "begin: succeeded done", ends: "active active"},
		{
			name: "and back, where that fails", net: bare,
			scripts: one("/b", on("activate", simnet.On{End: simnet.Refuse})),
			tell:    []simnet.Beat{here, send("begin")}, states: "none", goals: "begin: aborted restored",
			ends: "unconfigured unconfigured",
		},
		{
			name: "down", net: bare, first: []string{"begin"}, tell: []simnet.Beat{send("stop")}, states: "idle",
			goals: "stop: succeeded done", ends: "unconfigured unconfigured",
		},
		{
			name: "the end", net: bare, first: []string{"begin"}, tell: []simnet.Beat{send("end")}, states: "over",
			exit:  1,
			goals: "end: succeeded done", ends: "finalized finalized",
		},
		{
			name: "the end while another transition runs", net: bare, exit: 1,
			scripts: one("/a", on("configure", simnet.On{Takes: 1000 * ms})),
			tell: []simnet.Beat{here, when(simnet.Then(), simnet.Send{Command: "begin"}),
				when(simnet.Begun("configure", "/a"), simnet.Send{Command: "end"})},
			states: "over", goals: "begin: aborted preempted, end: succeeded done", ends: "finalized finalized",
		},
	})
}

// TestP1ALoweringWithoutViaIsSaidOnce: a peer of four fields runs its hook for each message, so there is none when such
// a lowering has settled.
func TestP1ALoweringWithoutViaIsSaidOnce(t *testing.T) {
	play(t, []story{{name: "down", net: bare, first: []string{"begin"}, tell: []simnet.Beat{send("stop")},
		goals: "stop: succeeded done", published: "busy+"}})
}

// TestM2ItsBeginAndEndAreShown: a command without a passing state is shown when it begins and when it ends, before its
// goal is answered, although the state of the network may stay the same.
func TestM2ItsBeginAndEndAreShown(t *testing.T) {
	const text = `
simulation: x
nodes: {/a: {}}
machine:
  initial: idle
  states: {over: {nodes: finalized, final: true}, idle: {nodes: unconfigured}, busy: {nodes: inactive}}
  transitions: {begin: {from: [idle], to: busy}, stop: {from: [busy], to: idle}, end: {from: any, to: over}}
`
	for ends, success := range map[string]bool{"busy": true, "idle": false} {
		t.Run(ends, func(t *testing.T) {
			w := courtOf(t, text)
			w.takes = time.Millisecond
			var shown []string
			ended := false
			w.each = func(effects []engine.Effect) {
				for _, e := range effects {
					if show, ok := e.(engine.Show); ok && show.Snapshot != nil {
						shown = append(shown, strings.TrimSpace(show.Snapshot.State+" "+show.Snapshot.Work.Command))
					}
					if end, ok := e.(engine.FinishGoal); ok {
						ended = true
						if end.Result.Success != success || len(shown) == 0 || shown[len(shown)-1] != ends {
							t.Errorf("answered %v after %q was shown", end.Result.Success, shown)
						}
					}
				}
			}
			w.step(engine.GoalAsked{Handle: "g", Command: "begin"})
			if !slices.Equal(shown, []string{"idle begin"}) {
				t.Errorf("at the beginning %q was shown", shown)
			}
			i := slices.IndexFunc(w.effects, func(e engine.Effect) bool { _, ok := e.(engine.CallNode); return ok })
			if i < 0 {
				t.Fatal("the node is not asked")
			}
			if success {
				w.reads = lifecycle.Inactive
			}
			w.step(engine.CallAnswered{Node: 0, Call: w.effects[i].(engine.CallNode).Call, Success: success})
			for range 100 {
				w.now.Steady += 100 * time.Millisecond
				w.step(engine.Tick{})
			}
			if want := []string{"idle begin", ends}; !ended || !slices.Equal(shown, want) {
				t.Errorf("shown was %q, want %q; the goal was answered: %v", shown, want, ended)
			}
		})
	}
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
		{name: "all answer", net: partial, first: first, tell: []simnet.Beat{send("move")}, states: "arming moving",
			goals: "move: succeeded done", ends: "active* inactive"},
		{
			name: "one is silent", net: partial, first: first,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/b"}), send("move")},
			states: "arming errorprocessing ready", goals: "move: aborted restored",
			why: "/b does not answer get_state", calls: "none", ends: "active inactive",
		},
		{
			name: "one is gone", net: partial, first: first,
			tell:   []simnet.Beat{send("move"), when(simnet.Shown("arming"), simnet.Kill{Node: "/b"})},
			states: "arming errorprocessing ready", goals: "move: aborted restored", why: "/b left the graph",
			calls: "none", ends: "active -",
		},
	})
}

// doomed is a machine with two ends, and a command that leads to the one that is not the last resort.
const doomed = `
simulation: x
nodes: {/a: {}, /b: {optional: true}}
machine:
  initial: idle
  states: {idle: {nodes: unconfigured}, over: {nodes: finalized, final: true}, sold: {nodes: finalized, final: true, exit: 3}}
  transitions:
    sell: {from: [idle], to: sold}
    end: {from: any, to: over}
`

// TestF5TheLastResortIsNotTheEndThatWasAskedFor: what ends elsewhere than its command leads has failed.
func TestF5TheLastResortIsNotTheEndThatWasAskedFor(t *testing.T) {
	play(t, []story{
		{name: "the end that was asked for", net: doomed, tell: []simnet.Beat{here, send("sell")}, states: "sold",
			goals: "sell: succeeded done", exit: 4},
		{
			name: "another", net: doomed, scripts: one("/b", on("shutdown", simnet.On{End: simnet.Hang})),
			tell:   []simnet.Beat{here, send("sell")},
			states: "over", goals: "sell: aborted finalized", exit: 6,
		},
		{
			name:    "a command that leads to another joins none",
			net:     strings.Replace(doomed, "to: sold}", "to: sold, arrives: always}", 1),
			scripts: one("/a", on("shutdown", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{here, send("sell"),
				when(simnet.Begun("shutdown", "/a"), simnet.Send{Command: "end"})},
			states: "sold", goals: "sell: succeeded done, end: rejected", why: "on its way to sold", exit: 4,
		},
	})
}

// watchful is a machine that goes to a lower state by itself.
const watchful = `
simulation: x
machine:
  initial: idle
  states: {idle: {nodes: unconfigured}, still: {nodes: inactive}, busy: {nodes: active}, over: {nodes: finalized, final: true}}
  transitions:
    ready: {from: [idle], to: still, role: configure}
    work: {from: [still], to: busy, on_failure: {then: sleep}}
    rest: {from: [busy], to: still}
    sleep: {from: [still, busy], to: idle}
    end: {from: any, to: over}
  auto: [{in: busy, on: node_error, do: rest}]
nodes: {/a: {}, /b: {after: [/a]}}
`

// TestM4WhatTheMachineDoesByItselfHasAName: a reaction, and what follows a failure, are published with their commands.
func TestM4WhatTheMachineDoesByItselfHasAName(t *testing.T) {
	for _, s := range []struct {
		story
		event string
	}{
		{
			story: story{name: "a reaction", net: watchful, first: []string{"ready", "work"}, states: "still",
				tell: []simnet.Beat{when(simnet.Then(), simnet.Raise{Node: "/b"}),
					when(simnet.Then().Later(2000*ms), simnet.Nothing{})}},
			event: "rest",
		},
		{
			story: story{name: "after a failure", net: watchful, first: []string{"ready"},
				scripts: one("/b", on("activate", simnet.On{End: simnet.Refuse})),
				tell:    []simnet.Beat{send("work")}, states: "idle", goals: "work: aborted restored"},
			event: "sleep",
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			trace := s.run(t)
			if last := trace.Changes[len(trace.Changes)-1]; last.Event != s.event {
				t.Errorf("published is %v, want %s\n%v", last, s.event, trace)
			}
		})
	}
}

// sealed is a network that clients end from idle only.
const sealed = `
simulation: x
nodes: {/a: {}}
on_exit: shutdown
machine:
  initial: idle
  states: {idle: {nodes: unconfigured}, busy: {nodes: active}, over: {nodes: finalized, final: true}, left: {nodes: finalized, final: true}}
  transitions:
    leave: {from: [idle], to: left}
    begin: {from: [idle], to: busy}
    stop: {from: [busy], to: idle}
    end: {from: any, to: over, hidden: true}
`

// TestM6HiddenCommandsByTheirState: a goal that names the state to which only a hidden command leads does not run it.
// The command serves the exit.
func TestM6HiddenCommandsByTheirState(t *testing.T) {
	play(t, []story{
		{name: "by its name", net: sealed, tell: []simnet.Beat{here, send("end")}, states: "none",
			goals: "end: rejected", why: "neither a command nor a state", calls: "none"},
		{name: "by its state", net: sealed, tell: []simnet.Beat{here, send("over")}, states: "none",
			goals: "over: rejected", why: "no way leads from idle to over", calls: "none"},
		{
			name: "while another runs", net: sealed, scripts: one("/a", on("configure", simnet.On{Takes: 1000 * ms})),
			tell: []simnet.Beat{here, send("begin"),
				when(simnet.Begun("configure", "/a"), simnet.Send{Command: "over"})},
			states: "busy", goals: "begin: succeeded done, over: rejected", calls: "configure a, activate a",
		},
	})
}

// TestC6WhatNothingRepairsIsNotIgnored: a repeat whose state no command repairs is rejected while the network is not
// intact. Nothing repairs a final state.
func TestC6WhatNothingRepairsIsNotIgnored(t *testing.T) {
	base := `
simulation: x
nodes: {/a: {}}
machine:
  initial: idle
  repeat: ignore
  states: {idle: {nodes: unconfigured}, parked: {nodes: unconfigured}, busy: {nodes: active}, over: {nodes: finalized, final: true}}
  transitions:
    begin: {from: [idle], to: busy}
    park: {from: [busy], to: parked}
    stop: {from: [parked], to: idle, loop: true}
    end: {from: any, to: over}
`
	play(t, []story{
		{name: "intact", net: base, tell: []simnet.Beat{here, send("stop")}, goals: "stop: succeeded already",
			calls: "none", ends: "unconfigured"},
		{
			name: "not intact", net: base, goals: "stop: rejected", why: "not intact, and no command repairs",
			calls: "none", ends: "finalized",
			tell: []simnet.Beat{here, when(simnet.Then(), simnet.Move{Node: "/a", To: lifecycle.Finalized}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "stop"})},
		},
		{
			name: "a final state, intact", net: base, goals: "end: succeeded done, again: succeeded already",
			ends: "finalized", exit: 1,
			tell: []simnet.Beat{here, send("end"),
				when(simnet.Ended("end"), simnet.Send{Command: "end", Handle: "again"})},
		},
		{
			name: "a final state, not intact", net: base, ends: "unconfigured", exit: 6,
			goals: "end: aborted finalized, again: rejected",
			why:   "the network is over, but not intact; start rstate again",
			tell: []simnet.Beat{here, when(simnet.Then(), simnet.Freeze{Node: "/a"}), send("end"),
				when(simnet.Ended("end"), simnet.Send{Command: "end", Handle: "again"})},
		},
	})
}
