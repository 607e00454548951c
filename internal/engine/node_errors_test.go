package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// reportsIn is a callback that reports a sub-state and then succeeds.
func reportsIn(do, word string) map[string]simnet.Script {
	return one("/motion", on(do, simnet.On{Report: word}))
}

// TestS6AReportEndsAStep: an exception or fatal state that a node reports in its callback is the end of its step,
// whatever the callback returns.
func TestS6AReportEndsAStep(t *testing.T) {
	stopped, running := []string{"configure"}, []string{"configure", "start"}
	wait := later(simnet.Nothing{})
	refuses := one("/motion", on("configure", simnet.On{Report: "BLOCKED", End: simnet.Refuse}))
	optional := strings.Replace(reporting, "after: [/base]", "optional: true", 1)
	slow := func(do string) map[string]simnet.Script {
		return one("/base", on(do, simnet.On{Takes: 3 * time.Second}))
	}
	play(t, []story{
		{
			name: "an exception in configure", net: reporting, scripts: reportsIn("configure", "BLOCKED"),
			tell:  []simnet.Beat{here, send("configure")},
			goals: "configure: aborted restored", states: "exception", ends: "unconfigured unconfigured",
			why: "/motion reported BLOCKED",
		},
		{
			name: "which also says no", net: reporting, scripts: refuses, tell: []simnet.Beat{here, send("configure")},
			goals: "configure: aborted restored", states: "exception", ends: "unconfigured unconfigured",
		},
		{
			name: "an exception in start", net: reporting, first: stopped, scripts: reportsIn("activate", "BLOCKED"),
			tell:  []simnet.Beat{send("start")},
			goals: "start: aborted restored", states: "exception", ends: "unconfigured unconfigured",
			why: "/motion reported BLOCKED",
		},
		{
			name: "on a way of two commands", net: reporting, scripts: reportsIn("configure", "BLOCKED"),
			tell:  []simnet.Beat{here, send("running")},
			goals: "running: aborted restored", states: "exception", ends: "unconfigured unconfigured",
		},
		{
			name: "a fatal state in configure", net: reporting, scripts: reportsIn("configure", "BROKEN"),
			tell:  []simnet.Beat{here, send("configure")},
			goals: "configure: aborted restored", states: "fatal", ends: "unconfigured unconfigured",
			why: "/motion reported BROKEN",
		},
		{
			name: "a fatal state in start", net: reporting, first: stopped, scripts: reportsIn("activate", "BROKEN"),
			tell:  []simnet.Beat{send("start")},
			goals: "start: aborted restored", states: "fatal", ends: "unconfigured unconfigured",
		},
		{
			name: "a fatal state in stop", net: reporting, first: running, scripts: reportsIn("deactivate", "BROKEN"),
			tell:  []simnet.Beat{send("stop")},
			goals: "stop: aborted restored", states: "fatal", ends: "unconfigured unconfigured",
		},
		{
			name: "an exception on the way to exception", net: reporting, first: running,
			scripts: reportsIn("deactivate", "BLOCKED"), tell: []simnet.Beat{send("exception")},
			goals: "exception: aborted restored", states: "fatal", ends: "unconfigured unconfigured",
		},
		{
			name: "after the step, while another node takes its own",
			net:  strings.Replace(reporting, "after: [/base]", "", 1), scripts: slow("configure"),
			tell:  []simnet.Beat{here, send("configure"), later(report("BLOCKED")), wait, wait, wait},
			goals: "configure: aborted restored", states: "exception", ends: "unconfigured unconfigured",
		},
		{
			name: "an optional node goes on", net: optional, scripts: reportsIn("configure", "BLOCKED"),
			tell:  []simnet.Beat{here, send("configure"), wait},
			goals: "configure: succeeded done", states: "stopped", ends: "inactive inactive",
		},
		{
			name: "and goes down like the others", net: optional, first: running,
			scripts: reportsIn("deactivate", "BLOCKED"), tell: []simnet.Beat{send("stop"), wait},
			goals: "stop: succeeded done", states: "stopped", ends: "inactive inactive",
		},
		{
			name: "a runtime state changes nothing", net: reporting, scripts: reportsIn("configure", "MOVING"),
			tell:  []simnet.Beat{here, send("configure"), wait},
			goals: "configure: succeeded done", states: "stopped", ends: "inactive inactive",
		},
		{
			name: "on the way back it counts once that is over", first: stopped,
			tell: []simnet.Beat{send("start"), wait},
			scripts: map[string]simnet.Script{
				"/base":   on("deactivate", simnet.On{Report: "SLIPPING"}),
				"/motion": on("activate", simnet.On{End: simnet.Refuse}),
			},
			net:   strings.Replace(reporting, "/base: {}", "/base: {exception_states: [SLIPPING]}", 1),
			goals: "start: aborted restored", states: "exception", ends: "unconfigured unconfigured",
		},
		{
			name: "by the reaction to its name",
			net:  reporting + "auto: [{in: stopped, on: {report: BLOCKED}, do: cleanup}]\n", first: stopped,
			scripts: reportsIn("activate", "BLOCKED"), tell: []simnet.Beat{send("start")},
			goals: "start: aborted restored", states: "preoperational", ends: "unconfigured unconfigured",
		},
		{
			name:    "where nothing reacts, as any error",
			net:     strings.Replace(reporting, "machine: rock", "machine: nrp", 1),
			scripts: reportsIn("configure", "BLOCKED"),
			tell:    []simnet.Beat{here, send("initialized")}, goals: "initialized: aborted restored", states: "failed",
			ends: "finalized finalized", exit: 2,
		},
	})
}

