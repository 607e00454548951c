//go:build ros

package peers

import (
	"fmt"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// TestP7NoArmOfAPeerThatHasDied: an instance is still activating its nodes when its peer arms and dies. It does not arm
// by itself when it is ready.
func TestP7NoArmOfAPeerThatHasDied(t *testing.T) {
	l := newLand(t, "base", "arm")
	m := team.New(t, binary)
	base := m.Joins(l.Site("base"), team.Member{})
	arm := m.Joins(l.Site("arm"), team.Member{Scripts: map[string]map[string][]bed.Behaviour{"front": {"activate": {{Result: bed.Frozen}, {}}}}})
	m.Meet()
	base.Do("armed", "succeeded done armed")
	bed.Eventually(t, "the node of the arm is asked to activate", func() (string, bool) {
		truth := arm.Front.Truth()
		return strings.Join(truth.Words(), " "), truth.Count("activate") == 1
	})
	arm.Await("the arm has heard that the base is armed", func(v daemon.View) bool { return v.Common.Label == "armed" })
	base.Process.Kill()
	arm.Misses(base)
	arm.Front.Thaw()
	arm.Await("the arm is active and stays behind", func(v daemon.View) bool {
		return v.State.Label == "active" && v.Settled && v.Behind
	})
	if truth := arm.Rear.Truth(); truth.Count("arm") > 0 || truth.Armed {
		t.Errorf("the arm has armed its node: %+v", truth)
	}
}

// TestC4ADisarmIsNeverRefused: one instance is arming when another one, at which nothing is armed, gets a disarm.
func TestC4ADisarmIsNeverRefused(t *testing.T) {
	l := newLand(t, "base", "arm")
	m := team.New(t, binary)
	base := m.Joins(l.Site("base"), team.Member{Scripts: map[string]map[string][]bed.Behaviour{"rear": {"arm": {{Result: bed.Frozen}, {}}}}})
	arm := m.Joins(l.Site("arm"), team.Member{})
	m.Meet()
	m.Bring(base, "active")
	arms := base.Goal("arm")
	bed.Eventually(t, "the node of the base is asked to arm", func() (string, bool) {
		truth := base.Rear.Truth()
		return strings.Join(truth.Words(), " "), truth.Count("arm") == 1
	})
	stop := arm.GoalOfAll("disarm")
	if r := base.End(arms); r.Outcome != "superseded" {
		t.Errorf("the arming ended as %v: %s", r, r.Message)
	}
	base.Rear.Thaw() // the late arm takes effect, and is disarmed
	if r := arm.End(stop); !strings.HasPrefix(r.String(), "succeeded already") {
		t.Errorf("the disarm ended as %v: %s", r, r.Message)
	}
	m.Agree("active")
	bed.Eventually(t, "nothing is armed", func() (string, bool) {
		one, other := base.Rear.Truth(), arm.Rear.Truth()
		return fmt.Sprintf("%+v %+v", one, other), !one.Armed && !other.Armed && other.Count("arm") == 0
	})
}

// TestC4AnOrderOutlivesItsInstance: one instance gets a disarm while it is cut off from an armed peer, and is killed before
// they meet again. Its next process tells of the order, from its journal.
func TestC4AnOrderOutlivesItsInstance(t *testing.T) { outlives(t, false) }

// TestC4ALostJournalCountsAsAnOrder: the same, but the journal is lost before the next process starts.
func TestC4ALostJournalCountsAsAnOrder(t *testing.T) { outlives(t, true) }

func outlives(t *testing.T, lost bool) {
	l := newLand(t, "base", "arm")
	m := team.New(t, binary)
	base, arm := m.Joins(l.Site("base"), team.Member{}), m.Joins(l.Site("arm"), team.Member{})
	m.Meet()
	m.Bring(base, "armed")
	l.Wire.Cut(base.Site.At)
	arm.Goal("disarm")
	arm.Await("the arm is disarmed", func(v daemon.View) bool { return v.State.Label == "active" && v.Settled })
	arm.Process.Kill()
	base.Misses(arm)
	if lost {
		arm.LoseJournal()
	}
	arm.Daemon = arm.Again()
	arm.Await("the arm is back", func(v daemon.View) bool { return v.State.Label == "active" && v.Settled })
	if v := base.View(); v.State.Label != "armed" && daemon.Stalls(base.Process) == 0 { // a stall disarms
		t.Fatalf("the base cannot know of the disarm, and is %s", v.State.Label)
	}
	l.Wire.Heal(base.Site.At)
	m.Meet()
	m.Agree("active")
	if one, other := base.Rear.Truth(), arm.Rear.Truth(); one.Armed || other.Armed {
		t.Errorf("something is armed: %+v, %+v", one, other)
	}
}
