package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// waits is a client's goal at that second that waits for peers.
func waits(second float64, command string) simnet.Beat {
	return does(second, simnet.Send{Command: command, Handle: fmt.Sprint(command, " ", second), WaitPeers: true})
}

// TestP8AGoalWaitsForPeers: until each is there, has failed, is lost, or it has lasted too long. The state stands.
func TestP8AGoalWaitsForPeers(t *testing.T) {
	slow := func(step string, d time.Duration) simnet.Script {
		return simnet.Script{State: in, On: []simnet.On{{Do: step, Takes: d}}}
	}
	const short = "peers: {deadline: 1s}\n"
	on := simnet.Script{State: in}
	cast(t, []several{
		{name: "all are there", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: succeeded done"},
			{script: slow("activate", time.Second)},
		}},
		{name: "a lowering", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "cleanup")}, goals: "cleanup 2: succeeded done"},
			{script: slow("cleanup", time.Second)},
		}},
		{name: "no peer is present", all: []instance{{script: on, tell: []simnet.Beat{waits(2, "activate")},
			goals: "activate 2: succeeded done"}}},
		{name: "one fails", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind",
				ends: "active, wants active",
				why:  "the network is active; peers behind: /b is inactive and does not follow: activate failed: /b_base answered no to activate; it is still inactive",
			},
			{script: simnet.Script{State: in, On: []simnet.On{{Do: "activate", End: simnet.Refuse}}}},
			{script: on},
		}},
		{name: "one is lost", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind",
				why: "peers behind: /b is lost: "},
			{script: slow("activate", 2*time.Second),
				tell: []simnet.Beat{does(2.5, simnet.Crash{DownFor: 30 * time.Second})}},
		}},
		{name: "one leaves", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind",
				why: "peers behind: /b is "},
			{script: slow("activate", 2*time.Second), tell: []simnet.Beat{does(2.5, simnet.Stop{})}},
		}},
		{name: "it lasts too long", all: []instance{
			{keys: short, script: on, tell: []simnet.Beat{waits(2, "activate")},
				goals: "activate 2: aborted peers_behind", why: "peers behind: /b is still activating"},
			{script: slow("activate", 1900*ms)},
		}},
		{name: "a required one was never there", all: []instance{
			{keys: "peers: {required: [/z], deadline: 2s}\n", script: on, tell: []simnet.Beat{waits(2, "activate")},
				goals: "activate 2: aborted peers_behind", why: "/z is not there"},
		}},
		{name: "cancelling only ends the waiting", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate"), does(2.5, simnet.Cancel{Handle: "activate 2"})},
				goals:     "activate 2: canceled canceled",
				published: "active+", ends: "active, wants active", why: "the waiting for peers was cancelled",
			},
			{script: slow("activate", time.Second), ends: "active, wants active"},
		}},
		{name: "it blocks nothing, and is superseded by a newer change", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate"), asks(2.5, "deactivate")},
				goals: "activate 2: aborted superseded, deactivate 2.5: succeeded done",
				ends:  "inactive, wants inactive",
			},
			{script: slow("activate", time.Second), ends: "inactive, wants inactive"},
		}},
		{name: "this network leaves the state by itself, which is no change", all: []instance{
			{
				script: simnet.Script{State: lifecycle.Active},
				tell:   []simnet.Beat{waits(2, "arm"), does(2.5, simnet.Kill{Node: "/a_base"})},
				goals:  "arm 2: aborted superseded",
				why:    "the network is armed; but is active by now: disarm: /a_base is lost",
			},
			{script: simnet.Script{State: lifecycle.Active}, arm: []simnet.Reply{{Takes: 2 * time.Second}}},
		}},
		{name: "of a peer, too", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted superseded",
				ends: "inactive, wants inactive",
				why:  "superseded by /c ",
			},
			{script: slow("activate", time.Second), ends: "inactive, wants inactive"},
			{script: on, tell: []simnet.Beat{asks(2.5, "deactivate")}},
		}},
		{name: "a peer that is present already", all: []instance{
			{script: on, tell: []simnet.Beat{asks(2, "activate"), waits(2.2, "active")},
				goals: "activate 2: succeeded done, active 2.2: succeeded already"},
			{script: slow("activate", time.Second), ends: "active, wants active"},
		}},
	})
}

