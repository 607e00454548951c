package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/simnet"
	"rstate/internal/stepper"
)

// decided is a run of cloe, with its outcome and its exit code.
type decided struct {
	story
	outcome string
	exit    int
	because string // is part of why the process ends
}

// wanted is a step in which the simulator wants something.
func wanted(want stepper.Want) map[string]simnet.Script {
	return one("/a", steps(simnet.Step{Cycle: 5, Phase: stepper.StepSimulator, Want: want}))
}

// endedBy is a network of which a trigger ends the run.
func endedBy(do string) string {
	return strings.Replace(machineOf("cloe"), "loop: {", "loop: {triggers: [{after: 5, do: "+do+"}], ", 1)
}

// says is a stop of a client that says how the run has ended.
func says(argument string) []simnet.Beat {
	return []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "stop", Argument: argument})}
}

// Every outcome, by a participant, a trigger, a client, a fault and a signal.
func TestL8Outcomes(t *testing.T) {
	start := []simnet.Beat{send("start")}
	signal := func(onExit network.OnExit) []simnet.Beat {
		return []simnet.Beat{send("start"), when(begun(), simnet.Stop{OnExit: onExit})}
	}
	up := []string{"connect"}
	refuses := func(step string) map[string]simnet.Script { return one("/b", on(step, simnet.On{End: simnet.Refuse})) }
	hang := steps(simnet.Step{Cycle: 3, Phase: stepper.StepController, End: simnet.Hang})
	wedged := hang // the whole process
	wedged.On = []simnet.On{{Do: "deactivate", End: simnet.Hang}, {Do: "shutdown", End: simnet.Hang}}
	for _, c := range []decided{
		{story{name: "a participant wants to succeed", scripts: wanted(stepper.Succeed), tell: start}, "success", 0,
			"/a wants succeed in step_simulator of cycle 5"},
		{story{name: "a participant wants to stop", scripts: wanted(stepper.Stop), tell: start}, "stopped", 13,
			"/a wants stop"},
		{story{name: "a participant wants to fail", scripts: wanted(stepper.Fail), tell: start}, "failure", 11,
			"/a wants fail"},
		{story{name: "a participant wants to abort", scripts: wanted(stepper.Abort), tell: start}, "aborted", 12,
			"/a wants abort"},
		{story{name: "a trigger succeeds", net: endedBy("succeed"), tell: start}, "success", 0, "trigger 1"},
		{story{name: "a trigger stops", net: endedBy("stop"), tell: start}, "stopped", 13, "trigger 1"},
		{story{name: "a trigger fails", net: endedBy("fail"), tell: start}, "failure", 11, "trigger 1"},
		{story{name: "a trigger aborts", net: endedBy("abort"), tell: start}, "aborted", 12, "trigger 1"},
		{story{name: "a client succeeds", tell: says("succeed")}, "success", 0, "stop was asked for"},
		{story{name: "a client stops", tell: says("")}, "stopped", 13, "stop was asked for"},
		{story{name: "a client fails", tell: says("fail")}, "failure", 11, "stop was asked for"},
		{story{name: "a client aborts", tell: []simnet.Beat{send("start"),
			when(begun(), simnet.Send{Command: "abort"})}}, "aborted", 12, "abort was asked for"},
		{story{name: "a client cancels the start",
			tell: []simnet.Beat{send("start"), when(begun(), simnet.Cancel{Handle: "start"})}}, "stopped", 13,
			"the goal of the loop was cancelled"},
		{story{name: "a client succeeds in a pause, until resume", tell: []simnet.Beat{
			send("start"), when(begun(), simnet.Send{Command: "pause"}),
			when(simnet.Ended("pause"), simnet.Send{Command: "stop", Argument: "succeed"}),
			when(simnet.Then().Later(100*ms), simnet.Send{Command: "resume"}),
		}}, "success", 0, ""},
		{story{name: "a client disconnects in a pause",
			tell: []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "pause"}),
				after("pause", "disconnect")}}, "stopped", 13, ""},
		{story{name: "a client succeeds, and a participant fails in the same step",
			scripts: slowStep(simnet.Step{Want: stepper.Fail}), tell: []simnet.Beat{
				send("start"), when(fourth(), simnet.Send{Command: "stop", Argument: "succeed"}),
			}}, "failure", 11, "/a wants fail"},
		{story{name: "a client succeeds, and a participant stops in the same step",
			scripts: slowStep(simnet.Step{Want: stepper.Stop}), tell: []simnet.Beat{
				send("start"), when(fourth(), simnet.Send{Command: "stop", Argument: "succeed"}),
			}}, "stopped", 13, "/a wants stop"},
		{story{name: "a failure in start", scripts: refuses("activate"), tell: start}, "aborted", 12, "abort"},
		{story{name: "a failure in connect", first: []string{"-"}, scripts: refuses("configure"),
			tell: []simnet.Beat{send("connect")}}, "no_start", 10, ""},
		{story{name: "a client aborts before a start", tell: []simnet.Beat{send("abort")}}, "no_start", 10, ""},
		{story{name: "a controller hangs", scripts: one("/b", hang), tell: start}, "aborted", 12,
			"/b did not answer step_controller of cycle 3 within 1s"},
		{story{name: "the process of a controller hangs", scripts: one("/b", wedged), tell: start}, "aborted", 12,
			"/b did not answer step_controller of cycle 3 within 1s"},
		{story{name: "a signal", tell: signal("")}, "aborted", 12, "SIGTERM"},
		{story{name: "a signal, and on_exit: shutdown", tell: signal(network.ExitShutdown)}, "aborted", 12, "SIGTERM"},
		{story{name: "a signal in a pause",
			tell: []simnet.Beat{send("start"), when(begun(), simnet.Send{Command: "pause"}),
				when(simnet.Ended("pause"), simnet.Stop{})}}, "aborted", 12, "SIGTERM"},
		{story{name: "a signal before a start", tell: []simnet.Beat{when(simnet.Then(), simnet.Stop{})}}, "", 0,
			"SIGTERM"},
		{story{name: "a signal after the end", scripts: wanted(stepper.Succeed),
			tell: []simnet.Beat{send("start"), when(simnet.Ended("start").Later(time.Millisecond), simnet.Stop{})}},
			"success", 0, ""},
	} {
		switch {
		case c.first == nil:
			c.first = up
		default:
			c.first = nil
		}
		if c.net == "" {
			c.net = machineOf("cloe")
		}
		c.story.exit = c.exit + 1
		t.Run(c.name, func(t *testing.T) { c.judge(t, c.run(t)) })
	}
}

