package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
	"rstate/internal/stepper"
)

const looped = `
nodes:
  /a: {}
  /b: {after: [/a]}
loop: {dt: 20ms, participants: {/a: {as: simulator}, /b: {as: controller}}}
`

// begun waits until the loop has made some steps.
func begun() simnet.Moment { return simnet.Stepped("step_end", "/b").Time(2) }

// machineOf is a network of two participants on a preset.
func machineOf(preset string) string { return "simulation: demo\nmachine: " + preset + "\n" + looped }

func steps(list ...simnet.Step) simnet.Script { return simnet.Script{Steps: list} }

// The life of the NRP's closed loop engine.
func TestPresetCLE(t *testing.T) {
	cle := machineOf("cle")
	up := []string{"initialize"}
	play(t, []story{
		{
			name: "a whole life", net: cle, tell: []simnet.Beat{
				send("initialize"), after("initialize", "start"), when(begun(), simnet.Send{Command: "stop"}),
				when(simnet.Shown("stopped"), simnet.Send{Command: "shutdown"}),
			},
			goals:  "initialize: succeeded done, start: succeeded done, stop: succeeded done, shutdown: succeeded done",
			states: "created stopped running stopping stopped released", ends: "finalized finalized", exit: 1,
		},
		{
			name: "nothing before initialize", net: cle,
			tell: []simnet.Beat{send("start"), after("start", "run_step"), after("run_step", "reset"),
				after("reset", "stop")},
			goals: "start: rejected, run_step: rejected, reset: rejected, stop: rejected", calls: "none",
		},
		{
			name: "run_step", net: cle, first: up, tell: []simnet.Beat{send("run_step")},
			goals: "run_step: succeeded done", states: "stopping stopped", why: "the network is stopped after a step",
		},
		{
			name: "run_step takes a number of steps", net: cle, first: up,
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "run_step", Argument: "7 5ms"})},
			goals: "run_step: succeeded done", states: "stopping stopped", why: "the network is stopped after 7 steps",
		},
		{
			name: "an argument that is none", net: cle, first: up,
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "run_step", Argument: "soon"})},
			goals: "run_step: rejected", why: "write 100, 20ms, or 100 20ms",
		},
		{
			name: "an argument of a command that takes none", net: cle, first: up,
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "reset", Argument: "7"})},
			goals: "reset: rejected", why: "reset takes no argument",
		},
		{
			name: "start of some steps", net: cle, first: up,
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "start", Argument: "5"})},
			goals: "start: succeeded done", states: "running stopping stopped",
			why: "the network is stopped after 5 steps",
		},
		{
			name: "reset at rest", net: cle, first: up, tell: []simnet.Beat{send("reset")},
			goals: "reset: succeeded done", calls: "none",
		},
	})
}

// The state says why the loop has stopped, also where the machine reacts to its end.
func TestL5TheStateSaysWhyTheLoopStopped(t *testing.T) {
	trace := story{
		net: machineOf("cle"), first: []string{"initialize"},
		scripts: one("/b", steps(simnet.Step{Cycle: 1, Phase: stepper.StepEnd, Want: stepper.Pause})),
		tell:    []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "run_step", Argument: "50"})},
		goals:   "run_step: succeeded done", states: "stopping stopped",
	}.run(t)
	if got := trace.Last.Cause; got != "stand: the loop has stopped: /b wants pause in step_end of cycle 1: so it is" {
		t.Errorf("the cause is %q", got)
	}
}

// The life of a simulation of the NRP's ROS server.
func TestPresetROSCLE(t *testing.T) {
	roscle := machineOf("roscle")
	up := []string{"initialize"}
	play(t, []story{
		{
			name: "a whole life", net: roscle, tell: []simnet.Beat{
				send("initialize"), after("initialize", "start"), when(begun(), simnet.Send{Command: "pause"}),
				when(simnet.Ended("pause"), simnet.Send{Command: "start", Handle: "again"}),
				when(begun(), simnet.Send{Command: "stop"}),
			},
			goals:  "initialize: succeeded done, start: succeeded done, pause: succeeded done, again: succeeded done, stop: succeeded done",
			states: "created initial running paused running stopped", ends: "finalized finalized", exit: 1,
		},
		{
			name: "no run_step and no shutdown", net: roscle, first: up,
			tell:  []simnet.Beat{send("run_step"), after("run_step", "shutdown")},
			goals: "run_step: rejected, shutdown: rejected", calls: "none",
		},
		{
			name: "reset from running", net: roscle, first: up,
			tell:  []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "reset"})},
			goals: "start: succeeded done, reset: succeeded done", states: "running initial", calls: "none",
		},
		{
			name: "reset from paused", net: roscle, first: up,
			tell:   []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "pause"}), after("pause", "reset")},
			goals:  "start: succeeded done, pause: succeeded done, reset: succeeded done",
			states: "running paused initial", calls: "none",
		},
		{
			name: "reset from initial", net: roscle, first: up, tell: []simnet.Beat{send("reset")},
			goals: "reset: succeeded done", calls: "none",
		},
		{
			name: "stop from initial", net: roscle, first: up, tell: []simnet.Beat{send("stop")},
			goals: "stop: succeeded done", states: "stopped", ends: "finalized finalized", exit: 1,
		},
		{
			name: "stop from paused", net: roscle, first: []string{"initialize", "start", "pause"},
			tell:  []simnet.Beat{send("stop")},
			goals: "stop: succeeded done", states: "stopped", ends: "finalized finalized", exit: 1,
		},
	})
}

