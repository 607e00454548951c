//go:build ros

package gather

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rstate/internal/doctor"
	"rstate/internal/middleware"
	"rstate/test/bed"
)

// instances is a program that publishes as instances of a simulation do; "silent" ones are present
// and publish nothing.
const instances = `
import sys, threading, rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from rstate_msgs.msg import PeerStatus, Seen

rclpy.init()
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
simulation, names = sys.argv[1], sys.argv[2:]
said = []
for name in names:
    node = rclpy.create_node(name.removeprefix("silent:"))
    status = PeerStatus(simulation=simulation, name=node.get_fully_qualified_name(), instance_id=name, machine="rstate", machine_hash="aa",
                        nodes=["/x"], requires=["/gone"], seen=[Seen(instance="1", n=2)], settled=True, intact=True, behind=True, cause="it rains")
    status.state.label, status.target.label = "inactive", "active"
    said.append((name, node.create_publisher(PeerStatus, f"/simulation/{simulation}/peers", latched), status))
print("they are there", flush=True)
while not threading.Event().wait(0.2):
    for name, says, status in said:
        if not name.startswith("silent:"):
            says.publish(status)
`

func speakers(t *testing.T, simulation string, names ...string) {
	t.Helper()
	p := bed.Start(t, "instances", append([]string{"python3", "-c", instances, simulation}, names...)...)
	bed.Eventually(t, "they are there", func() (string, bool) { return p.Log(), strings.Contains(p.Log(), "there") })
}

func TestInstancesAreHeardAndTheSilentOnesAreNamed(t *testing.T) {
	for name, able := range map[string]middleware.Abilities{"by their ids": {GIDs: true}, "by their names": {}} {
		t.Run(name, func(t *testing.T) { hearInstances(t, able) })
	}
}

func hearInstances(t *testing.T, able middleware.Abilities) {
	simulation, a, b, mute := bed.Unique(t, "sim"), bed.Unique(t, "a"), bed.Unique(t, "b"), bed.Unique(t, "mute")
	speakers(t, simulation, b, a, "silent:"+mute)
	ctx, cancel := context.WithTimeout(t.Context(), bed.Deadline)
	defer cancel()
	node := newNode(t, "ear")
	var c doctor.Circle
	bed.Eventually(t, "all are seen", func() (string, bool) {
		var err error
		if c, err = Peers(ctx, node, able, simulation); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", c), len(c.Instances) == 2 && slices.Equal(c.Silent, []string{"/" + mute})
	})
	one := c.Instances[0]
	if c.Simulation != simulation || one.Name != "/"+a || c.Instances[1].Name != "/"+b || one.Instance != a ||
		!one.Alive || one.State != "inactive" ||
		one.Common != "active" || !one.Settled || !one.Intact || !one.Behind || one.Cause != "it rains" ||
		one.Seen["1"] != 2 || one.Hash != "aa" ||
		one.Nodes[0] != "/x" || one.Requires[0] != "/gone" || one.Leaving {
		t.Errorf("heard %+v", c)
	}
}

func TestNobodyIsHeardInASimulationThatIsNotThere(t *testing.T) {
	c, err := Peers(t.Context(), newNode(t, "ear"), middleware.Abilities{}, bed.Unique(t, "sim"))
	if err != nil || len(c.Instances)+len(c.Silent) > 0 {
		t.Errorf("heard %+v, %v", c, err)
	}
}

// TestDoctorHearsEverySimulation: also one with a similar name.
func TestDoctorHearsEverySimulation(t *testing.T) {
	simulation, a, b := bed.Unique(t, "sim"), bed.Unique(t, "a"), bed.Unique(t, "b")
	speakers(t, simulation, a)
	speakers(t, simulation+"x", b)
	net := parse(t, fmt.Sprintf("simulation: %s\npeers: {required: [/gone]}\nnodes: {/%s: {}}\n", simulation,
		bed.Unique(t, "node")))
	finds(t, Wish{Network: net, Daemon: "/" + a}, finding{doctor.Warning, "/" + a, "is behind", "it rains"},
		finding{doctor.Fault, "/gone", "required as a peer and not there", ""},
		finding{doctor.Warning, "peers", "nearly called like", "/" + b})
}
