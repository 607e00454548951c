//go:build ros

package rosnet

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// describing returns a world that can only format descriptions.
func describing(t *testing.T) *World {
	t.Helper()
	m, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	return &World{net: &network.Network{Simulation: "demo", Machine: m}, machine: m, hash: m.Hash(), name: "/base/rstate", instance: "17", began: time.Unix(5, 6),
		steady: func() engine.Time { return engine.Time{Steady: 70 * time.Millisecond} }}
}

func whole(w *World) mirror.Status {
	return mirror.Status{
		Name: w.name, Instance: w.instance, Started: w.began, State: "disarming", Intact: true, Target: "active",
		Seen: []mirror.Seen{{Instance: "17", N: 3}, {Instance: "18", N: 1}}, Loops: []mirror.Loop{{Command: "reset", N: 2}},
		Machine: w.machine.Name, Hash: w.hash, Nodes: []string{"/a", "/b"}, MayBeArmed: []string{"/a"}, Requires: []string{"/arm/rstate"},
		ProofAge: 300 * time.Millisecond, Behind: true, Cause: "/a is lost", Leaving: true,
		Steady: 70 * time.Millisecond, Orders: []mirror.Seen{{Instance: "17", N: 4}},
	}
}

func TestStatusComesThroughWhole(t *testing.T) {
	w := describing(t)
	for name, change := range map[string]func(*mirror.Status){
		"all of it":     func(*mirror.Status) {},
		"without proof": func(s *mirror.Status) { s.ProofAge = -time.Second },
		"at the start":  func(s *mirror.Status) { s.State, s.Target, s.Seen, s.Loops, s.Orders = "unknown", "", nil, nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			said := whole(w)
			change(&said)
			heard, wrong := peerStatus(w.statusMessage(said, time.Now()), "demo")
			if wrong != "" || !reflect.DeepEqual(heard, said) {
				t.Errorf("%q\nsaid  %+v\nheard %+v", wrong, said, heard)
			}
		})
	}
}

