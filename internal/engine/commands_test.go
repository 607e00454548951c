package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// ways bring the demo network into each state in which it rests.
var ways = []struct {
	state string
	way   []string
}{
	{"unconfigured", nil},
	{"inactive", []string{"configure"}},
	{"active", []string{"configure", "activate"}},
	{"armed", []string{"configure", "activate", "arm"}},
}

// TestC1EveryCommandInEveryState holds every pair: what is legal ends in its target, all else is rejected and changes
// nothing.
func TestC1EveryCommandInEveryState(t *testing.T) {
	legal := map[string]map[string]string{
		"unconfigured": {"configure": "inactive", "shutdown": "finalized"},
		"inactive":     {"activate": "active", "cleanup": "unconfigured", "shutdown": "finalized"},
		"active":       {"arm": "armed", "deactivate": "inactive", "shutdown": "finalized"},
		"armed":        {"disarm": "active", "shutdown": "finalized"},
	}
	for _, from := range ways {
		for _, c := range []string{"configure", "cleanup", "activate", "deactivate", "arm", "disarm", "shutdown"} {
			t.Run(c+" in "+from.state, func(t *testing.T) {
				to, ok := legal[from.state][c]
				s := story{first: from.way, tell: []simnet.Beat{send(c)}, goals: c + ": succeeded done"}
				if to == "finalized" {
					s.exit = 1
				}
				if !ok {
					s.goals, s.calls, s.why = c+": rejected", "none", c+" is not legal in "+from.state
				}
				trace := s.run(t)
				last := trace.States[len(trace.States)-1]
				if !ok {
					to = from.state
				}
				if last != to {
					t.Errorf("ends in %s, want %s\n%v", last, to, trace)
				}
				if g := trace.Goal(c); !ok && len(g.Legal) != len(legal[from.state]) {
					t.Errorf("names as legal: %v", g.Legal)
				}
			})
		}
	}
}

// TestC6StateGoals: a goal that names a state takes the shortest way, or has nothing to do.
func TestC6StateGoals(t *testing.T) {
	type row struct{ from, to, verdict, states string }
	up := map[string][]string{}
	for _, w := range ways {
		up[w.state] = w.way
	}
	for _, r := range []row{
		{"unconfigured", "unconfigured", "succeeded already", "unconfigured"},
		{"inactive", "inactive", "succeeded already", "none"},
		{"active", "active", "succeeded already", "none"},
		{"armed", "armed", "succeeded already", "none"},
		{"unconfigured", "inactive", "succeeded done", "unconfigured configuring inactive"},
		{"unconfigured", "active", "succeeded done", "unconfigured configuring inactive activating active"},
		{"unconfigured", "armed", "succeeded done", "unconfigured configuring inactive activating active arming armed"},
		{"inactive", "armed", "succeeded done", "activating active arming armed"},
		{"armed", "active", "succeeded done", "disarming active"},
		{"armed", "inactive", "succeeded done", "disarming active deactivating inactive"},
		{"armed", "unconfigured", "succeeded done", "disarming active deactivating inactive cleaningup unconfigured"},
		{"active", "finalized", "succeeded done", "shuttingdown finalized"},
		{"active", "nonsense", "rejected", "none"},
		{"active", "arming", "rejected", "none"},
	} {
		t.Run(r.from+" to "+r.to, func(t *testing.T) {
			s := story{first: up[r.from], tell: []simnet.Beat{send(r.to)}, goals: r.to + ": " + r.verdict, states: r.states}
			if r.to == "finalized" {
				s.exit = 1
			}
			s.run(t)
		})
	}
}

