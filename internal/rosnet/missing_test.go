//go:build ros

package rosnet

import (
	"strings"
	"testing"

	"rstate/internal/network"
)

// TestStraysAreWhatAPersonWouldName: a name that another line of the file has is not suggested.
func TestStraysAreWhatAPersonWouldName(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: {/lidar: {}, /lidar_1: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields("/lidar_1 /lidar_2 /rstate /_ros2cli_7 /front/lidar /" + nameless)
	if got := strings.Join(straysOf(net, "/rstate", names), " "); got != "/lidar_2 /front/lidar" {
		t.Errorf("got %s", got)
	}
}
