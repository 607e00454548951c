package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/simnet"
)

// guardedNet arms two nodes that follow no lease, which takes a guard, and one that follows it.
const guardedNet = `
simulation: demo
arming: {guard: required}
nodes:
  /lidar: {}
  /drive: {after: [/lidar], arm: {dead_man: none}}
  /gripper: {optional: true, arm: {dead_man: none}}
  /crane: {arm: {}}
`

func guards(n int) simnet.Options { return simnet.Options{Guards: n} }

func guard(id string, to simnet.GuardState) simnet.Guard { return simnet.Guard{ID: id, To: to} }

// TestA13NothingIsArmedWithoutAGuard: no node is asked, and the client learns what to do.
func TestA13NothingIsArmedWithoutAGuard(t *testing.T) {
	play(t, []story{
		{name: "one lives", opt: guards(1), tell: []simnet.Beat{send("arm")}, goals: "arm: succeeded done",
			states: "arming armed"},
		{name: "none is there", tell: []simnet.Beat{send("arm")}, goals: "arm: rejected", calls: "none",
			why: "/drive is covered by no guard: no guard is there (on the host of the node: rstate guard test.yaml --node /rstate); " +
				"/gripper is covered by no guard: no guard is there"},
		{name: "it was killed", opt: guards(1), tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
			when(simnet.Then().Later(600*ms), simnet.Send{Command: "arm"}),
		}, goals: "arm: rejected", calls: "none", why: "guard guard 1 is lost: it has been silent for 500ms"},
		{name: "it is deaf, so no node is asked", opt: guards(1), tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDeaf)),
			when(simnet.Then(), simnet.Send{Command: "arm"}),
		}, goals: "arm: aborted restored", calls: "none",
			why: "is covered by no guard: guard guard 1 has not heard the arm lease for 500ms"},
		{name: "it is deaf, and a node has little time", opt: guards(1),
			keys: "defaults: {deadline: {arm: 200ms}}\n", tell: []simnet.Beat{
				when(simnet.Then(), guard("guard 1", simnet.GuardDeaf)),
				when(simnet.Then(), simnet.Send{Command: "arm"}),
			}, goals: "arm: aborted restored", calls: "none",
			why: "/drive was not asked to arm: no guard has heard the arm lease"},
		{name: "one of two is deaf", opt: guards(2), tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDeaf)),
			when(simnet.Then(), simnet.Send{Command: "arm"}),
		}, goals: "arm: succeeded done"},
		{name: "of an optional node that is not there", opt: guards(1),
			scripts: one("/gripper", simnet.Script{Never: true}), tell: []simnet.Beat{send("arm")},
			goals: "arm: succeeded done"},
	}, func(s *story) { s.net, s.first = guardedNet, []string{"active"} })
	play(t, []story{{name: "a file that does not require one", net: strings.Replace(guardedNet, "required", "optional", 1),
		first: []string{"active"}, tell: []simnet.Beat{send("arm")}, goals: "arm: succeeded done"}})
}

