package daemon

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/journal"
	"rstate/internal/latch"
	"rstate/internal/lifecycle"
	"rstate/internal/session"
	"rstate/internal/simnet"
)

// With these variables the test's own binary is a daemon that writes its journal into a folder and
// is killed there.
const (
	killedIn = "RSTATE_TEST_KILLED_IN" // the folder
	killedAt = "RSTATE_TEST_KILLED_AT" // the state that it has just recorded
)

func init() {
	if dir := os.Getenv(killedIn); dir != "" {
		beKilled(dir, os.Getenv(killedAt))
	}
}

// beKilled plays a life up to a state, and ends without writing an end.
func beKilled(dir, at string) {
	answered := make(chan string, 1)
	k := newKeeper(dir, "", "first life")
	k.open(func(in engine.Input) {
		if s, ok := in.(engine.JournalSynced); ok {
			answered <- s.Err
		}
	})
	for _, e := range life() {
		k.carry(engine.Record{Entry: e})
		if e.Kind == engine.EntryState && named(e) == at {
			break
		}
	}
	k.carry(engine.SyncJournal{Ticket: 1}) // another test is about unwritten lines at a kill
	if why := <-answered; why != "" {
		panic(why)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// named returns the state of an entry, and the next command if the state was only passed through.
func named(e engine.Entry) string {
	if e.Event == engine.EventSettled && e.Way.Then != "" {
		return e.State + " then " + e.Way.Then
	}
	return e.State
}

// life returns the records of an instance that arms, fails to deactivate, and is shut down.
func life() []engine.Entry {
	net := must(parseDemo())
	w := simnet.New(net, simnet.Options{Seed: 1, Scripts: on("/lidar", "deactivate", simnet.On{End: simnet.Refuse})})
	return w.Send("configure", "armed", "disarm", "deactivate", "shutdown").Run().Entries
}

// TestKilledAndStartedAgain: after kill -9 in any state, the next start finds that state in the
// files and adopts it.
func TestKilledAndStartedAgain(t *testing.T) {
	const in, ac = lifecycle.Inactive, lifecycle.Active
	mixed := nodes(ac, in, in, ac)
	for _, c := range []struct {
		at    string // the last recorded state
		found map[string]simnet.Script
		last  string // the state in the journal
		shown string // the states that the next run shows at its start
	}{
		{"configuring", mixed, "", "unknown inactive"}, // during a transition: the rest is lowered
		{"inactive", mixed, "inactive", "inactive"},
		{"active then arm", mixed, "", "unknown inactive"}, // the next command may have begun
		{"activating", mixed, "", "unknown inactive"},
		{"active", mixed, "active", "active"}, // and not intact
		{"arming", mixed, "", "unknown inactive"},
		{"armed", mixed, "armed", "active"}, // never armed by a start
		{"errorprocessing", mixed, "", "unknown inactive"},
		{"shuttingdown", mixed, "", "unknown inactive"},
		{"finalized", mixed, "finalized", "unknown inactive"},   // a finalized network begins again
		{"active", nodes(in, in, in, in), "active", "inactive"}, // the nodes' own states count
	} {
		t.Run("at "+c.at, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			first := exec.Command(os.Args[0])
			first.Env = append(os.Environ(), killedIn+"="+dir, killedAt+"="+c.at)
			out, err := first.CombinedOutput()
			if e := (*exec.ExitError)(nil); !errors.As(err, &e) ||
				e.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("it was not killed: %v\n%s", err, out)
			}
			k := newKeeper(dir, "", "second life")
			past, said := k.past()
			opt := inherit(past, must(parseDemo()), engine.Options{})
			last := opt.Last
			if last != c.last || opt.NotLast != "" || said != "" {
				t.Errorf("the journal ends in %q (%s, %s), want %q", last, opt.NotLast, said, c.last)
			}
			if armed := len(opt.Noted) > 0; armed != (c.at == "armed") || len(opt.Leftovers) > 0 {
				t.Errorf("the journal says of %v that they may be armed, and of strangers %v", opt.Noted, opt.Leftovers)
			}
			w := simnet.New(must(parseDemo()), simnet.Options{Seed: 2, Last: last, Scripts: c.found})
			trace := w.Tell(simnet.Beat{When: simnet.Settled(), Do: simnet.Nothing{}}).Run()
			if got := trace.Story(); got != c.shown || len(trace.Faults) > 0 {
				t.Errorf("the next life shows %q, want %q\n%v", got, c.shown, trace)
			}
			k.open(func(engine.Input) {})
			for _, e := range trace.Entries {
				k.carry(engine.Record{Entry: e})
			}
			if err := k.close(); err != nil {
				t.Fatal(err)
			}
			lines, report := journal.Read(dir)
			if report.String() != "" {
				t.Error(report)
			}
			why := journal.Why(lines, true, time.Now()).String()
			if !strings.Contains(why, "rstate ended without a word") {
				t.Errorf("it does not say that rstate was killed:\n%s", why)
			}
		})
	}
}

