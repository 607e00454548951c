package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// endsTold is a world in which the operating system tells every end of a process, and the graph only after 20 s.
var endsTold = simnet.Options{Ends: simnet.Ends{Told: 1}, Notice: 20 * time.Second, Rest: 500 * ms}

// shownWithin fails unless the network shows a state within that time of the story's beginning.
func shownWithin(t *testing.T, trace *simnet.Trace, state string, within time.Duration) {
	t.Helper()
	for k, s := range trace.States {
		if at := trace.Shown[k]; s == state && at >= trace.Marked {
			if at > trace.Marked+within {
				t.Errorf("%s is shown after %v, not within %v", state, at-trace.Marked, within)
			}
			return
		}
	}
	t.Errorf("%s is never shown\n%v", state, trace)
}

// TestS4EndIsALoss: a process that has ended and does not answer a read is lost then, not when the middleware misses
// it.
func TestS4EndIsALoss(t *testing.T) {
	kill := when(simnet.Then(), simnet.Kill{Node: "/slam"})
	for _, s := range []struct {
		story
		shows string // within 200 ms
	}{
		{story{
			name: "at rest, and the policy runs at once", keys: "defaults: {on_loss: error}\n", first: ways[2].way,
			tell:   []simnet.Beat{kill},
			states: "errorprocessing unconfigured", ends: "unconfigured - unconfigured unconfigured",
		}, "errorprocessing"},
		{story{
			name: "armed, and the others are disarmed", first: ways[3].way, tell: []simnet.Beat{kill},
			states: "disarming active", calls: "disarm arm_driver", ends: "active - active active",
		}, "active"},
		{story{
			name:  "armed, and it is a plain node",
			net:   "simulation: x\nnodes:\n  /slam: {lifecycle: false, arm: {}}\n  /arm: {after: [/slam], arm: {}}\n",
			first: []string{"armed"}, tell: []simnet.Beat{kill}, states: "disarming active",
			calls: "disarm slam, disarm arm", ends: "- active",
		}, "disarming"},
		{story{
			name: "in its own callback", first: ways[1].way,
			scripts: one("/slam", on("activate", simnet.On{End: simnet.Die, Takes: 50 * ms})),
			tell:    []simnet.Beat{send("activate")}, goals: "activate: aborted unconfigured",
			why:  "/slam its process has ended",
			ends: "unconfigured - unconfigured unconfigured",
		}, "unconfigured"},
		{story{
			name: "in on_configure", scripts: one("/slam", on("configure", simnet.On{End: simnet.Die, Takes: 50 * ms})),
			first: []string{}, tell: []simnet.Beat{when(simnet.Then(), simnet.Mark{}), send("configure")},
			goals: "configure: aborted restored", why: "/slam its process has ended",
			ends: "unconfigured - unconfigured unconfigured",
		}, "unconfigured"},
	} {
		t.Run(s.name, func(t *testing.T) {
			s.opt = endsTold
			trace := s.run(t)
			shownWithin(t, trace, s.shows, 250*ms)
			if told := trace.String(); strings.Contains(told, "left the graph") {
				t.Errorf("the graph was faster:\n%s", told)
			}
		})
	}
}

// TestS4RespawnedNodeIsDrivenAtOnce: the endpoint that a dead process has left behind is no second node of the name.
func TestS4RespawnedNodeIsDrivenAtOnce(t *testing.T) {
	for _, after := range []time.Duration{time.Millisecond, 50 * ms, 95 * ms, 150 * ms, 2 * time.Second} {
		play(t, []story{{
			name: fmt.Sprintf("after %v", after), opt: endsTold, keys: "defaults: {on_loss: report}\n",
			first: ways[1].way,
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Kill{Node: "/slam"}),
				when(simnet.Then().Later(after), simnet.Respawn{Node: "/slam"}),
				when(simnet.Then().Later(300*ms), simnet.Mark{}), send("active"),
			},
			goals: "active: rejected", why: "/slam is unconfigured, not inactive",
		}, {
			name: fmt.Sprintf("it is brought back, after %v", after), opt: endsTold,
			keys: "defaults: {on_loss: restore}\n", first: ways[2].way,
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Kill{Node: "/slam"}),
				when(simnet.Then().Later(after), simnet.Respawn{Node: "/slam"}),
				when(simnet.Then().Later(300*ms), simnet.Mark{}),
				when(simnet.Then().Later(time.Second), simnet.Nothing{}),
			},
			ends: "active active active active",
		}})
	}
}

