package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

const (
	ownArm     = "simulation: x\nlast_resort: hold\nnodes:\n  /a: {arm: {dead_man: none}}\n"
	foreignArm = "simulation: x\nlast_resort: hold\nnodes:\n  /a: {arm: {dead_man: none, service: /power, served_by: /hw}}\n"
	leasedArm  = "simulation: x\nlast_resort: hold\nnodes:\n  /a: {arm: {service: /power, served_by: /hw}}\n"
)

// serves tells the engine which processes serve the arm of node 0: epochs of the node that is meant, and the names of others.
func serves(meant []uint64, others ...string) simnet.Act {
	return simnet.Hear{In: engine.ServersSeen{Node: 0, Meant: meant, Others: others, Why: "its process has ended"}}
}

func servedNow(meant []uint64, others ...string) simnet.Beat {
	return when(simnet.Then(), serves(meant, others...))
}

func servedAfter(d time.Duration, meant []uint64, others ...string) simnet.Beat {
	return afterwards(d, serves(meant, others...))
}

var (
	none   = []uint64(nil)
	hw     = []uint64{1}
	hwNext = []uint64{2}
	hwBoth = []uint64{1, 2}
	ends10 = afterwards(10*time.Second, simnet.Nothing{})
)

// TestA1ServersOfAnArm: an arm needs exactly one process that serves it, of the node that is meant.
func TestA1ServersOfAnArm(t *testing.T) {
	play(t, []story{
		{name: "the node itself", net: ownArm, tell: []simnet.Beat{servedNow(hw), send("arm")}, goals: "arm: succeeded done"},
		{name: "another one beside it", net: ownArm, tell: []simnet.Beat{servedNow(hw, "/b"), send("arm")},
			goals: "arm: rejected", why: "2 processes serve /a/arm: /a, /b (end all but that of /a)"},
		{name: "it has gone again", net: ownArm, goals: "arm: succeeded done",
			tell: []simnet.Beat{servedNow(hw, "/b"), servedAfter(time.Second, hw), afterwards(time.Second, simnet.Send{Command: "arm"})}},
		{name: "two processes of the node", net: ownArm, tell: []simnet.Beat{servedNow(hwBoth), send("arm")},
			goals: "arm: rejected", why: "2 processes serve /a/arm: /a, /a"},
		{name: "another one alone", net: ownArm, tell: []simnet.Beat{servedNow(none, "/b"), send("arm")},
			goals: "arm: rejected", why: "/a/arm is served by /b, not by /a (write arm: {served_by: /b})"},
		{name: "nothing", net: ownArm, tell: []simnet.Beat{servedNow(none), send("arm")},
			goals: "arm: aborted restored", why: "nothing serves /a/arm"},
		{name: "it comes within a second", net: ownArm, goals: "arm: succeeded done",
			tell: []simnet.Beat{servedNow(none), send("arm"), servedAfter(500*ms, hw)}},
		{name: "served_by, and it serves", net: foreignArm, tell: []simnet.Beat{servedNow(hw), afterwards(time.Second, simnet.Send{Command: "arm"})},
			goals: "arm: succeeded done"},
		{name: "served_by, and nothing serves", net: foreignArm, tell: []simnet.Beat{servedNow(none), send("arm")},
			goals: "arm: aborted restored", why: "nothing serves /power, for which /hw is lost: its process has ended (start /hw)"},
		{name: "served_by, and the node serves it too", net: foreignArm, tell: []simnet.Beat{servedNow(hw, "/a"), send("arm")},
			goals: "arm: rejected", why: "2 processes serve /power: /a, /hw (end all but that of /hw)"},
		{name: "served_by, and the node serves it", net: foreignArm, tell: []simnet.Beat{servedNow(none, "/a"), send("arm")},
			goals: "arm: rejected", why: "/power is served by /a, not by /hw"},
	}, func(s *story) { s.first = ways[2].way })
}

