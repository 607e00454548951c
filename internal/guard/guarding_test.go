package guard

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/lease"
)

const ms = time.Millisecond

// guardingStep is an input of a guarding at a time, and the guarding's wanted state after it.
type guardingStep struct {
	at    time.Duration
	event func(*guarding, time.Duration)
	watch watch
	asks  string // the services that get a request to disarm now
}

// say returns a message of a term whose proof is from its arrival and valid for 500 ms.
func say(instance string, term, seq uint64) func(*guarding, time.Duration) {
	return func(w *guarding, at time.Duration) {
		w.heard(at, lease.Message{Instance: instance, Term: term, Seq: seq, Proved: at, Valid: 500 * ms}, "")
	}
}

// waited returns a message of a term that was sent at that time of our clock, and now is received.
func waited(instance string, term, seq uint64, sent time.Duration) func(*guarding, time.Duration) {
	return func(w *guarding, at time.Duration) {
		w.heard(at, lease.Message{Instance: instance, Term: term, Seq: seq, Proved: sent, Valid: 500 * ms}, "")
	}
}

// rests returns a message that says that no lease is held.
func rests(instance string) func(*guarding, time.Duration) {
	return func(w *guarding, at time.Duration) { w.heard(at, lease.Message{Instance: instance, Proved: at}, "") }
}

func shows(instance string, term uint64, doubt bool) func(*guarding, time.Duration) {
	return func(w *guarding, at time.Duration) {
		w.told(at, standing{instance: instance, term: term, doubt: doubt})
	}
}

// yes returns a confirmation of a service to a request of that time.
func yes(i int, sent time.Duration) func(*guarding, time.Duration) {
	return func(w *guarding, _ time.Duration) { w.confirms(i, sent) }
}

