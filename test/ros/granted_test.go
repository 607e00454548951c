//go:build ros

package ros

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// Stories in which the permission to arm, or what is known of a node, was out of date.

// TestC2TheLastGoalOfAClientDecides: a client sends arms and disarms at once. They count in the order in which they were
// sent, so nothing is armed after the last one.
func TestC2TheLastGoalOfAClientDecides(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{})
	s.bring("active")
	for range 10 {
		goals := s.PostAll("arm", "disarm", "arm", "disarm", "arm", "disarm", "arm", "disarm")
		for i, g := range goals {
			if g.Answered() {
				s.End(g)
			} else if i%2 == 1 {
				t.Error("a disarm was rejected")
			}
		}
		s.Await("nothing is armed", func(v daemon.View) bool {
			return v.Settled && v.State.Label == "active" && len(v.Armed) == 0 && len(v.MayBeArmed) == 0
		})
	}
}

// newDrive is a network with one drive that arms side by side with everything else that it does, and
// does not let a disarm end an arm that is still running.
func newDrive(t *testing.T, settles string, arm ...bed.Behaviour) (*stand, *bed.Node) {
	t.Helper()
	s := newStand(t, setup{
		network: "proof: 10s\nnodes:\n  ~/mover: {arm: {settles: " + settles + "}, deadline: {arm: 2s, disarm: 20s}}\n",
		away:    []string{"mover"}, ready: "-",
	})
	n := s.appear(s.host, "mover", bed.NodeSpec{Beside: true, Threads: 8,
		Script: map[string][]bed.Behaviour{"arm": then(arm...)}})
	t.Cleanup(n.Thaw)
	s.Intact("unconfigured")
	s.bring("active")
	return s, n
}

// confirmed waits until the drive has said yes to a disarm that came after its arm.
func (s *stand) confirmed(n *bed.Node) {
	s.t.Helper()
	bed.Eventually(s.t, "the drive has confirmed a disarm after its arm", func() (string, bool) {
		truth := n.Truth()
		words := truth.Words()
		last := len(words) - 1
		return fmt.Sprintf("%+v", truth),
			slices.Contains(words, "arm") && words[last] == "disarm" && truth.Calls[last].End > 0
	})
}

// TestA3ALateYesIsDisarmed: a drive arms more slowly than its deadline allows, and confirms a disarm
// meanwhile. Nothing says that it is disarmed while it still arms, and it is disarmed in the end.
func TestA3ALateYesIsDisarmed(t *testing.T) {
	t.Parallel()
	s, n := newDrive(t, "90s", bed.Behaviour{Result: bed.Frozen})
	first := s.Goal("arm")
	s.confirmed(n)
	s.stillArms(n)
	disarm := s.Post("disarm")
	disarm.Answered()
	s.stillArms(n)
	n.Thaw()
	s.endsDisarmed(n, first, disarm)
}

// TestA3ALostYesIsDisarmed: the same, but the yes never comes.
func TestA3ALostYesIsDisarmed(t *testing.T) {
	t.Parallel()
	s, n := newDrive(t, "8s", bed.Behaviour{Delay: 4 * time.Second, Answer: bed.Lost})
	first := s.Goal("arm")
	s.confirmed(n)
	s.stillArms(n)
	disarm := s.Post("disarm")
	disarm.Answered()
	s.endsDisarmed(n, first, disarm)
}

// stillArms checks that Arm is refused while the drive still arms.
func (s *stand) stillArms(n *bed.Node) {
	s.t.Helper()
	s.Await("it may be armed", func(v daemon.View) bool { return slices.Contains(v.MayBeArmed, n.Name) })
	if s.Goal("arm").Accepted {
		s.t.Errorf("arm was accepted while the drive still arms: %+v", n.Truth())
	}
}

// endsDisarmed checks that the goals end when the drive is disarmed, and that it can be armed again.
func (s *stand) endsDisarmed(n *bed.Node, first, disarm *bed.Goal) {
	s.t.Helper()
	for _, g := range []*bed.Goal{first, disarm} {
		r := s.End(g)
		s.t.Logf("it ended %v: %s", r, r.Message)
		disarmed := r.State.Label == "active" || strings.Contains(r.Message, "nothing is armed")
		if truth := n.Truth(); disarmed && (truth.Armed || running(truth, "arm")) {
			s.t.Errorf("it ended %v, %s, while the drive is %+v", r, r.Message, truth)
		}
	}
	s.Await("it is known to be disarmed", func(v daemon.View) bool {
		return v.Settled && v.State.Label == "active" && v.Intact && len(v.MayBeArmed) == 0
	})
	if truth := n.Truth(); truth.Armed || truth.Count("arm") != 1 || truth.State != "active" {
		s.t.Errorf("the drive is %+v", truth)
	}
	if g := s.Goal("arm"); !g.Accepted {
		s.t.Errorf("arm was rejected: %s", s.View().Refusal)
	}
}