// TestS4ReadThatIsAnsweredIsNoEnd: a process that was mistaken for the node's costs one read.
func TestS4ReadThatIsAnsweredIsNoEnd(t *testing.T) {
	mistake := when(simnet.Then(), simnet.TellEnd{Node: "/slam"})
	rest := when(simnet.Then().Later(3*time.Second), simnet.Nothing{})
	slowly := endsTold
	slowly.Latency = simnet.Range{Min: 40 * ms, Max: 49 * ms}
	play(t, []story{
		{name: "at rest", opt: endsTold, keys: "defaults: {on_loss: error}\n", first: ways[2].way,
			tell: []simnet.Beat{mistake, rest}},
		{name: "armed", opt: endsTold, first: ways[3].way, tell: []simnet.Beat{mistake, rest}},
		{name: "slowly", opt: slowly, first: ways[3].way, tell: []simnet.Beat{mistake, rest}, keys: "proof: 2s\n"},
		{name: "twice", opt: endsTold, first: ways[3].way,
			tell: []simnet.Beat{mistake, when(simnet.Then().Later(time.Second), mistake.Do), rest}},
	}, func(s *story) {
		s.states, s.calls = "none", "none"
	})
	// the loop was late, and the answer waited to be read
	play(t, []story{{
		name: "late", opt: endsTold, keys: "defaults: {on_loss: error}\n", first: ways[2].way, states: "none",
		calls: "none",
		tell: []simnet.Beat{mistake, when(simnet.Then(), simnet.Late{For: 400 * ms}),
			when(simnet.Then(), simnet.Share{}), rest},
	}})
}

// TestE4FormerAnswerAfterAFalseEnd: one that has ended, as the graph says, answers in the place of its successor. When
// it leaves the graph, nothing is asked on its word.
func TestE4FormerAnswerAfterAFalseEnd(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {on_loss: report}\n"
	opt := simnet.Options{Ends: simnet.Ends{Told: 1}, Notice: 300 * ms}
	// three at the start, one for the end
	reads := []simnet.Loss{simnet.None, simnet.None, simnet.None, simnet.LoseAnswer}
	play(t, []story{{
		net: net, opt: opt, scripts: one("/a", simnet.Script{Matched: 2 * time.Second, Reads: reads}),
		tell: []simnet.Beat{
			when(simnet.Then().Later(time.Second), simnet.TellEnd{Node: "/a"}),
			when(simnet.Then().Later(200*ms), simnet.Respawn{Node: "/a", State: in}),
			when(simnet.Then().Later(1900*ms), simnet.Kill{Node: "/a"}),
			when(simnet.Then().Later(310*ms), simnet.Send{Command: "configure"}),
		},
		calls: "none", goals: "configure: rejected", why: "/a is inactive",
	}})
}

// TestS4TwoOfOneNameAreBothTested: the answer of one says nothing about the other, and two that answer both live.
func TestS4TwoOfOneNameAreBothTested(t *testing.T) {
	second := when(simnet.Then(), simnet.Respawn{Node: "/slam", State: lifecycle.Inactive})
	known := when(simnet.Then().Later(200*ms), simnet.TellEnd{Node: "/slam"})
	raise := when(simnet.Then().Later(300*ms), simnet.Send{Command: "activate"})
	play(t, []story{
		{
			name: "both live", opt: endsTold, first: ways[1].way, tell: []simnet.Beat{second, known, raise},
			goals: "activate: rejected", why: "is there 2 times",
		},
		{
			name: "one has ended", opt: endsTold, first: ways[1].way, goals: "activate: succeeded done",
			tell: []simnet.Beat{second, when(simnet.Then().Later(200*ms), simnet.Kill{Node: "/slam"}), raise},
		},
	})
}

// TestS4WhatIsHeardLaterTakesTheLossBack: a living process was mistaken, and was silent when it was asked.
func TestS4WhatIsHeardLaterTakesTheLossBack(t *testing.T) {
	frozen := []simnet.Beat{
		when(simnet.Then(), simnet.Freeze{Node: "/slam"}), when(simnet.Then(), simnet.TellEnd{Node: "/slam"}),
		when(simnet.Then().Later(300*ms), simnet.Thaw{Node: "/slam"}),
	}
	s := story{
		name: "its late answer", opt: endsTold, keys: "defaults: {on_loss: report}\n", first: ways[1].way,
		goals: "activate: succeeded done",
		tell:  append(frozen[:3:3], when(simnet.Then().Later(300*ms), simnet.Send{Command: "activate"})),
	}
	if told := s.run(t).String(); !strings.Contains(told, "/slam is lost: its process has ended") {
		t.Errorf("it was never lost:\n%s", told)
	}
	mute := simnet.Script{Parallel: true, Reads: []simnet.Loss{simnet.None, simnet.LoseRequest}}
	s = story{
		name: "an event", opt: endsTold, keys: "defaults: {on_loss: report}\n", first: ways[1].way,
		scripts: one("/slam", mute),
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.TellEnd{Node: "/slam"}),
			when(simnet.Then().Later(500*ms), simnet.Move{Node: "/slam", To: lifecycle.Active}),
			when(simnet.Then().Later(2*time.Second), simnet.Send{Command: "activate"}),
		},
		goals: "activate: rejected", why: "/slam is active, not inactive",
	}
	if told := s.run(t).String(); !strings.Contains(told, "/slam is lost: its process has ended") {
		t.Errorf("it was never lost:\n%s", told)
	}
}

