//go:build ros

package ros

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// Transitions of a node by other tools, and loss of a node's process, for each policy.
func TestDriftAndLoss(t *testing.T) {
	t.Parallel()
	const network = `nodes:
  ~/reports: {}
  ~/restores: {on_drift: restore, on_loss: restore}
  ~/errs: {on_drift: error, on_loss: error, arm: {}}
`
	s := newStand(t, setup{network: network})
	s.bring("active")
	strays := func(s *stand, name string, words ...string) {
		s.t.Helper()
		s.Await(name+" deviates", func(v daemon.View) bool {
			return v.State.Label == "active" && v.Settled && !v.Intact &&
				daemon.HasAll(v.Deviation(s.full(name)), words...)
		})
	}
	t.Run("drift is reported", func(t *testing.T) {
		s := s.in(t)
		s.tool("reports", "deactivate")
		strays(s, "reports", "inactive")
		s.wantWhere("inactive active active")
		s.Rejected("arm", "not intact", s.full("reports"))
		s.tool("reports", "activate")
		s.Intact("active")
	})
	t.Run("drift is repaired by the command of the state", func(t *testing.T) {
		s := s.in(t)
		s.tool("reports", "deactivate")
		s.tool("reports", "cleanup")
		strays(s, "reports", "unconfigured")
		s.Do("activate", "succeeded done active")
		s.wantWhere(s.all("active"))
	})
	t.Run("drift is restored", func(t *testing.T) {
		s := s.in(t)
		s.tool("restores", "deactivate")
		s.awaitWhere(s.all("active"))
		s.Intact("active")
	})
	t.Run("loss is reported, and rebirth", func(t *testing.T) {
		s := s.in(t)
		s.vanish("reports")
		strays(s, "reports", "lost")
		s.back("reports")
		strays(s, "reports", "unconfigured")
		s.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
		s.Intact("active")
	})
	t.Run("a lost node is restored when it is back", func(t *testing.T) {
		s := s.in(t)
		s.vanish("restores")
		strays(s, "restores", "lost")
		s.back("restores")
		s.awaitWhere(s.all("active"))
		s.Intact("active")
	})
	t.Run("drift is an error", func(t *testing.T) {
		s := s.in(t)
		before := len(s.Passed())
		s.tool("errs", "deactivate")
		s.awaitWhere(s.all("active")) // the first level of recovery: the state before the loss
		bed.Eventually(t, "the states of a recovery are published", func() (string, bool) {
			got := strings.Join(s.Passed()[before:], " ")
			return got, got == "errorprocessing active"
		})
		s.Intact("active")
	})
	t.Run("loss is an error", func(t *testing.T) {
		s := s.in(t)
		s.vanish("errs")
		v := s.Settled("unconfigured") // the network cannot be active without the node
		if !strings.Contains(v.Cause, s.full("errs")) {
			t.Errorf("the cause is %q", v.Cause)
		}
		s.wantWhere("unconfigured unconfigured -")
		s.back("errs")
		s.Intact("unconfigured")
		s.bring("active")
	})
	t.Run("two of one name", func(t *testing.T) {
		s := s.in(t)
		s.bring("inactive")
		second := bed.NewHost(t).Node(bed.NodeSpec{Name: s.full("reports")}) // as if a user had started the node twice
		s.Await("it is said", func(v daemon.View) bool {
			return !v.Intact && strings.Contains(v.Deviation(s.full("reports")), "there 2 times")
		})
		s.Rejected("activate", "2 times", s.full("reports"))
		s.wantWhere(s.all("inactive"))
		second.Destroy()
		s.Intact("inactive")
		s.bring("active")
	})
	// The middleware takes the second for the first while both are there, and forgets both names with the first.
	t.Run("two of one name, in one process", func(t *testing.T) {
		s := s.in(t)
		s.bring("active")
		second := s.whole.host.Node(bed.NodeSpec{Name: s.full("reports")})
		strays(s, "reports", "there 2 times")
		s.vanish("reports")
		s.nodes["reports"] = second
		s.Await("the second is alone", func(v daemon.View) bool {
			d := v.Deviation(s.full("reports"))
			return v.Settled && strings.Contains(d, "unconfigured") && !strings.Contains(d, "2 times")
		})
		s.Do("active", "succeeded done active")
		s.wantWhere(s.all("active"))
		s.Intact("active")
	})
}

// Drift and death of a node that has finished its step while the transition still runs.
func TestStrayingAndDyingMeanwhile(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{})
	s.bring("inactive")
	begin := func(s *stand) *bed.Goal {
		s.t.Helper()
		s.script("rear", "activate", frozen()...)
		g := s.Goal("activate")
		s.busy("rear", "activate")
		return g
	}
	t.Run("a node that drifts gets its step again", func(t *testing.T) {
		s := s.in(t)
		g := begin(s)
		s.tool("front", "deactivate")
		s.awaitWhere("active active activating")
		s.nodes["rear"].Thaw()
		if r := s.End(g); r.String() != "succeeded done active" {
			t.Errorf("%+v", r)
		}
		if n := s.nodes["front"].Truth().Count("activate"); n != 2 {
			t.Errorf("the node was asked to activate %d times", n)
		}
	})
	t.Run("a lost node fails the transition at once", func(t *testing.T) {
		s := s.in(t)
		s.bring("inactive")
		g := begin(s)
		s.vanish("front")
		s.Await("the failure is seen though the rear node is still busy",
			func(v daemon.View) bool { return v.State.Label == "errorprocessing" })
		s.nodes["rear"].Thaw()
		r := s.End(g)
		if r.String() != "aborted unconfigured unconfigured" || !strings.Contains(r.Message, s.full("front")) {
			t.Errorf("%+v", r)
		}
		if n := r.Node(s.full("front")); n.Verdict != "gone" {
			t.Errorf("the result of the lost node is %+v", n)
		}
		s.wantWhere("- unconfigured unconfigured")
	})
}

// Two nodes of one name during a shutdown: both are shut down, and none is raised.
func TestShutdownGoesToBothOfOneName(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{})
	s.bring("inactive")
	second := bed.NewHost(t).Node(bed.NodeSpec{Name: s.full("middle")})
	s.Await("it is said", func(v daemon.View) bool {
		return strings.Contains(v.Deviation(s.full("middle")), "there 2 times")
	})
	r := s.End(s.Goal("shutdown"))
	t.Logf("shutdown ended %s: %s", r, r.Message)
	s.awaitWhere(s.all("finalized")) // the daemon hears of one node of a name
	second.EventuallyState(t, "finalized")
}
