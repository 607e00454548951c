package daemon

import (
	"testing"
	"time"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/httpapi"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// TestFiguresOfALife: what is counted of a bring-up that succeeds, one that fails, an arming and a loss.
func TestFiguresOfALife(t *testing.T) {
	net, err := network.Parse("robot.yaml", []byte(robot))
	if err != nil {
		t.Fatal(err)
	}
	slow := simnet.Script{On: []simnet.On{{Do: "configure", Takes: time.Second}}}
	world := simnet.New(net, simnet.Options{Seed: 1, Scripts: map[string]simnet.Script{"/lidar": slow}})
	f, read := newFigures(net), 0
	pass := func(d time.Duration) {
		for trace := world.Pass(d); read < len(trace.Entries); read++ {
			e := trace.Entries[read]
			f.note(engine.Record{Entry: e}, e.At)
		}
	}
	pass(3 * time.Second)
	for _, command := range []string{"configure", "activate", "arm"} {
		world.Do(simnet.Send{Command: command})
		pass(2 * time.Second)
	}
	world.Do(simnet.Kill{Node: "/lidar"})
	pass(3 * time.Second)

	all := f.read()
	for _, command := range []string{"configure", "activate", "arm"} {
		if n := all.Transitions[httpapi.Transition{Command: command, Result: httpapi.Reached}].Count; n != 1 {
			t.Errorf("%s was counted %d times as reached: %+v", command, n, all.Transitions)
		}
	}
	if d := all.Transitions[httpapi.Transition{Command: "configure", Result: httpapi.Reached}]; d.Sum < time.Second ||
		d.Sum > 2*time.Second {
		t.Errorf("configure took %v, though /lidar takes a second for it", d.Sum)
	}
	if d := all.Steps[httpapi.NodeStep{Node: "/lidar", Step: "configure", Verdict: "done"}]; d.Count != 1 ||
		d.Sum < time.Second || d.Sum > 2*time.Second {
		t.Errorf("the step of /lidar: %+v", d)
	}
	if all.Losses["/lidar"] != 1 || all.Losses["/wheels"] != 0 || all.Deviations["/lidar"] != 1 ||
		all.Arms["/wheels"] != 1 || len(all.Arms) != 1 {
		t.Errorf("losses %v, deviations %v, arms %v", all.Losses, all.Deviations, all.Arms)
	}
}

// TestFiguresOfEffects: each end of a transition, what clients asked for, and what is not counted.
func TestFiguresOfEffects(t *testing.T) {
	net, err := network.Parse("robot.yaml", []byte(robot))
	if err != nil {
		t.Fatal(err)
	}
	f, at := newFigures(net), time.Unix(0, 0)
	state := func(event engine.EntryEvent, command, to, state string) {
		at = at.Add(time.Second)
		f.note(engine.Record{Entry: engine.Entry{Kind: engine.EntryState, Event: event, Command: command,
			Way: engine.Way{To: to}, State: state}}, at)
	}
	state(engine.EventSettled, "", "", "unconfigured") // of a start: no command began
	state(engine.EventBegan, "configure", "inactive", "configuring")
	state(engine.EventTurned, "configure", "unconfigured", "cleaningup")
	state(engine.EventSettled, "", "", "unconfigured")
	state(engine.EventBegan, "configure", "inactive", "configuring")
	state(engine.EventBegan, "shutdown", "finalized", "shuttingdown")
	state(engine.EventSettled, "", "", "finalized")
	for _, e := range []engine.Entry{
		{Kind: engine.EntryNode, Event: engine.EventGone, Node: "/made_up"},
		{Kind: engine.EntryStep, Event: engine.EventDone, Node: "/made_up", Step: "configure"},
		{Kind: engine.EntryPeer, Event: engine.EventGone, Node: "/lidar"},
		{Kind: engine.EntryStep, Event: engine.EventSent, Node: "/lidar", Step: "configure"},
		{Kind: engine.EntryStall, Event: engine.EventLate},
		{Kind: engine.EntryNode, Event: engine.EventStrayed, Node: "/lamp"},
		{Kind: engine.EntryNode, Event: engine.EventStrayed, Node: "/lamp"}, // in other words
		{Kind: engine.EntryNode, Event: engine.EventFits, Node: "/lamp"},
		{Kind: engine.EntryNode, Event: engine.EventStrayed, Node: "/lamp"},
		{Kind: engine.EntryNode, Event: engine.EventMayBeArmed, Node: "/lamp", Cause: "an earlier run",
			Disarm: engine.DisarmCall{Armed: true}},
		{Kind: engine.EntryStop, Event: engine.EventLatched, Node: "/rstate"},
		{Kind: engine.EntryStop, Event: engine.EventAcknowledged, Node: "/rstate"},
	} {
		f.note(engine.Record{Entry: e}, at)
	}
	f.note(engine.RejectGoal{}, at)
	f.note(engine.FinishGoal{Result: engine.Result{Outcome: engine.OutcomeDone}}, at)
	f.note(engine.FinishGoal{Result: engine.Result{Outcome: engine.OutcomeDone}}, at)

	all := f.read()
	for key, took := range map[httpapi.Transition]time.Duration{
		{Command: "configure", Result: httpapi.Failed}:   2 * time.Second,
		{Command: "configure", Result: httpapi.Replaced}: time.Second,
		{Command: "shutdown", Result: httpapi.Reached}:   time.Second,
	} {
		if d := all.Transitions[key]; d.Count != 1 || d.Sum != took {
			t.Errorf("%v: %+v, not once %v", key, d, took)
		}
	}
	if len(all.Transitions) != 3 || len(all.Steps)+len(all.Losses)+len(all.Arms) != 0 ||
		all.Deviations["/lamp"] != 2 || all.Stalls != 1 || all.Stops != 1 || all.Refused != 1 || all.Goals["done"] != 2 {
		t.Errorf("counted: %+v", all)
	}
}

// TestFiguresOfTheLoop: the lag is what a turn is later than planned.
func TestFiguresOfTheLoop(t *testing.T) {
	f, at := newFigures(&network.Network{}), time.Unix(0, 0)
	for _, later := range []time.Duration{0, 0, 30 * time.Millisecond, -30 * time.Millisecond} {
		at = at.Add(coordinator.Beat + later)
		f.beats(at)
	}
	if lag := f.read().Lag; lag.Count != 3 || lag.Sum != 30*time.Millisecond {
		t.Errorf("three turns, one of which is 30 ms late: %+v", lag)
	}
}