// TestR2BusyStatesRejectCommands: while a transition runs every other goal is rejected; what pre-empts is not.
func TestR2BusyStatesRejectCommands(t *testing.T) {
	slow := one("/slam", simnet.Script{On: []simnet.On{{Takes: time.Second}}})
	slow["/arm_driver"] = simnet.Script{Arm: []simnet.Reply{{Takes: time.Second}}, Disarm: []simnet.Reply{{Takes: 500 * ms}}}
	for _, r := range []struct {
		first   []string
		command string
		passing string
		takes   string // what is taken meanwhile
	}{
		{nil, "configure", "configuring", "shutdown"},
		{ways[1].way, "activate", "activating", "shutdown"},
		{ways[1].way, "cleanup", "cleaningup", "shutdown"},
		{ways[2].way, "deactivate", "deactivating", "shutdown"},
		{ways[2].way, "arm", "arming", "disarm shutdown"},
		{ways[3].way, "disarm", "disarming", "disarm shutdown"},
		{ways[2].way, "shutdown", "shuttingdown", "shutdown"},
	} {
		for _, c := range []string{"configure", "cleanup", "activate", "deactivate", "arm", "disarm", "active", "inactive"} {
			if slices.Contains(strings.Fields(r.takes), c) {
				continue
			}
			t.Run(c+" in "+r.passing, func(t *testing.T) {
				tell := []simnet.Beat{
					{When: simnet.Then(), Do: simnet.Send{Command: r.command, Handle: "running"}},
					{When: simnet.Shown(r.passing).Later(100 * ms), Do: simnet.Send{Command: c, Handle: "other"}},
				}
				s := story{scripts: slow, first: r.first, tell: tell, goals: "running: succeeded done, other: rejected", why: "under way"}
				if r.command == "shutdown" {
					s.exit = 1
				}
				s.run(t)
			})
		}
	}
}

// TestC3C4Preemption: shutdown pre-empts everything, disarm whatever arms.
func TestC3C4Preemption(t *testing.T) {
	slowArm := one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: 500 * ms}}})
	slowSlam := one("/slam", simnet.Script{On: []simnet.On{{Do: "activate", Takes: time.Second}}})
	play(t, []story{
		{
			name: "C3 shutdown while activating", scripts: slowSlam, first: ways[1].way,
			tell:   []simnet.Beat{send("activate"), when(simnet.Begun("activate", "/slam"), simnet.Send{Command: "shutdown"})},
			states: "activating shuttingdown finalized",
			goals:  "activate: aborted preempted, shutdown: succeeded done", ends: "finalized finalized finalized finalized", exit: 1,
		},
		{
			name:    "C3 shutdown in error processing",
			scripts: map[string]simnet.Script{"/slam": on("activate", simnet.On{End: simnet.Refuse}), "/lidar": on("deactivate", simnet.On{Takes: time.Second})},
			first:   ways[1].way,
			tell:    []simnet.Beat{send("activate"), when(simnet.Begun("deactivate", "/lidar"), simnet.Send{Command: "shutdown"})},
			states:  "activating errorprocessing shuttingdown finalized",
			goals:   "activate: aborted preempted, shutdown: succeeded done", ends: "finalized finalized finalized finalized", exit: 1,
		},
		{
			name: "C3 shutdown joins shutdown", scripts: one("/slam", on("shutdown", simnet.On{Takes: time.Second})), first: ways[2].way,
			tell:  []simnet.Beat{send("shutdown"), when(simnet.Begun("shutdown", "/slam"), simnet.Send{Command: "shutdown", Handle: "second"})},
			goals: "shutdown: succeeded done, second: succeeded done", states: "shuttingdown finalized", exit: 1,
		},
		{
			name: "C3 shutdown while armed disarms", first: ways[3].way, tell: []simnet.Beat{send("shutdown")},
			states: "shuttingdown finalized", goals: "shutdown: succeeded done",
			calls: "disarm arm_driver, shutdown arm_driver, shutdown camera, shutdown slam, shutdown lidar", exit: 1,
		},
		{
			name: "C4 disarm while arming waits behind the arm in the node", scripts: slowArm, first: ways[2].way,
			tell:   []simnet.Beat{send("arm"), when(simnet.Called("arm", "/arm_driver").Later(5*ms), simnet.Send{Command: "disarm"})},
			states: "arming disarming active", goals: "arm: aborted preempted, disarm: succeeded done",
			ends: "active active active active", calls: "arm arm_driver, disarm arm_driver",
		},
		{
			name: "C4 an arm that ends after its disarm is disarmed again", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Takes: time.Second}}}),
			tell:    []simnet.Beat{send("arm"), when(simnet.Called("arm", "/arm_driver"), simnet.Send{Command: "disarm"})},
			states:  "arming disarming active", goals: "arm: aborted preempted, disarm: succeeded done",
			ends: "active active active active", calls: "arm arm_driver, disarm arm_driver, disarm arm_driver",
		},
		{
			name: "C4 disarm while a path to armed activates", scripts: slowSlam, first: ways[1].way,
			tell:   []simnet.Beat{send("armed"), when(simnet.Begun("activate", "/slam"), simnet.Send{Command: "disarm"})},
			states: "activating inactive", goals: "armed: aborted preempted, disarm: succeeded done",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "C4 disarm joins disarm", scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: 500 * ms}}}), first: ways[3].way,
			tell:   []simnet.Beat{send("disarm"), when(simnet.Called("disarm", "/arm_driver"), simnet.Send{Command: "disarm", Handle: "second"})},
			states: "disarming active", goals: "disarm: succeeded done, second: succeeded done", ends: "active active active active",
		},
	})
}

