//go:build ros

package ros

import (
	"slices"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestA2FailingCheckDisarms: a check fails, or does not answer, while the network is armed.
func TestA2FailingCheckDisarms(t *testing.T) {
	for name, check := range map[string]bed.Behaviour{"says no": {Result: bed.Failure},
		"does not answer": {Result: bed.Frozen}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "", bed.NodeSpec{Threads: 4})
			t.Cleanup(r.driver.Thaw)
			r.do("armed", "armed")
			r.driver.Script("check", check)
			r.disarmed()
			r.await("active")
			r.driver.Script("check", bed.Behaviour{})
			r.driver.Thaw()
			r.do("arm", "armed")
		})
	}
}

// TestA3WhoLeavesArmedWithoutALease: a node with dead_man: none whose process is killed while armed
// counts as possibly armed. Arm is refused until a new process of its name has confirmed a disarm;
// the daemon asks for that before it configures the node.
func TestA3WhoLeavesArmedWithoutALease(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{network: "proof: 10s\nnodes:\n  ~/mover: {arm: {dead_man: none}, optional: true}\n  ~/other: {arm: {}}\n", away: []string{"mover"}, ready: "-"})
	apart := bed.NewHost(t, bed.ShortLease(t)...)
	s.appear(apart, "mover", bed.NodeSpec{})
	s.Intact("unconfigured")
	s.bring("active")
	s.Do("arm", "succeeded done armed")
	s.wantWhere(s.all("active+armed"))
	apart.Process().Kill()
	delete(s.nodes, "mover")
	s.awaitWhere("- active")
	s.Await("it may be armed", func(v daemon.View) bool {
		return v.Settled && v.State.Label == "active" && !v.Intact &&
			slices.Equal(v.MayBeArmed, []string{s.full("mover")}) &&
			daemon.HasAll(v.Deviation(s.full("mover")), "follows no lease", "may be armed until")
	})
	s.Rejected("arm", s.full("mover"))
	s.Do("disarm", "aborted held active")
	s.back("mover")
	s.Await("the new process has confirmed",
		func(v daemon.View) bool { return v.Settled && v.State.Label == "active" && len(v.MayBeArmed) == 0 })
	if words := s.nodes["mover"].Truth().Words(); len(words) == 0 || words[0] != "disarm" {
		t.Errorf("the new process was asked for %v; want a disarm first", words)
	}
	s.bring("active")
	s.Do("arm", "succeeded done armed")
}