// TestA3ASuccessorIsNotPunished: a node is killed while it is armed, and its healthy successor does
// not answer its disarms. It is asked every second, and nothing lowers it.
func TestA3ASuccessorIsNotPunished(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{
		network: "proof: 10s\nnodes:\n  ~/other: {arm: {}, deadline: {disarm: 20s}}\n  ~/mover: {arm: {}, deadline: {disarm: 500ms}}\n",
		away:    []string{"mover"}, ready: "-",
	})
	apart := bed.NewHost(t, bed.LongLease(t)...)
	s.appear(apart, "mover", bed.NodeSpec{})
	s.Intact("unconfigured")
	s.bring("active")
	s.Do("arm", "succeeded done armed")
	apart.Process().Kill()
	s.ended("mover")
	successor := s.appear(s.host, "mover", bed.NodeSpec{
		Threads: 8, Beside: true, Begins: []string{"configure", "activate"},
		Script: map[string][]bed.Behaviour{"disarm": {{Answer: bed.Deaf}}},
	})
	asked := func(times int) {
		t.Helper()
		bed.Eventually(t, "the successor is asked to disarm again", func() (string, bool) {
			truth := successor.Truth()
			return fmt.Sprintf("%+v", truth), truth.Count("disarm") >= times
		})
	}
	asked(5)
	s.Rejected("arm", s.full("mover"))
	if g := s.Goal("active"); g.Accepted {
		r := s.End(g)
		t.Logf("active ended %v: %s", r, r.Message)
	}
	asked(successor.Truth().Count("disarm") + 2)
	if truth := successor.Truth(); truth.State != "active" ||
		slices.ContainsFunc(truth.Words()[2:], func(w string) bool { return w != "disarm" }) {
		t.Errorf("the successor is %s, and was asked for %v", truth.State, truth.Words())
	}
	if v := s.View(); v.State.Label == "finalized" || !slices.Contains(v.MayBeArmed, successor.Name) {
		t.Errorf("the network is %+v", v)
	}
	successor.Script("disarm", bed.Behaviour{})
	s.Await("it has confirmed", func(v daemon.View) bool { return v.Settled && len(v.MayBeArmed) == 0 })
	s.bring("active")
	if g := s.Goal("arm"); !g.Accepted {
		t.Errorf("arm was rejected: %s", s.View().Refusal)
	}
}

// TestA2AnOptionalNodeThatArmsLateIsWatched: an optional node says yes to its arm after the network
// is armed without it. From then on its silence disarms everything.
func TestA2AnOptionalNodeThatArmsLateIsWatched(t *testing.T) {
	t.Parallel()
	s := newStand(t, setup{
		network: "proof: 8s\nnodes:\n  ~/mover: {arm: {}, deadline: {arm: 20s}}\n  ~/slow: {arm: {}, optional: true, deadline: {arm: 1s}}\n",
		away:    []string{"slow"}, ready: "-",
	})
	apart := bed.NewHost(t, bed.LongLease(t)...)
	slow := s.appear(apart, "slow", bed.NodeSpec{Beside: true, Threads: 8,
		Script: map[string][]bed.Behaviour{"arm": frozen()}})
	s.Intact("unconfigured")
	s.bring("active")
	s.Await("the optional node is raised too",
		func(v daemon.View) bool { return v.Node(slow.Name).State.Label == "active" })
	s.Do("arm", "succeeded done armed")
	slow.Thaw()
	v := s.Await("the optional node is armed", func(v daemon.View) bool { return slices.Contains(v.Armed, slow.Name) })
	if v.State.Label != "armed" || !slow.Truth().Armed {
		t.Errorf("the network is %s, and the node %+v", v.State.Label, slow.Truth())
	}
	apart.Process().Freeze()
	bed.Eventually(t, "all others are disarmed", func() (string, bool) {
		truth := s.nodes["mover"].Truth()
		return fmt.Sprintf("%+v", truth), !truth.Armed
	})
	s.Await("the network is disarmed", func(v daemon.View) bool {
		return v.State.Label == "active" && slices.Contains(v.MayBeArmed, slow.Name)
	})
	apart.Process().Thaw()
	bed.Eventually(t, "the optional node is disarmed too", func() (string, bool) {
		truth := slow.Truth()
		return fmt.Sprintf("%+v", truth), !truth.Armed
	})
}
