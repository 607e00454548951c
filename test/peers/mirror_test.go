//go:build ros

package peers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/wire"
)

// life is every command once, with where it leads.
var life = []struct{ command, state string }{
	{"configure", "inactive"}, {"activate", "active"}, {"arm", "armed"}, {"disarm", "active"}, {"deactivate", "inactive"}, {"cleanup", "unconfigured"},
}

// TestP1ALifeOverABadWire: three instances take turns to command; each change is made by one, followed by all, published once.
func TestP1ALifeOverABadWire(t *testing.T) {
	l := newLand(t, "base", "arm", "eye")
	m := newTeam(t)
	for _, name := range []string{"base", "arm", "eye"} {
		m.joins(l.site(name), member{})
	}
	m.meet()
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
			l.wire.Set(c.faults)
			defer l.wire.Set(wire.Faults{})
			m.in(t).live()
		}) {
			return // where they stand is not known
		}
	}
}

// in is the simulation for a part of a test.
func (m *team) in(t *testing.T) *team {
	part := &team{t: t, simulation: m.simulation}
	for _, f := range m.all {
		own := *f
		own.Daemon = f.Daemon.In(t)
		part.all = append(part.all, &own)
	}
	return part
}

// live goes through a life, and looks at what was published and asked meanwhile.
func (m *team) live() {
	m.t.Helper()
	said, asked, want := map[*fellow]int{}, map[*fellow]int{}, map[*fellow][]string{}
	for _, f := range m.all {
		said[f], asked[f] = len(f.made()), len(f.front.Truth().Words())
	}
	for i, step := range life {
		by := m.all[i%len(m.all)]
		by.Do(step.command, "succeeded done "+step.state)
		want[by] = append(want[by], step.command)
		m.agree(step.state)
	}
	for _, f := range m.all {
		if got := f.made()[said[f]:]; !slices.Equal(got, want[f]) {
			m.t.Errorf("%s made the changes %q, want %q", f.Name, got, want[f])
		}
		if got := strings.Join(f.front.Truth().Words()[asked[f]:], " "); got != "configure activate deactivate cleanup" {
			m.t.Errorf("the front of %s was asked to %s", f.Name, got)
		}
	}
}

// TestP2ThreeSides: each is cut off from both others and goes its way.
func TestP2ThreeSides(t *testing.T) {
	l := newLand(t, "base", "arm", "eye")
	m := newTeam(t)
	base, arm, eye := m.joins(l.site("base"), member{}), m.joins(l.site("arm"), member{}), m.joins(l.site("eye"), member{})
	m.meet()
	m.bring(base, "active")
	for _, f := range m.all {
		l.wire.Cut(f.site.at)
	}
	for _, f := range m.all {
		for _, o := range m.all {
			if o != f {
				f.misses(o)
			}
		}
	}
	base.Do("arm", "succeeded done armed")
	arm.Do("deactivate", "succeeded done inactive")
	arm.Do("activate", "succeeded done active")
	eye.Do("deactivate", "succeeded done inactive")
	var before [][]string
	for _, f := range m.all {
		before = append(before, f.said())
	}
	for _, f := range m.all {
		l.wire.Heal(f.site.at)
	}
	m.meet()
	m.agree("inactive")
	for i, f := range m.all {
		if now := f.said(); !slices.Equal(now, before[i]) {
			t.Errorf("%s published %q, and %q before", f.Name, now, before[i])
		}
	}
	eye.Do("activate", "succeeded done active") // and they go on as if nothing had been
	m.agree("active")
}

// TestP6WhoComesLaterAndWhoComesBack: a joiner catches up to below armed; one that is killed and required disarms; started
// again it catches up and follows what comes.
func TestP6WhoComesLaterAndWhoComesBack(t *testing.T) {
	l := newLand(t, "base", "arm", "eye")
	m := newTeam(t)
	arm := m.joins(l.site("arm"), member{env: bed.ShortLease(t)})
	base := m.joins(l.site("base"), member{keys: "peers: {required: [" + arm.Name + "]}"})
	m.meet()
	m.bring(base, "armed")
	eye := m.joins(l.site("eye"), member{})
	eye.Await("it has caught up as far as it may", func(v daemon.View) bool {
		return v.State.Label == "active" && v.Settled && v.Intact && v.Behind && v.Common.Label == "armed"
	})
	if truth := eye.rear.Truth(); truth.Count("arm") > 0 {
		t.Errorf("the joiner armed: %+v", truth)
	}
	base.Intact("armed")
	arm.Intact("armed")

	arm.Process.Kill()
	v := base.Settled("active")
	if truth := base.rear.Truth(); truth.Armed || !strings.Contains(v.Cause, arm.Name) {
		t.Errorf("the base says %+v, its node: %+v", v, truth)
	}
	eye.misses(arm)
	eye.Do("deactivate", "succeeded done inactive")
	base.Intact("inactive")
	arm.Daemon = arm.Again()
	m.meet()
	arm.Intact("inactive")
	if truth := arm.rear.Truth(); truth.Armed || truth.Count("arm") != 1 {
		t.Errorf("it was started again, and its node: %+v", truth)
	}
	base.Do("activate", "succeeded done active")
	m.agree("active")
}

// TestP8WaitingOverTheWire: the goal ends when the peer is there, when it cannot be, and when it is cut off.
func TestP8WaitingOverTheWire(t *testing.T) {
	l := newLand(t, "base", "arm")
	m := newTeam(t)
	arm := m.joins(l.site("arm"), member{scripts: map[string]map[string][]bed.Behaviour{"front": {
		"configure": {{Result: bed.Frozen}, {}}, "activate": {{Result: bed.Failure}, {Result: bed.Frozen}, {}}}}})
	base := m.joins(l.site("base"), member{keys: "peers: {deadline: 60s}"})
	m.meet()
	open := func(command, state, word string, times int) *bed.Goal {
		t.Helper()
		g := base.GoalOfAll(command)
		bed.Eventually(t, "the peer's node is asked to "+word, func() (string, bool) {
			truth := arm.front.Truth()
			return strings.Join(truth.Words(), " "), truth.Count(word) == times
		})
		base.Await("the goal waits", func(v daemon.View) bool { return v.State.Label == state && v.Settled && len(v.OpenGoals) == 1 })
		return g
	}
	ends := func(g *bed.Goal, want string, words ...string) {
		t.Helper()
		if r := base.End(g); r.String() != want || !daemon.HasAll(r.Message, words...) {
			t.Errorf("it ended as %v, want %s and %q: %s", r, want, words, r.Message)
		}
	}
	done := open("configure", "inactive", "configure", 1)
	arm.front.Thaw()
	ends(done, "succeeded done inactive")
	arm.Intact("inactive")
	ends(base.GoalOfAll("activate"), "aborted peers_behind active", arm.Name, "does not follow")
	base.Do("deactivate", "succeeded done inactive")
	arm.Await("both are inactive", func(v daemon.View) bool { return v.Common.Label == "inactive" && v.Settled })
	lost := open("activate", "active", "activate", 2)
	l.wire.Cut(arm.site.at)
	ends(lost, "aborted peers_behind active", arm.Name, "is lost")
	arm.front.Thaw()
	l.wire.Heal(arm.site.at)
	m.meet()
	m.agree("active")
}
