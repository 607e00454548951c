package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// reporting is a network of Rock components, one of which reports sub-states.
const reporting = `
simulation: demo
machine: rock
nodes:
  /base: {}
  /motion:
    after: [/base]
    runtime_states: [MOVING, TURNING]
    exception_states: [BLOCKED, SLIPPING]
    fatal_states: [BROKEN]
`

func report(word string) simnet.Act { return simnet.Report{Node: "/motion", Word: word} }

// later is a beat some time after the one before it.
func later(do simnet.Act) simnet.Beat { return when(simnet.Then().Later(time.Second), do) }

// TestS6Reports: what the machine does with a sub-state that a node reports.
func TestS6Reports(t *testing.T) {
	running := []string{"configure", "start"}
	wait := later(simnet.Nothing{})
	turns := reporting + "auto: [{in: running, on: {report: TURNING}, from: /motion, do: stop}]\n"
	play(t, []story{
		{
			name: "an exception state is an error of the node", net: reporting, first: running,
			tell: []simnet.Beat{later(report("BLOCKED")), wait}, states: "exception", ends: "unconfigured unconfigured",
		},
		{
			name: "a fatal state is fatal", net: reporting, first: running,
			tell: []simnet.Beat{later(report("BROKEN")), wait}, states: "fatal", ends: "unconfigured unconfigured",
		},
		{
			name: "fatal ends with a new process, whose word is its own", net: reporting, first: running,
			tell: []simnet.Beat{
				later(report("BROKEN")), later(simnet.Kill{Node: "/motion"}), later(simnet.Respawn{Node: "/motion"}),
				wait,
				later(report("BROKEN")), wait,
			},
			states: "fatal preoperational fatal",
		},
		{
			name: "a runtime state changes nothing", net: reporting, first: running,
			tell: []simnet.Beat{later(report("MOVING")), later(report("TURNING")), wait}, states: "none",
			ends: "active active",
		},
		{
			name: "unless the machine reacts to its name", net: turns, first: running,
			tell: []simnet.Beat{later(report("MOVING")), later(report("TURNING")), wait}, states: "stopped",
			ends: "inactive inactive",
		},
		{
			name: "of the node that it names", first: running,
			net: strings.Replace(turns, "/base: {}", "/base: {runtime_states: [TURNING, MOVING]}", 1),
			tell: []simnet.Beat{later(simnet.Report{Node: "/base", Word: "TURNING"}), wait, later(report("MOVING")),
				wait}, states: "none",
		},
		{
			name: "a reaction to the name comes before one to errors", first: running,
			net:  reporting + "auto: [{in: running, on: {report: BLOCKED}, do: stop}]\n",
			tell: []simnet.Beat{later(report("BLOCKED")), wait}, states: "stopped", ends: "inactive inactive",
		},
		{
			name: "an optional node fails for itself alone",
			net:  strings.Replace(reporting, "after: [/base]", "optional: true", 1), first: running,
			tell: []simnet.Beat{later(report("BLOCKED")), later(report("BROKEN")), wait}, states: "none",
			ends: "active active",
		},
		{
			name: "a word counts anew in each state of the network", net: turns, first: running, tell: []simnet.Beat{
				later(report("TURNING")), later(simnet.Send{Command: "start"}), wait, later(report("TURNING")), wait,
			},
			goals: "start: succeeded done", states: "stopped running stopped", ends: "inactive inactive",
		},
		{
			name: "an undeclared word is ignored", net: turns, first: running, tell: []simnet.Beat{
				later(report("TURNED")), later(report("blocked")), wait,
			},
			states: "none",
		},
		{
			name: "what was kept from before the start is shown only", net: reporting, first: running,
			tell: []simnet.Beat{
				later(simnet.Stall{For: 3 * time.Second}), later(report("BLOCKED")), wait, wait, wait, wait, wait,
			},
			states: "unknown running", ends: "active active",
		},
		{
			name: "what a node reports before it is discovered counts", net: reporting, first: running,
			opt: simnet.Options{Discovery: simnet.Range{Min: 200 * ms, Max: 200 * ms}},
			tell: []simnet.Beat{
				later(simnet.Kill{Node: "/motion"}), later(simnet.Respawn{Node: "/motion", State: lifecycle.Active}),
				when(simnet.Then().Later(50*ms), report("BLOCKED")), wait, wait,
			},
			states: "exception",
		},
	})
}

// shown is how the state shows what /motion reports.
func shown(w *simnet.World) string {
	n := w.Now().Nodes[1]
	return fmt.Sprintf("%s %d", n.Report, n.Reports)
}

// bring makes a world of the network that has run some commands.
func bring(t *testing.T, net string, commands ...string) *simnet.World {
	t.Helper()
	w := simnet.New(story{net: net}.network(t), simnet.Options{Seed: 1})
	w.Pass(3 * time.Second)
	for _, c := range commands {
		w.Do(simnet.Send{Command: c})
		w.Pass(time.Second)
	}
	w.Do(simnet.Mark{})
	return w
}

// TestS6ReportsAreShown: the word and how often it came, of the present process; a new process has reported nothing
// yet.
func TestS6ReportsAreShown(t *testing.T) {
	w := bring(t, reporting, "configure", "start")
	for _, c := range []struct {
		do   simnet.Act
		want string
	}{
		{simnet.Nothing{}, " 0"}, {report("MOVING"), "MOVING 1"}, {report("MOVING"), "MOVING 2"},
		{report("TURNING"), "TURNING 1"},
		{report("BENT"), "TURNING 1"}, {report("TURNING"), "TURNING 2"}, {simnet.Kill{Node: "/motion"}, " 0"},
		{simnet.Respawn{Node: "/motion"}, " 0"}, {report("TURNING"), "TURNING 1"}, {report("SLIPPING"), "SLIPPING 1"},
	} {
		w.Do(c.do)
		if w.Pass(2 * time.Second); shown(w) != c.want {
			t.Errorf("after %+v it is shown as %q, want %q", c.do, shown(w), c.want)
		}
	}
	trace := w.Pass(time.Second)
	if len(trace.Faults) > 0 {
		t.Error(trace.Faults)
	}
	if got := recorded(trace, "/motion", engine.EventReported); got != 4 {
		t.Errorf("the journal has %d sub-states, want each that differs from the one before it", got)
	}
}