func TestStatusThatIsNone(t *testing.T) {
	w := describing(t)
	for name, c := range map[string]struct {
		change func(*rstate_msgs_msg.PeerStatus)
		wrong  string
	}{
		"of another simulation":      {func(m *rstate_msgs_msg.PeerStatus) { m.Simulation = "other" }, `it is of simulation "other"`},
		"of a simulation like none":  {func(m *rstate_msgs_msg.PeerStatus) { m.Simulation = strings.Repeat("x", 5000) }, `xxx…"`},
		"of nobody":                  {func(m *rstate_msgs_msg.PeerStatus) { m.Name = "" }, "name is empty"},
		"of no run":                  {func(m *rstate_msgs_msg.PeerStatus) { m.InstanceId = "" }, "instance_id is empty"},
		"without a state":            {func(m *rstate_msgs_msg.PeerStatus) { m.State.Label = "" }, "state is empty"},
		"with a change of no writer": {func(m *rstate_msgs_msg.PeerStatus) { m.Seen[0].Instance = "" }, "seen is empty"},
		"with an order of no one":    {func(m *rstate_msgs_msg.PeerStatus) { m.Orders[0].Instance = "" }, "orders is empty"},
		"with a loop of no command":  {func(m *rstate_msgs_msg.PeerStatus) { m.Loops[0].Command = "" }, "loops is empty"},
		"with a cause like a book":   {func(m *rstate_msgs_msg.PeerStatus) { m.Cause = strings.Repeat("x", 5000) }, "text has 5000 bytes"},
		"with a node like a book":    {func(m *rstate_msgs_msg.PeerStatus) { m.Nodes[1] = strings.Repeat("x", 5000) }, "nodes has 5000 bytes"},
		"with too many changes seen": {func(m *rstate_msgs_msg.PeerStatus) { m.Seen = make([]rstate_msgs_msg.Seen, 5000) }, "seen has 5000 entries"},
		"with too many orders":       {func(m *rstate_msgs_msg.PeerStatus) { m.Orders = make([]rstate_msgs_msg.Seen, 5000) }, "orders has 5000 entries"},
		"with too many nodes":        {func(m *rstate_msgs_msg.PeerStatus) { m.Nodes = make([]string, 5000) }, "nodes has 5000 entries"},
		"with too many requirements": {func(m *rstate_msgs_msg.PeerStatus) { m.Requires = make([]string, 5000) }, "requires has 5000 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			m := w.statusMessage(whole(w), time.Now())
			c.change(m)
			if _, wrong := peerStatus(m, "demo"); !strings.Contains(wrong, c.wrong) {
				t.Errorf("got %q, want %q", wrong, c.wrong)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	seen := []rstate_msgs_msg.Seen{{Instance: "17", N: 3}}
	for name, c := range map[string]struct {
		msg   rstate_msgs_msg.NetworkState
		want  mirror.Change
		wrong string
	}{
		"of an instance": {rstate_msgs_msg.NetworkState{Simulation: "demo", SourceNode: "/b", SourceState: "active", Event: "disarm", TargetState: "active",
			State: rstate_msgs_msg.State{Label: "disarming"}, InstanceId: "17", Seen: seen, Machine: "rstate", MachineHash: "x",
			Steady: duration(90 * time.Second), Made: duration(1500 * time.Millisecond), Orders: []rstate_msgs_msg.Seen{{Instance: "17", N: 2}}},
			mirror.Change{Name: "/b", Instance: "17", SourceState: "active", Event: "disarm", TargetState: "active", State: "disarming",
				Seen: []mirror.Seen{{Instance: "17", N: 3}}, Hash: "x",
				Steady: 90 * time.Second, Made: 1500 * time.Millisecond, Orders: []mirror.Seen{{Instance: "17", N: 2}}}, ""},
		"in states of another machine": {rstate_msgs_msg.NetworkState{Simulation: "demo", SourceNode: "/b", SourceState: "warm", TargetState: "hot", InstanceId: "17"},
			mirror.Change{Name: "/b", Instance: "17", SourceState: "warm", TargetState: "hot"}, ""},
		"of four fields": {rstate_msgs_msg.NetworkState{SourceNode: "/nrp", SourceState: "paused", Event: "started", TargetState: "started"},
			mirror.Change{Name: "/nrp", SourceState: "paused", Event: "started", TargetState: "started"}, ""},
		"of four fields, and what it cannot have seen": {rstate_msgs_msg.NetworkState{SourceNode: "/nrp", TargetState: "started", Seen: seen, Orders: seen, Made: duration(time.Second)},
			mirror.Change{Name: "/nrp", TargetState: "started"}, ""},
		"of another simulation":            {rstate_msgs_msg.NetworkState{Simulation: "x", SourceNode: "/b", InstanceId: "17"}, mirror.Change{}, `it is of simulation "x"`},
		"of no simulation":                 {rstate_msgs_msg.NetworkState{SourceNode: "/b", InstanceId: "17"}, mirror.Change{}, `it is of simulation ""`},
		"of four, of another one":          {rstate_msgs_msg.NetworkState{Simulation: "x", SourceNode: "/b", TargetState: "active"}, mirror.Change{}, `it is of simulation "x"`},
		"of nobody":                        {rstate_msgs_msg.NetworkState{Simulation: "demo", InstanceId: "17"}, mirror.Change{}, "source_node is empty"},
		"of four, and to nowhere":          {rstate_msgs_msg.NetworkState{SourceNode: "/b"}, mirror.Change{}, "target_state is empty"},
		"with a command like a book":       {rstate_msgs_msg.NetworkState{SourceNode: "/b", TargetState: "a", Event: strings.Repeat("x", 5000)}, mirror.Change{}, "text has 5000 bytes"},
		"with too many changes seen":       {rstate_msgs_msg.NetworkState{Simulation: "demo", SourceNode: "/b", InstanceId: "17", Seen: make([]rstate_msgs_msg.Seen, 5000)}, mirror.Change{}, "seen has 5000 entries"},
		"with a change of no writer in it": {rstate_msgs_msg.NetworkState{Simulation: "demo", SourceNode: "/b", InstanceId: "17", Seen: make([]rstate_msgs_msg.Seen, 1)}, mirror.Change{}, "seen is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			got, wrong := peerChange(&c.msg, "demo")
			if wrong != c.wrong || c.wrong == "" && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %q\nwant %+v, %q", got, wrong, c.want, c.wrong)
			}
		})
	}
}

func TestPeersInTheState(t *testing.T) {
	w := describing(t)
	m := w.describe(engine.Snapshot{
		State: "active", Settled: "active", OpenGoals: []string{"g"},
		Peers: engine.PeersView{Common: "armed", Behind: true, Seen: []mirror.Seen{{Instance: "17", N: 3}}, All: []engine.PeerView{
			{Name: "/arm/rstate", Instance: "18", Required: true, Alive: true, SameMachine: true, State: "disarming", Target: "active", Intact: true,
				Behind: true, Leaving: true, Seen: []mirror.Seen{{Instance: "18", N: 1}}, Nodes: []string{"/x"}, Lag: 20 * time.Millisecond, Age: 2 * time.Second, Cause: "/x is lost"},
			{Name: "/never/heard", Required: true, State: "unknown", Lag: -1, Age: -1},
			{Name: "/of/another", State: "hot"},
		}},
	}, time.Now())
	if m.Common.Label != "armed" || !m.Behind || len(m.ChangesSeen) != 1 || m.ChangesSeen[0].N != 3 || len(m.OpenGoals) != 1 || len(m.Peers) != 3 {
		t.Fatalf("described as %+v", m)
	}
	p := m.Peers[0]
	if p.Name != "/arm/rstate" || p.InstanceId != "18" || !p.Required || !p.Alive || !p.SameMachine || p.State.Label != "disarming" ||
		p.State.Id != rstate_msgs_msg.State_DISARMING || p.Target.Label != "active" || !p.Intact || !p.Behind || !p.Leaving ||
		len(p.Seen) != 1 || p.Nodes[0] != "/x" || p.Lag.Nanosec != 20_000_000 || p.Age.Sec != 2 || p.Cause != "/x is lost" {
		t.Errorf("a peer is described as %+v", p)
	}
	if p = m.Peers[1]; p.Lag.Sec != -1 || p.Age.Sec != -1 || p.State.Label != "unknown" {
		t.Errorf("one that was never heard is described as %+v", p)
	}
	if p = m.Peers[2]; p.State.Label != "hot" || p.State.Id != 0 {
		t.Errorf("a state of another machine is described as %+v", p.State)
	}
	if m = w.describe(engine.Snapshot{State: "active"}, time.Now()); m.Common.Label != "unknown" {
		t.Errorf("what nothing leads to is described as %+v", m.Common)
	}
}

// FuzzPeers: any message is read or refused.
func FuzzPeers(f *testing.F) {
	f.Add("demo", "/b", "17", "active", "disarm", uint64(1), int32(-1), uint32(0))
	f.Fuzz(func(t *testing.T, simulation, name, instance, state, event string, n uint64, sec int32, nano uint32) {
		seen := []rstate_msgs_msg.Seen{{Instance: instance, N: n}}
		status := rstate_msgs_msg.PeerStatus{Simulation: simulation, Name: name, InstanceId: instance, State: rstate_msgs_msg.State{Label: state}, Seen: seen,
			Loops: []rstate_msgs_msg.Loop{{Command: event, N: n}}, Nodes: []string{name}}
		status.ProofAge.Sec, status.ProofAge.Nanosec, status.Started.Sec, status.Started.Nanosec = sec, nano, sec, nano
		if s, wrong := peerStatus(&status, "demo"); wrong == "" && (s.Name == "" || s.Instance == "" || s.State == "" || simulation != "demo" || s.Seen[0].Instance == "") {
			t.Errorf("taken: %+v", s)
		}
		change := rstate_msgs_msg.NetworkState{Simulation: simulation, SourceNode: name, SourceState: state, Event: event, TargetState: state, InstanceId: instance, Seen: seen}
		if c, wrong := peerChange(&change, "demo"); wrong == "" && (c.Name == "" || c.Instance == "" && (c.TargetState == "" || c.Seen != nil)) {
			t.Errorf("taken: %+v", c)
		}
	})
}
