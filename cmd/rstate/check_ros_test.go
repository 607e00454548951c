//go:build ros

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCheckFindsTypesThatRunRefuses: a type that is not installed, or that cannot be used, has its place in the file.
func TestCheckFindsTypesThatRunRefuses(t *testing.T) {
	file := networkFile(t, `simulation: demo
nodes:
  /arm: {arm: {type: arm_msgs/srv/Arm}}
  /slam:
    checks:
      - {service: /slam/ready, type: std_srvs/srv/Empty}
      - {service: /slam/test, type: slam_msgs/srv/Test}
  /lidar: {checks: [{topic: /scan, rate: 10Hz, type: lidar_msgs/msg/Scan}]}
`)
	code, _, errs := invoke("check", file)
	for _, want := range []string{
		"network.yaml:3:22: nodes./arm.arm.type: a service of type arm_msgs/srv/Arm cannot be called yet; use std_srvs/srv/SetBool\n",
		"network.yaml:6:38: nodes./slam.checks[0].type: std_srvs/srv/Empty has no field `success` in its answer",
		`network.yaml:7:37: nodes./slam.checks[1].type: cannot load service type "slam_msgs/srv/Test": `,
		`network.yaml:8:54: nodes./lidar.checks[0].type: cannot load message type "lidar_msgs/msg/Scan": `,
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("want %q in:\n%s", want, errs)
		}
	}
	if code != exitBadInput || strings.Count(errs, "\n") != 4 {
		t.Errorf("code %d:\n%s", code, errs)
	}
	code, out, _ := invoke("check", file, "-o", "json")
	var found checked
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != exitBadInput || len(found.Faults) != 4 {
		t.Errorf("code %d, %v:\n%s", code, err, out)
	}
	fine := networkFile(t, `simulation: demo
nodes:
  /arm: {arm: {}, checks: [{service: /arm/test}, {topic: /joints, rate: 10Hz}, {topic: /tick, rate: 1Hz, type: std_msgs/msg/Empty}]}
`)
	if code, _, errs := invoke("check", fine); code != exitDone {
		t.Errorf("code %d:\n%s", code, errs)
	}
}
