package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/latch"
	"rstate/internal/simnet"
)

// TestA12TimeWithoutListeningLatches: after time in which a press would have left no trace, Arm is refused until a person
// acknowledges. The message says when that was.
func TestA12TimeWithoutListeningLatches(t *testing.T) {
	restart := func(after time.Duration) []simnet.Beat {
		return []simnet.Beat{when(simnet.Then(), simnet.Stop{}), when(simnet.Then().Later(after), simnet.Restart{})}
	}
	does := func(act simnet.Act) []simnet.Beat { return []simnet.Beat{when(simnet.Then().Later(time.Second), act)} }
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name    string
		keys    string
		unheard latch.Gap
		tell    []simnet.Beat
		why     string // Arm is refused; empty: it is not
	}{
		{name: "nothing has happened"},
		{name: "the first start", unheard: latch.Gap{To: noon, For: -1, Why: "it has no journal"},
			why: "rstate did not listen before 12:00:00Z: it has no journal (make sure that nothing has to stop, then run rstate acknowledge)"},
		{name: "the run before was killed", unheard: latch.Gap{From: noon.Add(-9 * time.Second), To: noon, For: -1},
			why: "rstate did not listen from 11:59:51Z at the earliest to 12:00:00Z"},
		{name: "days lie between the runs", unheard: latch.Gap{From: noon.AddDate(0, 0, -2), To: noon, For: 48 * time.Hour},
			why: "rstate did not listen from 2026-11-27 12:00:00Z to 2026-11-29 12:00:00Z"},
		{name: "an orderly restart of a moment", unheard: latch.Gap{From: noon, To: noon, For: 500 * ms}},
		{name: "an orderly restart, and no stop input", keys: "no stops",
			unheard: latch.Gap{To: noon, For: -1, Why: "it has no journal"}},
		{name: "the file says so", keys: "stop: {after_gap: clear, inputs: [{topic: /estop}]}\n",
			unheard: latch.Gap{To: noon, For: -1, Why: "it has no journal"}, tell: does(simnet.Crash{})},
		{name: "it is killed", tell: does(simnet.Crash{}), why: "rstate did not listen from "},
		{name: "it ends, and starts after 600 ms", tell: restart(600 * ms), why: "rstate did not listen from "},
		{name: "it ends, and starts after 400 ms", tell: restart(400 * ms)},
		{name: "it ends, and starts before a slow button is silent", keys: "stop: [{topic: /estop, silent: 2s}]\n",
			tell: restart(time.Second)},
		{name: "one of two inputs is less patient",
			keys: "stop: [{topic: /panel, silent: 2s}, {topic: /estop}]\n", tell: restart(time.Second),
			why: "rstate did not listen from "},
		{name: "it stands still for 2 s", tell: does(simnet.Stall{For: 2 * time.Second}), why: "rstate did not listen from "},
		{name: "it stands still for less than a button may be silent", keys: "stop: [{topic: /estop, silent: 5s}]\n",
			tell: does(simnet.Stall{For: 2 * time.Second})},
		{name: "its loop is late by 2 s", tell: does(simnet.Late{For: 2 * time.Second})},
	} {
		t.Run(row.name, func(t *testing.T) {
			keys := map[string]string{"": stoppable, "no stops": ""}[row.keys]
			if keys == "" && row.keys != "no stops" {
				keys = row.keys
			}
			first := ways[2].way
			if len(row.tell) == 0 {
				first = nil
			}
			s := story{keys: keys, first: first, opt: simnet.Options{Unheard: row.unheard}, tell: append(row.tell,
				when(simnet.Then().Later(8*time.Second), simnet.Send{Command: "armed", Handle: "first"}),
				when(simnet.Ended("first"), simnet.Acknowledge{Who: "ann"}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "armed", Handle: "second"}))}
			trace := s.run(t)
			one, second := trace.Goal("first"), trace.Goal("second")
			if row.why == "" {
				if one.Verdict() != "succeeded done" {
					t.Errorf("the first arm: %v\n%v", one, trace)
				}
				return
			}
			if one.Verdict() != "rejected" || !strings.Contains(one.Why, row.why) {
				t.Errorf("the first arm: %v: %s\nwant %s", one.Verdict(), one.Why, row.why)
			}
			if second.Verdict() != "succeeded done" {
				t.Errorf("the arm after the acknowledgement: %v\n%v", second, trace.Acks)
			}
		})
	}
}