// judge checks each place that tells the outcome.
func (c decided) judge(t *testing.T, trace *simnet.Trace) {
	t.Helper()
	if trace.Exit == nil {
		t.Fatalf("it does not end:\n%v", trace)
	}
	last := trace.Entries[len(trace.Entries)-1]
	for what, got := range map[string]string{"exit": trace.Exit.Outcome, "state": trace.Last.Outcome,
		"journal": last.Outcome} {
		if got != c.outcome {
			t.Errorf("%s: the outcome is %q, want %q", what, got, c.outcome)
		}
	}
	if last.Kind != engine.EntryEnd || !strings.Contains(trace.Exit.Why, c.because) ||
		!strings.Contains(last.Cause, c.because) {
		t.Errorf("the last entry is %v: %s, %s; want %q", last.Kind, trace.Exit.Why, last.Cause, c.because)
	}
}

// A reset forgets the outcome, and a machine without outcomes has none.
func TestL8WhatDecidesNothing(t *testing.T) {
	late := one("/a", steps(simnet.Step{Cycle: 20, Phase: stepper.StepSimulator, Want: stepper.Succeed}))
	c := decided{story{
		net: strings.Replace(machineOf("cle"), "machine: cle", "extends: cle\noutcomes: {success: 7, stopped: 13}",
			1),
		first:   []string{"initialize"},
		scripts: late, tell: []simnet.Beat{
			send("start"), when(begun(), simnet.Send{Command: "stop"}), after("start", "reset"),
			when(simnet.Ended("reset"), simnet.Send{Command: "start", Handle: "again"}), after("again", "shutdown"),
		},
		exit: 8,
	}, "success", 7, "/a wants succeed"}
	c.judge(t, c.run(t))
	cle := story{net: machineOf("cle"), first: []string{"initialize"},
		tell: []simnet.Beat{send("start"), when(begun(), simnet.Stop{})}, exit: 1}
	if trace := cle.run(t); trace.Exit.Outcome != "" || trace.Last.Outcome != "" {
		t.Errorf("a machine without outcomes ends with %q", trace.Exit.Outcome)
	}
}

// A run has an outcome where the machine has none, for a batch. The exit code is not that of the outcome.
func TestL8ARunOfEachMachineIsDecided(t *testing.T) {
	const stays = 0
	for _, c := range []struct {
		machine, up, do string
		exit            int
		want, why       string
	}{
		{"cle", "initialize", "succeed", stays, "success", "trigger 1"},
		{"cle", "initialize", "stop", stays, "stopped", "trigger 1"},
		{"cle", "initialize", "pause", stays, "", ""},
		{"roscle", "initialize", "succeed", 1, "success", "trigger 1"},
		{"roscle", "initialize", "fail", 1, "failure", "trigger 1"},
		{"roscle", "initialize", "abort", 1, "aborted", "trigger 1"},
		{"cloe", "connect", "abort", 13, "aborted", "trigger 1"},
	} {
		net := strings.Replace(endedBy(c.do), "cloe", c.machine, 1)
		trace := story{net: net, first: []string{c.up}, tell: []simnet.Beat{send("start")}, exit: c.exit}.run(t)
		if got := trace.Last.Loop; got.Outcome != c.want || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s, %s: %q because of %q, want %q because of %q", c.machine, c.do, got.Outcome, got.Why, c.want,
				c.why)
		}
	}
	ends := story{net: machineOf("cle"), tell: []simnet.Beat{send("shutdown")}, exit: 1}
	if got := ends.run(t).Last.Loop.Outcome; got != "no_start" {
		t.Errorf("a run that has not started ends as %q", got)
	}
}

// A node that may be armed keeps the exit code of an unclean end. It has an outcome all the same.
func TestL8ANodeThatMayBeArmedIsAnUncleanEnd(t *testing.T) {
	c := decided{story{net: armedInALoop, first: []string{"connect"}, tell: []simnet.Beat{
		send("start"), when(simnet.Stepped("step_end", "/a").Time(2), simnet.Send{Command: "arm"}),
		when(simnet.Ended("arm"), simnet.Freeze{Node: "/b"}),
		send("disconnect"),
	}}, "aborted", 5, "/b"}
	c.story.exit = 6
	c.judge(t, c.run(t))
}
