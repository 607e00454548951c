package rclgo_test

import (
	"os"
	"slices"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func TestDiscoveryIsReadFromTheEnvironment(t *testing.T) {
	localhostOnly := rclgo.DiscoveryRangeSubnet // later releases ignore the variable
	if os.Getenv("ROS_DISTRO") == "jazzy" {
		localhostOnly = rclgo.DiscoveryRangeLocalhost
	}
	for name, tc := range map[string]struct {
		env   map[string]string
		want  rclgo.DiscoveryRange
		peers []string
	}{
		"nothing set": {nil, rclgo.DiscoveryRangeSubnet, nil},
		"localhost": {map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
			rclgo.DiscoveryRangeLocalhost, nil},
		"localhost only": {map[string]string{"ROS_LOCALHOST_ONLY": "1"}, localhostOnly, nil},
		"off":            {map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}, rclgo.DiscoveryRangeOff, nil},
		"middleware's own": {map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT"},
			rclgo.DiscoveryRangeSystemDefault, nil},
		"static peers": {map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
			"ROS_STATIC_PEERS": "192.0.2.7;robot"},
			rclgo.DiscoveryRangeLocalhost, []string{"192.0.2.7", "robot"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY",
				"ROS_STATIC_PEERS"} {
				t.Setenv(variable, "") // restores it after the test
				os.Unsetenv(variable)
				if value, set := tc.env[variable]; set {
					os.Setenv(variable, value)
				}
			}
			c := must[*rclgo.Context](t)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
			defer func() { check(t, c.Close()) }()
			got := must[rclgo.Discovery](t)(c.Discovery())
			if got.Range != tc.want || !slices.Equal(got.StaticPeers, tc.peers) {
				t.Errorf("got %+v", got)
			}
			check(t, c.LeaveDiscoveryToMiddleware())
			if after := must[rclgo.Discovery](t)(c.Discovery()); after.Range != rclgo.DiscoveryRangeSystemDefault {
				t.Errorf("after leaving it to the middleware: %+v", after)
			}
		})
	}
}
