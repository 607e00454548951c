//go:build ros

package ros

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// newRequired is a network whose driver does not follow the lease, and which requires a guard.
func newRequired(t *testing.T) *guarded { return newRequiredFor(t, "10s") }

func newRequiredFor(t *testing.T, proof string) *guarded {
	t.Helper()
	name := "/" + bed.Unique(t, "driver")
	g := &guarded{}
	g.node = bed.NewHost(t).Node(bed.NodeSpec{Name: name, Arm: name + "/arm", Threads: 2})
	g.alone = newAloneWith(t, "proof: "+proof+"\narming: {guard: required}\n", name, "{dead_man: none}")
	g.intact("unconfigured")
	return g
}

// starts starts a guard, and returns it and its id when it covers the driver.
func (g *guarded) starts() (*bed.Process, string) {
	g.t.Helper()
	known := g.guardsNow()
	g.watch(g.file)
	var id string
	g.shows("a new guard covers the driver", func(s InstanceState) bool {
		for _, one := range s.Guards {
			covers := one.Alive && slices.Equal(one.Nodes, []string{g.driver})
			if covers && !slices.ContainsFunc(known, func(o Guard) bool { return o.ID == one.ID }) {
				id = one.ID
				return true
			}
		}
		return false
	})
	g.t.Cleanup(g.guard.Thaw)
	return g.guard, id
}

func (g *guarded) guardsNow() []Guard {
	var s InstanceState
	g.states.Last(&s)
	return s.Guards
}

// shows waits until ~/state is so.
func (g *guarded) shows(what string, is func(InstanceState) bool) (last InstanceState) {
	g.t.Helper()
	bed.Eventually(g.t, what, func() (string, bool) {
		ok := g.states.Last(&last) && is(last)
		return fmt.Sprintf("%+v", last), ok
	})
	return last
}

// lost reports whether a guard of that id is shown as one that does not count.
func (s InstanceState) lost(id string) bool {
	return slices.ContainsFunc(s.Guards, func(one Guard) bool { return one.ID == id && !one.Alive })
}

// guardIs reports whether a guard of that id is shown as one that does not count, with that cause.
func (s InstanceState) guardIs(id, cause string) bool {
	return slices.ContainsFunc(s.Guards, func(one Guard) bool {
		return one.ID == id && !one.Alive && one.Cause == cause
	})
}

// TestA13ArmIsRefusedWithoutAGuard: and accepted as soon as one covers the driver.
func TestA13ArmIsRefusedWithoutAGuard(t *testing.T) {
	g := newRequired(t)
	g.do("active", "active")
	if goal := g.goal("arm"); goal.Accepted {
		t.Fatal("arm was accepted without a guard")
	}
	want := fmt.Sprintf("%s is covered by no guard: no guard is there (on the host of the node: rstate guard %s --node %s)",
		g.driver, g.file, g.name)
	if s := g.shows("the refusal is shown", func(s InstanceState) bool { return s.Refusal != "" }); !strings.Contains(s.Refusal, want) {
		t.Errorf("%q, want %q", s.Refusal, want)
	}
	if truth := g.node.Truth(); truth.Count("arm") > 0 {
		t.Errorf("the driver was asked to arm: %+v", truth)
	}
	g.starts()
	g.do("arm", "armed")
}

func TestA13ALostGuardDisarms(t *testing.T)   { lostGuard(t, (*bed.Process).Kill) }
func TestA13AFrozenGuardDisarms(t *testing.T) { lostGuard(t, (*bed.Process).Freeze) }

// lostGuard checks that the network is disarmed when its only guard is gone.
func lostGuard(t *testing.T, gone func(*bed.Process)) {
	g := newRequired(t)
	guard, id := g.starts()
	g.do("armed", "armed")
	before := g.node.Truth().Count("disarm")
	gone(guard)
	g.disarmed(before + 1)
	s := g.await("active")
	// If its last word left just before it heard a message of the lease, it has missed that message for longer.
	want := g.driver + " is covered by no guard: guard " + id
	silent, deaf := want+" is lost", want+" has not heard the arm lease"
	if !strings.Contains(s.Cause, silent) && !strings.Contains(s.Cause, deaf) {
		t.Errorf("it was disarmed because %q, want %q or %q", s.Cause, silent, deaf)
	}
	g.shows("the guard is lost", func(s InstanceState) bool {
		return s.guardIs(id, "is lost: it has been silent for 500ms")
	})
	if goal := g.goal("arm"); goal.Accepted {
		t.Error("arm was accepted after the guard was lost")
	}
}

