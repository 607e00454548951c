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

const soloNet = "simulation: x\nnodes:\n  /a: {}\n"

// TestE8NoClock: simulated time of which nothing is heard holds deadlines for 5 s, and then real time counts.
func TestE8NoClock(t *testing.T) {
	slow := func(d time.Duration) map[string]simnet.Script {
		return one("/a", on("configure", simnet.On{Takes: d})) // its deadline is 30 s
	}
	begun := simnet.Begun("configure", "/a")
	none := simnet.Options{Simulated: true, NoClock: true}
	good, bad := "configure: succeeded done", "configure: aborted restored"
	ask := send("configure")
	play(t, []story{
		{name: "never", net: soloNet, opt: none, scripts: slow(40 * time.Second), tell: []simnet.Beat{ask}, goals: bad},
		{name: "never, in time", net: soloNet, opt: none, scripts: slow(20 * time.Second), tell: []simnet.Beat{ask},
			goals: good},
		{
			// Its first message is no leap: what is under way begins its time with it.
			name: "late, and far from zero", net: soloNet, opt: none, scripts: slow(40 * time.Second),
			tell: []simnet.Beat{
				ask, when(begun.Later(20*time.Second), simnet.JumpClock{By: 1000 * time.Hour}),
				when(simnet.Then(), simnet.StartClock{}),
			},
			goals: good,
		},
		{
			name: "set while a node is under way", net: soloNet, scripts: slow(40 * time.Second),
			tell:  []simnet.Beat{ask, when(begun.Later(20*time.Second), simnet.UseClock{On: true})},
			goals: good,
		},
		{
			name: "set and taken back", net: soloNet, scripts: slow(65 * time.Second),
			tell: []simnet.Beat{
				ask, when(begun.Later(20*time.Second), simnet.UseClock{On: true}),
				when(simnet.Then().Later(20*time.Second), simnet.UseClock{}),
			},
			goals: good,
		},
		{
			name: "taken back, and too slow", net: soloNet, opt: simnet.Options{Simulated: true},
			scripts: slow(40 * time.Second),
			tell: []simnet.Beat{ask, when(begun, simnet.StopClock{}),
				when(simnet.Then().Later(time.Second), simnet.UseClock{})}, goals: bad,
		},
	})
}

// TestE8AlwaysSteady: what arms, disarms and shuts down comes to its end while simulated time stands.
func TestE8AlwaysSteady(t *testing.T) {
	opt := simnet.Options{Simulated: true}
	hang := func(what string) map[string]simnet.Script {
		return one("/arm_driver", on(what, simnet.On{End: simnet.Hang}))
	}
	stop := when(simnet.Then(), simnet.StopClock{})
	play(t, []story{
		{
			name: "shutting down a node that answers nothing", opt: opt, first: ways[2].way,
			tell:   []simnet.Beat{stop, when(simnet.Then(), simnet.Freeze{Node: "/lidar"}), send("shutdown")},
			states: "shuttingdown finalized", exit: 6,
		},
		{
			name: "shutting down a node that is busy for good", opt: opt, first: ways[1].way, scripts: hang("activate"),
			tell: []simnet.Beat{stop, send("activate"),
				when(simnet.Begun("activate", "/arm_driver"), simnet.Send{Command: "shutdown"})},
			states: "activating shuttingdown finalized", exit: 6,
		},
		{
			name: "arming while a node answers nothing", opt: opt, first: ways[2].way,
			tell: []simnet.Beat{
				stop, when(simnet.Then(), simnet.Freeze{Node: "/slam"}), send("arm"),
				when(simnet.Shown("errorprocessing"), simnet.Thaw{Node: "/slam"}),
			},
			goals: "arm: aborted restored", why: "/slam does not answer get_state",
		},
		{
			name: "disarming a node that does not answer", opt: opt, first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Silent: true}, {Silent: true},
				{Silent: true}, {Silent: true},
				{Silent: true}, {Silent: true}, {Silent: true}, {Silent: true}, {Silent: true}, {Silent: true},
				{Silent: true}, {Silent: true}, {}}}),
			tell: []simnet.Beat{stop, send("disarm")}, goals: "disarm: aborted held",
		},
	})
}

