//go:build !ros

package main

import (
	"testing"
)

func TestVerbsThatNeedROSSaySo(t *testing.T) {
	t.Setenv("ROS_DISTRO", "")
	t.Setenv("AMENT_PREFIX_PATH", "")
	for _, verb := range []string{"run", "up", "send", "status", "watch", "node", "doctor", "guard", "demo"} {
		if code, out, errs := invoke(verb, "x"); code != exitNoROS || out != "" || !has(errs, "no ROS 2 is sourced; ") {
			t.Errorf("%s: code %d, %q, %q", verb, code, out, errs)
		}
	}
}