// TestP8AnOpenGoalIsShown as long as it waits.
func TestP8AnOpenGoalIsShown(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: {/plain: {lifecycle: false}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := engine.New(net, engine.Options{Instance: "a 1", Name: "/a"})
	st := mirror.Status{Name: "/b", Instance: "b 1", State: "unconfigured", Target: "unconfigured", Settled: true,
		Intact: true, Hash: rstateHash}
	there := st
	there.State, there.Target, there.Seen = "inactive", "inactive", knows("a 1", 1)
	var open [][]string
	for k, in := range []engine.Input{
		engine.Tick{}, engine.NodeSeen{Node: 0, Epoch: 1, Count: 1}, engine.Tick{}, engine.PeerTold{Status: st},
		engine.GoalAsked{Handle: "g", Command: "configure", WaitPeers: true}, engine.Tick{},
		engine.PeerTold{Status: there},
	} {
		s, _ = engine.Step(s, engine.Time{Steady: time.Duration(k) * 4 * time.Second}, in)
		open = append(open, s.Snapshot().OpenGoals)
	}
	if got := fmt.Sprint(open); got != "[[] [] [] [] [g] [g] []]" {
		t.Errorf("these goals are shown as open, from input to input: %s", got)
	}
}

// starting is an instance whose start cannot end: /z never appears. It answers for /a, which says that it is active,
// and notes how goals end.
type starting struct {
	state    *engine.State
	now      time.Duration
	confirms bool // /a answers to disarm
	ended    map[string]engine.FinishGoal
}

func newStarting(t *testing.T, nodes string) *starting {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: demo\npeers: {deadline: 2s}\nnodes: "+nodes+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := &starting{state: engine.New(net, engine.Options{Instance: "a 1", Name: "/a"}),
		ended: map[string]engine.FinishGoal{}}
	s.step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
	for range 8 { // the name is its own after 3 s
		s.step(engine.Tick{})
	}
	return s
}

func (s *starting) step(in engine.Input) {
	s.now += 500 * ms
	for list := []engine.Input{in}; len(list) > 0; list = list[1:] {
		var effects []engine.Effect
		s.now++
		s.state, effects = engine.Step(s.state, engine.Time{Steady: s.now}, list[0])
		for _, e := range effects {
			switch e := e.(type) {
			case engine.ReadState:
				list = append(list, engine.StateRead{Node: e.Node, Ticket: e.Ticket, State: lifecycle.Active})
			case engine.ArmNode:
				if s.confirms {
					list = append(list, engine.ArmAnswered{Node: e.Node, Call: e.Call, Arm: e.Arms(), Success: true})
				}
			case engine.FinishGoal:
				s.ended[e.Handle] = e
			}
		}
	}
}

// TestP8ADisarmAtAStartWaitsForPeers: the state of the network is not known yet, and the goal carries wait_peers all
// the same. It ends when nothing is armed at the peers either.
func TestP8ADisarmAtAStartWaitsForPeers(t *testing.T) {
	armed := mirror.Status{
		Name: "/b", Instance: "b 1", State: "armed", Target: "armed", Settled: true, Intact: true, Hash: rstateHash,
		Seen: knows("b 1", 1), MayBeArmed: []string{"/b_arm"},
	}
	disarmed := armed
	disarmed.State, disarmed.Target, disarmed.MayBeArmed, disarmed.Seen = "active", "active", nil,
		knows("a 1", 1, "b 1", 1)
	untold := armed // nothing has happened yet, but a node of it may be armed
	untold.State, untold.Target, untold.Seen = "active", "active", nil
	clear := untold
	clear.MayBeArmed = nil
	for name, c := range map[string]struct {
		nodes     string
		confirms  bool
		was, is   mirror.Status
		wantAlone string // without wait_peers, a second after nothing is armed here
	}{
		"a node here may be armed": {"{/n: {arm: {}}, /z: {}}", false, armed, disarmed, "nothing is armed"},
		"nothing here may be armed": {"{/n: {arm: {}}, /z: {}}", true, armed, disarmed,
			"no node that is present is armed"},
		"nothing can be armed here":  {"{/n: {}, /z: {}}", true, armed, disarmed, "no node that is present is armed"},
		"no change was made by then": {"{/n: {arm: {}}, /z: {}}", false, untold, clear, "nothing is armed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStarting(t, c.nodes)
			s.confirms = c.confirms
			for range 4 {
				s.step(engine.Tick{})
			}
			s.step(engine.PeerTold{Status: c.was})
			s.step(engine.GoalAsked{Handle: "waits", Command: "disarm", WaitPeers: true})
			s.step(engine.GoalAsked{Handle: "alone", Command: "disarm"})
			s.confirms = true
			for range 2 {
				s.step(engine.Tick{})
			}
			if got := s.state.Snapshot(); got.Settled != "" {
				t.Fatalf("the start is over: %s", got.State)
			}
			if e, ok := s.ended["waits"]; ok {
				t.Fatalf("it did not wait for /b: %v", e)
			}
			c.is.Orders = knows("a 1", 2)
			s.step(engine.PeerTold{Status: c.is})
			if got := s.ended["alone"].Result.Message; !strings.HasPrefix(got, c.wantAlone) {
				t.Errorf("the goal that does not wait: %q", got)
			}
			if e := s.ended["waits"]; e.Ending != engine.Succeeded || e.Result.Message != c.wantAlone {
				t.Errorf("it ended %v", e)
			}
			s.step(engine.PeerTold{Status: c.was})
			s.step(engine.GoalAsked{Handle: "late", Command: "disarm", WaitPeers: true})
			for range 5 {
				s.step(engine.Tick{})
			}
			if e := s.ended["late"]; e.Result.Outcome != engine.OutcomePeersBehind &&
				e.Result.Outcome != engine.OutcomeSuperseded {
				t.Errorf("/b stays armed, and it ended %v", e)
			}
		})
	}
}

