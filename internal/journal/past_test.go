package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestS2WhatTheJournalSaysOfTheRunsBefore: the state, its meaning, and the nodes that may be armed.
func TestS2WhatTheJournalSaysOfTheRunsBefore(t *testing.T) {
	start := Line{Kind: KindStart, Simulation: "demo", Machine: "m", Network: "f"}
	settled := func(state string) Line { return Line{Kind: KindState, Event: EventSettled, State: state, Network: "f"} }
	may := Line{Kind: KindNode, Event: EventMayBeArmed, Node: "/a", Service: "/a/on", Type: "T", Lease: true}
	disarmed := Line{Kind: KindNode, Event: EventDisarmed, Node: "/a"}
	asked := Line{Kind: KindStep, Event: EventSent, Node: "/a", Step: "arm"}
	oldState := Line{Kind: KindState, Event: EventSettled, State: "armed"}
	for _, c := range []struct {
		name string
		runs [][]Line
		want string
	}{
		{"a whole life", [][]Line{{start, settled("active"), may, asked, settled("armed"), disarmed,
			settled("active")}}, "active f demo"},
		{"it died armed", [][]Line{{start, settled("active"), may, asked, settled("armed")}},
			"armed f demo, /a /a/on T true false"},
		{"the next run died before it could disarm", [][]Line{{start, may, settled("armed")}, {start}},
			"armed f demo, /a /a/on T true false"},
		{"the next run disarmed", [][]Line{{start, may, settled("armed")}, {start, disarmed, settled("active")}},
			"active f demo"},
		{"it is disarmed by another call than the one by which it was armed", [][]Line{{start, may, settled("armed")},
			{start, may, {Kind: KindNode, Event: EventDisarmed, Node: "/a", Service: "/a/power"}, settled("active")}},
			"active f demo, /a /a/on T true false"},
		{"may be armed by two calls, and is disarmed by one", [][]Line{{start, may,
			{Kind: KindNode, Event: EventMayBeArmed, Node: "/a", Service: "/a/power", Type: "T"},
			{Kind: KindNode, Event: EventDisarmed, Node: "/a", Service: "/a/on"}, settled("active")}},
			"active f demo, /a /a/power T false false"},
		{"the start is in a file that is gone", [][]Line{{settled("active")}}, "active f "},
		{"a former version, disarmed", [][]Line{{{Kind: KindStart}, asked, oldState,
			{Kind: KindStep, Event: EventDone, Node: "/a", Step: "disarm", Verdict: "done"}}}, "armed  "},
		{"a former version, armed", [][]Line{{{Kind: KindStart}, asked, oldState}},
			"armed  , /a /a/arm std_srvs/srv/SetBool false true"},
		{"a former version, disarmed by this one",
			[][]Line{{{Kind: KindStart}, asked, oldState}, {start, disarmed, settled("active")}}, "active f demo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lines []Line
			for k, run := range c.runs {
				for n, l := range run {
					l.Instance, l.N = fmt.Sprint(k), uint64(n+1)
					lines = append(lines, l)
				}
			}
			p := PastOf(lines, "")
			got := fmt.Sprintf("%s %s %s", p.State, p.Network, p.Start.Simulation)
			for _, m := range p.Armed {
				got += fmt.Sprintf(", %s %s %s %v %v", m.Node, m.Service, m.Type, m.Lease, m.Guessed)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestS2WhoStaysArmedIsWrittenAgain: a start reads only the newest files, however long a node has been armed.
func TestS2WhoStaysArmedIsWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, Options{Instance: "one", FileSize: 64 << 10, Lines: 1 << 20})
	j.Append(Line{Kind: KindNode, Event: EventMayBeArmed, Node: "/a", Service: "/a/arm", Type: "T",
		Sentence: "/a may be armed"})
	j.Append(Line{Kind: KindNode, Event: EventMayBeArmed, Node: "/b", Service: "/b/arm", Type: "T",
		Sentence: "/b may be armed"})
	for range 300 {
		j.Append(Line{Kind: KindRefusal, Sentence: "arm was rejected"})
	}
	j.Append(Line{Kind: KindNode, Event: EventDisarmed, Node: "/b", Sentence: "/b is disarmed"})
	for range 5000 {
		j.Append(Line{Kind: KindRefusal, Sentence: "arm was rejected"})
	}
	if err := j.Close(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	all, report := Read(dir)
	end, _ := ReadEnd(dir)
	if len(end) >= len(all) || report.String() != "" && !strings.Contains(report.String(), "missing") {
		t.Fatalf("the newest files hold %d of %d lines: the test shows nothing (%v)", len(end), len(all), report)
	}
	if p := PastOf(end, ""); len(p.Armed) != 1 || p.Armed[0].Node != "/a" || p.Armed[0].Service != "/a/arm" {
		t.Errorf("the newest files say that these may be armed: %+v", p.Armed)
	}
}

// TestC4OrdersOfRunsBefore: each run is listed with the count of its orders, also if that is none; only the newest are.
func TestC4OrdersOfRunsBefore(t *testing.T) {
	asked := func(run string, n uint64) Line {
		return Line{Instance: run, Kind: KindGoal, Event: EventAsked, Orders: n}
	}
	line := func(run string, n uint64) Line { return Line{Instance: run, N: n} }
	order := func(run string, n, orders uint64) Line {
		l := asked(run, orders)
		l.N = n
		return l
	}
	for name, c := range map[string]struct {
		lines []Line
		want  string
	}{
		"three runs": {[]Line{order("1", 1, 1), line("1", 2), order("1", 3, 2), line("2", 1), order("3", 1, 1)},
			"[{1 2} {2 0} {3 1}]"},
		"the beginning is not there":             {[]Line{line("1", 7), line("1", 8), line("2", 1)}, "[{2 0}]"},
		"the beginning is not there, but orders": {[]Line{line("1", 7), order("1", 8, 3), line("1", 9)}, "[{1 3}]"},
		"a line is missing":                      {[]Line{line("1", 1), line("1", 3), line("2", 1)}, "[{2 0}]"},
		"a line is missing after an order":       {[]Line{order("1", 1, 1), line("1", 3), line("2", 1)}, "[{2 0}]"},
		"a line is missing before an order":      {[]Line{line("1", 1), order("1", 3, 2), line("2", 1)}, "[{1 2} {2 0}]"},
		"the first lines of a run are missing":   {[]Line{line("1", 1), line("2", 2)}, "[{1 0}]"},
	} {
		if got := fmt.Sprint(PastOf(c.lines, "").Ordered); got != c.want {
			t.Errorf("%s: the orders are %s, want %s", name, got, c.want)
		}
	}
	var lines []Line
	for k := range 2 * keepOrdered {
		lines = append(lines, order(fmt.Sprint(100+k), 1, 1))
	}
	if got := PastOf(lines, "").Ordered; len(got) != keepOrdered ||
		got[keepOrdered-1].Instance != fmt.Sprint(99+2*keepOrdered) {
		t.Errorf("of %d runs it tells of %v", len(lines), got)
	}
}

// TestA12TheNextRunKnowsTheStops: the greatest numbers of each run count, whichever run has written them, also if
// lines are missing. An acknowledgement counts for no later stop.
func TestA12TheNextRunKnowsTheStops(t *testing.T) {
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	stop := func(run string, latched, acknowledged uint64) Line {
		return Line{Kind: KindStop, Node: "/a", StopRun: run, Latched: latched, Acknowledged: acknowledged,
			StopWhy: "pressed", StopAt: at}
	}
	for _, c := range []struct {
		name  string
		lines []Line
		want  string
	}{
		{"none", []Line{{Kind: KindStart}}, "[]"},
		{"one that is open", []Line{stop("1", 1, 0)}, "[1 1 0]"},
		{"one that is acknowledged", []Line{stop("1", 1, 0), stop("1", 1, 1)}, "[1 1 1]"},
		{"a later one", []Line{stop("1", 1, 0), stop("1", 1, 1), stop("1", 2, 1)}, "[1 2 1]"},
		{"an older line that is written again", []Line{stop("1", 2, 1), stop("1", 1, 1)}, "[1 2 1]"},
		{"of two runs", []Line{stop("2", 1, 0), stop("1", 1, 1)}, "[1 1 1 2 1 0]"},
		{"a line that is none", []Line{stop("1", 1, 9)}, "[1 1 1]"},
	} {
		words := []string{}
		for _, s := range PastOf(c.lines, "").Stops {
			words = append(words, fmt.Sprintf("%s %d %d", s.Run, s.Latched, s.Acknowledged))
			if s.Origin != "/a" || s.Why != "pressed" || !s.At.Equal(at) {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
		if got := fmt.Sprint(words); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestA12AnOpenStopIsWrittenAgain: a start reads only the newest files, however old a stop is that is not
// acknowledged.
func TestA12AnOpenStopIsWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, Options{Instance: "one", FileSize: 64 << 10, Lines: 1 << 20})
	j.Append(Line{Kind: KindStop, Node: "/a", StopRun: "0", Latched: 1, Sentence: "stopped"})
	j.Append(Line{Kind: KindStop, Node: "/b", StopRun: "1", Latched: 1, Sentence: "stopped"})
	j.Append(Line{Kind: KindStop, Node: "/b", StopRun: "1", Latched: 1, Acknowledged: 1, Sentence: "acknowledged"})
	for range 5000 {
		j.Append(Line{Kind: KindRefusal, Sentence: "arm was rejected"})
	}
	if err := j.Close(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	all, _ := Read(dir)
	end, _ := ReadEnd(dir)
	if len(end) >= len(all) {
		t.Fatalf("the newest files hold %d of %d lines: the test shows nothing", len(end), len(all))
	}
	if p := PastOf(end, ""); len(p.Stops) != 1 || p.Stops[0].Run != "0" || p.Stops[0].Latched != 1 {
		t.Errorf("the newest files know these stops: %+v", p.Stops)
	}
}
