package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	"rstate/internal/simnet"
)

// stoppable is the demo with a stop input.
const stoppable = "stop: [{topic: /estop}]\n"

// TestA12AStopDisarmsAtOnceAndLatches: whatever ends the clear of a stop input while something is armed disarms
// at once and one way, and Arm is refused until a person has acknowledged.
func TestA12AStopDisarmsAtOnceAndLatches(t *testing.T) {
	again := func(m simnet.Moment) simnet.Beat {
		return when(m, simnet.Send{Command: "arm", Handle: "again"})
	}
	rejected := "again: rejected"
	play(t, []story{
		{
			name: "a button is pressed", first: armedAll, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), again(simnet.Shown("active")),
			},
			states: "disarming active", calls: "disarm arm_driver", goals: rejected,
			why: "/estop: /button 1 says stop (release the stop, then run rstate acknowledge)",
		},
		{
			name: "… and released at once", first: armedAll, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then(), simnet.Press{Not: true}),
				again(simnet.Shown("active").Later(time.Second)),
			},
			states: "disarming active", goals: rejected, why: "run rstate acknowledge",
		},
		{
			name: "a button falls silent", first: armedAll, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Hush{}), when(simnet.Shown("active").Later(time.Second), simnet.Hush{Not: true}),
				again(simnet.Then().Later(time.Second)),
			},
			states: "disarming active", goals: rejected, why: "/estop: /button 1 has said nothing for 500ms",
		},
		{
			name: "a button is killed", first: armedAll, tell: []simnet.Beat{
				when(simnet.Then(), simnet.KillButton{}), again(simnet.Shown("active")),
			},
			states: "disarming active", goals: rejected, why: "/estop: /button 1 has said nothing for 500ms",
		},
		{
			name: "a button leaves in order", first: armedAll, tell: []simnet.Beat{
				when(simnet.Then(), simnet.UnplugButton{}), again(simnet.Shown("active")),
			},
			states: "disarming active", goals: rejected, why: "/estop: /button 1 is gone",
		},
		{
			name: "a message that cannot be read", first: armedAll, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Garble{}), again(simnet.Shown("active")),
			},
			states: "disarming active", goals: rejected, why: "a message of /button 1 cannot be read",
		},
		{
			name: "one of two buttons falls silent", first: []string{"configure", "activate"}, tell: []simnet.Beat{
				when(simnet.Then(), simnet.AddButton{}), when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm"}),
				when(simnet.Shown("armed").Later(200*ms), simnet.Hush{Button: 1}),
				again(simnet.Shown("active")),
			},
			states: "arming armed disarming active", goals: "arm: succeeded done, " + rejected,
			why: "/button 2 has said nothing for 500ms",
		},
		{
			name: "while a node arms", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: time.Second}}}),
			tell: []simnet.Beat{
				send("arm"), when(simnet.Called("arm", "/arm_driver").Later(100*ms), simnet.Press{}),
				again(simnet.Shown("active")),
			},
			goals: "arm: aborted preempted, " + rejected,
		},
		{
			name: "on the way to armed", first: ways[1].way,
			scripts: one("/slam", on("activate", simnet.On{Takes: time.Second})),
			tell: []simnet.Beat{
				send("armed"), when(simnet.Shown("activating").Later(100*ms), simnet.Press{}),
				again(simnet.Ended("armed").Later(time.Second)),
			},
			goals: "armed: aborted preempted, " + rejected,
		},
		{
			name: "silence on the way to armed", first: ways[1].way,
			scripts: one("/slam", on("activate", simnet.On{Takes: 2 * time.Second})),
			tell: []simnet.Beat{
				send("armed"), when(simnet.Shown("activating"), simnet.Hush{}), again(simnet.Ended("armed")),
			},
			goals: "armed: aborted preempted, " + rejected,
		},
		{
			name: "a disarm that would turn back", first: armedAll,
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: 500 * ms, No: true}, {}}}),
			tell: []simnet.Beat{
				send("disarm"), when(simnet.Shown("disarming").Later(100*ms), simnet.Press{}),
			},
			states: "disarming active",
		},
		{
			name: "while nothing is armed", first: ways[2].way, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				again(simnet.Then().Later(time.Second)),
			},
			states: "none", goals: rejected, why: "run rstate acknowledge",
		},
		{
			name: "silence while nothing is armed passes", first: ways[2].way, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Hush{}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm"}),
				when(simnet.Then(), simnet.Hush{Not: true}),
				again(simnet.Then().Later(200 * ms)),
			},
			states: "arming armed", goals: "arm: rejected, again: succeeded done",
		},
		{
			name: "… also while nodes are configured", first: ways[0].way,
			scripts: one("/slam", on("configure", simnet.On{Takes: 2 * time.Second})),
			tell: []simnet.Beat{
				send("configure"), when(simnet.Shown("configuring").Later(100*ms), simnet.Hush{}),
				when(simnet.Ended("configure"), simnet.Hush{Not: true}),
				when(simnet.Then().Later(200*ms), simnet.Send{Command: "armed"}),
			},
			goals: "configure: succeeded done, armed: succeeded done",
		},
		{
			name: "a button that leaves in order while nothing is armed", first: ways[2].way, tell: []simnet.Beat{
				when(simnet.Then(), simnet.UnplugButton{}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm"}),
				when(simnet.Then(), simnet.PlugButton{}),
				again(simnet.Then().Later(200 * ms)),
			},
			states: "arming armed", goals: "arm: rejected, again: succeeded done",
		},
		{
			name: "a button that dies while nothing is armed", first: ways[2].way, tell: []simnet.Beat{
				when(simnet.Then(), simnet.KillButton{}),
				when(simnet.Then().Later(5*time.Second), simnet.PlugButton{}),
				again(simnet.Then().Later(time.Second)),
			},
			states: "none", goals: rejected, why: "/estop: /button 1 is gone",
		},
	}, func(s *story) { s.keys = stoppable })
}