// nodes gives each node of the demo network its state at the start.
func nodes(lidar, slam, camera, arm lifecycle.State) map[string]simnet.Script {
	scripts := map[string]simnet.Script{}
	for i, s := range []lifecycle.State{lidar, slam, camera, arm} {
		scripts[[]string{"/lidar", "/slam", "/camera", "/arm_driver"}[i]] = simnet.Script{State: s}
	}
	return scripts
}

// TestJournalWithoutAPlace: a daemon without a folder for the journal reports that, and goes on.
func TestJournalWithoutAPlace(t *testing.T) {
	full := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ dir, home, says string }{
		"no home":                  {"", "", "set ROS_HOME"},
		"a file in its place":      {full, "", "not a directory; move away what stands in its place"},
		"a folder below no folder": {"/proc/journal", "", "cannot write journal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", c.home)
			t.Setenv("ROS_HOME", "")
			k := newKeeper(c.dir, session.NodeName, "a")
			k.past()
			posted := make(chan engine.Input, 10)
			k.open(func(in engine.Input) { posted <- in })
			if in, ok := (<-posted).(engine.JournalChanged); !ok || !strings.Contains(in.Err, c.says) {
				t.Errorf("posted %v, want %q", in, c.says)
			}
			if !k.carry(engine.Record{Entry: engine.Entry{Kind: engine.EntryStart}}) ||
				!k.carry(engine.SyncJournal{Ticket: 7}) {
				t.Error("it leaves to others what is the journal's")
			}
			if in, ok := (<-posted).(engine.JournalSynced); !ok || in.Ticket != 7 || !strings.Contains(in.Err, c.says) {
				t.Errorf("answered %v", in)
			}
			_ = k.close() // reports the lost lines
		})
	}
}

// constants returns the values of the string constants of a type that a file declares.
func constants(t *testing.T, file, typ string) (values []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typ {
			for _, v := range spec.Values {
				values = append(values, strings.Trim(v.(*ast.BasicLit).Value, `"`))
			}
		}
		return false
	})
	if len(values) == 0 {
		t.Fatalf("%s declares no %s", file, typ)
	}
	return values
}

