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

// TestA12CheckFindsStopInputsThatCannotBeRead: a field that the type does not have, and a value that the field cannot
// have. The daemon would refuse every Arm.
func TestA12CheckFindsStopInputsThatCannotBeRead(t *testing.T) {
	code, _, errs := invoke("check", networkFile(t, `simulation: demo
stop:
  - {topic: /a, type: std_msgs/msg/Int32, field: value}
  - {topic: /b, type: std_msgs/msg/Int32, value: pressed}
  - {topic: /c, type: std_msgs/msg/Header, field: stamp}
  - {topic: /d, type: button_msgs/msg/Button}
  - {topic: /e, type: std_msgs/msg/Empty}
  - {topic: /f, type: std_msgs/msg/Float32, value: .nan}
  - {topic: /g, value: "true"}
  - {topic: /h, type: std_msgs/msg/Float32, value: 0.1}
nodes: {/arm: {arm: {}}}
`))
	for _, want := range []string{
		"network.yaml:3:5: stop[0]: value is no field of std_msgs/msg/Int32; correct the network file, the fields are data\n",
		"network.yaml:4:5: stop[1]: data is a number, and the network file compares it with a text; correct the network file\n",
		"network.yaml:5:5: stop[2]: stamp of std_msgs/msg/Header is no number, truth value or text; name a field of it\n",
		"network.yaml:6:23: stop[3].type: cannot load message type \"button_msgs/msg/Button\": ",
		"network.yaml:7:5: stop[4]: data is no field of std_msgs/msg/Empty: the type has no fields, so no value can be compared or say stop; use a type with a field\n",
		"network.yaml:8:52: stop[5].value: \".nan\" is no finite number; write a number, true, false or a text\n",
		"network.yaml:9:24: stop[6].value: \"true\" is no value of a std_msgs/msg/Bool; write true or false\n",
		"network.yaml:10:5: stop[7]: data of std_msgs/msg/Float32 is never 0.1: as a float32 that is 0.10000000149011612; write 0.10000000149011612\n",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("want %q in:\n%s", want, errs)
		}
	}
	if code != exitBadInput || strings.Count(errs, "\n") != 8 {
		t.Errorf("code %d:\n%s", code, errs)
	}
	fine := networkFile(t, `simulation: demo
stop:
  - {topic: /a, type: std_msgs/msg/Int32, value: -1}
  - {topic: /b, type: std_msgs/msg/Header, field: stamp.nanosec, value: 7}
  - {topic: /c, type: std_msgs/msg/String, value: STOP}
nodes: {/arm: {arm: {}}}
`)
	if code, _, errs := invoke("check", fine); code != exitDone {
		t.Errorf("code %d:\n%s", code, errs)
	}
}

// TestA11CheckFindsFieldsThatCannotBeCompared: a check whose type excludes it has the faults of a stop input.
func TestA11CheckFindsFieldsThatCannotBeCompared(t *testing.T) {
	code, _, errs := invoke("check", networkFile(t, `simulation: demo
nodes:
  /arm:
    arm: {}
    checks:
      - {topic: /s, field: datum, above: 1, type: std_msgs/msg/Float32}
      - {topic: /s, field: data, above: 1, type: std_msgs/msg/Bool}
      - {topic: /s, field: data, is: yes, type: std_msgs/msg/Bool}
      - {topic: /s, field: data, below: 0, type: std_msgs/msg/UInt8}
      - {topic: /s, field: data, above: 1, type: std_msgs/Float32}
      - {topic: /s, field: data, above: 1, type: std_msgs/msg/Float32}
`))
	for _, want := range []string{
		"network.yaml:6:9: nodes./arm.checks[0]: datum is no field of std_msgs/msg/Float32; correct the network file, the fields are data\n",
		"network.yaml:7:9: nodes./arm.checks[1]: data is true or false, and the network file compares it with a number; correct the network file\n",
		"network.yaml:8:9: nodes./arm.checks[2]: data is true or false, and the network file compares it with a text; correct the network file\n",
		"network.yaml:9:9: nodes./arm.checks[3]: data of std_msgs/msg/UInt8 is at least 0; write a greater number as below:\n",
		"network.yaml:10:50: nodes./arm.checks[4].type: is no full type; write std_msgs/msg/Float32\n",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("want %q in:\n%s", want, errs)
		}
	}
	if code != exitBadInput || strings.Count(errs, "\n") != 5 {
		t.Errorf("code %d:\n%s", code, errs)
	}
}