// The life of a Cloe simulation.
func TestPresetCloe(t *testing.T) {
	cloe := machineOf("cloe")
	up := []string{"connect"}
	const after100 = "simulation: demo\nmachine: cloe\nnodes: {/a: {}, /b: {after: [/a]}}\nloop: {participants: {/a: {as: simulator}, /b: {}}, triggers: [{after: 10, do: succeed}]}\n"
	play(t, []story{
		{
			name: "a whole life", net: cloe,
			tell: []simnet.Beat{send("connect"), after("connect", "start"),
				when(begun(), simnet.Send{Command: "stop"})},
			goals:  "connect: succeeded done, start: succeeded done, stop: succeeded done",
			states: "idle connecting connect start step stopping stop disconnecting disconnect",
			ends:   "finalized finalized", exit: 14,
		},
		{
			name: "a trigger ends it", net: after100, first: up, tell: []simnet.Beat{send("start")},
			goals: "start: succeeded done", states: "start step stopping stop disconnecting disconnect", exit: 1,
			why: "trigger 1",
		},
		{
			name: "pause and resume", net: cloe, first: up, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "pause"}), after("pause", "resume"),
				when(begun(), simnet.Nothing{}),
			},
			goals:  "start: succeeded done, pause: succeeded done, resume: open",
			states: "start step pausing pause resume step",
		},
		{
			name: "a pause decides nothing about the outcome", net: after100, first: up, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "pause"}), after("pause", "resume"),
			},
			goals:  "start: succeeded done, pause: succeeded done, resume: succeeded done",
			states: "start step pausing pause resume step stopping stop disconnecting disconnect", exit: 1,
		},
		{
			name: "abort before a start", net: cloe, first: up, tell: []simnet.Beat{send("abort")},
			goals: "abort: succeeded done", states: "abort disconnect", ends: "finalized finalized", exit: 11,
		},
		{
			name: "abort interrupts connect", net: cloe,
			scripts: one("/b", on("configure", simnet.On{Takes: time.Second})), tell: []simnet.Beat{
				send("connect"), when(simnet.Begun("configure", "/b"), simnet.Send{Command: "abort"}),
			},
			goals: "connect: aborted preempted, abort: succeeded done", states: "idle connecting abort disconnect",
			exit: 11,
		},
		{
			name: "a component that cannot connect aborts", net: cloe,
			scripts: one("/b", on("configure", simnet.On{End: simnet.Refuse})), tell: []simnet.Beat{send("connect")},
			goals: "connect: aborted restored", states: "idle connecting idle abort disconnect", exit: 11,
		},
		{
			name: "a component that cannot restart aborts", net: cloe, first: up,
			scripts: one("/b", on("deactivate", simnet.On{End: simnet.Err})),
			tell:    []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "reset"})},
			states:  "start step reset pause abort stop disconnecting disconnect", exit: 13,
		},
	})
}

// A daemon that starts, or that stood still, takes no state of the loop.
func TestL2AStartTakesNoStateOfTheLoop(t *testing.T) {
	play(t, []story{
		{
			name: "cle: a start takes no state of the loop", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("start"), when(begun(), simnet.Crash{DownFor: time.Second})},
			goals: "start: orphaned", states: "running stopped",
		},
		{
			name: "cle: a stall ends the loop", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("start"), when(begun(), simnet.Stall{For: 3 * time.Second})},
			goals: "start: aborted preempted", states: "running unknown stopped",
		},
		{
			name: "cle: no loop in the file", net: "simulation: demo\nmachine: cle\nnodes: {/a: {}}\n",
			first: []string{"initialize"}, tell: []simnet.Beat{send("start")},
			goals: "start: rejected", why: "this instance runs none",
		},
		{
			name: "roscle: paused is taken by a start", net: machineOf("roscle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("start"), when(begun(), simnet.Crash{DownFor: time.Second})},
			goals: "start: succeeded done", states: "running paused",
		},
		{
			name: "cloe: a run that was paused when the daemon restarted", net: machineOf("cloe"),
			first: []string{"connect"}, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "pause"}),
				when(simnet.Ended("pause"), simnet.Crash{DownFor: time.Second}),
				when(simnet.Settled(), simnet.Send{Command: "disconnect"}),
			},
			goals: "start: succeeded done, pause: succeeded done, disconnect: succeeded done", exit: 14,
			why: "every node is finalized",
		},
		{
			name: "cloe: a run that ran when the daemon restarted, and an abort", net: machineOf("cloe"),
			first: []string{"connect"}, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Crash{DownFor: time.Second}),
				when(simnet.Settled(), simnet.Send{Command: "abort"}),
			},
			goals: "start: orphaned, abort: succeeded done", exit: 13,
		},
		{
			name: "cloe: a run that was connected when the daemon restarted", net: machineOf("cloe"),
			first: []string{"connect"}, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Crash{DownFor: time.Second}),
				when(simnet.Settled(), simnet.Send{Command: "disconnect"}),
			},
			goals: "disconnect: succeeded done", exit: 11,
		},
		{
			name: "roscle: initial is taken by a start that never ran", net: machineOf("roscle"),
			first: []string{"initialize"}, tell: []simnet.Beat{when(simnet.Then(), simnet.Crash{DownFor: time.Second})},
			states: "initial",
		},
	})
}

