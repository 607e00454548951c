//go:build !ros

package main

import "testing"

func TestVerbsThatNeedROSSaySo(t *testing.T) {
	t.Setenv("ROS_DISTRO", "")
	t.Setenv("AMENT_PREFIX_PATH", "")
	for _, verb := range []string{"run", "up", "send", "status", "watch", "node", "doctor", "guard", "demo"} {
		if code, out, errs := invoke(verb, "x"); code != exitNoROS || out != "" || !has(errs, "no ROS 2 is sourced; ") {
			t.Errorf("%s: code %d, %q, %q", verb, code, out, errs)
		}
	}
}

func TestVerbsThatNeedROSHaveHelpWithoutIt(t *testing.T) {
	for _, option := range []string{"--help", "-h"} {
		code, out, errs := invoke("run", option)
		if code != exitDone || !has(out, "Run the daemon of a network file") || !has(out, "Source a ROS 2 to see") || errs != "" {
			t.Errorf("run %s: code %d, %q, %q", option, code, out, errs)
		}
	}
}
