//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestA10ReadinessOnRealNodes: ~/state names every reason before the button is pressed, Arm fails with the same, and
// arms once the word is ready. A field that leaves its bound disarms; a check that counts to enter does not.
func TestA10ReadinessOnRealNodes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "calibrated")
	s := newStand(t, setup{parameters: true, network: fmt.Sprintf("proof: 10s\nnodes:\n  ~/mover: {arm: {}, checks: [{topic: ~/battery, field: data, above: 0.2, age: 20s}, {parameter: use_sim_time, is: false}, {file: %s, when: enter}]}\n", file)})
	battery := s.host.Advertise(bed.Topic{Kind: "std_msgs/msg/Float64", Name: s.space + "/battery"})
	if v := s.View(); v.Readiness != "not ready" || !strings.Contains(v.Against(), "arm is not legal in unconfigured (first: configure, activate)") {
		t.Errorf("unconfigured: %s: %s", v.Readiness, v.Against())
	}
	s.bring("active")
	await := func(what, word string, level float64, reasons ...string) {
		t.Helper()
		s.Await(what, func(v daemon.View) bool {
			battery.Publish(map[string]any{"data": level})
			return v.Settled && v.Readiness == word && daemon.HasAll(v.Against(), reasons...)
		})
	}
	await("two reasons", "not ready", 0.1, "battery data is now 0.1, not above 0.2", file+" does not exist")
	r := s.Do("arm", "aborted restored active")
	if !daemon.HasAll(r.Message, "battery data is now 0.1, not above 0.2", file+" does not exist", "ros2 topic echo") {
		t.Errorf("Arm failed with: %s", r.Message)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	await("one reason", "not ready", 0.1, "battery data")
	await("no reason", "ready", 0.8)
	v := s.View()
	if len(v.Checks) != 3 || !strings.Contains(v.Checks[0].Value, "0.8, above 0.2") || !v.Checks[1].Passes || v.Checks[2].Value != "exists" {
		t.Errorf("the checks are %+v", v.Checks)
	}
	s.Do("arm", "succeeded done armed")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	await("the check to enter fails, and the network stays armed", "armed", 0.8)
	s.Await("the file is missed", func(v daemon.View) bool {
		battery.Publish(map[string]any{"data": 0.8})
		return v.Readiness == "armed" && !v.Checks[2].Passes
	})
	s.Await("the field disarms", func(v daemon.View) bool {
		battery.Publish(map[string]any{"data": 0.1})
		return v.Settled && v.State.Label == "active" && strings.Contains(v.Cause, "battery data is now 0.1")
	})
	await("both reasons again", "not ready", 0.1, "battery data", file)
}