// A command that leads out of the loop waits for the end of the step, or does not.
func TestL3ACommandLeavesTheLoop(t *testing.T) {
	play(t, []story{
		{
			name: "cle: reset while it runs", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "reset"})},
			goals: "start: succeeded done, reset: succeeded done", states: "running stopped", calls: "none",
		},
		{
			name: "cloe: abort works at once", net: machineOf("cloe"), first: []string{"connect"},
			scripts: one("/a", steps(simnet.Step{Cycle: 4, End: simnet.Hang})),
			tell:    []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "abort"})},
			goals:   "start: aborted held, abort: succeeded done",
			states:  "start step abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "cloe: reset goes through stop and begins again", net: machineOf("cloe"), first: []string{"connect"},
			tell: []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "reset"}),
				when(begun(), simnet.Nothing{})},
			goals: "start: open, reset: open", states: "start step reset step",
			calls: "activate a, activate b, deactivate b, deactivate a, activate a, activate b",
		},
	})
}

// TestL3AShutdownEndsTheStep: a shutdown of cle lets the step that runs end, passes through stopped, and then releases.
// The deadline of the step bounds it. An end that does not come from a client, and a second shutdown, wait for nothing.
func TestL3AShutdownEndsTheStep(t *testing.T) {
	hangs := one("/a", steps(simnet.Step{Cycle: 3, End: simnet.Hang}))
	hung := when(simnet.Stepped("step_begin", "/a").Time(3), simnet.Send{Command: "shutdown"})
	down := simnet.Send{Command: "shutdown"}
	play(t, []story{
		{
			name: "from running", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("start"), when(begun(), down)},
			goals: "start: succeeded done, shutdown: succeeded done", states: "running stopped released",
			ends: "finalized finalized", exit: 1,
		},
		{
			name: "from stopping", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("run_step"), when(simnet.Stepped("step_end", "/b"), down)},
			goals: "run_step: succeeded done, shutdown: succeeded done", states: "stopping stopped released",
			ends: "finalized finalized", exit: 1,
		},
		{
			name: "from stopped", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{when(simnet.Then(), down)},
			goals: "shutdown: succeeded done", states: "released", ends: "finalized finalized", exit: 1,
		},
		{
			name: "a participant hangs until its deadline", net: machineOf("cle"), first: []string{"initialize"},
			scripts: hangs, tell: []simnet.Beat{send("start"), hung},
			goals: "start: aborted held, shutdown: succeeded done", states: "running stopped released",
			ends: "finalized finalized", exit: 1,
		},
		{
			name: "a second shutdown waits for nothing", net: machineOf("cle"), first: []string{"initialize"},
			scripts: hangs,
			tell: []simnet.Beat{send("start"), hung,
				when(simnet.Then().Later(100*ms), simnet.Send{Command: "shutdown", Handle: "again"})},
			goals: "start: aborted held, shutdown: succeeded done, again: succeeded done", states: "running released",
			ends: "finalized finalized", exit: 1,
		},
		{
			name: "nor does the end of the process", net: machineOf("cle"), first: []string{"initialize"},
			scripts: hangs,
			tell: []simnet.Beat{send("start"), hung,
				when(simnet.Then().Later(100*ms), simnet.Stop{OnExit: network.ExitShutdown})},
			// The goal that waits ends with the process.
			states: "running released", ends: "finalized finalized", exit: 1,
		},
		{
			name: "nor does a stall", net: machineOf("cle"), first: []string{"initialize"}, scripts: hangs,
			tell:  []simnet.Beat{send("start"), hung, when(simnet.Then().Later(100*ms), simnet.Stall{For: 700 * ms})},
			goals: "start: aborted held, shutdown: succeeded done", states: "running released",
			ends: "finalized finalized", exit: 1,
		},
		{
			name: "which is asked for first", net: machineOf("cle"), first: []string{"initialize"}, scripts: hangs,
			tell: []simnet.Beat{send("start"),
				when(simnet.Stepped("step_begin", "/a").Time(3), simnet.Stop{OnExit: network.ExitShutdown})},
			states: "running released", ends: "finalized finalized", exit: 1,
		},
	})
}