// TestS4EndDisarmsNobody: that the process of an armed node has ended is no confirmation. Requests to disarm go to the
// endpoint that is left, the node may be armed as long as after a loss in the graph, and a shutdown is not clean.
func TestS4EndDisarmsNobody(t *testing.T) {
	for _, deadMan := range []string{"lease", "none"} {
		net := strings.Replace(demo, "arm: {}", "arm: {dead_man: "+deadMan+"}", 1)
		s := story{net: net, keys: "proof: 1s\n"}
		w := simnet.New(s.network(t), endsTold)
		w.Tell(simnet.Beat{When: simnet.Settled(), Do: simnet.Send{Command: "armed"}})
		w.Pass(time.Second)
		if n := w.Now().Nodes[3]; n.Armed != engine.IsArmed {
			t.Fatalf("%+v", n)
		}
		w.Do(simnet.Freeze{Node: "/arm_driver"})
		w.Do(simnet.TellEnd{Node: "/arm_driver"})
		trace := w.Pass(150 * ms)
		n := w.Now().Nodes[3]
		if n.Present || !strings.Contains(n.Deviates, "its process has ended") && deadMan == "lease" {
			t.Errorf("%s: it is not lost: %+v", deadMan, n)
		}
		if n.Armed != engine.MayBeArmed {
			t.Errorf("%s: it is believed to be %v", deadMan, n.Armed)
		}
		disarms := 0
		for _, c := range trace.Calls {
			if c.Do == "disarm" && c.Node == "/arm_driver" {
				disarms++
			}
		}
		if disarms == 0 {
			t.Errorf("%s: it is not asked to disarm", deadMan)
		}
		w.Pass(5 * time.Second)
		if n, may := w.Now().Nodes[3], deadMan == "none"; (n.Armed == engine.MayBeArmed) != may {
			t.Errorf("%s: after its lease it is believed to be %v", deadMan, n.Armed)
		}
		w.Do(simnet.Send{Command: "shutdown"})
		// what is gone counts as finalized, unless it may be armed
		want := map[string]int{"lease": 0, "none": 5}[deadMan]
		if trace = w.Pass(5 * time.Second); trace.Exit == nil || trace.Exit.Code != want {
			t.Errorf("%s: the end is %v, want code %d", deadMan, trace.Exit, want)
		}
	}
}

// TestS4AnEndThatWasBelievedBesideAnotherIsTestedAlone: the end of one of two processes of one name is reported, and
// its answer is taken for that of the other one. When that one leaves the graph, the process that is left is read
// before it counts as lost.
func TestS4AnEndThatWasBelievedBesideAnotherIsTestedAlone(t *testing.T) {
	for _, lives := range []bool{true, false} {
		net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes: {/a: {}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		s, answers, lost := engine.New(net, engine.Options{Instance: "a"}), true, false
		now := time.Duration(0)
		var step func(in engine.Input)
		step = func(in engine.Input) {
			var effects []engine.Effect
			s, effects = engine.Step(s, engine.Time{Steady: now}, in)
			for _, e := range effects {
				switch e := e.(type) {
				case engine.ReadState:
					if answers {
						step(engine.StateRead{Node: 0, Ticket: e.Ticket, State: lifecycle.Unconfigured})
					}
				case engine.Record:
					lost = lost || strings.Contains(e.Entry.Sentence+e.Entry.Cause, "its process has ended")
				}
			}
		}
		passes := func(by time.Duration) {
			for end := now + by; now < end; now += 10 * ms {
				step(engine.Tick{})
			}
		}
		step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1, Epochs: []uint64{1}})
		passes(4 * time.Second)
		step(engine.NodeSeen{Node: 0, Epoch: 2, Count: 2, Epochs: []uint64{1, 2}})
		passes(time.Second)
		step(engine.NodeEnded{Node: 0, Epoch: 2}) // one answer comes, of either
		passes(time.Second)
		answers = lives
		step(engine.NodeSeen{Node: 0, Epoch: 2, Count: 1, Epochs: []uint64{2}})
		passes(time.Second)
		if there := s.Snapshot().Nodes[0].Count == 1; there != lives || lost == lives {
			t.Errorf("the process that is left lives: %v; it counts as there: %v, and as lost: %v", lives, there, lost)
		}
	}
}