// TestGoalsWithAnID: nothing runs twice for callers that ask again.
func TestGoalsWithAnID(t *testing.T) {
	slow := one("/lidar", on("configure", simnet.On{Takes: time.Second}))
	ask := func(command, handle string) simnet.Send {
		return simnet.Send{Command: command, Handle: handle, ID: "42"}
	}
	play(t, []story{
		{
			name: "joins the running goal of its id", scripts: slow,
			tell:   []simnet.Beat{when(simnet.Then(), ask("configure", "a")), when(simnet.Begun("configure", "/lidar"), ask("configure", "b"))},
			states: "unconfigured configuring inactive", goals: "a: succeeded done, b: succeeded done",
			calls: "configure lidar, configure camera, configure slam, configure arm_driver",
		},
		{
			name:   "gets the result of the ended goal of its id",
			tell:   []simnet.Beat{when(simnet.Then(), ask("configure", "a")), when(simnet.Ended("a"), ask("configure", "b"))},
			states: "unconfigured configuring inactive", goals: "a: succeeded done, b: succeeded done",
			calls: "configure lidar, configure camera, configure slam, configure arm_driver",
		},
	})
}

// TestC7Repair: a network that is not intact is not raised; the command to the present state repairs it.
func TestC7Repair(t *testing.T) {
	strayed := when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Inactive})
	after := simnet.Then().Later(100 * ms)
	play(t, []story{
		{
			name: "arm refused", first: ways[2].way, tell: []simnet.Beat{strayed, when(after, simnet.Send{Command: "arm"})},
			goals: "arm: rejected", why: "/slam is inactive, not active", states: "none", calls: "none",
		},
		{
			name: "the command repairs", first: ways[2].way, tell: []simnet.Beat{strayed, when(after, simnet.Send{Command: "activate"})},
			goals: "activate: succeeded done", states: "activating active", calls: "activate slam", ends: "active active active active",
		},
		{
			name: "the state's name repairs", first: ways[2].way, tell: []simnet.Beat{strayed, when(after, simnet.Send{Command: "active"})},
			goals: "active: succeeded done", states: "activating active", calls: "activate slam", ends: "active active active active",
		},
		{
			name: "lowering is legal", first: ways[2].way, tell: []simnet.Beat{strayed, when(after, simnet.Send{Command: "deactivate"})},
			goals: "deactivate: succeeded done", states: "deactivating inactive", ends: "inactive inactive inactive inactive",
			calls: "deactivate camera, deactivate arm_driver, deactivate lidar",
		},
	})
}
