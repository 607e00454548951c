package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/clean"
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// TestC8WhoAskedIsNamed: state, history and refusals name the client, as far as it is known.
func TestC8WhoAskedIsNamed(t *testing.T) {
	for _, c := range []struct {
		in   engine.GoalAsked
		want string
	}{
		{engine.GoalAsked{Client: "anna@cell4 (rstate send, process 4711)"}, "anna@cell4 (rstate send, process 4711)"},
		{engine.GoalAsked{}, "an action client"},
		{engine.GoalAsked{By: engine.ByParent, Client: "a lifecycle client (~/change_state)"},
			"a lifecycle client (~/change_state)"},
		{engine.GoalAsked{By: engine.ByAutostart}, "autostart"},
	} {
		t.Run(c.want, func(t *testing.T) {
			w := newCourt(t)
			c.in.Handle, c.in.Command = "g", "arm"
			w.step(c.in)
			if r := w.state.Snapshot().Refusal; r.Client != c.want || r.Handle != "g" || r.Command != "arm" ||
				r.At.IsZero() {
				t.Errorf("refused: %+v, want client %q", r, c.want)
			}
			w.holds(engine.EntryRefusal, c.want)
			c.in.Command = "configure"
			w.step(c.in)
			snap := w.state.Snapshot()
			if snap.Work.Client != c.want || !strings.HasPrefix(snap.Cause, "configure was asked for by "+c.want) ||
				snap.Refusal != (engine.Refusal{}) {
				t.Errorf("client %q, cause %q, refusal %v", snap.Work.Client, snap.Cause, snap.Refusal)
			}
			w.holds(engine.EntryGoal, c.want)
			if e := w.last(engine.EntryGoal); !strings.Contains(e.Sentence, c.want) {
				t.Errorf("recorded: %q", e.Sentence)
			}
		})
	}
}

// court is an engine with one node, read and at rest, and what it has recorded.
type court struct {
	t       *testing.T
	state   *engine.State
	now     engine.Time
	effects []engine.Effect
	entries []engine.Entry
	reads   lifecycle.State       // what node 0 says that it is
	takes   time.Duration         // each read
	each    func([]engine.Effect) // told the effects of each step; nil: it is not asked for
}

func newCourt(t *testing.T) *court {
	t.Helper()
	return courtOf(t, "simulation: x\npeers: {}\nnodes: {/a: {arm: {}}}\n")
}

func courtOf(t *testing.T, text string) *court {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w := &court{t: t, state: engine.New(net, engine.Options{Instance: "a", Name: "/rstate"}),
		reads: lifecycle.Unconfigured}
	w.now.Wall = time.Date(2026, 3, 2, 5, 58, 0, 0, time.UTC)
	w.step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
	for i := 0; i < 100 && w.state.Snapshot().Settled == ""; i++ {
		w.now.Steady += 100 * time.Millisecond
		w.step(engine.Tick{})
	}
	return w
}

// step feeds one input; node 0 answers every read and every disarm.
func (w *court) step(in engine.Input) {
	var out []engine.Effect
	w.state, out = engine.Step(w.state, w.now, in)
	w.effects = append(w.effects, out...)
	if w.each != nil {
		w.each(out)
	}
	for _, e := range out {
		switch e := e.(type) {
		case engine.Record:
			w.entries = append(w.entries, e.Entry)
		case engine.ReadState:
			w.now.Steady += w.takes
			w.step(engine.StateRead{Node: e.Node, Ticket: e.Ticket, State: w.reads})
		case engine.ArmNode:
			if !e.Arms() {
				w.step(engine.ArmAnswered{Node: e.Node, Call: e.Call, Success: true})
			}
		}
	}
}

func (w *court) last(kind engine.EntryKind) engine.Entry {
	w.t.Helper()
	for i := len(w.entries) - 1; i >= 0; i-- {
		if w.entries[i].Kind == kind {
			return w.entries[i]
		}
	}
	w.t.Fatalf("nothing of kind %s was recorded", kind)
	return engine.Entry{}
}

func (w *court) holds(kind engine.EntryKind, client string) {
	w.t.Helper()
	if e := w.last(kind); e.Client != client {
		w.t.Errorf("recorded %s: client %q, want %q", kind, e.Client, client)
	}
}

// hostile is a text that clears a screen, hides what follows it and is not UTF-8.
const hostile = "\x1b[2J\u009b31m\u202egro\nne\xff\x00"