// TestA2ServersWhileArmed: the loss of what serves an arm disarms, one way, and so does another process beside it.
func TestA2ServersWhileArmed(t *testing.T) {
	const off = "disarming active"
	play(t, []story{
		{name: "what serves it is lost", net: foreignArm, tell: []simnet.Beat{servedAfter(time.Second, none), ends10}, states: off},
		{name: "it is replaced", net: foreignArm, tell: []simnet.Beat{servedAfter(time.Second, hwNext), ends10}, states: off},
		{name: "another one comes", net: foreignArm, tell: []simnet.Beat{servedAfter(time.Second, hw, "/b"), ends10}, states: off},
		{name: "another one comes beside the node itself", net: ownArm, states: off,
			tell: []simnet.Beat{servedAfter(time.Second, hw, "/b"), ends10}},
		{name: "the node serves it no more", net: ownArm, states: off, tell: []simnet.Beat{servedAfter(time.Second, none), ends10}},
		{name: "nothing changes", net: foreignArm, tell: []simnet.Beat{servedAfter(time.Second, hw), ends10}, states: "same"},
	}, func(s *story) {
		s.first, s.tell = ways[2].way, append([]simnet.Beat{servedNow(hw), afterwards(2*time.Second, simnet.Send{Command: "arm"}),
			when(simnet.Ended("arm"), simnet.Nothing{})}, s.tell...)
		s.goals = "arm: succeeded done"
		if s.states == "same" {
			s.states = "arming armed"
		} else {
			s.states = "arming armed " + s.states
		}
	})
}

// served is an engine whose one node is armed by what serves its arm.
type served struct {
	*rehearsal
	t *testing.T
}

func newServed(t *testing.T, text string) *served {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := &served{&rehearsal{state: engine.New(net, engine.Options{Instance: "a"}), at: []lifecycle.State{ac},
		calls: map[int]engine.CallNode{}}, t}
	return r
}

// TestA3DisarmsAndServers: what proves that a node is disarmed whose arm another process serves, or may have served.
func TestA3DisarmsAndServers(t *testing.T) {
	silent := one("/a", simnet.Script{Disarm: []simnet.Reply{{}, {Silent: true}}})
	later := func(d time.Duration, do simnet.Act) simnet.Beat { return when(simnet.Then().Later(d), do) }
	disarm := later(time.Second, simnet.Send{Command: "disarm"})
	again := func(d time.Duration) simnet.Beat { return later(d, simnet.Send{Command: "arm", Handle: "again"}) }
	play(t, []story{
		{
			name: "it does not confirm, and the node is left as it is", net: foreignArm, scripts: silent,
			tell:  []simnet.Beat{disarm, ends10},
			goals: "arm: succeeded done, disarm: aborted held", why: "/a", ends: "active*",
		},
		{
			name: "the node that serves its own is taken down", net: ownArm, scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}),
			tell:  []simnet.Beat{disarm, ends10},
			goals: "arm: succeeded done, disarm: aborted held", ends: "finalized",
		},
		{
			name: "of two the yes of one proves nothing, and the node is left as it is", net: ownArm,
			tell:  []simnet.Beat{later(time.Second, serves(hw, "/b")), ends10, again(ms)},
			goals: "arm: succeeded done, again: rejected", why: "2 processes serve /a/arm", ends: "active",
		},
		{
			name: "nor does it end the disarm", net: ownArm,
			tell: []simnet.Beat{later(time.Second, serves(hw, "/b")), later(10*time.Second, simnet.Send{Command: "disarm"}),
				ends10},
			goals: "arm: succeeded done, disarm: aborted held", why: "/a", ends: "active",
		},
		{
			name: "the one that is left confirms", net: ownArm,
			tell:  []simnet.Beat{later(time.Second, serves(hw, "/b")), later(5*time.Second, serves(hw)), again(3 * time.Second)},
			goals: "arm: succeeded done, again: succeeded done", ends: "active*",
		},
		{
			name: "it is gone: the node may be armed", net: foreignArm,
			tell:  []simnet.Beat{later(time.Second, serves(none)), ends10, again(ms)},
			goals: "arm: succeeded done, again: rejected",
			why:   "/a may be armed: /hw, which serves its arm, is gone and follows no lease", ends: "active",
		},
		{
			name: "until its next process confirms", net: foreignArm,
			tell:  []simnet.Beat{later(time.Second, serves(none)), later(5*time.Second, serves(hwNext)), again(3 * time.Second)},
			goals: "arm: succeeded done, again: succeeded done", ends: "active*",
		},
		{
			name: "it follows the lease, which ends", net: leasedArm,
			tell: []simnet.Beat{later(time.Second, serves(none)), later(20*time.Second, serves(hwNext)),
				again(3 * time.Second)},
			goals: "arm: succeeded done, again: succeeded done", ends: "active*",
		},
	}, func(s *story) {
		s.first, s.tell = ways[2].way, append([]simnet.Beat{servedNow(hw), afterwards(2*time.Second, simnet.Send{Command: "arm"}),
			when(simnet.Ended("arm"), simnet.Nothing{})}, s.tell...)
	})
}

