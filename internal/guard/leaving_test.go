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
	own, other := guards.Listed{ID: "g", Nodes: []string{"/a"}, Lives: true}, guards.Listed{ID: "h", Nodes: []string{"/a"}, Lives: true}
	ended := guards.Listed{ID: "g", Fault: guards.Ended}
	type events = []func(*guarding, time.Duration)
	for name, c := range map[string]struct {
		before, after events
		waits, leaves bool
	}{
		"another one covers": {events{say("x", 1, 1), lists("x", 1, own, other)}, events{lists("x", 1, ended, other)}, true, true},
		"the state came before the lease": {events{lists("x", 1, own, other), say("x", 1, 1)},
			events{lists("x", 1, ended, other)}, true, true},
		"no answer":              {events{say("x", 1, 1), lists("x", 1, own, other)}, nil, true, false},
		"nobody else":            {events{say("x", 1, 1), lists("x", 1, own)}, events{lists("x", 1, ended)}, false, false},
		"a state of another run": {events{say("x", 1, 1), lists("x", 1, own, other)}, events{lists("y", 1, ended, other)}, true, false},
		"an earlier lease":       {events{say("x", 2, 1), lists("x", 1, own, other)}, events{lists("x", 1, ended, other)}, false, false},
		"leases of two":          {events{say("x", 1, 1), say("y", 1, 1), lists("x", 1, own, other)}, events{lists("x", 1, ended, other)}, false, false},
		"the lease has ended": {events{say("x", 1, 1), lists("x", 1, own, other)},
			events{func(w *guarding, _ time.Duration) { w.look(time.Second) }, lists("x", 1, ended, other)}, true, false},
		"no lease": {events{lists("x", 0, own, other)}, events{lists("x", 0, ended, other)}, false, false},
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

// TestA13AGuardTellsThatItDisarms: from the moment at which it begins until all have confirmed, and for some words more.
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
		missing, guarded := coverage("/lease", c.leases, []string{"/a", "/b"}, func(name string) bool { return name == c.served })
		if got := fmt.Sprint(missing, guarded); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
