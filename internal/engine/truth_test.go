package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

// TestE2Evidence: a step is done when any evidence says so, and only then; silence fails nothing before its deadline.
func TestE2Evidence(t *testing.T) {
	const solo = "simulation: x\nnodes:\n  /a: {}\n"
	good := "unconfigured configuring inactive"
	bad := "unconfigured configuring errorprocessing unconfigured"
	ask := []simnet.Beat{send("configure")}
	yes := "configure: succeeded done"
	for _, single := range []bool{true, false} {
		row := func(name string, o simnet.On) story {
			s := on("configure", o)
			s.Parallel = !single
			name = fmt.Sprintf("%s, single-threaded: %v", name, single)
			return story{name: name, net: solo, scripts: one("/a", s), tell: ask, states: good, goals: yes,
				ends: "inactive", calls: "configure a"}
		}
		lied := row("success but not there", simnet.On{End: simnet.Lie})
		lied.states, lied.goals, lied.ends, lied.calls = "", "", "", ""
		twice := row("the request is lost once", simnet.On{Loss: simnet.LoseRequest, Times: 1})
		twice.calls = "configure a, configure a"
		tooLate := row("later than the deadline", simnet.On{Takes: 31 * time.Second})
		tooLate.states, tooLate.goals = bad, "configure: aborted restored"
		tooLate.ends, tooLate.calls = "unconfigured", "configure a, cleanup a"
		play(t, []story{
			row("all is well", simnet.On{}),
			row("slow, and well", simnet.On{Takes: 20 * time.Second}),
			row("the answer is lost", simnet.On{Loss: simnet.LoseAnswer}),
			row("the answer is lost after a slow callback", simnet.On{Loss: simnet.LoseAnswer, Takes: 5 * time.Second}),
			row("the answer is late", simnet.On{Late: 5 * time.Second}),
			row("the answer comes twice", simnet.On{Loss: simnet.Double}),
			row("the events are lost", simnet.On{Events: simnet.Lost}),
			row("the events come long after the answer", simnet.On{Events: simnet.Behind}),
			row("answer and events are lost", simnet.On{Loss: simnet.LoseAnswer, Events: simnet.Lost}),
			twice, tooLate,
		})
	}
	play(t, []story{
		{
			name: "success but not there is found out", net: solo,
			scripts: one("/a", on("configure", simnet.On{End: simnet.Lie, Times: 1})), tell: ask,
			states: good, goals: yes, ends: "inactive", calls: "configure a, configure a",
		},
		{
			name: "success but not there, twice", net: solo,
			scripts: one("/a", on("configure", simnet.On{End: simnet.Lie})), tell: ask,
			states: bad, goals: "configure: aborted restored", ends: "unconfigured", calls: "configure a, configure a",
		},
		{
			name: "reads are lost too", net: solo, tell: ask, goals: yes, ends: "inactive",
			scripts: one("/a", simnet.Script{
				On: []simnet.On{{Loss: simnet.LoseAnswer, Events: simnet.Lost}},
				Reads: []simnet.Loss{simnet.LoseAnswer, simnet.LoseRequest, simnet.None, simnet.LoseAnswer,
					simnet.LoseRequest},
			}),
		},
		{
			name: "already there is done", net: solo, first: []string{"configure"}, goals: "activate: succeeded done",
			calls: "activate a", ends: "active",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/a", To: ac, Quiet: true}),
				when(simnet.Then().Later(2*time.Second), simnet.Send{Command: "activate"})},
		},
		{
			name: "one that has gone elsewhere without a word is read, and asked again", net: solo, goals: yes,
			calls: "configure a, deactivate a", ends: "inactive",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/a", To: ac, Quiet: true}),
				when(simnet.Then().Later(2*time.Second), simnet.Send{Command: "configure"})},
		},
		{
			name: "requests are lost until discovery is done", net: solo,
			scripts: one("/a", simnet.Script{Matched: 3 * time.Second}), tell: ask,
			states: good, goals: yes, ends: "inactive",
		},
		{
			name: "frozen and continued: the flood informs and decides nothing", net: solo,
			first: []string{"configure"},
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Freeze{Node: "/a"}), send("activate"),
				when(simnet.Then().Later(5*time.Second), simnet.Thaw{Node: "/a"}),
			},
			states: "activating active", goals: "activate: succeeded done", ends: "active", calls: "activate a",
		},
		{
			name: "frozen past the deadline", net: solo, first: []string{"configure"},
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Freeze{Node: "/a"}), send("activate"),
				when(simnet.Then().Later(15*time.Second), simnet.Thaw{Node: "/a"}),
			},
			states: "activating errorprocessing inactive", goals: "activate: aborted restored", ends: "inactive",
		},
	})
}