// TestA12OnlyAnAcknowledgementOfAPersonEndsAStop: it is refused while the input is not clear, without the secret and
// when nothing is stopped. It arms nothing, and covers no later stop.
func TestA12OnlyAnAcknowledgementOfAPersonEndsAStop(t *testing.T) {
	secret := "arming: {secret_file: secret}\n"
	for _, row := range []struct {
		name string
		keys string
		opt  simnet.Options
		tell []simnet.Beat
		acks []string // what each answer says, in order
		last string   // the end of the last goal
	}{
		{
			name: "nothing is stopped", tell: []simnet.Beat{when(simnet.Then(), simnet.Acknowledge{})},
			acks: []string{"no: nothing is stopped"},
		},
		{
			name: "the button is pressed still", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Acknowledge{}),
			},
			acks: []string{"no: stop input /estop: /button 1 says stop"},
		},
		{
			name: "the button is silent", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Hush{}), when(simnet.Then().Later(time.Second), simnet.Acknowledge{}),
			},
			acks: []string{"no: stop input /estop: /button 1 has said nothing"},
		},
		{
			name: "the button is released", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{Who: "ann"}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm", Handle: "again"}),
			},
			acks: []string{"yes: acknowledged: stop input /estop: /button 1 says stop"}, last: "succeeded done",
		},
		{
			name: "two acknowledgements", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{}), when(simnet.Then(), simnet.Acknowledge{}),
			},
			acks: []string{"yes", "no: nothing is stopped"},
		},
		{
			name: "a press after it", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{}),
				when(simnet.Then().Later(time.Second), simnet.Press{}), when(simnet.Then(), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm", Handle: "again"}),
			},
			acks: []string{"yes"}, last: "rejected",
		},
		{
			name: "a press that its person was not shown", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Press{}),
				when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{Shown: true, Missed: 1}),
				when(simnet.Then(), simnet.Acknowledge{Shown: true, Missed: 2}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm", Handle: "refused"}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{Shown: true}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm", Handle: "again"}),
			},
			acks: []string{"no: another stop has come", "no: another stop has come", "yes"}, last: "succeeded done",
		},
		{
			name: "the button is gone, and another one is there", tell: []simnet.Beat{
				when(simnet.Then(), simnet.KillButton{}),
				when(simnet.Then().Later(10*time.Second), simnet.Acknowledge{}),
				when(simnet.Then(), simnet.PlugButton{}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm", Handle: "again"}),
			},
			acks: []string{"no: stop input /estop: no stop button is heard", "yes"}, last: "succeeded done",
		},
		{
			name: "without the secret", keys: secret, tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then(), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{Unauthorized: true}),
				when(simnet.Then(), simnet.Acknowledge{}),
			},
			acks: []string{"no: to acknowledge asks for authority", "yes"},
		},
		{
			name: "after a restart", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then(), simnet.Crash{}),
				when(simnet.Then().Later(10*time.Second), simnet.Send{Command: "arm"}),
				when(simnet.Ended("arm"), simnet.Acknowledge{}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm", Handle: "again"}),
			},
			acks: []string{"yes"}, last: "succeeded done",
		},
		{
			name: "after a restart of an acknowledged stop", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then().Later(time.Second), simnet.Acknowledge{}),
				when(simnet.Then(), simnet.Crash{}),
				when(simnet.Then().Later(10*time.Second), simnet.Acknowledge{}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "arm", Handle: "again"}),
			},
			acks: []string{"yes", "yes: acknowledged: rstate did not listen"}, last: "succeeded done",
		},
		{
			name: "after a stall", tell: []simnet.Beat{
				when(simnet.Then(), simnet.Press{}), when(simnet.Then().Later(time.Second), simnet.Press{Not: true}),
				when(simnet.Then(), simnet.Stall{For: 5 * time.Second}),
				when(simnet.Then().Later(5100*ms), simnet.Acknowledge{}),
				when(simnet.Then().Later(3*time.Second), simnet.Acknowledge{}),
			},
			acks: []string{"no: stop input /estop: /button 1 has said nothing", "yes"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := story{keys: stoppable + row.keys, first: armedAll, tell: row.tell, opt: row.opt}
			trace := s.run(t)
			if len(trace.Acks) != len(row.acks) {
				t.Fatalf("the answers are %v\n%v", trace.Acks, trace)
			}
			for k, a := range trace.Acks {
				got := map[bool]string{true: "yes", false: "no"}[a.Accepted] + ": " + a.Message
				if !strings.HasPrefix(got, row.acks[k]) {
					t.Errorf("answer %d:\n got  %s\n want %s", k, got, row.acks[k])
				}
			}
			if row.last != "" {
				if g := trace.Goal("again"); g == nil || g.Verdict() != row.last {
					t.Errorf("the last arm: %v\n%v", g, trace)
				}
			}
		})
	}
}

