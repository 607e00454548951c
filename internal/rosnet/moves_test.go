//go:build ros

package rosnet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

func TestFaceOf(t *testing.T) {
	node := func(s lifecycle.State) engine.NodeView {
		return engine.NodeView{Lifecycle: true, Present: true, State: s}
	}
	optional := node(lifecycle.Unconfigured)
	optional.Optional = true
	for name, c := range map[string]struct {
		state, settled string
		nodes          []engine.NodeView
		want           lifecycle.State
	}{
		"nothing is known yet": {"unknown", "", nil, lifecycle.Unknown},
		"at rest": {"active", "active", []engine.NodeView{node(lifecycle.Active)},
			lifecycle.Active},
		"armed is active": {"armed", "armed", []engine.NodeView{node(lifecycle.Active)},
			lifecycle.Active},
		"arming is active": {"arming", "active", []engine.NodeView{node(lifecycle.Active)},
			lifecycle.Active},
		"under way": {"activating", "inactive", []engine.NodeView{node(lifecycle.Active)},
			lifecycle.Activating},
		"error processing": {"errorprocessing", "inactive", nil, lifecycle.ErrorProcessing},
		"one strayed": {"active", "active",
			[]engine.NodeView{node(lifecycle.Active), node(lifecycle.Inactive)}, lifecycle.Inactive},
		"one is above": {"inactive", "inactive",
			[]engine.NodeView{node(lifecycle.Active), node(lifecycle.Inactive)}, lifecycle.Inactive},
		"an optional one strayed": {"active", "active", []engine.NodeView{node(lifecycle.Active), optional},
			lifecycle.Active},
		"one is gone": {"active", "active",
			[]engine.NodeView{node(lifecycle.Active), {Lifecycle: true}}, lifecycle.Unconfigured},
		"a plain one is gone": {"inactive", "inactive", []engine.NodeView{node(lifecycle.Inactive), {}},
			lifecycle.Unconfigured},
		"a plain one is there": {"active", "active",
			[]engine.NodeView{node(lifecycle.Active), {Present: true}}, lifecycle.Active},
		"one is finalized": {"active", "active", []engine.NodeView{node(lifecycle.Finalized)},
			lifecycle.Unconfigured},
		"finalized, whatever its nodes": {"finalized", "finalized", []engine.NodeView{node(lifecycle.Active)},
			lifecycle.Finalized},
		"unconfigured, whatever its nodes": {"unconfigured", "unconfigured",
			[]engine.NodeView{node(lifecycle.Finalized)}, lifecycle.Unconfigured},
		"one is busy for another client": {"active", "active", []engine.NodeView{node(lifecycle.Deactivating)},
			lifecycle.Active},
	} {
		t.Run(name, func(t *testing.T) {
			net := network.Network{Machine: presetOf(t, "rstate"), Nodes: make([]network.Node, len(c.nodes))}
			for i, n := range c.nodes {
				net.Nodes[i] = network.DefaultNode(fmt.Sprintf("/n%d", i))
				net.Nodes[i].Lifecycle = n.Lifecycle
			}
			if got := faceOf(&net, engine.Snapshot{State: c.state, Settled: c.settled, Nodes: c.nodes}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestRequestedTransition(t *testing.T) {
	for name, c := range map[string]struct {
		now   lifecycle.State
		id    uint8
		label string
		want  machine.Role // empty: refused
	}{
		"by label":                           {lifecycle.Unconfigured, 0, "configure", "configure"},
		"by id, as launch does":              {lifecycle.Unconfigured, 1, "", "configure"},
		"the label decides":                  {lifecycle.Inactive, 1, "cleanup", "cleanup"},
		"not one of this state":              {lifecycle.Unconfigured, 3, "", ""},
		"not while one runs":                 {lifecycle.Configuring, 0, "activate", ""},
		"shutdown by the state's id":         {lifecycle.Active, 7, "", "shutdown"},
		"shutdown by another state's id":     {lifecycle.Active, 5, "", "shutdown"},
		"shutdown while one runs":            {lifecycle.Activating, 0, "shutdown", "shutdown"},
		"nothing leads out of finalized":     {lifecycle.Finalized, 0, "shutdown", ""},
		"what no tool may ask for":           {lifecycle.Configuring, 10, "", ""},
		"nor by its label":                   {lifecycle.Configuring, 0, "transition_success", ""},
		"arming is no lifecycle transition":  {lifecycle.Active, 0, "arm", ""},
		"create, which is for no living one": {lifecycle.Unconfigured, 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := requested(movesOf(presetOf(t, "rstate")), c.now, c.id, c.label)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

// The transitions of the preset rstate are those of every lifecycle node, in the order of ROS.
func TestMovesOfRstateAreThoseOfALifecycleNode(t *testing.T) {
	moves := movesOf(presetOf(t, "rstate"))
	wantMoves(t, moves,
		"1 configure unconfigured configuring",
		"10 transition_success configuring inactive",
		"11 transition_failure configuring unconfigured",
		"12 transition_error configuring errorprocessing",
		"2 cleanup inactive cleaningup",
		"20 transition_success cleaningup unconfigured",
		"21 transition_failure cleaningup inactive",
		"22 transition_error cleaningup errorprocessing",
		"3 activate inactive activating",
		"30 transition_success activating active",
		"31 transition_failure activating inactive",
		"32 transition_error activating errorprocessing",
		"4 deactivate active deactivating",
		"40 transition_success deactivating inactive",
		"41 transition_failure deactivating active",
		"42 transition_error deactivating errorprocessing",
		"5 shutdown unconfigured shuttingdown",
		"6 shutdown inactive shuttingdown",
		"7 shutdown active shuttingdown",
		"50 transition_success shuttingdown finalized",
		"51 transition_failure shuttingdown finalized",
		"52 transition_error shuttingdown errorprocessing",
		"60 transition_success errorprocessing unconfigured",
		"61 transition_failure errorprocessing finalized",
		"62 transition_error errorprocessing finalized",
	)
	if states := statesOf(presetOf(t, "rstate"), moves); !slices.Equal(states, faceOrder) {
		t.Errorf("states are %v, want all", states)
	}
}

func wantMoves(t *testing.T, moves []move, want ...string) {
	t.Helper()
	var got []string
	for _, m := range moves {
		got = append(got, fmt.Sprintf("%d %s %v %v", m.id, m.label, m.from, m.to))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func presetOf(t *testing.T, name string) *machine.Machine {
	t.Helper()
	m, err := machine.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func networkOf(t *testing.T, text string) *network.Network {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// lamp has a machine without passing states, with few roles, and with a mode in which the nodes differ.
const lamp = `
simulation: lamp
nodes: {/supply: {}, /bulb: {}, /fan: {optional: true}}
groups: {power: [/supply]}
machine:
  initial: off
  states:
    gone: {nodes: finalized, final: true}
    off: {nodes: unconfigured}
    warm: {nodes: {power: active, others: inactive}}
    lit: {nodes: active}
    broken: {nodes: as_is}
  transitions:
    switch_on: {from: [off, warm], to: lit, role: activate}
    dim: {from: [lit], to: warm}
    switch_off: {from: [lit, warm], to: off, role: deactivate}
    break: {from: [off, lit, warm], to: broken}
    mend: {from: [broken], to: off}
    end: {from: any, to: gone, role: shutdown}
`

func TestM7MovesOfALamp(t *testing.T) {
	m := networkOf(t, lamp).Machine
	moves := movesOf(m)
	wantMoves(t, moves, // without the roles that the machine lacks, and without error processing
		"3 activate unconfigured activating",
		"3 activate active activating",
		"30 transition_success activating active",
		"31 transition_failure activating unconfigured",
		"31 transition_failure activating active",
		"4 deactivate active deactivating",
		"40 transition_success deactivating unconfigured",
		"41 transition_failure deactivating active",
		"5 shutdown unconfigured shuttingdown",
		"7 shutdown active shuttingdown",
		"50 transition_success shuttingdown finalized",
		"51 transition_failure shuttingdown finalized",
	)
	if got, want := fmt.Sprint(statesOf(m, moves)),
		"[unknown unconfigured active finalized shuttingdown activating deactivating]"; got != want {
		t.Errorf("states are %s, want %s", got, want)
	}
	if role, ok := requested(moves, lifecycle.Unconfigured, 1, ""); ok {
		t.Errorf("configure is taken for %s", role)
	}
}

func TestM7FaceOfALamp(t *testing.T) {
	net := networkOf(t, lamp)
	for _, c := range []struct {
		name, state, running string
		nodes                string // of /supply, /bulb and /fan
		want                 lifecycle.State
	}{
		{"at rest", "off", "", "unconfigured unconfigured unconfigured", lifecycle.Unconfigured},
		{"its role, without a passing state", "off", "switch_on", "active unconfigured unconfigured",
			lifecycle.Activating},
		{"the end", "lit", "end", "active active active", lifecycle.ShuttingDown},
		{"ended", "gone", "", "finalized finalized finalized", lifecycle.Finalized},
		{"a mode shows its highest nodes", "warm", "", "active inactive inactive", lifecycle.Active},
		{"a node of a mode has strayed", "warm", "", "active unconfigured inactive", lifecycle.Unconfigured},
		{"another one", "warm", "", "inactive inactive inactive", lifecycle.Inactive},
		{"one is higher than its part", "warm", "", "active active inactive", lifecycle.Active},
		{"an optional one has strayed", "warm", "", "active inactive unconfigured", lifecycle.Active},
		{"one is lost", "warm", "", "active - inactive", lifecycle.Unconfigured},
		{"without a role the state before", "lit", "dim", "active inactive inactive", lifecycle.Active},
		{"nothing is asked: the lowest", "broken", "", "active inactive active", lifecycle.Inactive},
		{"nothing is asked: finalized is not final", "broken", "", "active finalized active", lifecycle.Unconfigured},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := engine.Snapshot{State: c.state, Settled: c.state, Work: engine.WorkView{Command: c.running}}
			for i, word := range strings.Fields(c.nodes) {
				n := engine.NodeView{Lifecycle: true, Optional: net.Nodes[i].Optional}
				n.State, n.Present = lifecycle.Parse(word)
				s.Nodes = append(s.Nodes, n)
			}
			if got := faceOf(net, s); got != c.want {
				t.Errorf("shows %v, want %v", got, c.want)
			}
		})
	}
}

// What a passing state shows depends on the role of the command that runs, not on the name of the state.
func TestM7FaceOfPassingStates(t *testing.T) {
	net := networkOf(t, `
simulation: words
nodes: {/wheels: {arm: {}}}
machine:
  initial: stored
  states:
    scrapped: {nodes: finalized, final: true}
    stored: {nodes: unconfigured}
    parked: {nodes: inactive}
    ready: {nodes: active}
    driving: {nodes: active, armed: true, disarmed: ready}
    configuring: {transition: true}
  transitions:
    unpack: {from: [stored], via: configuring, to: parked, role: configure}
    pack: {from: [parked], via: configuring, to: stored}
    unpark: {from: [parked], via: configuring, to: ready, role: activate}
    park: {from: [ready], via: configuring, to: parked, role: deactivate}
    drive: {from: [ready], via: configuring, to: driving, role: arm}
    brake: {from: [driving], via: configuring, to: ready, role: disarm}
    scrap: {from: any, via: configuring, to: scrapped, role: shutdown}
`)
	for command, c := range map[string]struct {
		from string
		want lifecycle.State
	}{
		"unpack": {"stored", lifecycle.Configuring},
		"pack":   {"parked", lifecycle.Inactive},
		"unpark": {"parked", lifecycle.Activating},
		"park":   {"ready", lifecycle.Deactivating},
		"drive":  {"ready", lifecycle.Active},
		"brake":  {"driving", lifecycle.Active},
		"scrap":  {"driving", lifecycle.ShuttingDown},
	} {
		s := engine.Snapshot{
			State: "configuring", Settled: c.from, Work: engine.WorkView{Command: command},
			Nodes: []engine.NodeView{{Lifecycle: true, Present: true, State: lifecycle.Unconfigured}},
		}
		if got := faceOf(net, s); got != c.want {
			t.Errorf("%s shows %v, want %v", command, got, c.want)
		}
	}
}

// A network has the face that the roles of its commands give it.
func TestM7FaceFollowsRoles(t *testing.T) {
	const rest = `
    gone: {nodes: finalized, final: true}
    off: {nodes: unconfigured}
    on: {nodes: active}
    hot: {nodes: active, armed: true, disarmed: on}
    moving: {transition: true}
  transitions:
`
	for _, c := range []struct {
		name, commands string
		node, arms     bool
	}{
		{"none", "    up: {from: [off], to: on}\n    down: {from: [on], to: off}\n    heat: {from: [on], via: moving, to: hot}\n" +
			"    cool: {from: [hot], via: moving, to: on}\n    end: {from: any, via: moving, to: gone}\n", false,
			false},
		{"of a node", "    up: {from: [off], to: on, role: activate}\n    down: {from: [on], to: off}\n    heat: {from: [on], via: moving, to: hot}\n" +
			"    cool: {from: [hot], via: moving, to: on}\n    end: {from: any, via: moving, to: gone}\n", true, false},
		{"to arm", "    up: {from: [off], to: on}\n    down: {from: [on], to: off}\n    heat: {from: [on], via: moving, to: hot, role: arm}\n" +
			"    cool: {from: [hot], via: moving, to: on}\n    end: {from: any, via: moving, to: gone}\n", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			net := networkOf(t, "simulation: x\nnodes: {/a: {arm: {}}}\nmachine:\n  initial: off\n  states:"+
				rest+c.commands)
			f := (&World{net: net, machine: net.Machine}).newFace()
			node, arms := f != nil && f.isNode(), f != nil && f.arms
			if node != c.node || arms != c.arms || (f == nil) != (!c.node && !c.arms) {
				t.Errorf("is a lifecycle node: %v, offers ~/arm: %v; want %v, %v", node, arms, c.node, c.arms)
			}
		})
	}
}