// TestS6AReportAndTheAnswer: the report of a callback is heard before its answer, or after it, when the network has
// settled.
func TestS6AReportAndTheAnswer(t *testing.T) {
	early, late := 0, 0
	for seed := range uint64(100) {
		for word, want := range map[string]string{"BLOCKED": "exception", "BROKEN": "fatal"} {
			trace := story{
				name: word, net: reporting, scripts: reportsIn("activate", word), first: []string{"configure"},
				tell: []simnet.Beat{send("start"), later(simnet.Nothing{})},
				opt:  simnet.Options{Seed: seed + 1, Latency: simnet.Range{Min: ms / 10, Max: 40 * ms}},
				ends: "unconfigured unconfigured",
			}.run(t)
			if trace.Last.State != want {
				t.Errorf("seed %d: after %s it is %s\n%v", seed+1, word, trace.Last.State, trace)
			}
			if trace.Goal("start").Result.Success {
				late++
			} else {
				early++
			}
		}
	}
	if early == 0 || late == 0 {
		t.Errorf("the report was heard %d times while the command ran, and %d times after that", early, late)
	}
}

// TestM5TheWayToFatal: every node that still answers is stopped and cleaned up, and one that does not is passed over.
func TestM5TheWayToFatal(t *testing.T) {
	running := []string{"configure", "start"}
	wait := later(simnet.Nothing{})
	play(t, []story{
		{
			name: "an error on the way to exception takes the others down", net: reporting, first: running,
			tell:    []simnet.Beat{send("exception")},
			scripts: one("/motion", on("deactivate", simnet.On{End: simnet.Err})),
			goals:   "exception: aborted restored", states: "fatal", ends: "unconfigured unconfigured",
		},
		{
			name: "from stopped", net: reporting, first: running[:1],
			tell: []simnet.Beat{later(report("BROKEN")), wait}, states: "fatal", ends: "unconfigured unconfigured",
		},
		{
			name: "a node that refuses is passed over", net: reporting, first: running,
			scripts: one("/base", on("cleanup", simnet.On{End: simnet.Refuse})),
			tell:    []simnet.Beat{later(report("BROKEN")), wait}, states: "fatal", ends: "inactive unconfigured",
		},
		{
			name: "a node that has gone, too", net: reporting, first: running,
			tell: []simnet.Beat{later(report("BROKEN")), when(simnet.Then(), simnet.Kill{Node: "/motion"}), wait, wait,
				wait}, states: "fatal", ends: "unconfigured -",
		},
		{
			name: "one that reports on the way goes down like the others", net: reporting, first: running,
			scripts: reportsIn("deactivate", "BLOCKED"),
			tell:    []simnet.Beat{later(report("BROKEN")), wait}, states: "fatal", ends: "unconfigured unconfigured",
		},
		{
			name: "the group that goes to exception is no limit", first: running,
			net:  reporting + "groups: {drive: [/motion]}\nexception_group: drive\n",
			tell: []simnet.Beat{later(report("BROKEN")), wait}, states: "fatal", ends: "unconfigured unconfigured",
		},
	})
}

// TestS6AReportThatComesAfterTheAnswer: a node reports an error in its callback, the network settles, and then the
// report comes. It counts, and one from before the command does not.
func TestS6AReportThatComesAfterTheAnswer(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte(reporting))
	if err != nil {
		t.Fatal(err)
	}
	for made, want := range map[time.Duration]string{5100 * ms: "exception", 4900 * ms: "stopped"} {
		s, now, call := engine.New(net, engine.Options{Instance: "a"}), time.Duration(0), engine.CallNode{}
		state := [2]lifecycle.State{un, un}
		var step func(in engine.Input)
		step = func(in engine.Input) {
			var effects []engine.Effect
			s, effects = engine.Step(s, engine.Time{Steady: now}, in)
			for _, e := range effects {
				switch e := e.(type) {
				case engine.ReadState:
					step(engine.StateRead{Node: e.Node, Ticket: e.Ticket, State: state[e.Node]})
				case engine.SyncJournal:
					step(engine.JournalSynced{Ticket: e.Ticket})
				case engine.CallNode:
					call = e
				}
			}
		}
		passes := func(by time.Duration) {
			for end := now + by; now < end; now += 50 * ms {
				step(engine.Tick{})
			}
		}
		for i := range net.Nodes {
			step(engine.NodeSeen{Node: i, Epoch: 1, Count: 1, Epochs: []uint64{1}})
		}
		passes(5 * time.Second)
		step(engine.GoalAsked{Handle: "configure", Command: machine.ReadWord("configure")})
		for range net.Nodes {
			passes(100 * ms)
			state[call.Node] = call.Transition.Target()
			step(engine.CallAnswered{Node: call.Node, Call: call.Call, Success: true})
		}
		passes(100 * ms)
		if got := s.Snapshot().Settled; got != "stopped" {
			t.Fatalf("after configure it is %q", got)
		}
		for range 2 { // the middleware may hand it over twice
			step(engine.NodeReported{Node: 1, Epoch: 1, Word: "BLOCKED", Age: now - made})
		}
		for range 3 {
			passes(200 * ms)
			state[call.Node] = call.Transition.Target()
			step(engine.CallAnswered{Node: call.Node, Call: call.Call, Success: true})
		}
		passes(time.Second)
		if got := s.Snapshot().Settled; got != want {
			t.Errorf("a report that was made at %v leads to %q, want %q", made, got, want)
		}
	}
}
