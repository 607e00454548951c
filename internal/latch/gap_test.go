package latch

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestA12AGapInWords: from the last time that is known to the moment from which on the instance listens.
func TestA12AGapInWords(t *testing.T) {
	from := noon.Add(-9 * time.Second)
	for _, row := range []struct {
		name string
		gap  Gap
		want string
	}{
		{"a run that ended in good order", Gap{From: from, To: noon, For: 9 * time.Second}, "from 11:59:51Z to 12:00:00Z"},
		{"a run that was killed", Gap{From: from, To: noon, For: -1}, "from 11:59:51Z at the earliest to 12:00:00Z"},
		{"nothing is known", Gap{To: noon, For: -1, Why: "it has no journal"}, "before 12:00:00Z: it has no journal"},
		{"the clock was set back", Gap{From: noon.Add(time.Hour), To: noon, For: -1}, "before 12:00:00Z"},
		{"days", Gap{From: noon.AddDate(0, 0, -3), To: noon, For: 72 * time.Hour},
			"from 2026-11-24 12:00:00Z to 2026-11-27 12:00:00Z"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var l Ledger
			e, closed := l.LatchGap("/a", "a1", row.gap)
			if e.Why != "rstate did not listen "+row.want || !e.Open() || !e.IsGap() || len(closed) > 0 {
				t.Errorf("got %+v, closed %v", e, closed)
			}
		})
	}
}

// TestA12AGapThatMattersNot: a button that says nothing for so long counts as silent, and not before.
func TestA12AGapThatMattersNot(t *testing.T) {
	const silent = 500 * time.Millisecond
	for _, row := range []struct {
		gap  Gap
		want bool
	}{
		{Gap{}, false},
		{Gap{From: noon, To: noon, For: silent}, false},
		{Gap{From: noon, To: noon, For: silent + 1}, true},
		{Gap{From: noon, To: noon, For: -1}, true},
		{Gap{To: noon, For: -1}, true},
	} {
		if got := row.gap.Exceeds(silent); got != row.want {
			t.Errorf("%+v exceeds: %v", row.gap, got)
		}
	}
}

// TestA12GapsOfManyRunsAreOneStop: each run takes over the open gap of the one before. A press stays a stop of its own,
// and a gap that was acknowledged stays so.
func TestA12GapsOfManyRunsAreOneStop(t *testing.T) {
	var l, peer Ledger
	for k := range 1000 {
		at := noon.Add(time.Duration(k) * time.Minute)
		run := fmt.Sprintf("a%04d", k)
		l.Owns(run)
		l.LatchGap("/a", run, Gap{From: at, To: at.Add(time.Second), For: time.Second})
		peer.Merge(l.List())
	}
	for name, l := range map[string]*Ledger{"the instance": &l, "the peer": &peer} {
		open := l.Open()
		if len(open) != 1 || open[0].Why != "rstate did not listen all the time from 12:00:00Z to 04:39:01Z" {
			t.Errorf("%s: %+v", name, open)
		}
		if n := len(l.List()); n > Keep+1 {
			t.Errorf("%s keeps %d runs", name, n)
		}
	}
	l.Latch("/a", "a0999", "/estop: pressed", noon)
	l.LatchGap("/a", "b", Gap{From: noon, To: noon.Add(time.Second), For: time.Second})
	if open := l.Open(); len(open) != 2 || open[0].Why != "/estop: pressed" {
		t.Errorf("a press became part of a gap: %+v", open)
	}
	l.Latch("/other", "c", "rstate did not listen", noon)
	l.LatchGap("/a", "d", Gap{To: noon, For: -1})
	if c := l.Of("c"); !c.Open() {
		t.Error("the gap of another instance became part of one")
	}
	if d := l.Of("d"); !strings.Contains(d.Why, "all the time before") {
		t.Errorf("the beginning of the gap is unknown, and it says %s", d.Why)
	}
}

// TestA12APeerHearsAGapThatGoesOn: what became part of a newer stop was not acknowledged by a person.
func TestA12APeerHearsAGapThatGoesOn(t *testing.T) {
	var l, peer Ledger
	l.LatchGap("/a", "a1", Gap{From: noon, To: noon, For: -1})
	peer.Merge(l.List())
	l.LatchGap("/a", "a2", Gap{From: noon, To: noon, For: -1})
	stopped, closed := peer.Merge(l.List())
	if len(stopped) != 1 || len(closed) != 1 || !peer.GoesOn(&closed[0]) {
		t.Errorf("stopped %v, closed %v", stopped, closed)
	}
	l.Acknowledge("a2", 1)
	if _, closed = peer.Merge(l.List()); len(closed) != 1 || peer.GoesOn(&closed[0]) {
		t.Errorf("an acknowledgement: %v", closed)
	}
}
