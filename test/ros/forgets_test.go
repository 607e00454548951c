//go:build ros

package ros

import (
	"slices"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// TestS2ARestartForgetsNothing: what an earlier run has armed may be armed until a process of its
// name confirms that it is not, whatever state that process has, and also without a journal.
func TestS2ARestartForgetsNothing(t *testing.T) {
	t.Parallel()
	t.Run("a node without a lease is killed with the daemon", func(t *testing.T) {
		t.Parallel()
		s := newStand(t, setup{
			network: "proof: 10s\ndefaults: {deadline: {discover: 8s, arm: 20s}}\nnodes:\n  ~/mover: {arm: {dead_man: none}, optional: true}\n  ~/other: {arm: {}}\n",
			away:    []string{"mover"}, ready: "-", config: daemon.Config{Env: bed.ShortLease(t)},
		})
		apart := bed.NewHost(t, bed.ShortLease(t)...)
		s.appear(apart, "mover", bed.NodeSpec{})
		s.Intact("unconfigured")
		s.bring("active")
		s.Do("arm", "succeeded done armed")
		s.Process.Kill()
		apart.Process().Kill()
		delete(s.nodes, "mover")
		s.again()
		s.Await("it may be armed though it is absent, and the other is disarmed", func(v daemon.View) bool {
			mover, other := s.full("mover"), s.full("other")
			return v.Settled && v.State.Label == "active" && slices.Equal(v.MayBeArmed, []string{mover}) &&
				!v.Node(mover).Present && v.Node(other).Present
		})
		s.wantWhere("- active")
		s.Alone()
		s.Rejected("arm", s.full("mover"))
		next := s.appear(s.host, "mover",
			bed.NodeSpec{Threads: 8, Script: map[string][]bed.Behaviour{"disarm": frozen()}})
		t.Cleanup(next.Thaw)
		s.busy("mover", "disarm")
		s.Await("it may be armed until it has confirmed", func(v daemon.View) bool {
			return v.Node(next.Name).Present && slices.Contains(v.MayBeArmed, next.Name)
		})
		s.Rejected("arm", next.Name)
		if truth := next.Truth(); truth.Count("shutdown") > 0 {
			t.Errorf("the new process was asked for %v", truth.Words())
		}
		next.Thaw()
		s.Await("it has confirmed", func(v daemon.View) bool { return v.Settled && len(v.MayBeArmed) == 0 })
		s.bring("active")
		s.Do("arm", "succeeded done armed")
	})
	for name, steps := range map[string][]string{
		"without a journal an armed node is asked until it confirms": nil,
		"without a journal an unconfigured one is asked too":         {"deactivate", "cleanup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, setup{
				network: patient + "proof: 10s\nnodes:\n  ~/mover: {arm: {dead_man: none}, deadline: {arm: 20s, disarm: 20s}}\n",
				config:  daemon.Config{Env: bed.ShortLease(t)},
			})
			s.bring("active")
			s.Do("arm", "succeeded done armed")
			s.Process.Kill()
			for _, step := range steps { // the node does not disarm by itself
				s.tool("mover", step)
			}
			refuses := bed.Behaviour{Result: bed.Failure}
			s.script("mover", "disarm", refuses, refuses, bed.Behaviour{})
			s.restart(false)
			s.Await("it is known to be disarmed",
				func(v daemon.View) bool { return v.Settled && v.Intact && len(v.MayBeArmed) == 0 })
			if truth := s.nodes["mover"].Truth(); truth.Armed || truth.Count("disarm") < 3 ||
				truth.Count("shutdown") > 0 {
				t.Errorf("the node is armed: %v; it was asked for %v", truth.Armed, truth.Words())
			}
		})
	}
}
