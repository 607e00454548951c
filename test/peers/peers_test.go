//go:build ros

// Package peers holds the tests of several instances of one simulation on several hosts: the built binary, rclpy nodes and
// clients, real ROS 2, and between the hosts a wire that can be cut, and lose, delay, reorder and double what is sent. Each
// host is a network namespace, so who may not make one has these left out. What needs no wire is in test/ros.
//
// It imports test/bed, test/conformance, and nothing of the product.
package peers

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// binary is rstate as it is shipped, built once for these tests.
var binary string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "rstate-peers-")
	if err == nil {
		binary, err = daemon.Build(folder)
	}
	if err == nil { // they wait more than they work; what the command line says comes later and goes first
		err = flag.Set("test.parallel", "2")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := bed.Main(m)
	os.RemoveAll(folder)
	os.Exit(code)
}

// newLand makes hosts. Lands do not know of each other, so tests that have one each run side by side.
func newLand(t *testing.T, hosts ...string) *team.Land {
	t.Helper()
	t.Parallel()
	return team.NewLand(t, hosts...)
}
