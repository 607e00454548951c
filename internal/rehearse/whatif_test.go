package rehearse

import (
	"strings"
	"testing"

	"rstate/internal/network"
)

// TestWhatIf: where the demo robot ends up if a node has a mishap while the network rests.
func TestWhatIf(t *testing.T) {
	net, err := network.Load("../../config/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		present Present
		node    string
		mishap  Mishap
		state   string
		intact  bool
		told    string
	}{
		"a required node dies while armed": {Present{State: "armed"}, "/lidar", Dies, "active", false, "/lidar"},
		"an optional node dies":            {Present{State: "active"}, "/camera", Dies, "active", true, "/camera"},
		"a node of an unconfigured robot":  {Present{State: "unconfigured"}, "/slam", Dies, "unconfigured", false, "/slam"},
		"a node comes back":                {Present{State: "active"}, "/lidar", Respawns, "active", false, "/lidar"},
		"one was absent before": {Present{State: "active", Absent: []string{"/camera"}}, "/lidar", Dies, "active", false,
			"/lidar"},
	} {
		t.Run(name, func(t *testing.T) {
			o := WhatIf(net, c.present, c.node, c.mishap)
			if o.State != c.state || o.Intact != c.intact || o.Fault != "" || len(o.Armed) > 0 {
				t.Errorf("it ends up %s, intact %v, armed %v, fault %q:\n%v", o.State, o.Intact, o.Armed, o.Fault, o.Story)
			}
			if len(o.Story) == 0 || !strings.Contains(o.Story[0].Text, c.told) {
				t.Errorf("the story is %v", o.Story)
			}
		})
	}
	all := WhatIfs(net, Present{State: "armed"})
	if len(all) != 4*4 { // no node of the demo has checks
		t.Errorf("%d outlooks", len(all))
	}
}

// TestWhatIfCannotBegin: a state that the present nodes cannot reach is named.
func TestWhatIfCannotBegin(t *testing.T) {
	net, err := network.Load("../../config/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if o := WhatIf(net, Present{State: "active", Absent: []string{"/slam"}}, "/lidar", Dies); !strings.Contains(o.Fault,
		"did not reach active") {
		t.Errorf("the fault is %q", o.Fault)
	}
}