// A goal that names a state starts a loop only if that state has one.
func TestC5AGoalStartsNoLoopOnItsWay(t *testing.T) {
	play(t, []story{
		{
			name: "no way leads through the loop", net: machineOf("roscle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("paused")},
			goals: "paused: rejected", why: "no way leads from initial to paused", states: "none",
		},
		{
			name: "the state of the loop itself", net: machineOf("roscle"), tell: []simnet.Beat{send("running")},
			goals: "running: succeeded done", states: "created initial running",
		},
		{
			name: "out of the loop", net: machineOf("roscle"), first: []string{"initialize", "start"},
			tell:  []simnet.Beat{send("paused")},
			goals: "paused: succeeded done", states: "paused",
		},
	})
}

// A participant that fails stops the loop at once.
func TestL4AFaultStopsTheLoop(t *testing.T) {
	play(t, []story{
		{
			name: "cle: a participant dies in the last steps", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepEnd, End: simnet.Die})),
			tell:    []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "run_step", Argument: "3"})},
			goals:   "run_step: aborted held", states: "stopping stopped",
		},
		{
			name:    "cle: a node is lost that takes no part, and the loop cannot settle",
			net:     strings.Replace(machineOf("cle"), "  /b: {after: [/a]}\n", "  /b: {after: [/a]}\n  /c: {}\n", 1),
			first:   []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 2, Takes: 900 * time.Millisecond})),
			tell: []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "run_step", Argument: "3"}),
				when(simnet.Stepped("step_begin", "/a"), simnet.Kill{Node: "/c"})},
			goals: "run_step: aborted held", states: "stopping stopped",
		},
		{
			name: "cle: a participant hangs", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 3, End: simnet.Hang})), tell: []simnet.Beat{send("start")},
			goals: "start: aborted held", states: "running stopped",
			why: "/a did not answer step_begin of cycle 3 within 1s",
		},
		{
			name: "cle: a participant is suspended, and continues in time", net: machineOf("cle"),
			first: []string{"initialize"}, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Freeze{Node: "/a"}),
				when(simnet.Then().Later(900*ms), simnet.Thaw{Node: "/a"}), when(begun(), simnet.Send{Command: "stop"}),
			},
			goals: "start: succeeded done, stop: succeeded done", states: "running stopping stopped",
		},
		{
			name: "cle: a participant is suspended, and continues too late", net: machineOf("cle"),
			first: []string{"initialize"}, tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Freeze{Node: "/a"}),
				when(simnet.Ended("start"), simnet.Thaw{Node: "/a"}),
				when(simnet.Then(), simnet.Send{Command: "start", Handle: "again", Argument: "2"}),
			},
			goals: "start: aborted held, again: succeeded done", states: "running stopped running stopping stopped",
		},
		{
			name: "cle: a participant fails", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepController, End: simnet.Refuse})),
			tell:    []simnet.Beat{send("start")},
			goals:   "start: aborted held", states: "running stopped",
			why: "/b failed in step_controller of cycle 2: so it is",
		},
		{
			name: "cle: after a fault it starts again", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepController, End: simnet.Refuse})),
			tell: []simnet.Beat{send("start"), after("start", "reset"),
				when(simnet.Ended("reset"), simnet.Send{Command: "start", Handle: "again", Argument: "1"})},
			goals:  "start: aborted held, reset: succeeded done, again: succeeded done",
			states: "running stopped running stopping stopped",
		},
		{
			name: "cle: a participant dies", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepEnd, End: simnet.Die})),
			tell:    []simnet.Beat{send("start")},
			goals:   "start: aborted held", states: "running stopped", why: "/b",
		},
		{
			name: "cle: a repeated answer changes nothing", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Twice: true})),
			tell:    []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "run_step", Argument: "3"})},
			goals:   "run_step: succeeded done", why: "the network is stopped after 3 steps",
		},
		{
			name: "roscle: a participant hangs", net: machineOf("roscle"), first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 3, End: simnet.Hang})), tell: []simnet.Beat{send("start")},
			goals: "start: succeeded done", states: "running paused",
		},
		{
			name: "cloe: a participant that hangs aborts the run", net: machineOf("cloe"), first: []string{"connect"},
			scripts: one("/a", steps(simnet.Step{Cycle: 3, End: simnet.Hang})), tell: []simnet.Beat{send("start")},
			goals: "start: aborted held", states: "start step abort stop disconnecting disconnect", exit: 13,
			why: "/a did not answer step_begin of cycle 3 within 1s",
		},
	})
}

