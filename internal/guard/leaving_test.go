package guard

import (
	"fmt"
	"testing"
	"time"

	"rstate/internal/engine/guards"
)

// lists returns the word of a coordinator that holds a lease and shows guards.
func lists(instance string, term uint64, list ...guards.Listed) func(*guarding, time.Duration) {
	return func(w *guarding, at time.Duration) {
		w.told(at, standing{instance: instance, term: term, doubt: true, list: list})
	}
}

// TestA13AGuardThatEndsIsRelieved: by the coordinator whose lease holds, and by no other one.
func TestA13AGuardThatEndsIsRelieved(t *testing.T) {
	own := guards.Listed{ID: "g", Nodes: []string{"/a"}, Lives: true}
	other := guards.Listed{ID: "h", Nodes: []string{"/a"}, Lives: true}
	ended := guards.Listed{ID: "g", Fault: guards.Ended}
	type event = func(*guarding, time.Duration)
	both := func(run string, term uint64) event { return lists(run, term, own, other) }
	after := func(run string, term uint64) event { return lists(run, term, ended, other) }
	ends := func(w *guarding, _ time.Duration) { w.look(time.Second) }
	for name, c := range map[string]struct {
		before, after []event
		waits, leaves bool
	}{
		"another one covers":              {[]event{say("x", 1, 1), both("x", 1)}, []event{after("x", 1)}, true, true},
		"the state came before the lease": {[]event{both("x", 1), say("x", 1, 1)}, []event{after("x", 1)}, true, true},
		"no answer":                       {[]event{say("x", 1, 1), both("x", 1)}, nil, true, false},
		"no other guard": {[]event{say("x", 1, 1), lists("x", 1, own)}, []event{lists("x", 1, ended)},
			false, false},
		"a state of another run": {[]event{say("x", 1, 1), both("x", 1)}, []event{after("y", 1)}, true, false},
		"an earlier lease":       {[]event{say("x", 2, 1), both("x", 1)}, []event{after("x", 1)}, false, false},
		"leases of two": {[]event{say("x", 1, 1), say("y", 1, 1), both("x", 1)}, []event{after("x", 1)},
			false, false},
		"one more lease begins": {[]event{say("x", 1, 1), both("x", 1)}, []event{say("y", 1, 1), after("x", 1)},
			true, false},
		"the lease has ended": {[]event{say("x", 1, 1), both("x", 1)}, []event{ends, after("x", 1)}, true, false},
		"no lease":            {[]event{both("x", 0)}, []event{after("x", 0)}, false, false},
	} {
		w := newGuarding([]string{"/a/arm"})
		for _, e := range c.before {
			e(w, ms)
		}
		waits := w.ends("g", 1)
		for _, e := range c.after {
			e(w, 2*ms)
		}
		if leaves := w.relieved(); waits != c.waits || leaves != c.leaves {
			t.Errorf("%s: waits %v, leaves %v; want %v, %v", name, waits, leaves, c.waits, c.leaves)
		}
	}
}

// TestA13AGuardSaysAgainThatItHasEnded: as long as the newest state lists it as one that has not, whether or not a lease
// holds.
func TestA13AGuardSaysAgainThatItHasEnded(t *testing.T) {
	own := guards.Listed{ID: "g", Nodes: []string{"/a"}, Lives: true}
	last := guards.Listed{ID: "g", Fault: "ends"}
	ended := guards.Listed{ID: "g", Fault: guards.Ended}
	other := guards.Listed{ID: "h", Nodes: []string{"/a"}, Lives: true}
	type event = func(*guarding, time.Duration)
	for name, c := range map[string]struct {
		told []event
		want bool
	}{
		"no state came":              {nil, false},
		"it was never listed":        {[]event{lists("x", 1, other)}, false},
		"it is listed":               {[]event{lists("x", 1, other, own)}, true},
		"without a lease":            {[]event{lists("x", 0, own)}, true},
		"as one that ends":           {[]event{lists("x", 0, last)}, true},
		"as one that is lost":        {[]event{lists("x", 0, guards.Listed{ID: "g", Fault: "is lost"})}, true},
		"as one that has ended":      {[]event{lists("x", 1, own), lists("x", 0, ended, other)}, false},
		"and then is heard again":    {[]event{lists("x", 0, ended), lists("x", 0, own)}, true},
		"by the run before this one": {[]event{lists("x", 1, own), lists("y", 0)}, false},
		"and is forgotten":           {[]event{lists("x", 0, own), lists("x", 0)}, false},
	} {
		w := newGuarding([]string{"/a/arm"})
		for _, e := range c.told {
			e(w, ms)
		}
		if got := w.unheard("g"); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestA13AGuardTellsThatItDisarms: from the moment at which it begins until all have confirmed, and for some messages
// more.
func TestA13AGuardTellsThatItDisarms(t *testing.T) {
	w := newGuarding([]string{"/a/arm", "/b/arm"})
	say("x", 1, 1)(w, 0)
	if w.takeNews(); w.disarms(0, 0) {
		t.Error("it tells before it disarms")
	}
	w.look(600 * ms)
	if !w.takeNews() {
		t.Error("it does not tell at once")
	}
	w.due(600 * ms)
	w.confirms(0, 600*ms)
	told := guards.ToldFor + 600*ms
	if !w.disarms(0, 610*ms) || !w.disarms(1, 610*ms) || w.disarms(0, told) || !w.disarms(1, told) {
		t.Error("it tells too briefly of a service that has confirmed, or not of the other one, or for too long")
	}
}

// TestA7WhichNodesAGuardLeavesArmed: a service that has never had a server has armed nothing.
func TestA7WhichNodesAGuardLeavesArmed(t *testing.T) {
	w := newGuarding([]string{"/a/arm", "/b/arm", "/c/arm"})
	w.sees(0)
	w.sees(2)
	say("x", 1, 1)(w, 0)
	w.leave(ms)
	w.due(ms)
	w.confirms(2, ms)
	if armed, absent := w.left(); fmt.Sprint(armed, absent) != "[/a/arm] [/b/arm]" {
		t.Errorf("left armed %v, absent %v", armed, absent)
	}
}

// TestA7WhatAGuardMisses: what is missing, and what it guards all the same.
func TestA7WhatAGuardMisses(t *testing.T) {
	for _, c := range []struct {
		leases bool
		served string
		want   string
	}{
		{true, "/a", "[no server of /b] [/a]"},
		{true, "", "[no server of /a no server of /b] []"},
		{false, "/a", "[no publisher on /lease no server of /b] []"},
	} {
		served := func(name string) bool { return name == c.served }
		missing, guarded := coverage("/lease", c.leases, []string{"/a", "/b"}, served)
		if got := fmt.Sprint(missing, guarded); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
