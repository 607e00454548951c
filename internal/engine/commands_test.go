package engine_test

import (
	"fmt"
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

// slow is a network whose nodes take their time, so that it can be met in every passing state.
var slow = map[string]simnet.Script{
	"/slam":       {On: []simnet.On{{Takes: time.Second}}},
	"/arm_driver": {Arm: []simnet.Reply{{Takes: time.Second}}, Disarm: []simnet.Reply{{Takes: 500 * ms}}},
}

// places are the states of a network, each with what brings it there: what it does first, and what runs then. One in
// which something runs is passed through.
var places = map[string]struct {
	first   []string
	runs    string
	scripts map[string]simnet.Script
}{
	"unknown":      {scripts: one("/slam", simnet.Script{Never: true})},
	"unconfigured": {},
	"inactive":     {first: ways[1].way},
	"active":       {first: ways[2].way},
	"armed":        {first: ways[3].way},
	"configuring":  {runs: "configure", scripts: slow},
	"activating":   {first: ways[1].way, runs: "activate", scripts: slow},
	"cleaningup":   {first: ways[1].way, runs: "cleanup", scripts: slow},
	"deactivating": {first: ways[2].way, runs: "deactivate", scripts: slow},
	"arming":       {first: ways[2].way, runs: "arm", scripts: slow},
	"disarming":    {first: ways[3].way, runs: "disarm", scripts: slow},
	"shuttingdown": {first: ways[2].way, runs: "shutdown", scripts: slow},
	"errorprocessing": {first: ways[1].way, runs: "activate", scripts: map[string]simnet.Script{
		"/slam":  on("activate", simnet.On{End: simnet.Refuse}),
		"/lidar": on("deactivate", simnet.On{Takes: time.Second}),
	}},
	"finalized": {first: ways[2].way, runs: "shutdown"},
}

// commands is what becomes of every command in every state: where it leads, - where it is rejected and changes nothing,
// = where it is accepted and there is nothing to do: a disarm is never refused.
const commands = `
state           | configure | cleanup      | activate | deactivate | arm   | disarm | shutdown
unknown         | -         | -            | -        | -          | -     | =      | finalized
unconfigured    | inactive  | -            | -        | -          | -     | =      | finalized
inactive        | -         | unconfigured | active   | -          | -     | =      | finalized
active          | -         | -            | -        | inactive   | armed | =      | finalized
armed           | -         | -            | -        | -          | -     | active | finalized
configuring     | -         | -            | -        | -          | -     | =      | finalized
activating      | -         | -            | -        | -          | -     | =      | finalized
cleaningup      | -         | -            | -        | -          | -     | =      | finalized
deactivating    | -         | -            | -        | -          | -     | =      | finalized
arming          | -         | -            | -        | -          | -     | active | finalized
disarming       | -         | -            | -        | -          | -     | active | finalized
shuttingdown    | -         | -            | -        | -          | -     | =      | finalized
errorprocessing | -         | -            | -        | -          | -     | =      | finalized
finalized       | -         | -            | -        | -          | -     | =      | -
`

// TestC1EveryCommandInEveryState holds every pair: a legal command leads where it should. Every
// other command is rejected with the list of the legal ones, and changes nothing.
func TestC1EveryCommandInEveryState(t *testing.T) {
	rows := table(t, commands, 8)
	if len(rows)-1 != len(places) {
		t.Errorf("the table has %d states of %d", len(rows)-1, len(places))
	}
	for _, cells := range rows[1:] {
		var legal []string
		for k, command := range rows[0][1:] {
			if cells[k+1] != "-" && (cells[k+1] != "=" || cells[0] == "unknown") {
				legal = append(legal, command)
			}
		}
		for k, command := range rows[0][1:] {
			t.Run(command+" in "+cells[0], func(t *testing.T) { oneCommand(t, cells[0], command, cells[k+1], legal) })
		}
	}
}

// oneCommand asks for a command in a state, and looks where it leads.
func oneCommand(t *testing.T, state, command, leads string, legal []string) {
	place := places[state]
	s := story{first: place.first, scripts: place.scripts}
	asks := simnet.Send{Command: command, Handle: "asked"}
	switch {
	case state == "unknown":
		w := simnet.New(s.network(t), simnet.Options{Seed: 1, Scripts: place.scripts})
		w.Tell(when(simnet.At(4*time.Second), asks)) // the name is taken after 3 s, and /slam waited for till 10 s
		verify(t, w.Run(), "", leads, legal)
		return
	case state == "finalized":
		s.tell = []simnet.Beat{{When: simnet.Then(), Do: simnet.Send{Command: place.runs, Handle: "running"}},
			when(simnet.Shown(state), asks)}
	case place.runs != "":
		s.tell = []simnet.Beat{
			{When: simnet.Then(), Do: simnet.Send{Command: place.runs, Handle: "running"}},
			when(simnet.Shown(state).Later(100*ms), asks),
		}
	default:
		s.tell = []simnet.Beat{when(simnet.Then(), asks)}
	}
	if leads == "finalized" || place.runs == "shutdown" {
		s.exit = 1
	}
	undisturbed := ""
	if leads == "-" || leads == "=" {
		quiet := s
		quiet.tell = s.tell[:len(s.tell)-1]
		trace := quiet.run(t)
		undisturbed = trace.Story() + "; " + trace.Work()
	}
	verify(t, s.run(t), undisturbed, leads, legal)
}

// verify compares what became of a command with what the table says, and with the run in which it was not asked for.
func verify(t *testing.T, trace *simnet.Trace, undisturbed, leads string, legal []string) {
	t.Helper()
	g := trace.Goal("asked")
	got := g.Result.State
	switch {
	case g.Rejected:
		got = "-"
		if g.Why == "" || !slices.Equal(g.Legal, legal) {
			t.Errorf("rejected because %q; legal: %v, want %v", g.Why, g.Legal, legal)
		}
	case g.Verdict() == "succeeded already":
		got = "="
	case g.Verdict() != "succeeded done":
		t.Errorf("it %s", g.Verdict())
	}
	if got != leads {
		t.Errorf("leads to %s, want %s\n%v", got, leads, trace)
	}
	if now := trace.Story() + "; " + trace.Work(); undisturbed != "" && now != undisturbed {
		t.Errorf("was rejected and changed what happened: %s\nwithout it: %s", now, undisturbed)
	}
}

// TestA1NothingToArm: a network in which nothing can be armed is never offered Arm, and says why it refuses it, even
// where something else stands against it, too.
func TestA1NothingToArm(t *testing.T) {
	const net = "simulation: demo\nnodes: {/a: {}, /b: {optional: true}}\n"
	for _, c := range []struct {
		state string
		tell  []simnet.Beat
		legal string
	}{
		{state: "unconfigured", legal: "configure shutdown"},
		{state: "inactive", legal: "cleanup activate shutdown"},
		{state: "active", legal: "deactivate shutdown"},
		{
			state: "active", legal: "activate deactivate shutdown",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/a"}),
				when(simnet.Then().Later(time.Second), simnet.Nothing{})},
		},
	} {
		for _, goal := range []string{"arm", "armed"} {
			if goal == "arm" && c.state != "active" {
				continue // is not legal there with any network
			}
			t.Run(fmt.Sprintf("%s in %s, %d nodes killed", goal, c.state, len(c.tell)/2), func(t *testing.T) {
				s := story{net: net, tell: append(slices.Clone(c.tell), send(goal)), goals: goal + ": rejected",
					why: "no node that is armed in armed has `arm:`"}
				for _, w := range ways {
					if w.state == c.state {
						s.first = w.way
					}
				}
				trace := s.run(t)
				if got := strings.Join(trace.Goal(goal).Legal, " "); got != c.legal {
					t.Errorf("legal: %s, want %s", got, c.legal)
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
			s := story{first: up[r.from], tell: []simnet.Beat{send(r.to)}, goals: r.to + ": " + r.verdict,
				states: r.states}
			if r.to == "finalized" {
				s.exit = 1
			}
			s.run(t)
		})
	}
}

// TestC3Shutdown: it pre-empts everything, and a second one joins the first.
func TestC3Shutdown(t *testing.T) {
	slowSlam := one("/slam", simnet.Script{On: []simnet.On{{Do: "activate", Takes: time.Second}}})
	play(t, []story{
		{
			name: "shutdown while activating", scripts: slowSlam, first: ways[1].way,
			tell: []simnet.Beat{send("activate"),
				when(simnet.Begun("activate", "/slam"), simnet.Send{Command: "shutdown"})},
			states: "activating shuttingdown finalized",
			goals:  "activate: aborted preempted, shutdown: succeeded done",
			ends:   "finalized finalized finalized finalized", exit: 1,
		},
		{
			name: "shutdown in error processing",
			scripts: map[string]simnet.Script{"/slam": on("activate", simnet.On{End: simnet.Refuse}),
				"/lidar": on("deactivate", simnet.On{Takes: time.Second})},
			first: ways[1].way,
			tell: []simnet.Beat{send("activate"),
				when(simnet.Begun("deactivate", "/lidar"), simnet.Send{Command: "shutdown"})},
			states: "activating errorprocessing shuttingdown finalized",
			goals:  "activate: aborted preempted, shutdown: succeeded done",
			ends:   "finalized finalized finalized finalized", exit: 1,
		},
		{
			name: "shutdown joins shutdown", scripts: one("/slam", on("shutdown", simnet.On{Takes: time.Second})),
			first: ways[2].way,
			tell: []simnet.Beat{send("shutdown"),
				when(simnet.Begun("shutdown", "/slam"), simnet.Send{Command: "shutdown", Handle: "second"})},
			goals: "shutdown: succeeded done, second: succeeded done", states: "shuttingdown finalized", exit: 1,
		},
		{
			name: "shutdown while armed disarms", first: ways[3].way, tell: []simnet.Beat{send("shutdown")},
			states: "shuttingdown finalized", goals: "shutdown: succeeded done",
			calls: "disarm arm_driver, shutdown arm_driver, shutdown camera, shutdown slam, shutdown lidar", exit: 1,
		},
	})
}

// TestE5ARepairLeavesOutWhatIsFinalized, and what comes after it: only a new process leaves finalized, and the other nodes
// stay up.
func TestE5ARepairLeavesOutWhatIsFinalized(t *testing.T) {
	const net = "simulation: demo\nnodes:\n  /a: {}\n  /b: {}\n  /c: {}\n  /d: {after: [/a]}\n"
	for _, command := range []string{"active", "activate"} {
		play(t, []story{{name: command, net: net, first: []string{"active"}, tell: []simnet.Beat{
			when(simnet.Then(), simnet.Ask{Node: "/a", Do: "shutdown"}),
			when(simnet.Then(), simnet.Ask{Node: "/b", Do: "deactivate"}),
			when(simnet.Then(), simnet.Ask{Node: "/d", Do: "deactivate"}),
			when(simnet.Then().Later(3*time.Second), simnet.Send{Command: command}),
			when(simnet.Then().Later(5*time.Second), simnet.Nothing{}),
		}, goals: command + ": aborted held", why: "/a is finalized", ends: "finalized active active inactive"}})
	}
}

// TestA3WhatAFinalizedNodeWasAsked is shown as over: it was asked to disarm, and never answered.
func TestA3WhatAFinalizedNodeWasAsked(t *testing.T) {
	trace := story{net: "simulation: demo\nnodes:\n  /a: {arm: {}}\n", first: []string{"armed"},
		scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}), tell: []simnet.Beat{
			when(simnet.Then(), simnet.Send{Command: "disarm"}), when(simnet.Then().Later(20*time.Second), simnet.Nothing{}),
		}, ends: "finalized"}.run(t)
	if a := trace.Last.Nodes[0]; a.State != lifecycle.Finalized || a.Doing != "" {
		t.Errorf("it is %v, and does %q", a.State, a.Doing)
	}
}

