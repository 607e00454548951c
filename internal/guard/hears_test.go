package guard

import (
	"fmt"
	"testing"
	"time"

	"rstate/internal/lease"
)

// TestA13WhatAGuardSaysThatItHears: the runs of which it has heard a state, and the newest message of each lease.
func TestA13WhatAGuardSaysThatItHears(t *testing.T) {
	w := newGuarding([]string{"/a/arm", "/b/arm"})
	want := func(text string, leases bool) {
		t.Helper()
		if got := fmt.Sprint(w.hears(leases)); got != text {
			t.Errorf("it hears %s, want %s", got, text)
		}
	}
	want("[]", true)
	shows("x", 0, false)(w, 0)
	want("[{x 0 0}]", true)
	want("[]", false) // nothing publishes a lease
	shows("y", 0, false)(w, 0)
	shows("x", 0, false)(w, 0)
	want("[{y 0 0} {x 0 0}]", true)
	say("x", 1, 1)(w, 10*ms)
	say("x", 1, 2)(w, 110*ms)
	want("[{y 0 0} {x 1 2}]", true)
	want("[{x 1 2}]", false)
	by("forger", "x", 7, 1, time.Second)(w, 120*ms) // the run hears of both, and knows what it has sent
	want("[{y 0 0} {x 1 2} {x 7 1}]", true)
	for k := range 3 * pledges {
		shows(fmt.Sprint(k), 0, false)(w, 130*ms)
	}
	if n := len(w.hears(true)); n > 2*pledges {
		t.Errorf("it tells of %d runs", n)
	}
}

// TestA13AGuardSpeaksAtOnce when it hears a run or a term for the first time: an arming waits for that.
func TestA13AGuardSpeaksAtOnce(t *testing.T) {
	w := newGuarding([]string{"/a/arm"})
	for k, c := range []struct {
		event func(*guarding, time.Duration)
		news  bool
	}{
		{shows("x", 0, false), true},
		{shows("x", 0, false), false},
		{say("x", 1, 1), true},
		{say("x", 1, 2), false},
		{say("x", 2, 1), true},
		{shows("y", 0, false), true},
	} {
		c.event(w, time.Duration(k)*ms)
		if got := w.takeNews(); got != c.news || w.takeNews() {
			t.Errorf("step %d: news %v, want %v once", k, got, c.news)
		}
	}
}

// TestA13AGuardCoversNothingThatItStillDisarms: of an earlier lease that broke off.
func TestA13AGuardCoversNothingThatItStillDisarms(t *testing.T) {
	w := newGuarding([]string{"/a/arm", "/b/arm"})
	w.heard(0, lease.Message{Instance: "x", Term: 1, Seq: 1, Valid: 500 * ms}, "")
	if w.awaits(0) || w.awaits(1) {
		t.Error("it waits while a lease holds")
	}
	w.look(600 * ms)
	w.due(600 * ms)
	w.confirms(0, 600*ms)
	if w.awaits(0) || !w.awaits(1) {
		t.Error("it does not wait for the node that has not confirmed, or for the other one")
	}
	w.confirms(1, 600*ms)
	if w.awaits(1) {
		t.Error("it waits after all have confirmed")
	}
}