func TestA7AGuardDisarmsWhenTheLeaseEnds(t *testing.T) {
	look, leave := (*guarding).look, (*guarding).leave
	const both = "/a/arm /b/arm"
	for name, steps := range map[string][]guardingStep{
		"nothing was ever armed": {
			{0, look, watchIdle, ""},
			{time.Hour, leave, watchIdle, ""},
		},
		"the coordinator is killed, and one node confirms late": {
			{0, say("x", 1, 1), watchHolding, ""},
			{100 * ms, say("x", 1, 2), watchHolding, ""},
			{599 * ms, look, watchHolding, ""},
			{600 * ms, look, watchDisarming, both},
			{610 * ms, yes(0, 600*ms), watchDisarming, ""},
			{1599 * ms, look, watchDisarming, ""},
			{1600 * ms, look, watchDisarming, "/b/arm"},
			{2600 * ms, look, watchDisarming, "/b/arm"},
			{2700 * ms, yes(1, 1600*ms), watchIdle, ""},
			{time.Hour, look, watchIdle, ""},
		},
		"it is disarmed in good order": {
			{0, say("x", 1, 1), watchHolding, ""},
			{10 * ms, shows("x", 1, true), watchHolding, ""},
			{90 * ms, shows("x", 0, true), watchHolding, ""},
			{95 * ms, shows("x", 0, false), watchIdle, ""},
			{time.Second, look, watchIdle, ""},
		},
		"a node does not confirm to the coordinator": {
			{0, say("x", 1, 1), watchHolding, ""},
			{10 * ms, shows("x", 1, true), watchHolding, ""},
			{90 * ms, shows("x", 0, true), watchHolding, ""},
			{500 * ms, look, watchDisarming, both},
			{700 * ms, shows("x", 0, false), watchIdle, ""},
		},
		"the coordinator's word overtakes the lease": {
			{0, shows("x", 1, true), watchIdle, ""},
			{10 * ms, say("x", 1, 1), watchHolding, ""},
			{20 * ms, shows("x", 0, false), watchIdle, ""},
		},
		"a word from before the arming counts for nothing": {
			{0, say("x", 1, 1), watchHolding, ""},
			{10 * ms, shows("x", 0, false), watchHolding, ""},
			{500 * ms, look, watchDisarming, both},
		},
		"the word of another counts for nothing": {
			{0, say("x", 1, 1), watchHolding, ""},
			{10 * ms, shows("x", 1, true), watchHolding, ""},
			{20 * ms, shows("y", 0, false), watchHolding, ""},
			{500 * ms, look, watchDisarming, both},
		},
		"armed again": {
			{0, say("x", 1, 1), watchHolding, ""},
			{10 * ms, shows("x", 1, true), watchHolding, ""},
			{90 * ms, shows("x", 0, false), watchIdle, ""},
			{200 * ms, say("x", 2, 1), watchHolding, ""},
			{210 * ms, shows("x", 0, false), watchHolding, ""},
			{700 * ms, look, watchDisarming, both},
		},
		"thawed, it goes on with the old term": {
			{0, say("x", 1, 1), watchHolding, ""},
			{500 * ms, look, watchDisarming, both},
			{510 * ms, yes(0, 500*ms), watchDisarming, ""},
			{520 * ms, yes(1, 500*ms), watchIdle, ""},
			{900 * ms, say("x", 1, 2), watchIdle, ""},
		},
		"a daemon that arms again has seen all nodes disarmed": {
			{0, say("x", 1, 1), watchHolding, ""},
			{500 * ms, look, watchDisarming, both},
			{900 * ms, say("x", 2, 1), watchHolding, ""},
			{950 * ms, yes(0, 500*ms), watchHolding, ""},
			{1400 * ms, look, watchDisarming, both},
			{1410 * ms, yes(0, 500*ms), watchDisarming, ""},
			{1420 * ms, yes(0, 1400*ms), watchDisarming, ""},
			{1430 * ms, yes(1, 1400*ms), watchIdle, ""},
		},
		"another one that arms cancels nothing": {
			{0, say("x", 1, 1), watchHolding, ""},
			{500 * ms, look, watchDisarming, both},
			{900 * ms, say("y", 1, 1), watchDisarming, ""},
			{950 * ms, yes(0, 500*ms), watchDisarming, ""},
			{960 * ms, yes(1, 500*ms), watchHolding, ""},
			{1400 * ms, look, watchDisarming, both},
		},
		"the guard is to end while armed": {
			{0, say("x", 1, 1), watchHolding, ""},
			{100 * ms, leave, watchDisarming, both},
			{110 * ms, say("x", 1, 2), watchDisarming, ""},
			{120 * ms, yes(0, 100*ms), watchDisarming, ""},
			{130 * ms, yes(1, 100*ms), watchIdle, ""},
		},
		"the guard itself was stopped for too long": {
			{0, say("x", 1, 1), watchHolding, ""},
			{10 * time.Second, say("x", 1, 90), watchDisarming, both},
		},
		"that no lease is held returns none, and begins none": {
			{0, rests("x"), watchIdle, ""},
			{time.Second, rests("x"), watchIdle, ""},
			{1100 * ms, say("x", 1, 1), watchHolding, ""},
			{1200 * ms, rests("x"), watchHolding, ""},
			{1600 * ms, look, watchDisarming, both},
			{1650 * ms, rests("x"), watchDisarming, ""},
		},
		"the guard was stopped, and finds a lease that has broken off": {
			{0, rests("x"), watchIdle, ""},
			{time.Second, rests("x"), watchIdle, ""},
			{9 * time.Second, waited("x", 1, 1, 1100*ms), watchDisarming, both},
		},
		"the guard was stopped since its start, and cannot know when the lease ends": {
			{9 * time.Second, waited("x", 1, 1, 1100*ms), watchHolding, ""},
			{9 * time.Second, waited("x", 1, 2, 1200*ms), watchHolding, ""},
			{9500 * ms, look, watchDisarming, both},
		},
	} {
		t.Run(name, func(t *testing.T) { follow(t, steps) })
	}
}

// follow gives a guarding of two services the steps.
func follow(t *testing.T, steps []guardingStep) {
	w := newGuarding([]string{"/a/arm", "/b/arm"})
	for k, s := range steps {
		s.event(w, s.at)
		var asks []string
		for _, i := range w.due(s.at) {
			asks = append(asks, w.services[i].name)
		}
		if w.watch != s.watch || !slices.Equal(asks, strings.Fields(s.asks)) {
			t.Fatalf("step %d: it is at %d and asks %q; want %d and %q", k, w.watch, asks, s.watch, s.asks)
		}
		if next, any := w.next(); any && next <= s.at {
			t.Fatalf("step %d: there is something to do at %v, which is over", k, next)
		}
	}
}

// by returns a message of a writer.
func by(writer, instance string, term, seq uint64, valid time.Duration) func(*guarding, time.Duration) {
	return func(w *guarding, at time.Duration) {
		w.heard(at, lease.Message{Instance: instance, Writer: writer, Term: term, Seq: seq, Proved: at, Valid: valid},
			writer[:min(len(writer), processPart)])
	}
}