// TestA13ALostGuardDisarms at once, one way, with the reason.
func TestA13ALostGuardDisarms(t *testing.T) {
	for _, to := range []simnet.GuardState{simnet.GuardDead, simnet.GuardFrozen, simnet.GuardDeaf} {
		trace := story{net: guardedNet, first: []string{"armed"}, opt: guards(1),
			tell:   []simnet.Beat{when(simnet.Then(), guard("guard 1", to)), when(simnet.Shown("active"), simnet.Nothing{})},
			states: "disarming active"}.run(t)
		if why := trace.Last.Cause; !strings.Contains(why, "/drive is covered by no guard: guard guard 1 ") {
			t.Errorf("%v: %s", to, why)
		}
	}
	play(t, []story{
		{name: "one of two is killed", tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
			when(simnet.Then().Later(5*time.Second), simnet.Nothing{}),
		}, states: "none"},
		{name: "both are killed", tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
			when(simnet.Then().Later(time.Second), guard("guard 2", simnet.GuardFrozen)),
			when(simnet.Then().Later(5*time.Second), simnet.Nothing{}),
		}, states: "disarming active"},
		{name: "it comes back, which arms nothing", tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
			when(simnet.Then(), guard("guard 2", simnet.GuardFrozen)),
			when(simnet.Then().Later(2*time.Second), guard("guard 2", simnet.GuardLives)),
			when(simnet.Then().Later(5*time.Second), simnet.Nothing{}),
		}, states: "disarming active"},
		{name: "and then it can be armed again", tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
			when(simnet.Then(), guard("guard 2", simnet.GuardDead)),
			when(simnet.Then().Later(2*time.Second), guard("guard 2", simnet.GuardLives)),
			when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm"}),
		}, states: "disarming active arming armed", goals: "arm: succeeded done"},
		{name: "it is suspended for a moment", tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
			when(simnet.Then(), guard("guard 2", simnet.GuardFrozen)),
			when(simnet.Then().Later(200*ms), guard("guard 2", simnet.GuardLives)),
			when(simnet.Then().Later(5*time.Second), simnet.Nothing{}),
		}, states: "none"},
	}, func(s *story) { s.net, s.first, s.opt = guardedNet, []string{"armed"}, guards(2) })
	for after := time.Second; after < time.Second+100*ms; after += 10 * ms { // a guard may speak at any of them
		play(t, []story{{name: fmt.Sprintf("the loop is busy %v later, and what the guard said waits to be read", after),
			net: guardedNet, keys: "proof: 3s\n", first: []string{"armed"}, opt: guards(1), tell: []simnet.Beat{
				when(simnet.Then().Later(after), simnet.Late{For: 480 * ms}),
				when(simnet.Then().Later(5*time.Second), simnet.Nothing{}),
			}, states: "none"}})
	}
	play(t, []story{
		{name: "while nodes are being asked", net: guardedNet, first: []string{"active"}, opt: guards(1),
			scripts: one("/drive", simnet.Script{Arm: []simnet.Reply{{Takes: 1500 * ms}}}),
			tell: []simnet.Beat{
				send("arm"),
				when(simnet.Called("arm", "/drive"), guard("guard 1", simnet.GuardDead)),
			}, goals: "arm: aborted restored", why: "/drive is covered by no guard: guard guard 1 is lost"},
		{name: "only nodes that follow the lease are armed", net: strings.ReplaceAll(guardedNet, "dead_man: none", ""),
			first: []string{"armed"}, opt: guards(1), tell: []simnet.Beat{
				when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
				when(simnet.Then().Later(5*time.Second), simnet.Nothing{}),
			}, states: "none"},
	})
}

// TestA13AGuardThatEnds: while another one covers its nodes, nothing is disarmed. Else the guard disarms, and the
// daemon too, at once and with the reason.
func TestA13AGuardThatEnds(t *testing.T) {
	ends := func(id string) simnet.Beat {
		return when(simnet.Then().Later(time.Second), guard(id, simnet.GuardEnds))
	}
	late := when(simnet.Then().Later(5*time.Second), simnet.Nothing{})
	optional := strings.Replace(guardedNet, "required", "optional", 1)
	absent := one("/gripper", simnet.Script{Never: true})
	for _, c := range []struct {
		story
		calls int // to disarm /drive, of the daemon
		why   string
	}{
		{story{name: "one of two", opt: guards(2), tell: []simnet.Beat{ends("guard 1"), late}, states: "none"}, 0, ""},
		{story{name: "one of two beside an absent node", opt: guards(2), scripts: absent,
			tell: []simnet.Beat{ends("guard 1"), late}, states: "none"}, 0, ""},
		{story{name: "one of two of a file that requires none", net: optional, opt: guards(2),
			tell: []simnet.Beat{ends("guard 1"), late}, states: "none"}, 0, ""},
		{story{name: "the only one", opt: guards(1), tell: []simnet.Beat{ends("guard 1"), late},
			states: "disarming active"}, 1, "/drive is disarmed by guard guard 1, which ends"},
		{story{name: "the only one of a file that requires none", net: optional, opt: guards(1),
			tell: []simnet.Beat{ends("guard 1"), late}, states: "disarming active"}, 1,
			"/drive is disarmed by guard guard 1, which ends (see the log of that guard)"},
		{story{name: "the other one was killed before", opt: guards(2), tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 2", simnet.GuardDead)), ends("guard 1"), late},
			states: "disarming active"}, 1, "/drive is disarmed by guard guard 1, which ends"},
		{story{name: "the other one is killed right before", opt: guards(2), tell: []simnet.Beat{
			when(simnet.Then().Later(time.Second), guard("guard 2", simnet.GuardDead)),
			when(simnet.Then(), guard("guard 1", simnet.GuardEnds)), late},
			states: "disarming active"}, 1,
			"/drive is covered by no guard: guard guard 1 has ended; guard guard 2 is lost"},
		{story{name: "both at once", opt: guards(2), tell: []simnet.Beat{ends("guard 1"),
			when(simnet.Then(), guard("guard 2", simnet.GuardEnds)), late},
			states: "disarming active"}, 1,
			"/drive is covered by no guard: guard guard 1 has ended; guard guard 2 has ended"},
		{story{name: "both of a file that requires none", net: optional, opt: guards(2), tell: []simnet.Beat{
			ends("guard 1"), when(simnet.Then(), guard("guard 2", simnet.GuardEnds)), late},
			states: "disarming active"}, 1, ", which ends"},
		{story{name: "one after the other", opt: guards(2), tell: []simnet.Beat{ends("guard 1"), ends("guard 2"), late},
			states: "disarming active"}, 1, "/drive is disarmed by guard guard 2, which ends"},
		{story{name: "and comes back before the other one ends", opt: guards(2), tell: []simnet.Beat{ends("guard 1"),
			when(simnet.Then().Later(time.Second), guard("guard 1", simnet.GuardLives)), ends("guard 2"), late},
			states: "none"}, 0, ""},
	} {
		if c.first = []string{"armed"}; c.net == "" {
			c.net = guardedNet
		}
		t.Run(c.name, func(t *testing.T) {
			trace := c.run(t)
			calls := 0
			for _, call := range trace.Calls {
				if call.Node == "/drive" && call.Do == "disarm" {
					calls++
				}
			}
			if calls != c.calls || !strings.Contains(trace.Last.Cause, c.why) {
				t.Errorf("/drive was asked to disarm %d times, want %d; %q, want %q", calls, c.calls, trace.Last.Cause,
					c.why)
			}
		})
	}
}

