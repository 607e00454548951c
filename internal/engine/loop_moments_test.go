package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/simnet"
	"rstate/internal/stepper"
)

// slowStep lets the fourth step of /a take half a second, and end in that way.
func slowStep(s simnet.Step) map[string]simnet.Script {
	s.Cycle, s.Phase, s.Takes = 4, stepper.StepSimulator, 500*ms
	return one("/a", simnet.Script{Steps: []simnet.Step{s}}.Once())
}

// fourth is when the slow step begins.
func fourth() simnet.Moment { return simnet.Stepped("step_simulator", "/a").Time(4) }

// What comes while a command waits for the end of the step.
func TestL3WhileACommandWaitsForTheStep(t *testing.T) {
	cle, cloe := machineOf("cle"), machineOf("cloe")
	waits := func(command string, do simnet.Act, more ...simnet.Beat) []simnet.Beat {
		list := []simnet.Beat{send("start"), when(fourth(), simnet.Send{Command: command}),
			when(simnet.Then().Later(100*ms), do)}
		return append(list, more...)
	}
	play(t, []story{
		{
			name: "cle: shutdown", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:   waits("reset", simnet.Send{Command: "shutdown"}),
			goals:  "start: succeeded done, reset: aborted preempted, shutdown: succeeded done",
			states: "running stopped released", exit: 1,
		},
		{
			name: "cle: another command", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:  waits("reset", simnet.Send{Command: "stop"}),
			goals: "start: succeeded done, reset: succeeded done, stop: rejected", states: "running stopped",
			why: "reset is under way",
		},
		{
			name: "cle: a cancel of it", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:  waits("reset", simnet.Cancel{Handle: "reset"}),
			goals: "start: succeeded done, reset: succeeded done", states: "running stopped",
		},
		{
			name: "cle: a cancel of the loop's goal", net: cle, first: []string{"initialize"},
			scripts: slowStep(simnet.Step{}), tell: waits("reset", simnet.Cancel{Handle: "start"}),
			goals: "start: canceled canceled, reset: succeeded done", states: "running stopped",
		},
		{
			name: "cle: the end of the process", net: cle, first: []string{"initialize"},
			scripts: slowStep(simnet.Step{}), tell: waits("reset", simnet.Stop{}),
			goals: "start: aborted preempted, reset: aborted preempted", exit: 1,
		},
		{
			name: "cle: the end of the process, with a shutdown", net: cle, first: []string{"initialize"},
			scripts: slowStep(simnet.Step{}), tell: waits("reset", simnet.Stop{OnExit: network.ExitShutdown}),
			goals: "start: aborted preempted, reset: aborted preempted", states: "running released",
			ends: "finalized finalized", exit: 1,
		},
		{
			name: "cle: a stall", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:  waits("reset", simnet.Stall{For: 3 * time.Second}),
			goals: "start: aborted preempted, reset: aborted preempted", states: "running unknown stopped",
		},
		{
			name: "cle: a participant is killed", net: cle, first: []string{"initialize"},
			scripts: slowStep(simnet.Step{}), tell: waits("reset", simnet.Kill{Node: "/b"}),
			goals: "start: aborted held, reset: aborted held", states: "running stopped",
		},
		{
			name: "cloe: a participant is killed", net: cloe, first: []string{"connect"},
			scripts: slowStep(simnet.Step{}), tell: waits("pause", simnet.Kill{Node: "/b"}),
			goals:  "start: aborted held, pause: aborted preempted",
			states: "start step pausing abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "cloe: abort", net: cloe, first: []string{"connect"}, scripts: slowStep(simnet.Step{}),
			tell:   waits("pause", simnet.Send{Command: "abort"}),
			goals:  "start: aborted held, pause: aborted preempted, abort: succeeded done",
			states: "start step pausing abort stop disconnecting disconnect", exit: 13,
		},
	})
}