// TestE2AnErrorIsNoRefusal: a node that erred may end where one that refuses is, and its answer is no in both cases.
// Its events make the difference, whether they come before the answer or after it.
func TestE2AnErrorIsNoRefusal(t *testing.T) {
	for _, c := range []struct {
		end  simnet.End
		want engine.Verdict
	}{{simnet.Err, engine.VerdictErrored}, {simnet.Refuse, engine.VerdictRefused}} {
		for _, events := range []simnet.Events{simnet.Sent, simnet.Behind} {
			w := simnet.New(story{}.network(t), simnet.Options{
				Seed: 1, Latency: simnet.Range{Min: ms / 2, Max: ms},
				Scripts: one("/lidar", on("configure", simnet.On{End: c.end, Events: events, Times: 1})),
			})
			w.Send("configure")
			trace := w.Run()
			if n := trace.Goal("configure").Result.Nodes[0]; n.Node != "/lidar" || n.Verdict != c.want {
				t.Fatalf("it says %+v, want %s\n%v", n, c.want, trace)
			}
		}
	}
}

// TestE2ReadsBesideAnOpenCall: a silent call is asked about every second, no more often.
func TestE2ReadsBesideAnOpenCall(t *testing.T) {
	w := simnet.New(story{}.network(t), simnet.Options{Seed: 1,
		Scripts: one("/lidar", on("configure", simnet.On{Takes: 10 * time.Second}))})
	w.Send("configure")
	trace := w.Run()
	if got := trace.Reads("/lidar"); got < 10 || got > 13 {
		t.Errorf("%d reads of a node that is silent for 10 s, want one a second\n%v", got, trace)
	}
}

// TestE1Order: what depends on each other goes one after another, all else side by side.
func TestE1Order(t *testing.T) {
	const wide = `
simulation: x
nodes:
  /a: {}
  /b: {}
  /c: {after: [/a]}
  /d: {after: [/b]}
  /e: {after: [/c, /d]}
`
	scripts := map[string]simnet.Script{}
	for _, n := range []string{"/a", "/b", "/c", "/d", "/e"} {
		scripts[n] = simnet.Script{On: []simnet.On{{Takes: 100 * ms}}}
	}
	for _, s := range []story{
		{name: "up", tell: []simnet.Beat{send("configure")},
			calls: "configure a, configure b, configure c, configure d, configure e"},
		{name: "down", first: []string{"configure"}, tell: []simnet.Beat{send("cleanup")},
			calls: "cleanup e, cleanup c, cleanup d, cleanup a, cleanup b"},
	} {
		t.Run(s.name, func(t *testing.T) {
			s.net, s.scripts = wide, scripts
			trace := s.run(t)
			g := trace.Goals[len(trace.Goals)-1]
			if took := g.Ended - g.Asked; took > 330*ms {
				t.Errorf("took %v: three ranks of 100 ms were not driven side by side\n%v", took, trace)
			}
		})
	}
}

// TestE1TheNextNodeIsReadMeanwhile: a node that was not heard lately is read while the one before it takes its step, so
// that its own step is sent as soon as that one is done. Where the one before it takes too long for that, one read is
// wasted, and no more. Here the first step takes so long that what is known of the others is too old.
func TestE1TheNextNodeIsReadMeanwhile(t *testing.T) {
	const chain = `
simulation: x
nodes:
  /a: {}
  /b: {after: [/a]}
  /c: {after: [/b]}
  /d: {after: [/c]}
`
	const oneWay = 500 * time.Microsecond
	for _, r := range []struct {
		name, command, first string
		takes                time.Duration
		asked                string
	}{
		{name: "up", command: "configure", asked: "read read configure"},
		{name: "down", command: "cleanup", first: "configure", asked: "read configure read cleanup"},
		{name: "slow", command: "configure", takes: 8 * time.Second, asked: "read read read configure"},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := story{net: chain, opt: simnet.Options{Latency: simnet.Range{Min: oneWay, Max: oneWay}}}
			if r.first != "" {
				s.first = []string{r.first}
			}
			first, last := "/a", "/d"
			if r.command == "cleanup" {
				first, last = last, first
			}
			s.scripts = map[string]simnet.Script{first: on(r.command, simnet.On{Takes: 8 * time.Second})}
			if r.takes > 0 {
				s.scripts["/c"] = on(r.command, simnet.On{Takes: r.takes})
			}
			s.tell = []simnet.Beat{send(r.command)}
			trace := s.run(t)
			if got := trace.Asked(last); got != r.asked {
				t.Errorf("%s was asked: %s, want %s\n%v", last, got, r.asked, trace)
			}
			calls := trace.Calls[len(trace.Calls)-3:]
			for k, c := range calls[1:] {
				if gap := c.At - calls[k].At; r.takes == 0 && gap != 2*oneWay {
					t.Errorf("%s was asked %v after the node before it, want one round trip, %v\n%v", c.Node, gap,
						2*oneWay, trace)
				}
			}
		})
	}
}