// Two processes with the name of a participant are not stepped.
func TestL4TwoOfOneNameAreNotStepped(t *testing.T) {
	second := when(simnet.Then(), simnet.Respawn{Node: "/a", State: lifecycle.Active})
	play(t, []story{
		{
			name: "cle: two are there", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{second, when(simnet.Then().Later(time.Second), simnet.Send{Command: "run_step"})},
			goals: "run_step: rejected", why: "/a is there 2 times: end all but one", calls: "none",
		},
		{
			name: "cle: one of the two has ended", net: machineOf("cle"), first: []string{"initialize"},
			tell: []simnet.Beat{
				second, when(simnet.Then().Later(time.Second), simnet.Kill{Node: "/a"}),
				when(simnet.Then().Later(25*time.Second), simnet.Send{Command: "run_step"}),
			},
			goals: "run_step: succeeded done",
		},
	})
}

// What ends a loop counts against a command that waits for the end of the step.
func TestL4AFaultOverrulesACommandThatWaits(t *testing.T) {
	slow := func(s simnet.Step) map[string]simnet.Script {
		s.Cycle, s.Phase = 4, stepper.StepSimulator
		s.Takes = max(s.Takes, 500*ms)
		return one("/a", simnet.Script{Steps: []simnet.Step{s}}.Once())
	}
	asked := func(command string) []simnet.Beat {
		return []simnet.Beat{send("start"),
			when(simnet.Stepped("step_simulator", "/a").Time(4), simnet.Send{Command: command})}
	}
	cloe, cle, roscle := machineOf("cloe"), machineOf("cle"), machineOf("roscle")
	play(t, []story{
		{
			name: "cloe: a pause, and a participant hangs", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{End: simnet.Hang}), tell: asked("pause"),
			goals:  "start: aborted held, pause: aborted preempted",
			states: "start step pausing abort stop disconnecting disconnect", exit: 13, why: "/a did not answer",
		},
		{
			name: "cloe: a pause, and a participant dies", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{End: simnet.Die}), tell: asked("pause"),
			goals:  "start: aborted held, pause: aborted preempted",
			states: "start step pausing abort stop disconnecting disconnect", exit: 13, why: "/a",
		},
		{
			name: "cloe: a stop, and a participant hangs", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{End: simnet.Hang}), tell: asked("stop"),
			goals:  "start: aborted held, stop: aborted preempted",
			states: "start step stopping abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "cloe: a reset, and a participant fails", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{End: simnet.Refuse}), tell: asked("reset"),
			goals:  "start: aborted held, reset: aborted preempted",
			states: "start step reset abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "cloe: a pause, and a participant wants to abort", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{Want: stepper.Abort}), tell: asked("pause"),
			goals:  "start: aborted held, pause: aborted preempted",
			states: "start step pausing abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "cloe: a pause, and the scenario is over", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{Want: stepper.Succeed}), tell: asked("pause"),
			goals:  "start: succeeded done, pause: aborted preempted",
			states: "start step pausing stopping stop disconnecting disconnect", exit: 1,
		},
		{
			name: "cloe: a pause, and a participant wants to pause", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{Want: stepper.Pause}), tell: asked("pause"),
			goals: "start: succeeded done, pause: succeeded done", states: "start step pausing pause",
		},
		{
			name: "cloe: a stop, and a participant wants to pause", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{Want: stepper.Pause}), tell: asked("stop"),
			goals:  "start: succeeded done, stop: succeeded done",
			states: "start step stopping stop disconnecting disconnect", exit: 14,
		},
		{
			name: "cloe: a stop, and a participant fails the run", net: cloe, first: []string{"connect"},
			scripts: slow(simnet.Step{Want: stepper.Fail}), tell: asked("stop"),
			goals:  "start: aborted held, stop: succeeded done",
			states: "start step stopping stop disconnecting disconnect", exit: 12,
		},
		{
			name: "roscle: a pause, and a participant hangs", net: roscle, first: []string{"initialize"},
			scripts: slow(simnet.Step{End: simnet.Hang}), tell: asked("pause"),
			goals: "start: succeeded done, pause: aborted held", states: "running paused", why: "/a did not answer",
		},
		{
			name: "roscle: a stop, and a participant hangs", net: roscle, first: []string{"initialize"},
			scripts: slow(simnet.Step{End: simnet.Hang}), tell: asked("stop"),
			goals: "start: succeeded done, stop: succeeded done", states: "running stopped",
			ends: "finalized finalized", exit: 1,
		},
		{
			name: "cle: a reset, and a participant hangs", net: cle, first: []string{"initialize"},
			scripts: slow(simnet.Step{End: simnet.Hang}), tell: asked("reset"),
			goals: "start: aborted held, reset: succeeded done", states: "running stopped", calls: "none",
		},
		{
			name: "cle: a stop, and a participant hangs", net: cle, first: []string{"initialize"},
			scripts: slow(simnet.Step{End: simnet.Hang}), tell: asked("stop"),
			goals: "start: aborted held, stop: succeeded done", states: "running stopping stopped",
		},
	})
}

