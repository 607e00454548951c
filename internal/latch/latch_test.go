package latch

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// TestA12AStopStaysOpenUntilItIsAcknowledged: the numbers only grow, and an acknowledgement covers only the
// stops that were known when it was given.
func TestA12AStopStaysOpenUntilItIsAcknowledged(t *testing.T) {
	var l Ledger
	first := l.Latch("/a", "a1", "/estop was pressed", noon)
	if len(l.Open()) != 1 || first.Latched != 1 {
		t.Fatalf("after a stop: %+v", l.List())
	}
	l.Latch("/a", "a1", "/estop was pressed", noon)
	l.Acknowledge("a1", first.Latched)
	if len(l.Open()) != 1 {
		t.Error("an acknowledgement of the first stop covers the second one")
	}
	l.Acknowledge("a1", 9)
	l.Acknowledge("a1", 1) // an older one, which comes late
	if e := l.Of("a1"); e.Open() || e.Acknowledged != 2 {
		t.Errorf("after the second acknowledgement: %+v", e)
	}
	third := l.Latch("/a", "a1", "/wall was pressed", noon.Add(time.Minute))
	if len(l.Open()) != 1 {
		t.Error("an acknowledgement covers a stop that came after it")
	}
	if w := third.Words(); w != "stopped at 12:01:00Z by /a: /wall was pressed" {
		t.Errorf("the words of the third stop are %q", w)
	}
}

// TestA12EachRunHasOneEntry: by whatever name others tell of it, and beside the other runs of its name.
func TestA12EachRunHasOneEntry(t *testing.T) {
	var l Ledger
	l.Latch("/a", "a1", "pressed", noon)
	l.Merge([]Latch{{Origin: "/x", Instance: "a1", Latched: 2}, {Origin: "/a", Instance: "a2", Latched: 1}})
	if len(l.List()) != 2 || len(l.Open()) != 2 {
		t.Fatalf("it knows %+v", l.List())
	}
	for _, open := range l.Open() {
		l.Acknowledge(open.Instance, open.Latched)
	}
	if len(l.Open()) != 0 {
		t.Errorf("after the acknowledgement of all: %+v", l.Open())
	}
}

// TestA12AListThatWasHandedOutStays: what a reader appends to it is the reader's.
func TestA12AListThatWasHandedOutStays(t *testing.T) {
	var l Ledger
	for k := range 3 {
		l.Latch("/a", fmt.Sprint(k), "pressed", noon)
	}
	first := append(l.List(), Latch{Instance: "x"})
	if second := append(l.List(), Latch{Instance: "y"}); first[3].Instance != "x" || second[3].Instance != "y" {
		t.Errorf("two readers append to one list: %+v and %+v", first[3], second[3])
	}
}

// TestA12StopsMergeInAnyOrder: however messages are repeated, lost and reordered, all ledgers agree once
// each has heard of every other one.
func TestA12StopsMergeInAnyOrder(t *testing.T) {
	for seed := range uint64(500) {
		draw := rand.New(rand.NewPCG(seed, 12))
		const sides = 3
		var ledgers [sides]Ledger
		var sent [][]Latch
		for range 60 {
			k := draw.IntN(sides)
			me := fmt.Sprint("run", k)
			switch draw.IntN(4) {
			case 0:
				ledgers[k].Latch(fmt.Sprint("/", k), me, "pressed", noon)
			case 1:
				for _, open := range ledgers[k].Open() {
					ledgers[k].Acknowledge(open.Instance, open.Latched)
				}
			case 2:
				sent = append(sent, ledgers[k].List())
			case 3:
				if len(sent) > 0 {
					ledgers[k].Merge(sent[draw.IntN(len(sent))])
				}
			}
		}
		for range 2 {
			for a := range sides {
				for b := range sides {
					ledgers[a].Merge(ledgers[b].List())
				}
			}
		}
		for k := 1; k < sides; k++ {
			if !reflect.DeepEqual(ledgers[0].List(), ledgers[k].List()) {
				t.Fatalf("seed %d: %+v and %+v", seed, ledgers[0].List(), ledgers[k].List())
			}
		}
	}
}

