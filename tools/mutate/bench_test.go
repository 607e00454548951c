package main

import "testing"

// TestPackagesOnROS: tests that need ROS are built with its tag, or none of them would run.
func TestPackagesOnROS(t *testing.T) {
	for folder, want := range map[string]bool{
		"../../internal/rosnet": true, "../../test/ros": true, "../../internal/engine": false, "../../cmd/rstate": false,
		"nothing": false,
	} {
		if got := onROS(folder); got != want {
			t.Errorf("%s: %v", folder, got)
		}
	}
}
