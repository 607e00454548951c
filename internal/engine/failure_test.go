package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// TestF8TheLastFailureIsShown: a command that failed, or a lowering that no goal asked for, is shown until a later goal
// succeeds.
func TestF8TheLastFailureIsShown(t *testing.T) {
	refuses := one("/slam", simnet.Script{On: []simnet.On{{Do: "activate", Times: 1, End: simnet.Refuse}}})
	activate := when(simnet.Then(), simnet.Send{Command: "activate", Client: "anna@cell4"})
	kill := when(simnet.Then(), simnet.Kill{Node: "/lidar"})
	quiet := when(simnet.Then().Later(2*time.Second), simnet.Nothing{})
	failed := "activate restored from inactive by anna@cell4: /slam"
	for _, c := range []struct {
		story
		want string // parts, in order; empty: nothing has failed
		by   engine.Origin
	}{
		{story{name: "a failed command", first: ways[1].way, scripts: refuses, tell: []simnet.Beat{activate},
			goals: "activate: aborted restored"}, failed, engine.ByGoal},
		{story{
			name: "and a later one that succeeds", first: ways[1].way, scripts: refuses,
			goals: "activate: aborted restored, again: succeeded done",
			tell: []simnet.Beat{activate,
				when(simnet.Ended("activate"), simnet.Send{Command: "activate", Handle: "again"})},
		}, "", ""},
		{story{
			name: "and one that is done already", first: ways[1].way, scripts: refuses,
			goals: "activate: aborted restored, inactive: succeeded already",
			tell:  []simnet.Beat{activate, when(simnet.Ended("activate"), simnet.Send{Command: "inactive"})},
		}, failed, engine.ByGoal},
		{story{
			name: "one that gives way", first: ways[1].way,
			scripts: one("/slam", simnet.Script{On: []simnet.On{{Do: "activate", Takes: time.Second}}}),
			tell:    []simnet.Beat{activate, when(simnet.Shown("activating"), simnet.Send{Command: "shutdown"})},
			goals:   "activate: aborted preempted, shutdown: succeeded done", exit: 1,
		}, "", ""},
		{story{name: "armed, and a node is lost", first: ways[3].way, tell: []simnet.Beat{kill, quiet}},
			"disarm lowered from armed by : /lidar is lost", engine.ByPolicy},
		{story{
			name: "a goal that joins that disarm repairs nothing", first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: 300 * ms}}}),
			tell:    []simnet.Beat{kill, when(simnet.Shown("disarming"), simnet.Send{Command: "disarm"}), quiet},
			goals:   "disarm: succeeded done",
		}, "disarm lowered from armed by : /lidar is lost", engine.ByPolicy},
		{story{
			name: "a repair that succeeds does not hide it", first: ways[3].way, keys: "defaults: {on_drift: error}\n",
			states: "disarming active errorprocessing active",
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/lidar", To: lifecycle.Inactive}), quiet},
		}, "disarm lowered from armed by : /lidar", engine.ByPolicy},
		{story{
			name: "a worse end does", first: ways[3].way, keys: "defaults: {on_loss: error}\n",
			states: "disarming active errorprocessing unconfigured", tell: []simnet.Beat{kill, quiet},
		}, "recovery unconfigured from active by : /lidar is lost", engine.ByPolicy},
		{story{name: "a commanded disarm", first: ways[3].way, tell: []simnet.Beat{send("disarm")},
			goals: "disarm: succeeded done"}, "", ""},
		{story{name: "armed at the end of rstate", first: ways[3].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Stop{})}, exit: 1}, "", ""},
		{story{name: "armed, and stopped for a while", first: ways[3].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Stall{For: 800 * ms}), quiet}},
			"disarm lowered from armed by : the process did not run", engine.ByPolicy},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.run(t).Last.Failure
			got := ""
			if f != (engine.Failure{}) {
				got = f.Command + " " + string(f.Outcome) + " from " + f.From + " by " + f.Client + ": " + f.Why
			}
			if c.want == "" && got != "" || f.By != c.by {
				t.Errorf("shown: %q by %q, want %q by %q", got, f.By, c.want, c.by)
			}
			command, why, _ := strings.Cut(c.want, ": ")
			if !strings.HasPrefix(got, command) || !strings.Contains(got, why) {
				t.Errorf("shown: %q, want %q", got, c.want)
			}
		})
	}
}

// TestF8EachNodeIsShownFromWhereItCame: the result of a goal names the state in which each node was found.
func TestF8EachNodeIsShownFromWhereItCame(t *testing.T) {
	s := story{
		first: ways[1].way, tell: []simnet.Beat{send("activate")}, goals: "activate: aborted restored",
		scripts: one("/slam", simnet.Script{On: []simnet.On{{Do: "activate", Times: 1, End: simnet.Refuse}}}),
	}
	trace := s.run(t)
	for _, r := range trace.Goal("activate").Result.Nodes {
		if r.From != lifecycle.Inactive {
			t.Errorf("%s %s %s: from %v, want inactive", r.Node, r.Step, r.Verdict, r.From)
		}
	}
	for _, f := range trace.Goal("activate").Feedback {
		if f.Last.From != lifecycle.Inactive {
			t.Errorf("feedback: %s %s %s: from %v, want inactive", f.Last.Node, f.Last.Step, f.Last.Verdict,
				f.Last.From)
		}
	}
	trace = story{tell: []simnet.Beat{send("configure")},
		scripts: map[string]simnet.Script{"/camera": {Never: true}}}.run(t)
	for _, r := range trace.Goal("configure").Result.Nodes {
		want := lifecycle.Unconfigured
		if r.Node == "/camera" {
			want = lifecycle.Unknown
		}
		if r.From != want {
			t.Errorf("%s %s %s: from %v, want %v", r.Node, r.Step, r.Verdict, r.From, want)
		}
	}
}

// TestA6TheAgeOfTheLeaseIsShown: while a lease is held, a snapshot says how old its newest message is and when it ends.
func TestA6TheAgeOfTheLeaseIsShown(t *testing.T) {
	quiet := when(simnet.Then().Later(2*time.Second), simnet.Nothing{})
	last := story{first: ways[2].way, tell: []simnet.Beat{quiet}}.run(t).Last
	if last.Lease.Age >= 0 || last.Lease.Left >= 0 {
		t.Errorf("active: the lease is %v old and good for %v", last.Lease.Age, last.Lease.Left)
	}
	last = story{first: ways[3].way, tell: []simnet.Beat{quiet}}.run(t).Last
	if last.Lease.Age < 0 || last.Lease.Age > 200*ms || last.Lease.Left <= 0 || last.Lease.Left > time.Second {
		t.Errorf("armed: the lease is %v old and good for %v", last.Lease.Age, last.Lease.Left)
	}
}
