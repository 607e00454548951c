//go:build ros

package rosnet

import (
	"testing"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

func TestFaceOf(t *testing.T) {
	m, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
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
		"nothing is known yet":             {"unknown", "", nil, lifecycle.Unknown},
		"at rest":                          {"active", "active", []engine.NodeView{node(lifecycle.Active)}, lifecycle.Active},
		"armed is active":                  {"armed", "armed", []engine.NodeView{node(lifecycle.Active)}, lifecycle.Active},
		"arming is active":                 {"arming", "active", []engine.NodeView{node(lifecycle.Active)}, lifecycle.Active},
		"under way":                        {"activating", "inactive", []engine.NodeView{node(lifecycle.Active)}, lifecycle.Activating},
		"error processing":                 {"errorprocessing", "inactive", nil, lifecycle.ErrorProcessing},
		"one strayed":                      {"active", "active", []engine.NodeView{node(lifecycle.Active), node(lifecycle.Inactive)}, lifecycle.Inactive},
		"one is above":                     {"inactive", "inactive", []engine.NodeView{node(lifecycle.Active), node(lifecycle.Inactive)}, lifecycle.Inactive},
		"an optional one strayed":          {"active", "active", []engine.NodeView{node(lifecycle.Active), optional}, lifecycle.Active},
		"one is gone":                      {"active", "active", []engine.NodeView{node(lifecycle.Active), {Lifecycle: true}}, lifecycle.Unconfigured},
		"a plain one is gone":              {"inactive", "inactive", []engine.NodeView{node(lifecycle.Inactive), {}}, lifecycle.Unconfigured},
		"a plain one is there":             {"active", "active", []engine.NodeView{node(lifecycle.Active), {Present: true}}, lifecycle.Active},
		"one is finalized":                 {"active", "active", []engine.NodeView{node(lifecycle.Finalized)}, lifecycle.Unconfigured},
		"finalized, whatever its nodes":    {"finalized", "finalized", []engine.NodeView{node(lifecycle.Active)}, lifecycle.Finalized},
		"unconfigured, whatever its nodes": {"unconfigured", "unconfigured", []engine.NodeView{node(lifecycle.Finalized)}, lifecycle.Unconfigured},
		"one is busy for another client":   {"active", "active", []engine.NodeView{node(lifecycle.Deactivating)}, lifecycle.Active},
	} {
		t.Run(name, func(t *testing.T) {
			if got := faceOf(m, engine.Snapshot{State: c.state, Settled: c.settled, Nodes: c.nodes}); got != c.want {
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
		want  string // empty: refused
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
			got, ok := requested(c.now, c.id, c.label)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

// Every request of a tool is a command or a state of the machine, and each has its transition.
func TestWishesAreOfTheMachine(t *testing.T) {
	m, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	for label, wish := range wishes {
		if _, _, ok := m.Command(wish); !ok {
			t.Errorf("%s asks for %q, which is not there", label, wish)
		}
		if _, ok := requested(lifecycle.Unconfigured, 0, label); label == "configure" && !ok {
			t.Errorf("%s cannot be asked for", label)
		}
	}
}