// TestA12TheSnapshotShowsStops: each input with its kind, and each stop that is not acknowledged with its reason.
func TestA12TheSnapshotShowsStops(t *testing.T) {
	s := story{keys: stoppable, first: armedAll, tell: []simnet.Beat{when(simnet.Then(), simnet.Press{})}}
	trace := s.run(t)
	v := trace.Last.Stops
	if len(v.Inputs) != 1 || v.Inputs[0].Topic != "/estop" || v.Inputs[0].Kind != stopinput.Pressed ||
		v.Inputs[0].Age < 0 || len(v.Open) != 1 || v.Open[0].Origin != "/rstate" || v.Forbids == "" {
		t.Errorf("shown: %+v", v)
	}
	found := false
	for _, e := range trace.Entries {
		found = found || e.Kind == engine.EntryStop && e.Event == engine.EventLatched && e.Orders == 1 &&
			strings.Contains(e.Sentence, "/estop: /button 1 says stop")
	}
	if !found {
		t.Error("the journal does not say which input has stopped the network")
	}
}

// TestA12AStopWithoutHistoryIsNone: with a clear input from the start on, the network arms as it does without one.
func TestA12AStopWithoutHistoryIsNone(t *testing.T) {
	play(t, []story{{name: "arm and disarm", keys: stoppable, tell: []simnet.Beat{send("armed"),
		when(simnet.Ended("armed").Later(10*time.Second), simnet.Send{Command: "disarm"})},
		goals: "armed: succeeded done, disarm: succeeded done", ends: "active active active active"}})
}
