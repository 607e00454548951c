//go:build ros

package ros

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
)

// TestN4IdsThatBeginWithADigit: the ids of the NRP backend are integers, which ROS 2 does not allow at the beginning of
// a part of a name. Each machine works with them: its topics are found under sim_0, and the messages name the id
// itself.
func TestN4IdsThatBeginWithADigit(t *testing.T) {
	for _, c := range []struct{ id, machine, first, command, to, topic string }{
		{"0", "nrp", "created", "initialized", "paused", "/ros_cle_simulation/sim_0/lifecycle"},
		{"42", "nrp", "created", "initialized", "paused", "/ros_cle_simulation/sim_42/lifecycle"},
		{"0", "rstate", "unconfigured", "configure", "inactive", "/simulation/sim_0/lifecycle"},
		{"42", "rock", "preoperational", "configure", "stopped", "/simulation/sim_42/lifecycle"},
	} {
		t.Run(c.machine+" "+c.id, func(t *testing.T) {
			text := fmt.Sprintf("simulation: %s\nmachine: %s\npeers: {}\nnodes:\n  /robot: {}\n  /world: {}\n", c.id,
				c.machine)
			n := newCart(t, text, c.first, nil, "/robot", "/world")
			changes := n.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState", Name: c.topic, Latched: true})
			statuses := n.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/PeerStatus",
				Name: "/simulation/sim_" + c.id + "/peers", Latched: true})
			bed.Eventually(t, "its topics are found", func() (string, bool) {
				return fmt.Sprint(changes.Nodes(), statuses.Nodes()),
					slices.Contains(changes.Nodes(), n.name) && slices.Contains(statuses.Nodes(), n.name)
			})
			n.do(c.command, c.to) // over the action
			n.wantAll("inactive inactive")
			var change struct {
				Simulation  string
				SourceNode  string `json:"source_node"`
				SourceState string `json:"source_state"`
				Event       string
				TargetState string `json:"target_state"`
			}
			bed.Eventually(t, "the change is published", func() (string, bool) {
				return fmt.Sprintf("%+v", change), changes.Last(&change) && change.Event == c.command
			})
			if change.Simulation != c.id || change.SourceNode != n.name || change.SourceState != c.first ||
				change.TargetState != c.to {
				t.Errorf("published %+v", change)
			}
			var status struct{ Simulation, Name string }
			bed.Eventually(t, "its status for peers is published", func() (string, bool) {
				return fmt.Sprintf("%+v", status),
					statuses.Last(&status) && status.Simulation == c.id && status.Name == n.name
			})
			n.shows("inactive") // by its roles
			n.byLabel("activate", true)
			n.wantAll("active active")
			if said := n.tool(0, "peers", "--simulation", c.id); !strings.Contains(said, n.name) {
				t.Errorf("rstate peers --simulation %s shows:\n%s", c.id, said)
			}
			n.byLabel("shutdown", true)
			n.wantAll("finalized finalized")
			if code := n.daemon.Wait(t); code != 0 {
				t.Errorf("the daemon ended with %d", code)
			}
		})
	}
}