// armedInALoop is a network whose nodes are armed while the loop runs.
const armedInALoop = `
simulation: demo
extends: cloe
nodes:
  /a: {}
  /b: {after: [/a], arm: {}}
loop: {participants: {/a: {as: simulator, deadline: 10m}}}
states:
  armed: {nodes: active, armed: true, disarmed: step, loop: running, adopt_as: pause}
  arming: {transition: true}
  disarming: {transition: true}
transitions:
  arm: {from: [step], via: arming, to: armed, role: arm}
  disarm: {from: [armed], via: disarming, to: step, role: disarm}
`

// The end of a loop that comes while nodes are armed, or on the way, is obeyed once they are disarmed.
func TestL4WhatEndsAnArmedLoopIsObeyedAfterTheDisarm(t *testing.T) {
	// The fifth step is the last.
	last := func(s simnet.Step, b simnet.Script) map[string]simnet.Script {
		s.Cycle, s.Phase, s.Takes = 5, stepper.StepSimulator, 300*ms
		return map[string]simnet.Script{"/a": steps(s), "/b": b}
	}
	fifth := simnet.Stepped("step_simulator", "/a").Time(5)
	slow := simnet.Reply{Takes: 600 * ms}
	arms := []simnet.Beat{send("start"), when(fifth, simnet.Send{Command: "arm"})}
	play(t, []story{
		{
			name: "a fault while armed", net: armedInALoop, first: []string{"connect"},
			scripts: last(simnet.Step{End: simnet.Refuse}, simnet.Script{}), tell: arms,
			goals:  "start: aborted held, arm: succeeded done",
			states: "start step arming armed disarming step abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "a want while armed", net: armedInALoop, first: []string{"connect"},
			scripts: last(simnet.Step{Want: stepper.Succeed}, simnet.Script{}), tell: arms,
			goals:  "start: succeeded done, arm: succeeded done",
			states: "start step arming armed disarming step stopping stop disconnecting disconnect", exit: 1,
		},
		{
			name: "a fault while nodes are being armed", net: armedInALoop, first: []string{"connect"},
			scripts: last(simnet.Step{End: simnet.Refuse}, simnet.Script{Arm: []simnet.Reply{slow}}), tell: arms,
			goals:  "start: aborted held, arm: aborted preempted",
			states: "start step arming disarming step abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "a fault while nodes are being disarmed", net: armedInALoop, first: []string{"connect"},
			scripts: last(simnet.Step{End: simnet.Refuse}, simnet.Script{Disarm: []simnet.Reply{slow}}),
			tell:    append(arms, after("arm", "disarm")),
			goals:   "start: aborted held, arm: succeeded done, disarm: succeeded done",
			states:  "start step arming armed disarming step abort stop disconnecting disconnect", exit: 13,
		},
		{
			name: "a want while nodes are being disarmed", net: armedInALoop, first: []string{"connect"},
			scripts: last(simnet.Step{Want: stepper.Pause}, simnet.Script{Disarm: []simnet.Reply{slow}}),
			tell:    append(arms, after("arm", "disarm")),
			goals:   "start: succeeded done, arm: succeeded done, disarm: succeeded done",
			states:  "start step arming armed disarming step pausing pause",
		},
		{
			name: "its goal is cancelled while armed", net: armedInALoop, first: []string{"connect"},
			tell: []simnet.Beat{
				send("start"), when(simnet.Stepped("step_end", "/a"), simnet.Send{Command: "arm"}),
				when(simnet.Ended("arm"), simnet.Cancel{Handle: "start"}),
			},
			goals:  "start: canceled canceled, arm: succeeded done",
			states: "start step arming armed disarming step stopping stop disconnecting disconnect", exit: 14,
		},
	})
}