// TestA12AGapIsNoOrder: peers of an instance that did not listen arm nothing until a person acknowledges. Those that are
// armed stay so, because nothing has said stop. A button of that instance disarms them as ever.
func TestA12AGapIsNoOrder(t *testing.T) {
	crash := simnet.Crash{DownFor: 2 * time.Second}

	for _, row := range []struct {
		name string
		s    several
		acks int
	}{
		{name: "the peer is armed", s: several{all: []instance{
			{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(5, crash)}},
			{tell: []simnet.Beat{does(20, simnet.Nothing{})}, ends: "armed, wants armed"},
		}}},
		{name: "… and is disarmed later", s: several{all: []instance{
			{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(5, crash)}},
			{tell: []simnet.Beat{asks(12, "disarm"), asks(14, "arm"), ackOf(16),
				does(18, simnet.Send{Command: "arm", Handle: "again"})},
				goals: "disarm 12: succeeded done, arm 14: rejected, again: succeeded done", ends: "armed, wants armed"},
		}}, acks: 1},
		{name: "a button falls silent while the gap is open", s: several{all: []instance{
			{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(5, crash), does(14, simnet.Hush{})}},
			{tell: []simnet.Beat{asks(18, "arm")}, goals: "arm 18: rejected", ends: "active, wants active",
				why: "/estop: /button 1 has said nothing"},
		}}},
		{name: "the peer arms meanwhile", s: several{all: []instance{
			{keys: stoppable, tell: []simnet.Beat{asks(1.1, "active"), does(5, simnet.Stall{For: 1500 * ms})}},
			{arm: []simnet.Reply{{Takes: 4 * time.Second}}, tell: []simnet.Beat{asks(4.9, "arm")},
				goals: "arm 4.9: aborted superseded", ends: "active, wants active"},
		}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			trace := row.s.run(t)
			if got := trace.Worlds[1].Acks; len(got) != row.acks || row.acks > 0 && !got[0].Accepted {
				t.Errorf("the answers of the peer are %v", got)
			}
		})
	}
}

// TestA12ACrashLoopIsOneStop: an instance with a stop input ends again and again beside a peer. There is one open stop,
// whose words cover all of it. What peers hear, and what is kept and written, stays small, and one acknowledgement ends it.
func TestA12ACrashLoopIsOneStop(t *testing.T) {
	const crashes = 100
	tell := []simnet.Beat{asks(1.1, "active")}
	for k := range crashes {
		tell = append(tell, does(5+3*float64(k), simnet.Crash{DownFor: 500 * ms}))
	}
	end := float64(5 + 3*crashes)
	trace := several{all: []instance{
		{keys: stoppable, tell: tell},
		{tell: []simnet.Beat{asks(200, "arm"), asks(end+10, "arm"), ackOf(end + 12),
			does(end+14, simnet.Send{Command: "arm", Handle: "again"})},
			goals: "arm 200: rejected, arm 315: rejected, again: succeeded done", ends: "armed, wants armed"},
	}}.run(t)
	for i, w := range trace.Worlds {
		latched, acknowledged, open := 0, 0, map[string]bool{}
		for _, e := range w.Entries {
			if e.Kind != engine.EntryStop {
				continue
			}
			latched++
			if e.Event == engine.EventAcknowledged {
				acknowledged++
			}
			open[e.Latch.Instance] = e.Latch.Open()
			n := 0
			for _, is := range open {
				if is {
					n++
				}
			}
			if n > 2 { // the one that goes on, until it is a part of the newer one
				t.Errorf("%s has %d open stops", trace.Names[i], n)
			}
			if len(e.Latch.Why) > 100 {
				t.Errorf("the words grow: %s", e.Latch.Why)
			}
		}
		if acknowledged != 1 {
			t.Errorf("%s has written %d acknowledgements", trace.Names[i], acknowledged)
		}
		if latched > 4*crashes {
			t.Errorf("%s has written %d lines of stops", trace.Names[i], latched)
		}
		if n := len(w.Last.Stops.Open); n != 0 {
			t.Errorf("%s has %d open stops at the end", trace.Names[i], n)
		}
	}
	acks := trace.Worlds[1].Acks
	if len(acks) != 1 || !acks[0].Accepted || strings.Count(acks[0].Message, "rstate did not listen") != 1 ||
		!strings.Contains(acks[0].Message, "all the time from 00:00:05Z") {
		t.Errorf("the acknowledgement: %v", acks)
	}
}

// TestA12AGapOfAnOpenPressIsPartOfIt: the words of a press stay, and a stall adds its time to them, once.
func TestA12AGapOfAnOpenPressIsPartOfIt(t *testing.T) {
	stall := simnet.Stall{For: 2 * time.Second}
	s := story{keys: stoppable, first: armedAll, tell: []simnet.Beat{when(simnet.Then(), simnet.Press{}),
		when(simnet.Then().Later(time.Second), stall), when(simnet.Then().Later(8*time.Second), stall),
		when(simnet.Then().Later(8*time.Second), simnet.Send{Command: "arm"})}}
	open := s.run(t).Last.Stops.Open
	if len(open) != 1 || !strings.HasPrefix(open[0].Why, "/estop: /button 1 says stop; rstate did not listen from ") ||
		strings.Count(open[0].Why, "rstate") != 1 {
		t.Errorf("the open stops are %+v", open)
	}
}
