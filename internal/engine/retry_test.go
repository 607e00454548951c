package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// A node with `retry` is asked again after a refusal, as often as the file says, and for nothing else.
func TestE9ARefusedStepIsAskedAgain(t *testing.T) {
	const net = "simulation: demo\nnodes:\n  /slam: {retry: %s, deadline: {configure: 5s}}\n  /lidar: {after: [/slam]}\n"
	no := func(do string, times int) map[string]simnet.Script {
		return one("/slam", simnet.Script{On: []simnet.On{{Do: do, Times: times, End: simnet.Refuse}}})
	}
	activated := ways[2].way
	play(t, []story{
		{
			name: "yes at the second request", net: fmt.Sprintf(net, "2"), scripts: no("configure", 1),
			tell:  []simnet.Beat{send("configure")},
			goals: "configure: succeeded done", calls: "configure slam, configure slam, configure lidar",
			ends: "inactive inactive",
		},
		{
			name: "yes at the last request", net: fmt.Sprintf(net, "{configure: 2}"), scripts: no("configure", 2),
			tell:  []simnet.Beat{send("configure")},
			goals: "configure: succeeded done",
			calls: "configure slam, configure slam, configure slam, configure lidar", ends: "inactive inactive",
		},
		{
			name: "no to every request", net: fmt.Sprintf(net, "2"), scripts: no("configure", 0),
			tell:  []simnet.Beat{send("configure")},
			goals: "configure: aborted restored", calls: "configure slam, configure slam, configure slam",
			ends: "unconfigured unconfigured",
			why:  "/slam answered no to configure 3 times; it is still unconfigured",
		},
		{
			name: "another step is not repeated", net: fmt.Sprintf(net, "{activate: 2}"), scripts: no("configure", 1),
			tell:  []simnet.Beat{send("configure")},
			goals: "configure: aborted restored", calls: "configure slam",
			why: "/slam answered no to configure; it is still",
		},
		{
			name: "each step has its own number", first: activated,
			net: "simulation: demo\nnodes:\n  /slam: {optional: true, retry: 1}\n  /lidar: {}\n",
			scripts: one("/slam", simnet.Script{Born: 20 * time.Second, On: []simnet.On{
				{Do: "configure", Times: 1, End: simnet.Refuse}, {Do: "activate", Times: 1, End: simnet.Refuse},
			}}),
			tell:  []simnet.Beat{when(simnet.Then().Later(30*time.Second), simnet.Nothing{})},
			calls: "configure slam, configure slam, activate slam, activate slam", ends: "active active",
		},
		{
			name: "on the way down", net: fmt.Sprintf(net, "1"), scripts: no("deactivate", 1), first: activated,
			tell:  []simnet.Beat{send("deactivate")},
			goals: "deactivate: succeeded done", calls: "deactivate lidar, deactivate slam, deactivate slam",
			ends: "inactive inactive",
		},
		{
			name: "an error is not repeated", net: fmt.Sprintf(net, "2"),
			scripts: one("/slam", on("configure", simnet.On{End: simnet.Err})),
			tell:    []simnet.Beat{send("configure")}, goals: "configure: aborted restored", calls: "configure slam",
		},
		{
			name: "the deadline is shared", scripts: no("configure", 0), tell: []simnet.Beat{send("configure")},
			net:   "simulation: demo\nnodes:\n  /slam: {retry: 100, deadline: {configure: 900ms}}\n",
			goals: "configure: aborted restored", calls: "configure slam, configure slam", ends: "unconfigured",
		},
		{
			name: "cancelled in the pause", net: fmt.Sprintf(net, "2"), scripts: no("configure", 0),
			tell: []simnet.Beat{
				send("configure"),
				when(simnet.Begun("configure", "/slam").Later(300*time.Millisecond),
					simnet.Cancel{Handle: "configure"}),
			},
			goals: "configure: canceled canceled", calls: "configure slam", ends: "unconfigured unconfigured",
		},
		{
			name: "killed in the pause", net: fmt.Sprintf(net, "2"), scripts: no("configure", 0),
			tell: []simnet.Beat{
				send("configure"),
				when(simnet.Begun("configure", "/slam").Later(300*time.Millisecond), simnet.Kill{Node: "/slam"}),
			},
			goals: "configure: aborted restored", why: "/slam left the graph",
		},
		{
			name: "shutdown is not repeated", net: fmt.Sprintf(net, "2"), scripts: no("shutdown", 0),
			tell:  []simnet.Beat{send("shutdown")},
			calls: "shutdown lidar, shutdown slam", exit: 1,
		},
	})
}

// While a node is asked again, its state says so, and when the deadline of the step ends.
func TestE9TheStateShowsIt(t *testing.T) {
	net, err := network.Parse("test.yaml",
		[]byte("simulation: demo\nnodes:\n  /slam: {retry: 2, deadline: {configure: 5s}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := engine.New(net, engine.Options{Instance: "a"})
	var calls []uint64
	var refused []string
	now := time.Duration(0)
	var step func(in engine.Input)
	step = func(in engine.Input) {
		var effects []engine.Effect
		s, effects = engine.Step(s, engine.Time{Steady: now}, in)
		for _, e := range effects {
			switch e := e.(type) {
			case engine.ReadState:
				step(engine.StateRead{Ticket: e.Ticket, State: lifecycle.Unconfigured})
			case engine.SyncJournal:
				step(engine.JournalSynced{Ticket: e.Ticket})
			case engine.CallNode:
				calls = append(calls, e.Call)
			case engine.Record:
				if e.Entry.Verdict == engine.VerdictRefused {
					refused = append(refused, e.Entry.Cause)
				}
			}
		}
	}
	step(engine.NodeSeen{Epoch: 1, Count: 1})
	now = time.Second
	step(engine.GoalAsked{Handle: "g", Command: "configure"})
	now = 1200 * time.Millisecond
	step(engine.CallAnswered{Call: calls[0]})
	now = 1300 * time.Millisecond // a late announcement does not shorten the pause
	step(engine.EventHeard{From: lifecycle.Unconfigured, To: lifecycle.Configuring})
	step(engine.EventHeard{From: lifecycle.Configuring, To: lifecycle.Unconfigured})
	now = 1400 * time.Millisecond
	step(engine.Tick{})
	if n := s.Snapshot().Nodes[0]; n.Doing != "configure again (1 of 2)" || n.TimeLeft != 4600*time.Millisecond ||
		len(calls) != 1 {
		t.Errorf("in the pause it is shown as %q with %v left, after %d requests", n.Doing, n.TimeLeft, len(calls))
	}
	now = 2 * time.Second
	step(engine.Tick{})
	if n := s.Snapshot().Nodes[0]; n.Doing != "configure again (1 of 2)" || n.TimeLeft != 4*time.Second ||
		len(calls) != 2 {
		t.Errorf("asked again it is shown as %q with %v left, after %d requests", n.Doing, n.TimeLeft, len(calls))
	}
	if got := strings.Join(refused, "; "); got != "answered no to configure; it is asked again (1 of 2)" {
		t.Errorf("the journal says %q", got)
	}
}