// TestA13ALostGuardIsShownAgain: while what a guard said meanwhile is read, readiness does not name it; then it does. Each
// story compares what was shown with what holds.
func TestA13ALostGuardIsShownAgain(t *testing.T) {
	play(t, []story{{name: "beside a node that does not disarm", net: guardedNet, first: []string{"armed"}, opt: guards(1),
		scripts: one("/drive", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}), tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
			when(simnet.Then().Later(10*time.Second), simnet.Late{For: 480 * ms}),
			when(simnet.Then().Later(10*time.Second), simnet.Nothing{}),
		}, states: "disarming active"}})
}

// TestA13AGuardOfAnEarlierRunDoesNotCount: it has to hear this run first.
func TestA13AGuardOfAnEarlierRunDoesNotCount(t *testing.T) {
	play(t, []story{
		{name: "it hears the next run", net: guardedNet, first: []string{"active"}, opt: guards(1), tell: []simnet.Beat{
			when(simnet.Then(), simnet.Crash{DownFor: time.Second}),
			when(simnet.Then().Later(8*time.Second), simnet.Send{Command: "arm"}),
		}, goals: "arm: succeeded done"},
		{name: "it does not", net: guardedNet, first: []string{"active"}, opt: guards(1), tell: []simnet.Beat{
			when(simnet.Then(), guard("guard 1", simnet.GuardDeaf)),
			when(simnet.Then(), simnet.Crash{DownFor: time.Second}),
			when(simnet.Then().Later(8*time.Second), simnet.Send{Command: "arm"}),
		}, goals: "arm: rejected", why: "guard guard 1 does not hear this run of rstate"},
	})
}

// TestA13TheWarningGoesWithTheGuard: A7 warns of a node that stays armed if rstate dies, unless it is covered.
func TestA13TheWarningGoesWithTheGuard(t *testing.T) {
	warned := func(net string, n int) string {
		trace := story{net: net, first: []string{"armed"}, opt: guards(n)}.run(t)
		return strings.Join(trace.Last.Warnings, "; ")
	}
	if got := warned(guardedNet, 1); strings.Contains(got, "stays armed") {
		t.Error(got)
	}
	if got := warned(strings.Replace(guardedNet, "required", "optional", 1), 0); !strings.Contains(got, "/drive, /gripper stays armed") {
		t.Error(got)
	}
}

// TestA13GuardsAreShown: who they are, what they cover, and since when they are silent.
func TestA13GuardsAreShown(t *testing.T) {
	trace := story{net: guardedNet, first: []string{"active"}, opt: guards(2), tell: []simnet.Beat{
		when(simnet.Then(), guard("guard 1", simnet.GuardDead)),
		when(simnet.Then().Later(time.Second), simnet.Nothing{}),
	}}.run(t)
	list := trace.Last.Guards
	if len(list) != 2 || list[0].Lives || !list[1].Lives || list[0].Age < time.Second || list[1].Age > 200*ms ||
		strings.Join(list[1].Nodes, " ") != "/drive /gripper" || !strings.Contains(list[0].Fault, "silent") {
		t.Errorf("%+v", list)
	}
}
