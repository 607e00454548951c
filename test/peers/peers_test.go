//go:build ros

// Package peers tests several instances of one simulation on several hosts: the built binary, rclpy
// nodes and clients, and real ROS 2. The wire between the hosts can be cut, and can lose, delay,
// reorder and duplicate frames. Each host is a network namespace, so the tests are skipped if
// namespaces are not allowed. Tests that need no wire are in test/ros.
//
// It imports test/bed, test/conformance, and nothing of the product.
package peers

import (
	"testing"

	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// binary is the rstate binary as shipped, built once for these tests.
var binary string

func TestMain(m *testing.M) { daemon.Main(m, &binary, 2) } // they mostly wait

// newLand makes hosts. Lands are independent, so tests that have one each run concurrently.
func newLand(t *testing.T, hosts ...string) *team.Land {
	t.Helper()
	t.Parallel()
	return team.NewLand(t, hosts...)
}