// TestLinesBearAllOfAnEntry: a line of the journal has every field of an entry of the engine, and
// the journal knows every kind and event of the engine.
func TestLinesBearAllOfAnEntry(t *testing.T) {
	kinds := map[engine.EntryKind]journal.Kind{
		engine.EntryStart: journal.KindStart, engine.EntryEnd: journal.KindEnd, engine.EntryGoal: journal.KindGoal,
		engine.EntryRefusal: journal.KindRefusal, engine.EntryState: journal.KindState,
		engine.EntryStep: journal.KindStep,
		engine.EntryNode: journal.KindNode, engine.EntryJournal: journal.KindJournal,
		engine.EntryClock:   journal.KindClock,
		engine.EntryConsole: journal.KindConsole, engine.EntryStall: journal.KindStall,
		engine.EntryPeer: journal.KindPeer, engine.EntryStop: journal.KindStop,
	}
	for _, kind := range constants(t, "../engine/journal_entries.go", "EntryKind") {
		if kinds[engine.EntryKind(kind)] == "" || !slices.Contains(journal.Kinds, journal.Kind(kind)) {
			t.Errorf("the journal does not know the kind %s", kind)
		}
	}
	for kind, want := range kinds {
		if got := lineOf(engine.Entry{Kind: kind}).Kind; got != want {
			t.Errorf("%s is written as %s", kind, got)
		}
	}
	events := map[engine.EntryEvent]journal.Event{
		engine.EventAsked: journal.EventAsked, engine.EventCanceled: journal.EventCanceled,
		engine.EventFinished: journal.EventFinished,
		engine.EventBegan:    journal.EventBegan, engine.EventFailed: journal.EventFailed,
		engine.EventTurned:  journal.EventTurned,
		engine.EventSettled: journal.EventSettled, engine.EventSent: journal.EventSent,
		engine.EventDone:  journal.EventDone,
		engine.EventThere: journal.EventThere, engine.EventGone: journal.EventGone,
		engine.EventStrayed: journal.EventStrayed,
		engine.EventFits:    journal.EventFits, engine.EventStalled: journal.EventStalled,
		engine.EventLate:   journal.EventLate,
		engine.EventSilent: journal.EventSilent, engine.EventAnswers: journal.EventAnswers,
		engine.EventReported: journal.EventReported, engine.EventStrange: journal.EventStrange,
		engine.EventMayBeArmed: journal.EventMayBeArmed, engine.EventDisarmed: journal.EventDisarmed,
		engine.EventSaid:    journal.EventSaid,
		engine.EventLatched: journal.EventLatched, engine.EventAcknowledged: journal.EventAcknowledged,
		engine.EventExtended: journal.EventExtended, engine.EventEnded: journal.EventEnded,
	}
	for _, event := range constants(t, "../engine/journal_entries.go", "EntryEvent") {
		if events[engine.EntryEvent(event)] == "" {
			t.Errorf("the journal does not know the event %s", event)
		}
	}
	for event, want := range events {
		if got := lineOf(engine.Entry{Event: event}).Event; got != want {
			t.Errorf("%s is written as %s", event, got)
		}
	}
	at := time.Unix(7, 0)
	want := journal.Line{
		At: at, Kind: journal.KindStep, Event: journal.EventDone, State: "a", Command: "b", Goal: "c", Reason: "d",
		Outcome: "e", From: "f",
		To: "g", Then: "l", Node: "h", Step: "i", Verdict: "late", Optional: true, Count: 2, Seen: "inactive",
		SeenAgo: 3, Took: 4, Sentence: "j", Cause: "k",
		Client: "m", Service: "n", Type: "o", Lease: true, Proof: 5, Armed: true, Simulation: "p", Machine: "q",
		Network: "r", Orders: 6, StopRun: "s", Latched: 8, Acknowledged: 7, StopWhy: "t", StopAt: at,
		StopSince: at,
	}
	entry := engine.Entry{
		At: at, Kind: engine.EntryStep, Event: engine.EventDone, State: "a", Command: "b", Goal: "c", Reason: "d",
		Outcome: "e", Orders: 6,
		Way: engine.Way{From: "f", To: "g", Then: "l"}, Node: "h", Step: "i", Verdict: engine.VerdictLate,
		Seen: engine.Sighting{Optional: true, Count: 2, State: lifecycle.Inactive, Ago: 3}, Took: 4, Sentence: "j",
		Cause: "k", Client: "m",
		Disarm:  engine.DisarmCall{Service: "n", Type: "o", Lease: true, Proof: 5, Armed: true},
		Meaning: engine.Meaning{Simulation: "p", Machine: "q", Network: "r"},
		Latch:   latch.Latch{Origin: "h", Instance: "s", Latched: 8, Acknowledged: 7, Why: "t", At: at, Since: at},
	}
	var complete func(reflect.Value)
	complete = func(v reflect.Value) {
		for i := range v.NumField() {
			switch f := v.Field(i); {
			case f.Kind() == reflect.Struct && f.Type() != reflect.TypeFor[time.Time]():
				complete(f)
			case f.IsZero():
				t.Errorf("the test leaves out %s", v.Type().Field(i).Name)
			}
		}
	}
	complete(reflect.ValueOf(entry))
	got := lineOf(entry)
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestA12LinesSayToWhatTheyListened: each line of a run with stop inputs names the boot, because a start may find any of
// them as the newest. What a start believes has the topics too, and the last line of an orderly end the time.
func TestA12LinesSayToWhatTheyListened(t *testing.T) {
	k := &keeper{boot: "b", listens: "/estop"}
	for _, c := range []struct {
		line    journal.Line
		listens string
		up      bool
	}{
		{journal.Line{Kind: journal.KindStart}, "/estop", false},
		{journal.Line{Kind: journal.KindGoal}, "", false},
		{journal.Line{Kind: journal.KindState, Event: journal.EventSettled}, "/estop", false},
		{journal.Line{Kind: journal.KindEnd}, "/estop", false},
		{journal.Line{Kind: journal.KindEnd, Event: journal.EventEnded}, "/estop", true},
	} {
		if got := k.placed(c.line); got.Boot != "b" || got.Listens != c.listens || (got.Up > 0) != c.up {
			t.Errorf("%v: %+v", c.line, got)
		}
	}
	k.listens = ""
	if got := k.placed(journal.Line{Kind: journal.KindStart}); got.Boot != "" || got.Listens != "" {
		t.Errorf("without stop inputs: %+v", got)
	}
}

// TestJ5LinesSayWhereTheyAre: a start says the ROS domain and the network file, and what a start believes says the
// domain, because the start of a long run may be in a file that is gone.
func TestJ5LinesSayWhereTheyAre(t *testing.T) {
	k := &keeper{domain: "7", file: "/robot.yaml"}
	for _, c := range []struct {
		line         journal.Line
		domain, file string
	}{
		{journal.Line{Kind: journal.KindStart}, "7", "/robot.yaml"},
		{journal.Line{Kind: journal.KindState, Event: journal.EventSettled}, "7", ""},
		{journal.Line{Kind: journal.KindNode, Event: journal.EventDisarmed}, "7", ""},
		{journal.Line{Kind: journal.KindState, Event: journal.EventBegan}, "", ""},
		{journal.Line{Kind: journal.KindGoal}, "", ""},
	} {
		if got := k.placed(c.line); got.Domain != c.domain || got.File != c.file {
			t.Errorf("%s %s: domain %q, file %q", got.Kind, got.Event, got.Domain, got.File)
		}
	}
}

// TestC4ATornJournalTellsOfNoRun: what is torn may have been an order, or a node that may be armed.
func TestC4ATornJournalTellsOfNoRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	k := newKeeper(dir, "", "first life")
	k.open(func(engine.Input) {})
	entries := []engine.Entry{
		{Kind: engine.EntryStart, Sentence: "it starts"},
		{Kind: engine.EntryGoal, Event: engine.EventAsked, Command: "disarm", Orders: 1, Sentence: "disarm was asked for"},
	}
	for _, e := range entries {
		k.carry(engine.Record{Entry: e})
	}
	if err := k.close(); err != nil {
		t.Fatal(err)
	}
	if past, said := newKeeper(dir, "", "next").past(); !past.Whole || len(past.Ordered) != 1 || past.Ordered[0].N != 1 {
		t.Errorf("of the whole journal: %+v (%s)", past, said)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	newest := files[len(files)-1]
	text, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(newest, text[:len(text)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	if past, said := newKeeper(dir, "", "next").past(); past.Whole || len(past.Ordered) > 0 || said == "" {
		t.Errorf("of the torn journal: %+v (%s)", past, said)
	}
}

// TestS2ARunInAnotherDomain has other nodes, which only have the same names; also one whose begin is not read any more.
// A stop belongs to the name in all domains.
func TestS2ARunInAnotherDomain(t *testing.T) {
	start := engine.Entry{Kind: engine.EntryStart, Sentence: "it starts"}
	stop := engine.Entry{Kind: engine.EntryStop, Node: "/rstate",
		Latch: latch.Latch{Origin: "/rstate", Instance: "1", Latched: 2}}
	over := stop
	over.Latch.Acknowledged = 1
	disarmed := engine.Entry{Kind: engine.EntryNode, Event: engine.EventDisarmed, Node: "/brake"}
	for name, elsewhere := range map[string][]engine.Entry{
		"from its begin on": {start, disarmed, over},
		"for long":          {disarmed, over},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			run := func(instance, domain string, entries ...engine.Entry) {
				k := newKeeper(dir, "", instance)
				k.domain = domain
				k.open(func(engine.Input) {})
				for _, e := range entries {
					k.carry(engine.Record{Entry: e})
				}
				if err := k.close(); err != nil {
					t.Fatal(err)
				}
			}
			run("1", "0", start, engine.Entry{Kind: engine.EntryNode, Event: engine.EventMayBeArmed, Node: "/brake"}, stop)
			run("2", "42", elsewhere...)
			for domain, want := range map[string]int{"0": 1, "42": 0} {
				k := newKeeper(dir, "", "3")
				k.domain = domain
				past, said := k.past()
				if !past.Whole || len(past.Armed) != want || len(past.Stops) != 1 || past.Stops[0].Acknowledged != 1 {
					t.Errorf("in domain %s: %+v (%s)", domain, past, said)
				}
			}
		})
	}
}
