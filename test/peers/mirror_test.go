//go:build ros

package peers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
	"rstate/test/bed/wire"
)

// life is every command once, with its target state.
var life = []struct{ command, state string }{
	{"configure", "inactive"}, {"activate", "active"}, {"arm", "armed"}, {"disarm", "active"}, {"deactivate", "inactive"}, {"cleanup", "unconfigured"},
}

// TestP1ALifeOverABadWire: three instances take turns with commands; each change is made by one,
// followed by all, and published once.
func TestP1ALifeOverABadWire(t *testing.T) {
	l := newLand(t, "base", "arm", "eye")
	m := team.New(t, binary)
	for _, name := range []string{"base", "arm", "eye"} {
		m.Joins(l.Site(name), team.Member{})
	}
	m.Meet()
	for _, c := range []struct {
		name   string
		faults wire.Faults
	}{
		{"without faults", wire.Faults{}},
		{"loss", wire.Faults{Loss: .1}},
		{"delay", wire.Faults{Delay: 50 * time.Millisecond, Jitter: 50 * time.Millisecond}},
		{"reordering and duplicates", wire.Faults{Reorder: .2, Duplicate: .2}},
		{"all of it", wire.Faults{Loss: .1, Delay: 10 * time.Millisecond, Jitter: 20 * time.Millisecond, Reorder: .1, Duplicate: .1}},
	} {
		if !t.Run(c.name, func(t *testing.T) {
			l.Wire.Set(c.faults)
			defer l.Wire.Set(wire.Faults{})
			before := lost(l.Wire)
			for range 3 {
				live(t, m.In(t))
			}
			if now := lost(l.Wire); (now > before) != (c.faults.Loss > 0) {
				t.Errorf("the wire has lost %d frames", now-before)
			}
		}) {
			return // the states are unknown after a failure
		}
	}
}

// lost returns how many frames the wire has lost.
func lost(w *wire.Wire) (n int) {
	for _, from := range w.Hosts {
		for _, to := range w.Hosts {
			if from != to {
				n += w.Direction(from, to).Lost
			}
		}
	}
	return n
}

// live runs a life, and checks the published changes and the calls.
func live(t *testing.T, m *team.Team) {
	t.Helper()
	said, asked, want := map[*team.Fellow]int{}, map[*team.Fellow]int{}, map[*team.Fellow][]string{}
	for _, f := range m.All {
		said[f], asked[f] = len(f.Made()), len(f.Front.Truth().Words())
	}
	for i, step := range life {
		by := m.All[i%len(m.All)]
		doAll(t, by, step.command, step.state)
		want[by] = append(want[by], step.command)
		m.Agree(step.state)
	}
	for _, f := range m.All {
		var got []string
		bed.Eventually(t, "what "+f.Name+" published is received", func() (string, bool) { // the state arrives over another topic
			got = nil
			for _, word := range f.Made()[said[f]:] {
				got = append(got, strings.TrimLeft(word, "0123456789 "))
			}
			return fmt.Sprint(got), len(got) >= len(want[f])
		})
		if !slices.Equal(got, want[f]) {
			t.Errorf("%s published %q, want %q", f.Name, got, want[f])
		}
		if got := strings.Join(f.Front.Truth().Words()[asked[f]:], " "); got != "configure activate deactivate cleanup" {
			t.Errorf("the front of %s was asked to %s", f.Name, got)
		}
	}
}

// doAll gives a command. The result of a disarm waits for its peers for a second, which a bad wire may exceed, so it
// waits for them as long as it takes.
func doAll(t *testing.T, by *team.Fellow, command, state string) {
	t.Helper()
	if command != "disarm" {
		by.Do(command, "succeeded done "+state)
		return
	}
	if r := by.End(by.GoalOfAll(command)); r.String() != "succeeded done "+state {
		t.Fatalf("%s: %v: %s", command, r, r.Message)
	}
}

// TestP2ThreeSides: each instance is cut off from both others and gets commands of its own.
func TestP2ThreeSides(t *testing.T) {
	l := newLand(t, "base", "arm", "eye")
	m := team.New(t, binary)
	base, arm, eye := m.Joins(l.Site("base"), team.Member{}), m.Joins(l.Site("arm"), team.Member{}), m.Joins(l.Site("eye"), team.Member{})
	m.Meet()
	m.Bring(base, "active")
	for _, f := range m.All {
		l.Wire.Cut(f.Site.At)
	}
	for _, f := range m.All {
		for _, o := range m.All {
			if o != f {
				f.Misses(o)
			}
		}
	}
	base.Do("arm", "succeeded done armed")
	arm.Do("deactivate", "succeeded done inactive")
	arm.Do("activate", "succeeded done active")
	eye.Do("deactivate", "succeeded done inactive")
	bed.Eventually(t, "what the last command made is heard", func() (string, bool) {
		said := eye.Said()
		return fmt.Sprint(said), len(said) > 0 && strings.HasSuffix(said[len(said)-1], "deactivate+")
	})
	var before [][]string
	for _, f := range m.All {
		before = append(before, f.Said())
	}
	for _, f := range m.All {
		l.Wire.Heal(f.Site.At)
	}
	m.Meet()
	m.Agree("inactive")
	for i, f := range m.All {
		if now := f.Said(); !slices.Equal(now, before[i]) {
			t.Errorf("%s published %q, and %q before", f.Name, now, before[i])
		}
	}
	eye.Do("activate", "succeeded done active") // the simulation works as before
	m.Agree("active")
}