// TestS6WhatWasLatchedIsShown: a start receives what a node reported before. The daemon shows it and reacts to none of
// it. What the node reports from then on counts.
func TestS6WhatWasLatchedIsShown(t *testing.T) {
	w := bring(t, reporting, "configure", "start")
	w.Do(simnet.Crash{DownFor: time.Second})
	w.Pass(500 * ms)
	w.Do(report("BLOCKED"))
	w.Pass(5 * time.Second)
	if now := w.Now(); now.State != "running" || shown(w) != "BLOCKED 1" {
		t.Errorf("after its start it shows %s, %s", now.State, shown(w))
	}
	w.Do(report("SLIPPING"))
	trace := w.Pass(2 * time.Second)
	if now := w.Now(); now.State != "exception" || shown(w) != "SLIPPING 1" || len(trace.Faults) > 0 {
		t.Errorf("after a new word it shows %s, %s\n%v", now.State, shown(w), trace)
	}
}

// TestS6UndeclaredWordsAreRecordedOnce: of one process, each word once, and only some of very many.
func TestS6UndeclaredWordsAreRecordedOnce(t *testing.T) {
	w := bring(t, reporting, "configure", "start")
	strange := func(k int) int {
		for range 3 {
			w.Do(report(fmt.Sprintf("BENT%d", k)))
			w.Pass(10 * ms)
		}
		return recorded(w.Pass(0), "/motion", engine.EventStrange)
	}
	if once, twice := strange(0), strange(1); once != 1 || twice != 2 {
		t.Errorf("one word is recorded %d times, two words %d times", once, twice)
	}
	for k := range 100 {
		strange(k)
	}
	if got := strange(0); got > 10 {
		t.Errorf("100 words are recorded %d times", got)
	}
	w.Do(simnet.Kill{Node: "/motion"})
	w.Pass(time.Second)
	before := strange(0)
	w.Do(simnet.Respawn{Node: "/motion"})
	w.Pass(time.Second)
	if after := strange(0); after != before+1 {
		t.Errorf("a new process reports a word: recorded %d times, before %d", after, before)
	}
}

// TestS6ReportsInTheJournal: a node that reports a thousand times a second does not fill the journal, which says what
// is left out. The machine reacts all the same.
func TestS6ReportsInTheJournal(t *testing.T) {
	w := bring(t, reporting, "configure", "start")
	for k := range 2001 { // the last word is the first one
		w.Do(report([]string{"MOVING", "TURNING"}[k%2]))
		w.Pass(ms)
	}
	trace := w.Pass(0)
	if got := recorded(trace, "/motion", engine.EventReported); got != 20 || shown(w) != "MOVING 1" {
		t.Errorf("the journal has %d lines, and %s is shown", got, shown(w))
	}
	w.Pass(10 * time.Second)
	w.Do(report("TURNING"))
	trace = w.Pass(time.Second)
	last := slices.IndexFunc(trace.Entries, func(e engine.Entry) bool {
		return strings.Contains(e.Sentence, "not in the journal before it: 1981 reports")
	})
	if got := recorded(trace, "/motion", engine.EventReported); got != 21 || last < 0 {
		t.Errorf("after a while the journal has %d lines; one says how many are left out: %v", got, last >= 0)
	}
	for range 20 {
		w.Do(report("MOVING"))
		w.Do(report("TURNING"))
	}
	w.Do(report("BLOCKED"))
	w.Pass(time.Second)
	if now := w.Now(); now.State != "exception" {
		t.Errorf("it reports that it is blocked, and the network is %s", now.State)
	}
}

// TestS6AnotherProcessIsNotTheNode: a report counts only for the process that the engine knows as the newest of its
// name.
func TestS6AnotherProcessIsNotTheNode(t *testing.T) {
	w := bring(t, reporting, "configure", "start")
	for _, epoch := range []uint64{0, 2} {
		w.Do(simnet.Hear{In: engine.NodeReported{Node: 1, Epoch: epoch, Word: "BLOCKED"}})
		if trace := w.Pass(time.Second); trace.Story() != "" || shown(w) != " 0" {
			t.Errorf("a report of epoch %d: %s, shown as %s", epoch, trace.Story(), shown(w))
		}
	}
	w.Do(simnet.Hear{In: engine.NodeReported{Node: 1, Epoch: 1, Word: "BLOCKED", Age: time.Hour}})
	if trace := w.Pass(time.Second); trace.Story() != "" || shown(w) != "BLOCKED 1" {
		t.Errorf("a report from before: %s, shown as %s", trace.Story(), shown(w))
	}
}

// TestS6ReportIsNoSignOfLife: a suspended node whose reports come is unresponsive all the same.
func TestS6ReportIsNoSignOfLife(t *testing.T) {
	w := bring(t, reporting, "configure", "start")
	w.Do(simnet.Freeze{Node: "/motion"})
	for range 40 {
		w.Do(simnet.Hear{In: engine.NodeReported{Node: 1, Epoch: 1, Word: "MOVING"}})
		w.Pass(500 * ms)
	}
	if w.Now().Nodes[1].Silent == "" {
		t.Error("it is not shown as unresponsive")
	}
}