// word returns the word of a process.
func word(process, instance string, term uint64) func(*guarding, time.Duration) {
	return func(w *guarding, at time.Duration) {
		w.told(at, standing{instance: instance, process: process, term: term})
	}
}

// TestA7NothingForgedSilencesAGuard: x1 writes for the daemon x; h1 is of another participant, which says what it
// likes.
func TestA7NothingForgedSilencesAGuard(t *testing.T) {
	const (
		daemon, forger   = "process of x", "process of h"
		x1, h1           = daemon + "1", forger + "1"
		both             = "/a/arm /b/arm"
		valid, forever   = 500 * ms, 1000 * time.Hour
		tooMuch, tooHigh = lease.Most + 1, 1<<64 - 1
	)
	look := (*guarding).look
	for name, steps := range map[string][]guardingStep{
		"a term that no daemon comes to": {
			{0, by(x1, "x", 1, 1, valid), watchHolding, ""},
			{50 * ms, by(h1, "x", tooHigh, 1, forever), watchHolding, ""},
			{100 * ms, by(x1, "x", 1, 2, valid), watchHolding, ""},
			{600 * ms, look, watchDisarming, both},
		},
		"the daemon's own term, with higher numbers and for ever": {
			{0, by(x1, "x", 1, 1, valid), watchHolding, ""},
			{50 * ms, by(h1, "x", 1, 1<<40, forever), watchHolding, ""},
			{100 * ms, by(x1, "x", 1, 2, valid), watchHolding, ""},
			{600 * ms, look, watchDisarming, both},
			{610 * ms, by(h1, "x", 1, 1<<40+1, forever), watchDisarming, ""},
			{620 * ms, by(h1, "x", 2, 1, forever), watchDisarming, ""},
			{1600 * ms, look, watchDisarming, both},
		},
		"a lease that was there first": {
			{0, by(h1, "h", 1, 1, forever), watchHolding, ""},
			{50 * ms, by(x1, "x", 1, 1, valid), watchHolding, ""},
			{550 * ms, look, watchDisarming, both},
			{560 * ms, by(h1, "h", 2, 1, forever), watchDisarming, ""},
		},
		"the word that there is no lease": {
			{0, word(daemon, "x", 1), watchIdle, ""},
			{10 * ms, by(x1, "x", 1, 1, valid), watchHolding, ""},
			{20 * ms, word(forger, "x", 1), watchHolding, ""},
			{30 * ms, word(forger, "x", 0), watchHolding, ""},
			{510 * ms, look, watchDisarming, both},
		},
		"the daemon's word, and the lease goes on": {
			{0, word(daemon, "x", 1), watchIdle, ""},
			{10 * ms, by(x1, "x", 1, 1, valid), watchHolding, ""},
			{20 * ms, word(daemon, "x", 0), watchIdle, ""},
			{30 * ms, by(x1, "x", 1, 2, valid), watchIdle, ""},
			{180 * ms, by(x1, "x", 1, 3, valid), watchHolding, ""},
			{680 * ms, look, watchDisarming, both},
		},
		"a number that no daemon comes to": {
			{0, by(x1, "x", 1, tooMuch, valid), watchIdle, ""},
			{10 * ms, by(x1, "x", 1, 2, valid), watchHolding, ""},
		},
	} {
		t.Run(name, func(t *testing.T) { follow(t, steps) })
	}
}

// TestA7MoreLeasesThanAGuardFollows: the one that is forgotten counts as broken off, so its end is not missed.
func TestA7MoreLeasesThanAGuardFollows(t *testing.T) {
	w := newGuarding([]string{"/a/arm"})
	by("daemon", "x", 1, 1, time.Minute)(w, 0)
	for k := range pledges - 1 {
		by(string(rune('a'+k)), "h", 1, 1, time.Hour)(w, 0)
	}
	if w.watch != watchHolding {
		t.Fatalf("at %d with as many as it follows", w.watch)
	}
	by("one more", "h", 1, 1, time.Hour)(w, ms)
	if w.watch != watchDisarming || len(w.due(ms)) != 1 || len(w.pledges) != pledges {
		t.Errorf("at %d with one more, %d followed", w.watch, len(w.pledges))
	}
	w.confirms(0, ms)
	if w.watch != watchHolding {
		t.Errorf("at %d when the node has confirmed", w.watch)
	}
	if w.heard(2*ms, lease.Message{Instance: "idle"}, ""); w.watch != watchHolding || len(w.due(2*ms)) != 0 {
		t.Errorf("at %d after a message that says that no lease is held, for which there is no place", w.watch)
	}
}
