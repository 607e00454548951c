package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

const noRoom = "cannot write journal: no space left; make room"

// TestJ2TheJournalHoldsOnlyWhatArms: arming waits for the disk, a second at most; nothing else
// does. A goal that raises still reports a failing disk.
func TestJ2TheJournalHoldsOnlyWhatArms(t *testing.T) {
	disks := []struct {
		name string
		disk simnet.Disk
		wait time.Duration // of what arms
	}{
		{"fast", simnet.Disk{}, ms},
		{"slow", simnet.Disk{Takes: 400 * ms}, 400 * ms},
		{"too slow", simnet.Disk{Takes: 3 * time.Second}, time.Second},
		{"silent", simnet.Disk{Silent: true}, time.Second},
		{"full", simnet.Disk{Fault: noRoom}, ms},
	}
	for _, d := range disks {
		for _, c := range []struct {
			first  []string
			do     string
			raises bool
			arms   int
		}{
			{nil, "configure", true, 0}, {ways[1].way, "activate", true, 0}, {ways[2].way, "arm", true, 1},
			{nil, "active", true, 0}, {nil, "armed", true, 1},
			{ways[3].way, "disarm", false, 0}, {ways[2].way, "deactivate", false, 0},
			{ways[1].way, "cleanup", false, 0}, {ways[3].way, "shutdown", false, 0},
			{nil, "unconfigured", false, 0},
		} {
			t.Run(c.do+" on a disk that is "+d.name, func(t *testing.T) {
				w := simnet.New(story{}.network(t), simnet.Options{Seed: 1})
				beats := []simnet.Beat{{When: simnet.Settled(), Do: simnet.Nothing{}}}
				for _, f := range c.first {
					beats = append(beats, simnet.Beat{When: simnet.Then(), Do: simnet.Send{Command: f}},
						when(simnet.Ended(f), simnet.Nothing{}))
				}
				w.Tell(append(beats, when(simnet.Then(), simnet.SetDisk{Disk: d.disk}),
					when(simnet.Then(), simnet.Send{Command: c.do, Handle: "it"}))...)
				trace := w.Run()
				g := trace.Goal("it")
				if g.Verdict() != "succeeded done" && g.Verdict() != "succeeded already" || len(trace.Faults) > 0 {
					t.Fatalf("%s\n%v", g.Verdict(), trace)
				}
				took, least := g.Ended-g.Asked, time.Duration(c.arms)*d.wait
				if took < least || took > least+300*ms {
					t.Errorf("it took %v, want %v and a little", took, least)
				}
				told := slices.ContainsFunc(trace.Entries,
					func(e engine.Entry) bool { return e.Kind == engine.EntryJournal })
				if bad := d.disk.Fault != "" || (c.raises && d.wait == time.Second); told != bad {
					t.Errorf("that the journal cannot be written was told: %v, want %v", told, bad)
				}
			})
		}
	}
}

