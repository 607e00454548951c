package nav2

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
)

// TestB1WhatACommandDoes in each state: the state that it leads to, or - where it is refused.
func TestB1WhatACommandDoes(t *testing.T) {
	states := []string{unconfigured, inactive, active, finalized}
	for command, want := range map[Command]string{
		Startup:   "active active active -",
		Pause:     "- inactive inactive -",
		Resume:    "- active active -",
		Reset:     "unconfigured unconfigured unconfigured -",
		Shutdown:  "finalized finalized finalized finalized",
		Configure: "inactive inactive - -",
		Cleanup:   "unconfigured unconfigured - -",
		7:         "- - - -",
		255:       "- - - -",
	} {
		var got []string
		for _, state := range states {
			goal, err := command.Goal(state)
			if err != nil {
				goal = "-"
			}
			got = append(got, goal)
		}
		if words := strings.Join(got, " "); words != want {
			t.Errorf("%v: %s, want %s", command, words, want)
		}
	}
	if _, err := Pause.Goal(unconfigured); err == nil || err.Error() != "PAUSE does nothing in unconfigured" {
		t.Error(err)
	}
}

func TestB1WhatIsActive(t *testing.T) {
	lost := []string{"/amcl is lost: its bond broke: no heartbeat for 4s"}
	for _, c := range []struct {
		n    Network
		is   bool
		says string
	}{
		{Network{State: "active", WantsActive: true, Rests: true}, true, "the network is active"},
		{Network{State: "inactive", Rests: true}, false, "the network is inactive"},
		{Network{State: "activating"}, false, "the network is activating"},
		{Network{State: "active", WantsActive: true}, false, "the network is active, and nodes are being restored"},
		{Network{State: "active", WantsActive: true, Rests: true, Deviations: lost}, false, "the network is active, but " + lost[0]},
	} {
		if is, says := c.n.Active(); is != c.is || says != c.says {
			t.Errorf("%+v: %v %q", c.n, is, says)
		}
	}
}

// parsed reads the network of managers.
func parsed(t *testing.T, managers ...Manager) *network.Network {
	t.Helper()
	text := File("a test", managers...)
	n, err := network.Parse("test", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(n.Warnings) > 0 {
		t.Errorf("%v\n%s", n.Warnings, text)
	}
	return n
}

func manager(name string, change func(*Params)) Manager {
	m := Manager{Name: name, Params: Defaults()}
	m.NodeNames = []string{"map_server", "/other/amcl", "planner"}
	if change != nil {
		change(&m.Params)
	}
	return m
}

// TestB2TheNetworkOfAManager: names in the namespace of the manager, in their order.
func TestB2TheNetworkOfAManager(t *testing.T) {
	n := parsed(t, manager("/robot/lifecycle_manager_navigation", nil))
	if n.Simulation != "robot_lifecycle_manager_navigation" {
		t.Errorf("simulation %s", n.Simulation)
	}
	var got []string
	for _, node := range n.Nodes {
		got = append(got, node.Name+" after "+strings.Join(node.After, ","))
		if node.OnLoss != (network.Loss{Do: network.Restore, With: network.Dependents}) ||
			node.Deadline != network.DefaultNode("").Deadline {
			t.Errorf("%+v", node)
		}
	}
	if want := []string{"/robot/map_server after ", "/other/amcl after /robot/map_server",
		"/robot/planner after /other/amcl"}; !slices.Equal(got, want) {
		t.Errorf("nodes %q", got)
	}
	n = parsed(t, manager("/m", func(p *Params) {
		p.Parallel, p.Respawn, p.ServiceTimeout = true, false, 1500*time.Millisecond
	}))
	for _, node := range n.Nodes {
		if len(node.After) > 0 || node.OnLoss.Do != network.Report || node.Deadline.Configure != 1500*time.Millisecond ||
			node.Deadline.Shutdown != 1500*time.Millisecond || node.Deadline.Discover != 10*time.Second {
			t.Errorf("%+v", node)
		}
	}
}

func TestB2WrongParameters(t *testing.T) {
	for want, change := range map[string]func(*Params){
		"it is empty":                    func(p *Params) { p.NodeNames = nil },
		`"a b", which is no name`:        func(p *Params) { p.NodeNames = []string{"a b"} },
		`"a" and "/x/a", whose bonds`:    func(p *Params) { p.NodeNames = []string{"a", "/x/a"} },
		`it has "a" twice`:               func(p *Params) { p.NodeNames, p.BondTimeout = []string{"a", "a"}, 0 },
		"which is no name of a node":     func(p *Params) { p.NodeNames = []string{"a: {}\n  /b"} },
		`it has "", which is no name of`: func(p *Params) { p.NodeNames = []string{""} },
	} {
		m := manager("/m", change)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	fine := manager("/m", func(p *Params) { p.NodeNames, p.BondTimeout = []string{"a", "/x/a"}, 0 })
	if err := fine.Check(); err != nil {
		t.Error(err)
	}
	for _, wrong := range []float64{-1, math.NaN(), math.Inf(1), 1e9} {
		if d, err := Seconds(wrong); err == nil {
			t.Errorf("%v seconds are %v", wrong, d)
		}
	}
	if d, err := Seconds(0.25); err != nil || d != 250*time.Millisecond {
		t.Error(d, err)
	}
}

// TestB3TheHeartbeatFitsIntoTheTimeout several times, whatever the parameters say.
func TestB3TheHeartbeatFitsIntoTheTimeout(t *testing.T) {
	for _, c := range []struct{ timeout, heartbeat, want time.Duration }{
		{4 * time.Second, 250 * time.Millisecond, 250 * time.Millisecond},
		{400 * time.Millisecond, 250 * time.Millisecond, 100 * time.Millisecond},
		{4 * time.Second, 10 * time.Second, time.Second},
		{4 * time.Second, 0, 10 * time.Millisecond},
	} {
		if got := (Params{BondTimeout: c.timeout, BondHeartbeat: c.heartbeat}).Heartbeat(); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.heartbeat, c.timeout, got, c.want)
		}
	}
}