// TestP6WhoComesLaterAndWhoComesBack: a joiner catches up to below armed. A killed instance disarms
// those that require it; after a restart it catches up and follows.
func TestP6WhoComesLaterAndWhoComesBack(t *testing.T) {
	l := newLand(t, "base", "arm", "eye")
	m := team.New(t, binary)
	base, arm := m.Joins(l.Site("base"), team.Member{}), m.Joins(l.Site("arm"), team.Member{Env: bed.ShortLease(t)})
	late := l.Site("eye") // made now: a starting program delays the armed instances on a small machine
	m.Meet()
	m.Bring(base, "armed")
	eye := m.Joins(late, team.Member{Keys: "peers: {required: [" + arm.Name + "]}"})
	eye.Await("the joiner has caught up to the state below armed", func(v daemon.View) bool {
		return v.State.Label == "active" && v.Settled && v.Intact && v.Behind && v.Common.Label == "armed"
	})
	if truth := eye.Rear.Truth(); truth.Count("arm") > 0 {
		t.Errorf("the joiner armed: %+v", truth)
	}
	base.Intact("armed")
	arm.Intact("armed")
	m.Meet()
	doAll(t, base, "disarm", "active")
	m.Agree("active")

	eye.Do("arm", "succeeded done armed")
	m.Agree("armed")
	arm.Process.Kill()
	v := eye.Settled("active")
	if truth := eye.Rear.Truth(); truth.Armed || !strings.Contains(v.Cause, arm.Name) {
		t.Errorf("the eye's state is %+v, its node: %+v", v, truth)
	}
	base.Misses(arm)
	base.Intact("armed") // it has no required peer
	base.Do("inactive", "succeeded done inactive")
	eye.Intact("inactive")
	armed := arm.Rear.Truth().Count("arm")
	arm.Daemon = arm.Again()
	m.Meet()
	arm.Intact("inactive")
	if truth := arm.Rear.Truth(); truth.Armed || truth.Count("arm") != armed {
		t.Errorf("after the restart, its node: %+v", truth)
	}
	base.Do("activate", "succeeded done active")
	m.Agree("active")
}

// TestP8WaitingOverTheWire: the goal ends when the peer has followed, when it cannot follow, and
// when it is cut off.
func TestP8WaitingOverTheWire(t *testing.T) {
	l := newLand(t, "base", "arm")
	m := team.New(t, binary)
	arm := m.Joins(l.Site("arm"), team.Member{Scripts: map[string]map[string][]bed.Behaviour{"front": {
		"configure": {{Result: bed.Frozen}, {}}, "activate": {{Delay: 2 * time.Second, Result: bed.Failure}, {Result: bed.Frozen}, {}}}}})
	base := m.Joins(l.Site("base"), team.Member{Keys: "peers: {deadline: 60s}"})
	m.Meet()
	open := func(command, state, word string, times int) *bed.Goal {
		t.Helper()
		g := base.GoalOfAll(command)
		bed.Eventually(t, "the peer's node is asked to "+word, func() (string, bool) {
			truth := arm.Front.Truth()
			return strings.Join(truth.Words(), " "), truth.Count(word) == times
		})
		base.Await("the goal waits", func(v daemon.View) bool { return v.State.Label == state && v.Settled && len(v.OpenGoals) == 1 })
		return g
	}
	ends := func(g *bed.Goal, want string, words ...string) {
		t.Helper()
		if r := base.End(g); r.String() != want || !daemon.HasAll(r.Message, words...) {
			t.Errorf("the goal ended as %v, want %s and %q: %s", r, want, words, r.Message)
		}
	}
	done := open("configure", "inactive", "configure", 1)
	arm.Front.Thaw()
	ends(done, "succeeded done inactive")
	arm.Intact("inactive")
	ends(base.GoalOfAll("activate"), "aborted peers_behind active", arm.Name, "does not follow")
	arm.Await("the arm is behind, with the cause", func(v daemon.View) bool {
		return v.Settled && v.State.Label == "inactive" && v.Behind && daemon.HasAll(v.Cause, "activate", "_front")
	})
	base.Do("deactivate", "succeeded done inactive")
	arm.Await("both are inactive", func(v daemon.View) bool { return v.Common.Label == "inactive" && v.Settled })
	lost := open("activate", "active", "activate", 2)
	l.Wire.Cut(arm.Site.At)
	ends(lost, "aborted peers_behind active", arm.Name, "is lost")
	arm.Front.Thaw()
	l.Wire.Heal(arm.Site.At)
	m.Meet()
	m.Agree("active")
}