// TestA12MergeTellsWhatIsNew: an instance disarms for what it hears for the first time, and only for that.
func TestA12MergeTellsWhatIsNew(t *testing.T) {
	one := Latch{Origin: "/a", Instance: "a1", Latched: 1, Why: "pressed", At: noon}
	done := one
	done.Acknowledged = 1
	two := done
	two.Latched = 2
	both := one
	both.Latched = 2
	next := Latch{Origin: "/a", Instance: "a2", Latched: 1, Why: "pressed"}
	for _, row := range []struct {
		name    string
		known   []Latch
		told    Latch
		stopped bool
		acked   bool
		open    int
	}{
		{"a new stop", nil, one, true, false, 1},
		{"the same again", []Latch{one}, one, false, false, 1},
		{"one that is acknowledged already", nil, done, false, false, 0},
		{"an acknowledgement", []Latch{one}, done, false, true, 0},
		{"an old message after it", []Latch{done}, one, false, false, 0},
		{"a later stop", []Latch{done}, two, true, false, 1},
		{"a later stop beside an open one", []Latch{one}, both, true, false, 1},
		{"an acknowledgement of one of two", []Latch{both}, two, false, false, 1},
		{"a stop of the next run", []Latch{done}, next, true, false, 1},
		{"a stop of the next run beside an open one", []Latch{one}, next, true, false, 2},
	} {
		var l Ledger
		l.Merge(row.known)
		stopped, acked := l.Merge([]Latch{row.told})
		if (len(stopped) > 0) != row.stopped || (len(acked) > 0) != row.acked || len(l.Open()) != row.open {
			t.Errorf("%s: stopped %v, acknowledged %v, open %v", row.name, stopped, acked, l.Open())
		}
	}
}

// TestA12ALedgerIsBounded: what others tell does not fill the memory, and no open stop is forgotten.
func TestA12ALedgerIsBounded(t *testing.T) {
	var l Ledger
	l.Latch("/a", "0", "pressed", noon)
	for k := range 3 * (Keep + KeepOpen) {
		l.Merge([]Latch{{Origin: "/b", Instance: fmt.Sprintf("b%05d", k), Latched: 1, Acknowledged: uint64(k % 2)}})
	}
	if n := len(l.List()); n > Keep+KeepOpen {
		t.Errorf("%d entries", n)
	}
	if e := l.Of("0"); !e.Open() {
		t.Error("a stop that is not acknowledged was forgotten")
	}
	if n := len(l.Open()); n != KeepOpen {
		t.Fatalf("%d stops are open", n)
	}
	known := l.Open()[1]
	known.Latched++
	if stopped, _ := l.Merge([]Latch{known}); len(stopped) != 1 || l.Of(known.Instance).Latched != known.Latched {
		t.Errorf("a full ledger misses a further stop of a run that it knows: %+v", l.Of(known.Instance))
	}
	l.Merge([]Latch{{Origin: "/c", Instance: "c", Latched: 2, Acknowledged: 2}})
	if e := l.Of("c"); e.Latched != 2 {
		t.Errorf("a full ledger misses a run whose stops are acknowledged: %+v", e)
	}
	l.Acknowledge("0", 1) // it is older than all the others, and they are as many as are kept
	if e := l.Of("0"); e.Latched != 1 || e.Open() {
		t.Errorf("what was acknowledged is not told to others: %+v", e)
	}
}

// TestA12NoOtherInstanceLatchesHere: messages that no instance sends change nothing.
func TestA12NoOtherInstanceLatchesHere(t *testing.T) {
	var l Ledger
	l.Latch("/a", "a1", "pressed", noon)
	for _, row := range []struct {
		told Latch
		ok   bool
	}{
		{Latch{Origin: "/a", Instance: "a1", Latched: 1, Acknowledged: 1}, true},
		{Latch{Origin: "/b", Instance: "b1", Latched: 3}, true},
		{Latch{Origin: "/a", Instance: "a1", Latched: 2}, false},
		{Latch{Origin: "/b", Instance: "b1", Latched: 1, Acknowledged: 2}, false},
		{Latch{Origin: "/b", Instance: "b1", Latched: Most + 1}, false},
		{Latch{Instance: "b1", Latched: 1}, false},
		{Latch{Origin: "/b", Latched: 1}, false},
	} {
		if why := l.Wrong([]Latch{row.told}, "a1"); (why == "") != row.ok {
			t.Errorf("%+v: %q", row.told, why)
		}
	}
}

// TestA12TheOwnRunIsNeverForgotten: it counts on, however many runs of others there were since. Else its next stop
// would look to them like one that was acknowledged.
func TestA12TheOwnRunIsNeverForgotten(t *testing.T) {
	var l Ledger
	l.Owns("a1")
	l.Latch("/a", "a1", "pressed", noon)
	l.Acknowledge("a1", 1)
	for k := range 2 * Keep {
		l.Merge([]Latch{{Origin: "/b", Instance: fmt.Sprintf("b%03d", k), Latched: 1, Acknowledged: 1}})
	}
	if e := l.Latch("/a", "a1", "pressed", noon); e.Latched != 2 || !e.Open() {
		t.Errorf("the second stop is %+v", e)
	}
}