// TestA13OneOfTwoGuardsIsEnough: one is killed, and the network stays armed until the other one is suspended. A new one
// arms nothing, and the network can be armed again.
func TestA13OneOfTwoGuardsIsEnough(t *testing.T) {
	g := newRequired(t)
	first, one := g.starts()
	second, other := g.starts()
	g.do("armed", "armed")
	first.Kill()
	s := g.shows("the first guard is lost", func(s InstanceState) bool { return s.lost(one) })
	if s.State.Label != "armed" || s.lost(other) || !g.node.Truth().Armed {
		t.Fatalf("the network did not stay armed: %+v", s)
	}
	second.Freeze()
	g.disarmed(1)
	g.await("active")
	g.starts()
	if s := g.await("active"); s.State.Label != "active" || g.node.Truth().Armed {
		t.Errorf("a new guard armed the network: %+v", s)
	}
	g.do("arm", "armed")
}

// TestA13AGuardThatEndsSaysSo: the daemon disarms, and knows why.
func TestA13AGuardThatEndsSaysSo(t *testing.T) {
	g := newRequired(t)
	_, id := g.starts()
	g.do("armed", "armed")
	g.ends(0)
	s := g.shows("the network is active, and the guard has ended", func(s InstanceState) bool {
		return s.State.Label == "active" && s.Settled && s.guardIs(id, "has ended")
	})
	if want := g.driver + " is disarmed by guard " + id + ", which ends"; !strings.Contains(s.Cause, want) {
		t.Errorf("it was disarmed because %q, want %q", s.Cause, want)
	}
}

// TestA13OneOfTwoGuardsEnds: nothing is disarmed, and the daemon and the node agree on that. When the second guard ends
// too, the node is disarmed, and the daemon shows it.
func TestA13OneOfTwoGuardsEnds(t *testing.T) {
	g := newRequired(t)
	first, one := g.starts()
	_, other := g.starts()
	g.do("armed", "armed")
	before := g.node.Truth().Count("disarm")
	first.Signal(syscall.SIGTERM)
	if code := first.Wait(t); code != 0 {
		t.Errorf("the first guard ended with code %d; its log:\n%s", code, first.Log())
	}
	s := g.shows("the first guard has ended", func(s InstanceState) bool { return s.guardIs(one, "has ended") })
	for over := time.Now().Add(3 * time.Second); time.Now().Before(over); time.Sleep(100 * time.Millisecond) {
		truth := g.node.Truth()
		g.states.Last(&s)
		if s.State.Label != "armed" || s.lost(other) || !truth.Armed || truth.Count("disarm") > before {
			t.Fatalf("the end of one guard disarmed: %+v, %+v; its log:\n%s", truth, s, first.Log())
		}
	}
	g.ends(0)
	g.disarmed(before + 1)
	s = g.await("active")
	if want := g.driver + " is disarmed by guard " + other + ", which ends"; !strings.Contains(s.Cause, want) {
		t.Errorf("it was disarmed because %q, want %q", s.Cause, want)
	}
}

// TestA13AGuardThatDisarmsIsBelieved: one of two guards is suspended for so long that it takes the lease for ended. It
// disarms when it is continued, and the daemon shows that.
func TestA13AGuardThatDisarmsIsBelieved(t *testing.T) {
	g := newRequiredFor(t, "3s")
	first, one := g.starts()
	g.starts()
	g.do("armed", "armed")
	before := g.node.Truth().Count("disarm")
	first.Freeze()
	time.Sleep(4 * time.Second) // the lease is good for 3 s
	if s := g.await("armed"); s.lost(one) && !g.node.Truth().Armed {
		t.Fatalf("the network did not stay armed: %+v", s)
	}
	first.Thaw()
	g.disarmed(before + 1)
	s := g.await("active")
	if want := g.driver + " is disarmed by guard " + one; !strings.Contains(s.Cause, want) {
		t.Errorf("it was disarmed because %q, want %q", s.Cause, want)
	}
}

// TestA13AGuardFollowsTheNextRun: it covers the driver for the daemon that comes after the one that was killed.
func TestA13AGuardFollowsTheNextRun(t *testing.T) {
	g := newRequired(t)
	g.starts()
	first := g.await("unconfigured").InstanceID
	g.daemon.Kill()
	g.robot.file = g.file
	g.again("next", false)
	g.shows("the guard follows the next run", func(s InstanceState) bool {
		return s.InstanceID != first && slices.ContainsFunc(s.Guards, func(one Guard) bool { return one.Alive && len(one.Nodes) > 0 })
	})
	g.intact("unconfigured")
	g.robot.host = bed.NewHost(t) // every other one may send a goal to the daemon that was killed
	g.do("armed", "armed")
}