// ranks is a network with a state in which a node is active that comes after one that is not.
const ranks = `
simulation: x
nodes:
  /a: {optional: true}
  /b: {after: [/a], deadline: {deactivate: 2s}}
groups: {some: [/b]}
extends: rstate
states:
  mapping: {nodes: {some: active, others: inactive}}
  preparing_map: {transition: true}
transitions:
  map: {from: [inactive, active], via: preparing_map, to: mapping, cancel: origin}
`

// TestE1AStepDownUnderWayHoldsThoseBelow: while a node is being lowered, the nodes that it comes
// after are not lowered, even where the node is to be raised again.
func TestE1AStepDownUnderWayHoldsThoseBelow(t *testing.T) {
	play(t, []story{{
		name: "a deactivation is too late for its transition", net: ranks, first: []string{"active", "mapping"},
		scripts: one("/b", on("deactivate", simnet.On{Takes: 3 * time.Second})),
		tell: []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/a", To: ac}),
			when(simnet.Then().Later(ms), simnet.Send{Command: "deactivate"})},
		states: "deactivating errorprocessing mapping", goals: "deactivate: aborted restored", ends: "inactive active",
		calls: "deactivate b, deactivate a, activate b",
	}, {
		// of both reads the one of /a is answered first
		name: "one that answered no is still on its way, until it says where it is", first: []string{"configure"},
		opt: simnet.Options{Seed: 2},
		net: "simulation: x\ndefaults: {late: leave}\nnodes:\n  /a: {optional: true}\n  /b: {after: [/a], optional: true}\n  /c: {}\n",
		scripts: one("/b", simnet.Script{Parallel: true,
			On: []simnet.On{{Do: "deactivate", End: simnet.Refuse, Takes: 1500 * ms, Times: 1, Events: simnet.Lost}}}),
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Move{Node: "/a", To: ac}), when(simnet.Then(), simnet.Move{Node: "/b", To: ac}),
			when(simnet.Then(), simnet.Move{Node: "/c", To: un}),
			when(simnet.Then().Later(100*ms), simnet.Send{Command: "configure"}),
		},
		states: "configuring errorprocessing inactive", goals: "configure: aborted restored",
		ends:  "inactive inactive inactive",
		calls: "deactivate b, configure c, deactivate b, deactivate a",
	}, {
		name: "one from before a stall", first: []string{"configure"},
		net:     "simulation: x\ndefaults: {deadline: {discover: 2s}}\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n",
		scripts: one("/b", simnet.Script{Parallel: true, On: []simnet.On{{Do: "deactivate", Takes: 8 * time.Second}}}),
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Move{Node: "/a", To: ac}), when(simnet.Then(), simnet.Move{Node: "/b", To: ac}),
			when(simnet.Then().Later(100*ms), simnet.Send{Command: "configure", Handle: "1"}),
			when(simnet.Begun("deactivate", "/b"), simnet.Stall{For: 2 * time.Second}),
			when(simnet.Shown("inactive"), simnet.Send{Command: "configure", Handle: "2"}),
		},
		states: "configuring unknown inactive configuring inactive", goals: "1: aborted preempted, 2: succeeded done",
		ends:  "inactive inactive",
		calls: "deactivate b, deactivate a",
	}})
}

