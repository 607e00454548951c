//go:build ros

package ros

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestS6SubStatesOfANode: a node in rclpy reports sub-states, and so does a node that has no business there. The
// network follows the machine of Rock.
func TestS6SubStatesOfANode(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{ready: "preoperational", network: `machine: rock
nodes:
  ~/base: {}
  ~/motion: {after: [~/base], runtime_states: [MOVING, TURNING], exception_states: [BLOCKED], fatal_states: [BROKEN]}
`})
	motion := s.full("motion")
	shows := func(state, report string, count int) {
		t.Helper()
		s.Await("the network is "+state+", and the node reports "+report, func(v daemon.View) bool {
			n := v.Node(motion)
			return v.State.Label == state && v.Settled && n.Report == report && n.ReportCount == count
		})
	}
	stranger := s.host.Advertise(bed.Topic{Kind: "rstate_msgs/msg/NodeReport", Name: motion + "/report", Latched: true})
	bed.Eventually(t, "the daemon hears the stranger", func() (string, bool) { return "", stranger.Subscribers() > 0 })
	s.bring("running")
	stranger.Publish(map[string]any{"node": motion, "state": "BROKEN"})
	s.nodes["motion"].Report("MOVING")
	shows("running", "MOVING", 1)
	s.nodes["motion"].Report("DANCING") // undeclared
	s.nodes["motion"].Report("MOVING")
	shows("running", "MOVING", 2)
	stranger.Publish(map[string]any{"node": motion, "state": "BROKEN"})
	s.nodes["motion"].Report("BLOCKED")
	shows("exception", "BLOCKED", 1)
	s.wantWhere("unconfigured unconfigured")
	s.bring("running")
	shows("running", "BLOCKED", 1)

	for _, words := range []string{"it is not from the node's own publisher",
		"which is ignored: the network file does not declare it"} {
		if got := strings.Count(s.Process.Log(), words); got != 1 {
			t.Errorf("the log says %d times: %s", got, words)
		}
	}

	s.restart(true) // the middleware gives the next daemon what was reported before
	shows("running", "BLOCKED", 1)
	s.wantWhere("active active")
	s.nodes["motion"].Report("BROKEN")
	shows("fatal", "BROKEN", 1)
	s.wantWhere("unconfigured unconfigured")
	s.vanish("motion")
	s.back("motion")
	shows("preoperational", "", 0)
}