// TestA3AStrangerMayBeWhatIsArmed: also after the second of two servers has gone, the node is not taken down until it has
// confirmed, and may be armed.
func TestA3AStrangerMayBeWhatIsArmed(t *testing.T) {
	play(t, []story{{
		name: "the node does not confirm", net: ownArm, first: ways[2].way,
		scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}),
		tell: []simnet.Beat{servedNow(hw), afterwards(2*time.Second, simnet.Send{Command: "arm"}),
			when(simnet.Ended("arm").Later(time.Second), serves(hw, "/b")), afterwards(ms, serves(hw)), ends10},
		goals: "arm: succeeded done", ends: "active*",
	}})
}

// TestA3FinalizedIsNoProofOfAnotherServer: neither is unconfigured. A shutdown says that the node may be armed.
func TestA3FinalizedIsNoProofOfAnotherServer(t *testing.T) {
	silent := simnet.Script{Disarm: []simnet.Reply{{}, {Silent: true}}}
	play(t, []story{
		{name: "another server", net: foreignArm, exit: 6, goals: "arm: succeeded done, shutdown: aborted finalized",
			why: "/a, which may still be armed"},
		{name: "the node itself", net: ownArm, exit: 1, goals: "arm: succeeded done, shutdown: succeeded done"},
	}, func(s *story) {
		s.first, s.scripts, s.ends = ways[2].way, one("/a", silent), "finalized"
		s.tell = []simnet.Beat{servedNow(hw), afterwards(2*time.Second, simnet.Send{Command: "arm"}),
			when(simnet.Ended("arm").Later(time.Second), simnet.Send{Command: "shutdown"})}
	})
}

// TestA2ANodeThatServesAnArmIsAsked: while armed, a lifecycle node that serves the arm of another one proves itself.
func TestA2ANodeThatServesAnArmIsAsked(t *testing.T) {
	const net = "simulation: x\nlast_resort: hold\nnodes:\n  /a: {arm: {service: /hw/power, served_by: /hw}}\n  /hw: {}\n"
	play(t, []story{{
		name: "it hangs", net: net, first: ways[2].way,
		tell: []simnet.Beat{servedNow(hw), afterwards(2*time.Second, simnet.Send{Command: "arm"}),
			when(simnet.Ended("arm").Later(time.Second), simnet.Freeze{Node: "/hw"}), ends10},
		goals: "arm: succeeded done", states: "arming armed disarming active",
	}})
}

// TestS4TheNodeDiesAndNotWhatServesItsArm: the arm is that of the process that serves it, which can still be asked. If
// it does not confirm, the end of the lease proves nothing of a process that is there.
func TestS4TheNodeDiesAndNotWhatServesItsArm(t *testing.T) {
	for _, c := range []struct {
		net   string
		hangs bool
		want  engine.ArmBelief
	}{
		{foreignArm, false, engine.Disarmed}, {ownArm, false, engine.MayBeArmed},
		{leasedArm, false, engine.Disarmed}, {leasedArm, true, engine.IsArmed},
	} {
		r := newServed(t, c.net)
		r.step(engine.ServersSeen{Node: 0, Meant: hw})
		r.step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
		r.step(engine.GoalAsked{Handle: "arm", Command: "arm", Seen: r.state.Snapshot().Seen})
		r.step(engine.ArmAnswered{Node: 0, Call: r.arm.Call, Arm: true, Success: true})
		if s := r.state.Snapshot(); s.State != "armed" {
			t.Fatalf("%s: %v", s.State, s.Readiness)
		}
		r.hangs = c.hangs
		r.step(engine.NodeLost{Node: 0, Why: "it left the graph"})
		for range 60 {
			r.now.Steady += time.Second
			r.step(engine.Tick{})
		}
		if s := r.state.Snapshot(); s.Nodes[0].Armed != c.want {
			t.Errorf("the arm of %+v is %s", c, s.Nodes[0].Armed)
		}
	}
}

// TestA10WhatServesAnArmIsShown: by name, and what stands against Arm by it.
func TestA10WhatServesAnArmIsShown(t *testing.T) {
	r := newServed(t, foreignArm)
	r.step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
	r.step(engine.ServersSeen{Node: 0, Meant: hw})
	s := r.state.Snapshot()
	if s.Nodes[0].ServedBy != "/hw" || s.Readiness.Word != engine.Ready {
		t.Errorf("served by %q, %v", s.Nodes[0].ServedBy, s.Readiness)
	}
	r.step(engine.ServersSeen{Node: 0, Meant: hw, Others: []string{"/b"}})
	if s = r.state.Snapshot(); !strings.Contains(s.Readiness.String(), "2 processes serve /power: /b, /hw") {
		t.Errorf("%v", s.Readiness)
	}
}