// TestE8SaysWhichClockCounts: in the state, as a warning where it is not the one that was asked for, and in the log.
func TestE8SaysWhichClockCounts(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte(soloNet))
	if err != nil {
		t.Fatal(err)
	}
	s := engine.New(net, engine.Options{Instance: "a"})
	var entries []string
	var step func(now engine.Time, in engine.Input)
	step = func(now engine.Time, in engine.Input) {
		var effects []engine.Effect
		s, effects = engine.Step(s, now, in)
		for _, e := range effects {
			switch e := e.(type) {
			case engine.Record:
				if e.Entry.Kind == engine.EntryClock {
					entries = append(entries, string(e.Entry.Event)+" "+e.Entry.Sentence[:20])
				}
			case engine.ReadState:
				step(now, engine.StateRead{Ticket: e.Ticket, State: lifecycle.Unconfigured})
			case engine.SyncJournal:
				step(now, engine.JournalSynced{Ticket: e.Ticket})
			}
		}
	}
	at := func(steady int) engine.Time { return engine.Time{Steady: time.Duration(steady) * time.Second} }
	sim := func(steady, ros int) engine.Time {
		now := at(steady)
		now.Simulated, now.Heard, now.ROS = true, ros > 0, time.Duration(ros)*time.Second
		return now
	}
	step(at(0), engine.NodeSeen{Epoch: 1, Count: 1})
	step(at(1), engine.GoalAsked{Handle: "g", Command: "configure"}) // 30 s from here
	for i, c := range []struct {
		now    engine.Time
		clock  engine.ClockMode
		left   int // seconds
		warned bool
	}{
		{at(1), engine.ClockSteady, 30, false},
		{at(2), engine.ClockSteady, 29, false},
		{sim(3, 0), engine.ClockHeld, 30, false}, // it may come yet
		{sim(7, 0), engine.ClockHeld, 30, false},
		{sim(8, 0), engine.ClockSteady, 30, true},
		{sim(9, 0), engine.ClockSteady, 29, true},
		{sim(10, 500), engine.ClockROS, 30, false},
		{sim(20, 505), engine.ClockROS, 25, false},
		{sim(20, 505), engine.ClockROS, 25, false},
		{sim(21, 505), engine.ClockHeld, 25, false},
		{sim(22, 506), engine.ClockROS, 24, false},
		{sim(22, 400), engine.ClockROS, 30, false},
		{sim(23, 0), engine.ClockHeld, 30, false}, // set to false and to true again between two looks
		{sim(24, 401), engine.ClockROS, 30, false},
		{at(30), engine.ClockSteady, 30, false},
	} {
		step(c.now, engine.Tick{})
		snap := s.Snapshot()
		n := snap.Nodes[0]
		left := time.Duration(c.left) * time.Second
		if snap.Clock != c.clock || n.TimeLeft != left || n.Held != (c.clock == engine.ClockHeld) ||
			(len(snap.Warnings) > 0) != c.warned {
			t.Errorf("%d, %+v: clock %s, %v left (held: %v) to %q, warnings %q; want %+v", i, c.now, snap.Clock,
				n.TimeLeft, n.Held, n.Doing, snap.Warnings, c)
		}
		if c.warned && !strings.Contains(snap.Warnings[0], "nothing is heard on /clock") {
			t.Errorf("%d: warns of %q", i, snap.Warnings)
		}
	}
	want := []string{"failed use_sim_time is true", "done /clock is heard: dea"}
	if fmt.Sprint(entries) != fmt.Sprint(want) {
		t.Errorf("recorded %q, want %q", entries, want)
	}
}