// TestE1WhatAStartGaveUpHoldsOnlyOnTheWayDown: a node has said nothing since a stall. The cleanup waits for it before
// it lowers the node below. The way back up does not.
func TestE1WhatAStartGaveUpHoldsOnlyOnTheWayDown(t *testing.T) {
	trace := story{
		net: "simulation: x\nlast_resort: hold\ndefaults: {deadline: {cleanup: 3s, configure: 3s}}\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n", first: ways[1].way,
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Move{Node: "/a", To: ac}),
			when(simnet.Then().Later(100*ms), simnet.Freeze{Node: "/b"}),
			when(simnet.Then().Later(100*ms), simnet.Stall{For: 2 * time.Second}),
			when(simnet.Shown("inactive").Later(100*ms), simnet.Send{Command: "cleanup"}),
		},
		states: "unknown inactive cleaningup errorprocessing unconfigured", goals: "cleanup: aborted unconfigured",
		ends:  "unconfigured inactive",
		calls: "deactivate a, cleanup a",
	}.run(t)
	fails := trace.Shown[slices.Index(trace.States, "errorprocessing")]
	var waited []time.Duration
	for _, c := range trace.Calls {
		if c.Node == "/a" && c.At >= fails {
			waited = append(waited, c.At-fails)
		}
	}
	if len(waited) != 2 || waited[0] > 1100*ms || waited[1] < 6*time.Second {
		t.Errorf("/a was asked %v after the cleanup had failed, want at once, and again when /b had been given up two times\n%v", waited, trace)
	}
}

// TestE1ACallFromBeforeIsNoTurn: a node whose call from before has failed waits for its turn as all others do, also
// where it has been disarmed meanwhile.
func TestE1ACallFromBeforeIsNoTurn(t *testing.T) {
	play(t, []story{{
		name: "a node that was being taken down is shut down", first: ways[3].way, exit: 1,
		net: "simulation: x\nnodes:\n  /a: {arm: {}, deadline: {disarm: 1s}}\n  /b: {after: [/a]}\n",
		scripts: map[string]simnet.Script{
			"/a": {
				Parallel: true, Disarm: []simnet.Reply{{Silent: true}, {Silent: true}, {}},
				On: []simnet.On{{Do: "deactivate", Takes: time.Second, End: simnet.Refuse, Events: simnet.Lost}},
			},
			"/b": on("shutdown", simnet.On{Takes: 3 * time.Second}),
		},
		tell:  []simnet.Beat{send("disarm"), when(simnet.Begun("deactivate", "/a"), simnet.Send{Command: "shutdown"})},
		goals: "disarm: aborted held, shutdown: succeeded done", ends: "finalized finalized",
		calls: "disarm a, disarm a, deactivate a, disarm a, shutdown b, shutdown a",
	}, {
		name: "a node that was being taken down is lowered", first: ways[3].way,
		net: "simulation: x\nnodes:\n  /a: {arm: {}, deadline: {disarm: 1s}}\n  /b: {after: [/a]}\n",
		scripts: map[string]simnet.Script{
			"/a": {
				Parallel: true, Disarm: []simnet.Reply{{Silent: true}, {Silent: true}, {}},
				On: []simnet.On{{Do: "deactivate", Takes: time.Second, End: simnet.Refuse, Events: simnet.Lost, Times: 1}},
			},
			"/b": on("deactivate", simnet.On{Takes: 3 * time.Second}),
		},
		tell:  []simnet.Beat{send("disarm"), when(simnet.Begun("deactivate", "/a"), simnet.Send{Command: "deactivate"})},
		goals: "disarm: aborted held, deactivate: succeeded done", ends: "inactive inactive",
		calls: "disarm a, disarm a, deactivate a, disarm a, deactivate b, deactivate a",
	}})
}

// TestE1WhatANodeSaysLetsOthersGoOn: a node that claims to be where a state of many levels wants it
// delays no other node, whatever level the others go to. The read beside it shows a false claim.
func TestE1WhatANodeSaysLetsOthersGoOn(t *testing.T) {
	play(t, []story{{
		name: "inactive is enough", net: ranks, first: []string{"configure"},
		scripts: one("/a", on("configure", simnet.On{End: simnet.Lie})),
		tell:    []simnet.Beat{send("map")}, states: "preparing_map mapping", goals: "map: succeeded done",
		ends:  "unconfigured active",
		calls: "configure a, activate b, configure a",
	}})
}