// TestC4Disarm: it pre-empts whatever arms, and is taken wherever something may be armed.
func TestC4Disarm(t *testing.T) {
	slowArm := one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: 500 * ms}}})
	slowSlam := one("/slam", simnet.Script{On: []simnet.On{{Do: "activate", Takes: time.Second}}})
	play(t, []story{
		{
			name: "disarm while arming waits behind the arm in the node", scripts: slowArm, first: ways[2].way,
			tell: []simnet.Beat{send("arm"),
				when(simnet.Called("arm", "/arm_driver").Later(5*ms), simnet.Send{Command: "disarm"})},
			states: "arming disarming active", goals: "arm: aborted preempted, disarm: succeeded done",
			// it may have done the first one before
			ends: "active active active active", calls: "arm arm_driver, disarm arm_driver, disarm arm_driver",
		},
		{
			name: "an arm that ends after its disarm is disarmed again", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Takes: 1500 * ms}}}),
			tell: []simnet.Beat{send("arm"),
				when(simnet.Called("arm", "/arm_driver"), simnet.Send{Command: "disarm"})},
			states: "arming disarming active", goals: "arm: aborted preempted, disarm: succeeded done",
			ends: "active active active active", calls: "arm arm_driver, disarm arm_driver, disarm arm_driver",
		},
		{
			name: "disarm while a path to armed activates", scripts: slowSlam, first: ways[1].way,
			tell: []simnet.Beat{send("armed"),
				when(simnet.Begun("activate", "/slam"), simnet.Send{Command: "disarm"})},
			states: "activating inactive", goals: "armed: aborted preempted, disarm: succeeded done",
			ends: "inactive inactive inactive inactive",
		},
		{
			name: "disarm joins disarm", scripts: one("/arm_driver",
				simnet.Script{Disarm: []simnet.Reply{{Takes: 500 * ms}}}), first: ways[3].way,
			tell: []simnet.Beat{send("disarm"),
				when(simnet.Called("disarm", "/arm_driver"), simnet.Send{Command: "disarm", Handle: "second"})},
			states: "disarming active", goals: "disarm: succeeded done, second: succeeded done",
			ends: "active active active active",
		},
	})
}