const params = `
bt_navigator: {ros__parameters: {use_sim_time: true}}
lifecycle_manager_localization:
  ros__parameters: {use_sim_time: true, autostart: true, node_names: [map_server, amcl], bond_timeout: 4}
/robot:
  lifecycle_manager_navigation:
    ros__parameters:
      node_names: ['controller_server', 'planner_server']
      bond_timeout: 0.0
      attempt_respawn_reconnection: false
      bond_respawn_max_duration: 20.0
      "odd\nname": 1
/arm/**: {ros__parameters: {node_names: [gripper], service_timeout: 2.5}}
`

func TestB6ManagersOfAParameterFile(t *testing.T) {
	found, err := Managers([]byte(params))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range found {
		names = append(names, m.Name)
	}
	want := []string{"/arm/lifecycle_manager", "/robot/lifecycle_manager_navigation", "/lifecycle_manager_localization"}
	if !slices.Equal(names, want) {
		t.Fatalf("managers %q", names)
	}
	n := parsed(t, found...)
	var got []string
	for _, node := range n.Nodes {
		got = append(got, node.Name+" "+strings.Join(node.After, ",")+" "+string(node.OnLoss.Do))
	}
	if want := []string{"/arm/gripper  restore", "/robot/controller_server  report",
		"/robot/planner_server /robot/controller_server report", "/map_server  restore", "/amcl /map_server restore",
	}; !slices.Equal(got, want) {
		t.Errorf("nodes %q", got)
	}
	text := File("nav2_params.yaml", found...)
	for _, part := range []string{"# From nav2_params.yaml.\n",
		"# /lifecycle_manager_localization: autostart: true has no key here. Start rstate with --ros-args -p autostart:=active.\n",
		"# /lifecycle_manager_localization: use_sim_time: true has no key here. Start rstate with",
		"# /lifecycle_manager_localization: bonds have no key here.",
		`# /robot/lifecycle_manager_navigation: without counterpart: bond_respawn_max_duration (rstate raises a node whenever it comes back), odd\nname.` + "\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	if strings.Contains(text, "/robot/lifecycle_manager_navigation: bonds") {
		t.Errorf("bonds that are off are noted:\n%s", text)
	}
}

func TestB6FilesThatCannotBeImported(t *testing.T) {
	for want, text := range map[string]string{
		"no node in it has node_names":        "a: {ros__parameters: {x: 1}}",
		"it is no parameter file of ROS 2":    "[1, 2",
		"/m: node_names is no list of names":  "m: {ros__parameters: {node_names: a}}",
		"/m: autostart is yes please":         "m: {ros__parameters: {node_names: [a], autostart: yes please}}",
		"/m: bond_timeout: it is -1":          "m: {ros__parameters: {node_names: [a], bond_timeout: -1}}",
		"/m: bond_timeout is [1]":             "m: {ros__parameters: {node_names: [a], bond_timeout: [1]}}",
		"/m, node_names: it is empty":         "m: {ros__parameters: {node_names: []}}",
		"/m and /n both manage /a":            "m: {ros__parameters: {node_names: [a]}}\nn: {ros__parameters: {node_names: [a]}}",
		`"/a b" has node_names, and is no na`: "a b: {ros__parameters: {node_names: [a]}}",
	} {
		if _, err := Managers([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