// What comes while a loop finishes its steps in a state for that.
func TestL3WhileALoopFinishes(t *testing.T) {
	cle := machineOf("cle")
	finishes := func(do simnet.Act, more ...simnet.Beat) []simnet.Beat {
		list := []simnet.Beat{send("start"), when(fourth(), simnet.Send{Command: "stop"}),
			when(simnet.Ended("stop").Later(100*ms), do)}
		return append(list, more...)
	}
	play(t, []story{
		{
			name: "reset", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:   finishes(simnet.Send{Command: "reset"}),
			goals:  "start: succeeded done, stop: succeeded done, reset: succeeded done",
			states: "running stopping stopped", calls: "none",
		},
		{
			name: "shutdown", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:   finishes(simnet.Send{Command: "shutdown"}),
			goals:  "start: succeeded done, stop: succeeded done, shutdown: succeeded done",
			states: "running stopping stopped released", exit: 1,
		},
		{
			name: "start", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:  finishes(simnet.Send{Command: "start", Handle: "again"}),
			goals: "start: succeeded done, stop: succeeded done, again: rejected", states: "running stopping stopped",
		},
		{
			name: "a participant hangs", net: cle, first: []string{"initialize"},
			scripts: slowStep(simnet.Step{End: simnet.Hang}), tell: finishes(simnet.Nothing{}),
			goals: "start: aborted held, stop: succeeded done", states: "running stopping stopped",
		},
		{
			name: "a participant wants a reset, and the client has said stop", net: cle, first: []string{"initialize"},
			scripts: slowStep(simnet.Step{Want: stepper.Reset}), tell: finishes(simnet.Nothing{}),
			goals: "start: succeeded done, stop: succeeded done", states: "running stopping stopped",
		},
		{
			name: "a stall", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:  finishes(simnet.Stall{For: 3 * time.Second}),
			goals: "start: aborted preempted, stop: succeeded done", states: "running stopping unknown stopped",
		},
		{
			name: "the end of the process", net: cle, first: []string{"initialize"}, scripts: slowStep(simnet.Step{}),
			tell:  finishes(simnet.Stop{}),
			goals: "start: aborted preempted, stop: succeeded done", exit: 1,
		},
	})
}

// What an ended run says late changes nothing.
func TestL1ALateEndOfAnotherRun(t *testing.T) {
	late := func(run uint64) simnet.Act {
		return simnet.Hear{In: engine.LoopIdle{Run: run, Want: stepper.Abort, Fault: true, Node: 0, Why: "late"}}
	}
	play(t, []story{
		{
			name: "of the run before", net: machineOf("cloe"), first: []string{"connect"}, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "pause"}), after("pause", "resume"),
				when(begun(), late(1)), when(begun(), simnet.Nothing{}),
			},
			goals:  "start: succeeded done, pause: succeeded done, resume: open",
			states: "start step pausing pause resume step",
		},
		{
			name: "of a run that has ended", net: machineOf("cloe"), first: []string{"connect"}, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "pause"}), when(simnet.Ended("pause"), late(1)),
			},
			goals: "start: succeeded done, pause: succeeded done", states: "start step pausing pause",
		},
	})
}

// Another node that publishes simulated time beside the loop is recorded once, and is a warning while the loop runs.
func TestL1AnotherClockIsNamed(t *testing.T) {
	const net = "simulation: demo\nmachine: cle\nnodes: {/a: {}}\nloop: {clock: true, participants: {/a: {as: simulator, deadline: 600s}}}\n"
	seen := simnet.Hear{In: engine.LoopSeen{Loop: engine.LoopView{Runs: true, Step: 4, Other: "/bag"}}}
	tell := []simnet.Beat{send("start"), when(fourth(), seen), when(simnet.Then(), seen)}
	for _, c := range []struct {
		goals    string
		end      []simnet.Beat
		exit     int
		warnings int
	}{
		{"start: open", nil, 0, 1},
		{"start: aborted held, shutdown: succeeded done", []simnet.Beat{send("shutdown")}, 1, 0},
	} {
		trace := story{
			net: net, first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 4, Phase: stepper.StepSimulator, End: simnet.Hang})),
			tell:    append(slices.Clone(tell), c.end...), goals: c.goals, exit: c.exit,
		}.run(t)
		var said []string
		for _, e := range trace.Entries {
			if e.Kind == engine.EntryClock {
				said = append(said, e.Sentence)
			}
		}
		if len(said) != 1 || !strings.HasPrefix(said[0], "/bag publishes /clock beside the loop") {
			t.Errorf("recorded: %q", said)
		}
		if got := trace.Last.Warnings; len(got) != c.warnings || c.warnings > 0 && got[0] != said[0] {
			t.Errorf("%s: warnings: %q", c.goals, got)
		}
	}
}
