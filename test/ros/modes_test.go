//go:build ros

package ros

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// ofTheFile returns the network of a file of config/ in the namespace of a stand, with a node to each line. Proofs may
// be ten times as old, and the rates of checks are low, because the machine may be busy.
func ofTheFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^simulation: .*\n|^ *#.*\n`).ReplaceAllString(string(data), "")
	text = regexp.MustCompile(`(^|[ \[])/(\w)`).ReplaceAllString(text, "$1~/$2")
	text = regexp.MustCompile(`(?m)(^  ~/\w+:)\n((?:    .*\n)+)`).ReplaceAllStringFunc(text, func(block string) string {
		name, keys, _ := strings.Cut(block, ":\n")
		return name + ": {" + strings.ReplaceAll(strings.TrimSpace(keys), "\n    ", ", ") + "}\n"
	})
	return "proof: 10s\n" + strings.NewReplacer("probe: 1s", "probe: 2s", "20Hz", "2Hz").Replace(text)
}

// TestARobotWithModes: the robot of config/modes.yaml maps, drives and charges. Its modes are states of the user's own.
func TestARobotWithModes(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: ofTheFile(t, "../../config/modes.yaml"), away: []string{"wheels"}, ready: "-"})
	s.appear(s.host, "wheels", bed.NodeSpec{Topic: s.full("wheels") + "/odometry", Rate: 50})
	s.Intact("unconfigured")
	// The nodes are battery, charger, lidar, slam, planner, wheels.
	for _, c := range []struct{ command, state, nodes string }{
		{"configure", "inactive", "inactive inactive inactive inactive inactive inactive"},
		{"charge", "charging", "active active inactive inactive inactive inactive"},
		{"map", "mapping", "active active active active inactive inactive"},
		{"activate", "active", "active active active active active active"},
		{"drive", "driving", "active active active active active active+armed"},
		{"park", "active", "active active active active active active"},
		{"charge", "charging", "active active inactive inactive inactive inactive"},
		{"driving", "driving", "active active active active active active+armed"}, // the state: activate, then drive
		{"mapping", "mapping", "active active active active inactive inactive"},   // park, then map
		{"deactivate", "inactive", "inactive inactive inactive inactive inactive inactive"},
	} {
		s.Do(c.command, "succeeded done "+c.state)
		s.wantWhere(c.nodes)
		s.Intact(c.state)
	}
	t.Run("a node refuses a mode", func(t *testing.T) {
		s := s.in(t)
		s.bring("charging")
		s.script("slam", "activate", then(bed.Behaviour{Result: bed.Failure})...)
		r := s.Do("map", "aborted restored charging")
		s.wantNodes(r, map[string]string{"slam": "activate refused", "lidar": "deactivate undone"})
		s.wantWhere("active active inactive inactive inactive inactive")
	})
	t.Run("the modes have to be asked for", func(t *testing.T) {
		s := s.in(t)
		s.Rejected("drive", "not legal in charging", "activate")
		s.Rejected("parking", "neither a command nor a state")
		s.Rejected("changing_mode", "changing_mode")
	})
	t.Run("the wheels are lost while driving", func(t *testing.T) {
		s := s.in(t)
		s.bring("driving")
		s.vanish("wheels")
		s.Await("nothing is armed, and on_loss has taken the robot down", func(v daemon.View) bool {
			return v.Settled && v.State.Label == "unconfigured" && len(v.MayBeArmed) == 0 &&
				!v.Node(s.full("wheels")).Present
		})
	})
	t.Run("the end", func(t *testing.T) {
		s := s.in(t)
		if r := s.End(s.Goal("shutdown")); r.State.Label != "finalized" {
			t.Errorf("shutdown ended %v", r)
		}
		s.wantWhere("finalized finalized finalized finalized finalized -")
	})
}