// What a participant wants, the network does.
func TestL5WhatAParticipantWants(t *testing.T) {
	play(t, []story{
		{
			name: "cle: a participant wants to stop", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepController, Want: stepper.Stop})),
			tell:    []simnet.Beat{send("start")},
			goals:   "start: succeeded done", states: "running stopping stopped",
			why: "/b wants stop in step_controller of cycle 2: so it is",
		},
		{
			name: "cle: a want that the machine lacks becomes stop", net: machineOf("cle"),
			first:   []string{"initialize"},
			scripts: one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepController, Want: stepper.Pause})),
			tell:    []simnet.Beat{send("start")},
			goals:   "start: succeeded done", states: "running stopping stopped",
		},
		{
			name: "cle: a participant wants a reset", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 2, Phase: stepper.StepSimulator, Want: stepper.Reset})),
			tell:    []simnet.Beat{send("start")},
			goals:   "start: succeeded done", states: "running stopped",
		},
		{
			name: "roscle: a participant wants to stop", net: machineOf("roscle"), first: []string{"initialize"},
			scripts: one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepEnd, Want: stepper.Stop})),
			tell:    []simnet.Beat{send("start")},
			goals:   "start: succeeded done", states: "running stopped", ends: "finalized finalized", exit: 1,
		},
		{
			name: "cloe: the simulator says that the scenario is over", net: machineOf("cloe"),
			first: []string{"connect"}, scripts: one("/a",
				steps(simnet.Step{Cycle: 5, Phase: stepper.StepSimulator, Want: stepper.Succeed})),
			tell: []simnet.Beat{send("start")}, goals: "start: succeeded done",
			states: "start step stopping stop disconnecting disconnect", exit: 1,
		},
		{
			name: "cloe: a participant fails the run", net: machineOf("cloe"), first: []string{"connect"},
			scripts: one("/a", steps(simnet.Step{Cycle: 5, Phase: stepper.StepSimulator, Want: stepper.Fail})),
			tell:    []simnet.Beat{send("start")}, goals: "start: aborted held",
			states: "start step stopping stop disconnecting disconnect", exit: 12,
		},
		{
			name: "cloe: a participant wants a reset", net: machineOf("cloe"), first: []string{"connect"},
			scripts: one("/a", simnet.Script{Steps: []simnet.Step{{Cycle: 2, Phase: stepper.StepSimulator,
				Want: stepper.Reset}}}.Once()),
			tell:  []simnet.Beat{send("start"), when(begun(), simnet.Nothing{}), when(begun(), simnet.Nothing{})},
			goals: "start: open", states: "start step reset step",
		},
	})
}

// A goal of the loop stays open until the loop has ended.
func TestL6OpenGoals(t *testing.T) {
	play(t, []story{
		{
			name: "cle: cancelling is stop", net: machineOf("cle"), first: []string{"initialize"},
			tell:  []simnet.Beat{send("start"), when(begun(), simnet.Cancel{Handle: "start"})},
			goals: "start: canceled canceled", states: "running stopping stopped",
		},
		{
			name: "cle: cancelling run_step is stop", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 2, Takes: 500 * ms})),
			tell: []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "run_step", Argument: "1000"}),
				when(begun(), simnet.Cancel{Handle: "run_step"})},
			goals: "run_step: canceled canceled", states: "stopping stopped", why: "after 2 steps",
		},
		{
			name: "cle: cancelling a single step", net: machineOf("cle"), first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Takes: 500 * ms})),
			tell: []simnet.Beat{send("run_step"),
				when(simnet.Stepped("step_begin", "/a").Later(100*ms), simnet.Cancel{Handle: "run_step"})},
			goals: "run_step: canceled canceled", states: "stopping stopped", why: "after a step",
		},
		{
			name: "cle: start was cancelled, and a participant fails in that step", net: machineOf("cle"),
			first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 3, Phase: stepper.StepSimulator, Takes: 500 * ms,
				End: simnet.Refuse})),
			tell: []simnet.Beat{send("start"),
				when(simnet.Stepped("step_simulator", "/a").Time(3), simnet.Cancel{Handle: "start"})},
			goals: "start: canceled canceled", states: "running stopping stopped",
		},
		{
			name: "roscle: start answers at once", net: machineOf("roscle"), first: []string{"initialize"},
			tell: []simnet.Beat{send("start"), when(simnet.Ended("start"), simnet.Mark{}),
				when(begun(), simnet.Nothing{})},
			states: "none",
		},
		{
			name: "cloe: stop in pause is kept until resume", net: machineOf("cloe"), first: []string{"connect"},
			tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "pause"}), after("pause", "stop"),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "resume"}),
			},
			goals:  "start: succeeded done, pause: succeeded done, stop: succeeded done, resume: succeeded done",
			states: "start step pausing pause resume step stopping stop disconnecting disconnect", exit: 14,
		},
	})
}