// TestC7Repair: a network that is not intact is not raised; the command to the present state repairs it.
func TestC7Repair(t *testing.T) {
	strayed := when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Inactive})
	after := simnet.Then().Later(100 * ms)
	play(t, []story{
		{
			name: "arm refused", first: ways[2].way,
			tell:  []simnet.Beat{strayed, when(after, simnet.Send{Command: "arm"})},
			goals: "arm: rejected", why: "/slam is inactive, not active", states: "none", calls: "none",
		},
		{
			name: "activate refused", keys: "defaults: {on_drift: report}\n", first: ways[1].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Unconfigured}),
				when(after, simnet.Send{Command: "activate"})},
			goals: "activate: rejected", states: "none", calls: "none",
			why: "the network is not intact, so it is not raised: /slam is unconfigured, not inactive",
		},
		{
			name: "the command repairs", first: ways[2].way,
			tell:  []simnet.Beat{strayed, when(after, simnet.Send{Command: "activate"})},
			goals: "activate: succeeded done", states: "activating active", calls: "activate slam",
			ends: "active active active active",
		},
		{
			name: "the state's name repairs", first: ways[2].way,
			tell:  []simnet.Beat{strayed, when(after, simnet.Send{Command: "active"})},
			goals: "active: succeeded done", states: "activating active", calls: "activate slam",
			ends: "active active active active",
		},
		{
			name: "lowering is legal", first: ways[2].way,
			tell:  []simnet.Beat{strayed, when(after, simnet.Send{Command: "deactivate"})},
			goals: "deactivate: succeeded done", states: "deactivating inactive",
			ends:  "inactive inactive inactive inactive",
			calls: "deactivate camera, deactivate arm_driver, deactivate lidar",
		},
	})
}

// TestC2FeedbackCountsEveryNode: nodes that end at one moment are reported one by one, so that none
// looks lost.
func TestC2FeedbackCountsEveryNode(t *testing.T) {
	const every = "/arm_driver /camera /lidar /slam"
	for name, c := range map[string]struct {
		first                []string
		tell, counted, nodes string
	}{
		"all have something to do": {nil, "configure", "1/4 2/4 3/4 4/4", every},
		"all are there already":    {[]string{"configure", "activate"}, "arm", "1/4 2/4 3/4 4/4", every},
	} {
		t.Run(name, func(t *testing.T) {
			trace := story{first: c.first, tell: []simnet.Beat{here, send(c.tell)},
				goals: c.tell + ": succeeded done"}.run(t)
			var counted, nodes []string
			for _, f := range trace.Goal(c.tell).Feedback {
				counted = append(counted, fmt.Sprintf("%d/%d", f.Done, f.Total))
				nodes = append(nodes, f.Last.Node)
			}
			slices.Sort(nodes)
			if strings.Join(counted, " ") != c.counted || strings.Join(nodes, " ") != c.nodes {
				t.Errorf("counted %v of %v, want %s of %s", counted, nodes, c.counted, c.nodes)
			}
		})
	}
}