// TestP8EveryGoalWaits that carries wait_peers, and only those: also one that has nothing to do here, or joins one that
// does not wait.
func TestP8EveryGoalWaits(t *testing.T) {
	slow := simnet.Script{State: in, On: []simnet.On{{Do: "activate", Takes: time.Second}}}
	const short = "peers: {deadline: 1s}\n"
	id := func(second float64, handle string, wait bool) simnet.Beat {
		return does(second, simnet.Send{Command: "activate", Handle: handle, ID: "42", WaitPeers: wait})
	}
	trace := several{name: "joined", all: []instance{
		{
			script: simnet.Script{State: in, On: []simnet.On{{Do: "activate", Takes: 500 * ms}}},
			tell:   []simnet.Beat{id(2, "alone", false), id(2.1, "waits", true), id(2.6, "late", false)},
			goals:  "alone: succeeded done, waits: succeeded done, late: succeeded done",
		},
		{script: slow},
	}}.run(t)
	alone, both, late := trace.Worlds[0].Goal("alone"), trace.Worlds[0].Goal("waits"), trace.Worlds[0].Goal("late")
	if both.Ended < alone.Ended+800*ms || late.Ended > late.Asked+100*ms {
		t.Errorf("they ended at %v, %v and %v", alone.Ended, both.Ended, late.Ended)
	}
	cast(t, []several{
		{name: "one that has nothing to do, and a peer that is elsewhere", all: []instance{
			{keys: short, script: simnet.Script{State: in}, tell: []simnet.Beat{waits(2, "inactive")},
				goals: "inactive 2: aborted peers_behind",
				why:   "the network is inactive already; peers behind: /b is still active"},
			{script: up},
		}},
		{name: "and that is there", all: []instance{
			{keys: short, script: simnet.Script{State: in}, tell: []simnet.Beat{waits(2, "inactive")},
				goals: "inactive 2: succeeded already"},
			{script: simnet.Script{State: in}},
		}},
	})
}

// TestP8ARepeatedGoalWaits: a client with wait_peers that repeats a goal by its id waits for the peers, although the
// goal has ended without them.
func TestP8ARepeatedGoalWaits(t *testing.T) {
	id := func(second float64, command, handle string, wait bool) simnet.Beat {
		return does(second, simnet.Send{Command: command, Handle: handle, ID: "42", WaitPeers: wait})
	}
	active := simnet.Script{State: lifecycle.Active}
	first, armed := simnet.Reply{}, []simnet.Beat{asks(2, "arm")}
	for _, c := range []struct {
		several
		least, most time.Duration // from the repeated request to its end
	}{
		{several{name: "a raising", all: []instance{
			{script: simnet.Script{State: in},
				tell:  []simnet.Beat{id(4, "activate", "alone", false), id(4.1, "activate", "waits", true)},
				goals: "alone: succeeded done, waits: succeeded done"},
			{script: simnet.Script{State: in, On: []simnet.On{{Do: "activate", Takes: time.Second}}}},
		}}, 800 * ms, 1200 * ms},
		{several{name: "a disarm", all: []instance{
			{script: active, plain: true,
				tell:  []simnet.Beat{id(4, "disarm", "alone", false), id(4.1, "disarm", "waits", true)},
				goals: "alone: aborted peers_behind, waits: succeeded done"},
			{script: active, disarm: []simnet.Reply{first, {Takes: time.Second}}, tell: armed},
		}}, 800 * ms, 1200 * ms},
		{several{name: "in a lower state by then", all: []instance{
			{
				script: active, plain: true,
				tell: []simnet.Beat{id(4, "disarm", "alone", false), asks(4.05, "deactivate"),
					id(4.1, "disarm", "waits", true)},
				goals: "alone: aborted peers_behind, deactivate 4.05: succeeded done, waits: succeeded done",
			},
			{script: active, disarm: []simnet.Reply{first, {Takes: time.Second}}, tell: armed},
		}}, 800 * ms, 2200 * ms},
		{several{name: "all are there", all: []instance{
			{script: active, plain: true,
				tell:  []simnet.Beat{id(4, "disarm", "alone", false), id(5, "disarm", "waits", true)},
				goals: "alone: succeeded done, waits: succeeded done"},
			{script: active, tell: armed},
		}}, 0, ms},
		{several{name: "one is lost since", all: []instance{
			{
				script: active, plain: true,
				tell:  []simnet.Beat{id(4, "disarm", "alone", false), id(6, "disarm", "waits", true)},
				goals: "alone: aborted peers_behind, waits: aborted peers_behind", why: "peers behind: /b is lost: ",
			},
			{script: active, disarm: []simnet.Reply{first, {Silent: true}},
				tell: append(armed, does(4.1, simnet.Crash{DownFor: 30 * time.Second}))},
		}}, 0, ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := c.run(t)
			again := trace.Worlds[0].Goal("waits")
			if took := again.Ended - again.Asked; took < c.least || took > c.most {
				t.Errorf("it ended after %v, want %v to %v", took, c.least, c.most)
			}
		})
	}
}