// TestC9TextsFromOutsideAreCleaned: nothing that comes in with an input leaves the engine as it came.
func TestC9TextsFromOutsideAreCleaned(t *testing.T) {
	w := newCourt(t)
	peer := mirror.Status{
		Name: "/peer" + hostile, Instance: "i" + hostile, State: "active" + hostile, Target: hostile, Cause: hostile,
		Machine: hostile, Hash: hostile,
		Nodes: []string{"/a", hostile}, MayBeArmed: []string{hostile}, Requires: []string{hostile},
		Seen: []engine.Seen{{Instance: hostile, N: 1}},
	}
	change := mirror.Change{
		Name: peer.Name, Instance: peer.Instance, SourceState: hostile, Event: hostile, TargetState: hostile,
		State: hostile, Hash: hostile, Cause: hostile,
		Seen: peer.Seen,
	}
	for _, in := range []engine.Input{
		engine.GoalAsked{Handle: "1", Command: "x" + hostile, Reason: hostile, Client: hostile},
		engine.GoalAsked{Handle: "2", Command: "configure", Reason: hostile, Client: hostile, ID: hostile},
		engine.ArmAnswered{Node: 0, Call: 9, Message: hostile}, engine.NodeLost{Node: 0, Why: hostile},
		engine.NodeMissed{Node: 0, Alike: []string{hostile}},
		engine.TopicCounted{Node: 0, Fault: hostile}, engine.CheckAnswered{Node: 0, Fault: hostile},
		engine.JournalSynced{Ticket: 1, Err: hostile},
		engine.JournalChanged{Err: hostile}, engine.PeerTold{Status: peer}, engine.PeerChanged{Change: change},
		engine.PeerLost{Name: peer.Name, Instance: peer.Instance, Why: hostile},
		engine.NameTaken{Instance: hostile, Who: hostile, Holds: true},
		engine.ChildFound{Node: 0, Epoch: 1, Simulation: hostile, Way: []string{hostile}},
		engine.NodeReported{Node: 0, Word: hostile, Message: hostile, Epoch: 1}, engine.StopAsked{Why: hostile},
	} {
		if _, outside := in.(engine.TopicCounted); outside {
			continue // the network has no check that it could be about; see cleaned
		}
		if _, outside := in.(engine.CheckAnswered); outside {
			continue
		}
		w.step(in)
		snap := w.state.Snapshot()
		clear := func(what, text string) {
			t.Helper()
			if clean.Text(text) != text {
				t.Errorf("after %T: %s is %q", in, what, text)
			}
		}
		for _, e := range w.effects {
			if g, ok := e.(engine.FinishGoal); ok {
				clear("a result", g.Result.Message)
			}
			if g, ok := e.(engine.RejectGoal); ok {
				clear("a refusal", g.Why)
			}
			if p, ok := e.(engine.TellPeers); ok {
				clear("a status", p.String()+p.Status.Cause)
			}
			if p, ok := e.(engine.PublishChange); ok {
				clear("a change", p.String()+p.Change.Cause)
			}
		}
		for _, e := range w.entries {
			clear("an entry", e.Command+e.Reason+e.Client+e.Node+e.Sentence+e.Cause)
		}
		clear("the snapshot", snap.Cause+snap.Refusal.Why+snap.Refusal.Command+snap.Refusal.Client+snap.Failure.Why+snap.Work.Client+snap.Work.GoalID+snap.Peers.Common)
		for _, list := range [][]string{snap.Deviations, snap.Warnings, snap.Waiting, snap.OpenGoals} {
			clear("the snapshot", strings.Join(list, "; "))
		}
		for _, p := range snap.Peers.All {
			clear("a peer", p.Name+p.Instance+p.State+p.Target+p.Cause+strings.Join(p.Nodes, " "))
		}
	}
}

// TestC9NoLoweringIsRefusedForSize: what is too long is cut, and an id that is too long counts as none.
func TestC9NoLoweringIsRefusedForSize(t *testing.T) {
	long := strings.Repeat("a long reason ", 1<<16)
	story := story{
		first: ways[3].way, goals: "1: succeeded done, 2: succeeded done",
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Send{Command: "disarm", Handle: "1", Reason: long, Client: long, ID: long}),
			when(simnet.Ended("1"), simnet.Send{Command: "deactivate", Handle: "2", Reason: long, Client: long,
				ID: long}),
		},
	}
	for _, e := range story.run(t).Entries {
		if len(e.Reason) > clean.Max || len(e.Client) > clean.Max || len(e.Sentence) > 3*clean.Max {
			t.Fatalf("an entry has a reason of %d bytes, a client of %d and a sentence of %d", len(e.Reason),
				len(e.Client), len(e.Sentence))
		}
		if e.Kind == engine.EntryGoal && e.Event == engine.EventAsked && e.Goal != "first a" &&
			strings.HasPrefix(e.Reason, "a long") && !strings.HasSuffix(e.Reason, "(cut)") {
			t.Errorf("the cut is not marked: %q", e.Reason[len(e.Reason)-20:])
		}
	}
}

// TestC2TheTotalOfAnArmingDoesNotGrow: its first half, the reads, and its second half, the arming, are counted
// together.
func TestC2TheTotalOfAnArmingDoesNotGrow(t *testing.T) {
	for _, s := range []story{
		{name: "arm", first: ways[2].way, tell: []simnet.Beat{send("arm")}},
		{name: "an optional node to be armed is absent", first: nil,
			net:     "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {optional: true, arm: {}}\n",
			scripts: map[string]simnet.Script{"/b": {Never: true}},
			tell:    []simnet.Beat{when(simnet.Then(), simnet.Send{Command: "armed", Handle: "arm"})}},
		{name: "cancelled", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: time.Second}}}),
			tell: []simnet.Beat{send("arm"),
				when(simnet.Called("arm", "/arm_driver"), simnet.Cancel{Handle: "arm"})}},
	} {
		t.Run(s.name, func(t *testing.T) {
			total, last := 0, engine.SendFeedback{}
			for _, f := range s.run(t).Goal("arm").Feedback {
				if f.State != "arming" || f.Last.Verdict == engine.VerdictUndone {
					continue
				}
				if total == 0 {
					total = f.Total
				}
				if f.Total != total || f.Done > f.Total {
					t.Errorf("%d of %d after %s %s, and before the total was %d", f.Done, f.Total, f.Last.Node,
						f.Last.Step, total)
				}
				last = f
			}
			if total == 0 || last.Done != last.Total {
				t.Errorf("it ends with %d of %d", last.Done, last.Total)
			}
		})
	}
}