// TestE8StandingIsNoticed: nothing has to happen for it; the engine asks to be woken.
func TestE8StandingIsNoticed(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte(soloNet))
	if err != nil {
		t.Fatal(err)
	}
	s := engine.New(net, engine.Options{Instance: "a"})
	now := engine.Time{Simulated: true, Heard: true, ROS: time.Hour}
	for now.Steady < time.Minute {
		var effects []engine.Effect
		s, effects = engine.Step(s, now, engine.Tick{})
		if s.Snapshot().Clock == engine.ClockHeld {
			if now.Steady != time.Second {
				t.Errorf("it is noticed after %v", now.Steady)
			}
			return
		}
		var woken bool
		for _, e := range effects {
			if w, ok := e.(engine.WakeAt); ok && w.Steady > now.Steady {
				now.Steady, woken = w.Steady, true
			}
		}
		if !woken {
			t.Fatalf("at %v nothing more is to be woken for", now.Steady)
		}
	}
	t.Errorf("at %v the clock still counts as running", now.Steady)
}

// TestE8RatesCountTheClockThatIsHeard: real time until the simulated clock is heard, and that from then on. With it
// they begin anew.
func TestE8RatesCountTheClockThatIsHeard(t *testing.T) {
	const scan = "simulation: x\nnodes:\n  /a: {arm: {}, checks: [{topic: /scan, rate: 10Hz}]}\n"
	none, sim := simnet.Options{Simulated: true, NoClock: true}, simnet.Options{Simulated: true}
	far := simnet.JumpClock{By: 1000 * time.Hour}
	stop, start := when(simnet.Then(), simnet.StopClock{}), when(simnet.Then(), simnet.StartClock{})
	slow := when(simnet.Then().Later(2*time.Second), simnet.Publish{Node: "/a", Share: 0.5})
	play(t, []story{
		{name: "nothing is heard yet", first: ways[2].way,
			tell:  []simnet.Beat{stop, when(simnet.Then(), simnet.UseClock{On: true}), send("arm")},
			goals: "arm: succeeded done"},
		{name: "nothing is heard, and it becomes slow", opt: none, first: armedAll, tell: []simnet.Beat{slow},
			states: "disarming active"},
		{name: "heard while armed, and far from zero", opt: none, first: armedAll,
			tell: []simnet.Beat{when(simnet.Then(), far), start}, states: "none"},
		{name: "heard while armed, and it becomes slow", opt: none, first: armedAll,
			tell: []simnet.Beat{when(simnet.Then(), far), start, slow}, states: "disarming active"},
		{name: "it stands, and the topic with it", opt: sim, first: armedAll, tell: []simnet.Beat{stop},
			states: "none"},
		{name: "its publisher ends, and the topic comes on", opt: sim, first: armedAll,
			tell: []simnet.Beat{when(simnet.Then(), simnet.EndClock{})}, states: "none"},
		{name: "its publisher ends, and the topic with it", opt: sim, first: armedAll, tell: []simnet.Beat{
			when(simnet.Then(), simnet.EndClock{}), when(simnet.Then(), simnet.Publish{Node: "/a"})},
			states: "disarming active"},
		{name: "… and both come back", opt: sim, first: ways[2].way, tell: []simnet.Beat{
			when(simnet.Then(), simnet.EndClock{}), when(simnet.Then().Later(10*time.Second), simnet.StartClock{}),
			when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm"})},
			states: "arming armed"},
		{name: "heard no more", opt: sim, first: armedAll,
			tell: []simnet.Beat{when(simnet.Then().Later(2*time.Second), simnet.UseClock{})}, states: "none"},
		{name: "a node of real time", net: strings.Replace(scan, "arm: {}", "clock: steady, arm: {}", 1), opt: sim,
			first: armedAll, tell: []simnet.Beat{stop}, states: "none"},
	}, func(s *story) {
		if s.net == "" {
			s.net = scan
		}
	})
}