// A command that is kept during a pause is settled when the network leaves the pause otherwise.
func TestL6AKeptCommandEndsWithThePause(t *testing.T) {
	const below = "simulation: demo\nextends: cloe\ntransitions: {park: {from: [pause], to: connect}}\n" + looped
	const reset = "defaults: {on_loss: error}\n" // the network leaves the pause by itself
	paused := []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "pause"}), after("pause", "stop")}
	then := func(do simnet.Act, more ...simnet.Beat) []simnet.Beat {
		return append(append(slices.Clone(paused), when(simnet.Then().Later(time.Second), do)), more...)
	}
	play(t, []story{
		{
			name: "abort", net: machineOf("cloe"), first: []string{"connect"},
			tell:  then(simnet.Send{Command: "abort"}),
			goals: "start: succeeded done, pause: succeeded done, stop: aborted preempted, abort: succeeded done",
			exit:  13,
		},
		{
			name: "disconnect", net: machineOf("cloe"), first: []string{"connect"},
			tell:  then(simnet.Send{Command: "disconnect"}),
			goals: "start: succeeded done, pause: succeeded done, stop: aborted preempted, disconnect: succeeded done",
			exit:  14,
		},
		{
			name: "the end of the process", net: machineOf("cloe"), first: []string{"connect"},
			tell:  then(simnet.Stop{}),
			goals: "start: succeeded done, pause: succeeded done, stop: aborted preempted", exit: 13,
		},
		{
			name: "a stall", net: machineOf("cloe"), first: []string{"connect"},
			tell:  then(simnet.Stall{For: 3 * time.Second}),
			goals: "start: succeeded done, pause: succeeded done, stop: aborted preempted",
		},
		{
			name: "a command of the machine", net: below, first: []string{"connect"},
			tell:   then(simnet.Send{Command: "park"}),
			goals:  "start: succeeded done, pause: succeeded done, stop: aborted preempted, park: succeeded done",
			states: "start step pausing pause connect",
		},
		{
			name: "a failure", net: machineOf("cloe"), keys: reset, first: []string{"connect"},
			tell:   then(simnet.Kill{Node: "/b"}),
			goals:  "start: succeeded done, pause: succeeded done, stop: aborted preempted",
			states: "start step pausing pause idle",
		},
		{
			name: "its client cancels it", net: machineOf("cloe"), first: []string{"connect"},
			tell:   then(simnet.Cancel{Handle: "stop"}, send("resume"), when(begun(), simnet.Nothing{})),
			goals:  "start: succeeded done, pause: succeeded done, stop: canceled canceled, resume: open",
			states: "start step pausing pause resume step",
		},
		{
			name: "a resume that fails keeps it", net: machineOf("cloe"), first: []string{"connect"},
			tell:  then(simnet.Send{Command: "reset"}),
			goals: "start: succeeded done, pause: succeeded done, stop: succeeded done, reset: succeeded done",
			exit:  14,
		},
	})
}

// Armed while the loop runs: a disarm never waits for a step.
func TestA3ADisarmWaitsForNoStep(t *testing.T) {
	const net = `
simulation: demo
extends: cle
nodes:
  /a: {}
  /b: {after: [/a], arm: {}}
loop: {participants: {/a: {as: simulator, deadline: 10m}, /b: {as: controller}}}
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
	play(t, []story{
		{
			name: "while a step hangs", net: net, first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 200, End: simnet.Hang})), tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "arm"}), after("arm", "disarm"),
				when(simnet.Ended("disarm"), simnet.Send{Command: "shutdown"}),
			},
			goals:  "start: aborted held, arm: succeeded done, disarm: succeeded done, shutdown: succeeded done",
			states: "running arming armed disarming running releasing released",
			ends:   "finalized finalized", exit: 1,
		},
		{
			name: "a loop that stops disarms", net: net, first: []string{"initialize"},
			scripts: one("/a", steps(simnet.Step{Cycle: 100, End: simnet.Refuse})), tell: []simnet.Beat{
				send("start"), when(begun(), simnet.Send{Command: "arm"}),
			},
			goals: "start: aborted held, arm: succeeded done", states: "running arming armed disarming stopped",
			ends: "active active",
		},
	})
}

// TestL5TheCommandForAnEnd: a command may follow the end of a loop under a name of its own, and then the one with the
// name of that end does not.
func TestL5TheCommandForAnEnd(t *testing.T) {
	const game = `simulation: demo
machine:
  initial: idle
  states:
    over: {nodes: finalized, final: true}
    idle: {nodes: unconfigured}
    ready: {nodes: active}
    lost: {nodes: active}
    playing: {nodes: active, loop: running, adopt_as: ready}
  transitions:
    open: {from: [idle], to: ready}
    play: {from: [ready], to: playing, open: true}
    whistle: {from: [playing], to: ready, after: stop}
    fail: {from: [playing], to: ready}
    lose: {from: [playing], to: lost, after: fail}
    again: {from: [lost], to: ready}
    close: {from: [ready], to: idle}
    end: {from: any, to: over}
` + looped
	wants := func(w stepper.Want) map[string]simnet.Script {
		return one("/b", steps(simnet.Step{Cycle: 2, Phase: stepper.StepController, Want: w}))
	}
	play(t, []story{
		{name: "a stop", net: game, first: []string{"open"}, scripts: wants(stepper.Stop),
			tell: []simnet.Beat{send("play")}, states: "playing ready", ends: "active active"},
		{name: "a failure", net: game, first: []string{"open"}, scripts: wants(stepper.Fail),
			tell: []simnet.Beat{send("play")}, states: "playing lost", ends: "active active"},
		{name: "a pause, of which the machine has none", net: game, first: []string{"open"},
			scripts: wants(stepper.Pause), tell: []simnet.Beat{send("play")}, states: "playing ready",
			ends: "active active"},
	})
}