// TestJ2TheWholeWayIsWrittenFirst: with what the disk is asked for first goes all that the goal will do, and a state
// that it only passes through says so.
func TestJ2TheWholeWayIsWrittenFirst(t *testing.T) {
	for _, c := range []struct{ name, do, want string }{
		{"one command", "configure", "began inactive, settled inactive"},
		{"a state", "active", "began inactive then activate, settled inactive then activate, began active, settled active"},
		{"a state that is three commands away", "armed",
			"began inactive then activate, arm, settled inactive then activate, arm, " +
				"began active then arm, settled active then arm, began armed, settled armed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said []string
			for _, e := range (story{tell: []simnet.Beat{send(c.do)}}).run(t).Entries {
				if e.Kind != engine.EntryState || e.Command == "" && e.Event == engine.EventSettled && len(said) == 0 {
					continue // that of the start
				}
				one := string(e.Event) + " " + cmp.Or(e.Way.To, e.State)
				if e.Way.Then != "" {
					one += " then " + e.Way.Then
				}
				if (e.Goal == "") != (e.Event == engine.EventSettled && e.Way.Then == "") {
					t.Errorf("%s: of goal %q", one, e.Goal)
				}
				said = append(said, one)
			}
			if got := strings.Join(said, ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestJ3AJournalMayBeRequired: a network file may ask for a journal before anything is armed, and for nothing else.
func TestJ3AJournalMayBeRequired(t *testing.T) {
	const required = "journal: required"
	full := when(simnet.Then(), simnet.SetDisk{Disk: simnet.Disk{Fault: noRoom}})
	silent := when(simnet.Then(), simnet.SetDisk{Disk: simnet.Disk{Silent: true}})
	good := when(simnet.Then(), simnet.SetDisk{})
	play(t, []story{
		{
			name: "a full disk refuses arm", keys: required, first: ways[2].way, tell: []simnet.Beat{full, send("arm")},
			goals: "arm: rejected", calls: "none", why: "journal: required, and " + noRoom,
		},
		{
			name: "a silent disk fails arm before anything is armed", keys: required, first: ways[2].way,
			tell:  []simnet.Beat{silent, send("arm")},
			goals: "arm: aborted restored", states: "arming errorprocessing active", calls: "none",
			ends: "active active active active",
			why:  "/arm_driver was not asked to arm: the network file says journal: required, and the journal was not safe within 1s",
		},
		{
			name: "it is armed once there is room again", keys: required, first: ways[2].way,
			tell:  []simnet.Beat{full, good, send("arm")},
			goals: "arm: succeeded done", states: "arming armed",
		},
		{
			name: "nothing else is refused", keys: required,
			tell:  []simnet.Beat{full, send("active"), when(simnet.Ended("active"), simnet.Send{Command: "inactive"})},
			goals: "active: succeeded done, inactive: succeeded done",
		},
		{
			name: "what is armed stays armed", keys: required, first: ways[3].way, tell: []simnet.Beat{full},
			states: "none", calls: "none", ends: "active active active active*",
		},
		{
			name: "optional, a full disk", first: ways[2].way, tell: []simnet.Beat{full, send("arm")},
			goals: "arm: succeeded done", states: "arming armed",
		},
		{
			name: "cancelled while the disk is silent", first: ways[2].way,
			tell:  []simnet.Beat{silent, send("arm"), when(simnet.Then().Later(100*ms), simnet.Cancel{Handle: "arm"})},
			goals: "arm: canceled canceled", states: "arming active", calls: "none",
		},
		{
			name: "shut down while the disk is silent", first: ways[2].way,
			tell: []simnet.Beat{silent, send("arm"),
				when(simnet.Then().Later(100*ms), simnet.Send{Command: "shutdown"})},
			goals: "arm: aborted preempted, shutdown: succeeded done", states: "arming shuttingdown finalized", exit: 1,
		},
		{
			name: "a deadline that is shorter than the disk's second", keys: "defaults: {deadline: {configure: 200ms}}",
			tell: []simnet.Beat{silent, send("configure")}, goals: "configure: succeeded done",
		},
	})
}

// TestJ3AFaultIsShownUntilItIsOver: in the state, as a warning, and once in the log.
func TestJ3AFaultIsShownUntilItIsOver(t *testing.T) {
	s := engine.New(story{}.network(t), engine.Options{Instance: "a"})
	var entries []string
	step := func(in engine.Input) string {
		var effects []engine.Effect
		s, effects = engine.Step(s, engine.Time{}, in)
		for _, e := range effects {
			if r, ok := e.(engine.Record); ok && r.Entry.Kind == engine.EntryJournal {
				entries = append(entries, r.Entry.Sentence)
			}
		}
		return strings.Join(s.Snapshot().Warnings, "; ")
	}
	for i, c := range []struct {
		in   engine.Input
		want string
	}{
		{engine.Tick{}, ""},
		{engine.JournalChanged{Err: noRoom}, noRoom},
		{engine.JournalSynced{Ticket: 99, Err: noRoom}, noRoom},
		{engine.Tick{}, noRoom},
		{engine.JournalChanged{}, ""},
	} {
		if got := step(c.in); got != c.want {
			t.Errorf("%d: after %v it warns of %q, want %q", i, c.in, got, c.want)
		}
	}
	if got, want := fmt.Sprint(entries), fmt.Sprint([]string{noRoom, "the journal is written again"}); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
}

// TestJ1EveryRequestAndItsEndAreRecorded: what was asked of a node is in the journal before anything can be heard of
// it.
func TestJ1EveryRequestAndItsEndAreRecorded(t *testing.T) {
	trace := story{tell: []simnet.Beat{send("armed"), when(simnet.Ended("armed"), simnet.Send{Command: "shutdown"})},
		exit: 1}.run(t)
	var sent, done []string
	for _, e := range trace.Entries {
		if e.At.IsZero() || e.Sentence == "" || e.State == "" {
			t.Errorf("an entry has no time, sentence or state: %+v", e)
		}
		switch what := e.Step + " " + strings.TrimPrefix(e.Node, "/"); e.Event {
		case engine.EventSent:
			sent = append(sent, what)
		case engine.EventDone:
			done = append(done, what)
		}
	}
	if got := strings.Join(sent, ", "); got != trace.Work() {
		t.Errorf("recorded as sent: %s\n         were sent: %s", got, trace.Work())
	}
	for _, what := range sent {
		if !slices.Contains(done, what) && !strings.HasPrefix(what, "disarm") {
			t.Errorf("nothing is recorded of how %q ended: %v", what, done)
		}
	}
}

// TestJ4TheNodesAreRightNotTheJournal: whatever a journal ends in, a start finds the state that the nodes are in.
func TestJ4TheNodesAreRightNotTheJournal(t *testing.T) {
	play(t, []story{
		{name: "it says more", scripts: at(in, in, in, in), opt: simnet.Options{Last: "active"}, states: "inactive"},
		{name: "it says less", scripts: at(ac, ac, ac, ac), opt: simnet.Options{Last: "unconfigured"}, states: "active",
			ends: "active active active active"},
		{name: "it ends in no state of the machine", scripts: at(in, in, in, in), opt: simnet.Options{Last: "mapping"},
			states: "inactive"},
	})
}

// TestF7TheConsoleIsClosed: the journal records it once, the state shows it from then on, and it
// stops nothing.
func TestF7TheConsoleIsClosed(t *testing.T) {
	trace := story{
		first: ways[2].way, tell: []simnet.Beat{when(simnet.Then(),
			simnet.Hear{In: engine.ConsoleClosed{Err: "broken pipe"}}), send("arm")},
		states: "arming armed", goals: "arm: succeeded done",
	}.run(t)
	told := 0
	for _, e := range trace.Entries {
		if e.Kind == engine.EntryConsole {
			told++
		}
	}
	if want := "the console is closed (broken pipe)"; told != 1 || len(trace.Last.Warnings) == 0 ||
		!strings.HasPrefix(trace.Last.Warnings[0], want) || !trace.Last.Intact {
		t.Errorf("told %d times; warnings %q; intact: %v", told, trace.Last.Warnings, trace.Last.Intact)
	}
}