// TestE4TwoOfOneName: a node whose name is there twice is not raised; lowering and disarm go to
// both.
func TestE4TwoOfOneName(t *testing.T) {
	second := when(simnet.Then(), simnet.Respawn{Node: "/slam"})
	after := simnet.Then().Later(100 * ms)
	play(t, []story{
		{
			name: "raising is refused", first: ways[1].way,
			tell:  []simnet.Beat{second, when(after, simnet.Send{Command: "activate"})},
			goals: "activate: rejected", why: "2 times",
		},
		{
			name: "it appears while others are raised, and goes in time", first: ways[1].way,
			scripts: one("/lidar", on("activate", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{
				send("activate"), when(simnet.Begun("activate", "/lidar"), simnet.Respawn{Node: "/slam", State: in}),
				when(simnet.Then().Later(5*time.Second), simnet.Kill{Node: "/slam"}),
			},
			states: "activating active", goals: "activate: succeeded done", ends: "active active active active",
		},
		{
			name: "it appears while others are raised, and stays", first: ways[1].way,
			scripts: one("/lidar", on("activate", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{
				send("activate"), when(simnet.Begun("activate", "/lidar"), simnet.Respawn{Node: "/slam", State: in}),
			},
			states: "activating errorprocessing inactive", goals: "activate: aborted restored",
			why: "2 living nodes bear this name",
		},
		{
			name: "shutdown goes to both", first: ways[1].way,
			tell:   []simnet.Beat{second, when(after, simnet.Send{Command: "shutdown"})},
			states: "shuttingdown finalized", exit: 1,
		},
	})
}

// TestE4TwoWhoDifferAreNotAskedWithoutEnd: of two of one name both answer every question, and where they differ the
// later answer is no reason to ask at once again.
func TestE4TwoWhoDifferAreNotAskedWithoutEnd(t *testing.T) {
	trace := story{
		first: ways[1].way, opt: simnet.Options{Rest: 20 * time.Second},
		tell: []simnet.Beat{when(simnet.Then(), simnet.Respawn{Node: "/slam", State: ac})}, goals: "none",
		ends: "inactive inactive inactive inactive",
	}.run(t)
	if reads := trace.Reads("/slam"); reads > 25 {
		t.Errorf("%d reads in 20 s of two that differ, want one a second at the most\n%v", reads, trace)
	}
}

// TestE8SimulatedTime: a clock that stands holds the deadlines of nodes, one that jumps back restarts them.
func TestE8SimulatedTime(t *testing.T) {
	const solo = "simulation: x\nnodes:\n  /a: {}\n"
	slow := one("/a", on("configure", simnet.On{Takes: 40 * time.Second})) // its deadline is 30 s
	begun := simnet.Begun("configure", "/a")
	opt := simnet.Options{Simulated: true}
	good, bad := "configure: succeeded done", "configure: aborted restored"
	play(t, []story{
		{name: "running", net: solo, opt: opt, scripts: slow, tell: []simnet.Beat{send("configure")}, goals: bad},
		{name: "standing", net: solo, opt: opt, scripts: slow,
			tell: []simnet.Beat{send("configure"), when(begun, simnet.StopClock{})}, goals: good},
		{
			name: "jumping back", net: solo, opt: opt, scripts: slow,
			tell: []simnet.Beat{send("configure"),
				when(begun.Later(20*time.Second), simnet.JumpClock{By: -10 * time.Second})},
			goals: good,
		},
		{
			name: "jumping forward", net: solo, opt: opt,
			scripts: one("/a", on("configure", simnet.On{Takes: 10 * time.Second})),
			tell:    []simnet.Beat{send("configure"), when(begun, simnet.JumpClock{By: time.Minute})},
			goals:   bad,
		},
		{
			name: "standing, clock: steady", net: "simulation: x\nnodes:\n  /a: {clock: steady}\n", opt: opt,
			scripts: slow,
			tell:    []simnet.Beat{send("configure"), when(begun, simnet.StopClock{})}, goals: bad,
		},
	})
}

// TestKilledAtEveryEffect: a coordinator that dies at any effect, and starts again, finds its nodes, arms nothing by
// itself, and can bring the network where it was to go.
func TestKilledAtEveryEffect(t *testing.T) {
	for k := 1; ; k++ {
		s := story{}
		w := simnet.New(s.network(t), simnet.Options{Seed: uint64(k), KillAt: k})
		w.Send("armed")
		// A request may have left before the journal had the line of its goal. Then the last state is not intact.
		w.Tell(
			simnet.Beat{When: simnet.At(5 * time.Second), Do: simnet.Send{Command: "unconfigured", Handle: "down"}},
			simnet.Beat{When: simnet.At(15 * time.Second), Do: simnet.Send{Command: "active", Handle: "again"}},
		)
		trace := w.Run()
		if len(trace.Faults) > 0 {
			t.Fatalf("killed at effect %d:\n%v", k, trace)
		}
		if g := trace.Goal("armed"); g.Finished && g.Ended <= trace.Died {
			if k < 50 {
				t.Errorf("there are only %d effects to die at", k)
			}
			return
		}
		got := trace.Goal("again").Verdict()
		if got != "succeeded done" && got != "succeeded already" || trace.Truth() != "active active active active" {
			t.Fatalf("killed at effect %d: %s, %s\n%v", k, got, trace.Truth(), trace)
		}
	}
}
