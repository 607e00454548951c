package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/lease"
)

const ms = time.Millisecond

// wardStep is an input of a ward at a time, and the ward's wanted state after it.
type wardStep struct {
	at    time.Duration
	event func(*ward, time.Duration)
	watch watch
	asks  string // the services that get a request to disarm now
}

// say returns a message of a term whose proof is from its arrival and valid for 500 ms.
func say(instance string, term, seq uint64) func(*ward, time.Duration) {
	return func(w *ward, at time.Duration) {
		w.heard(at, lease.Message{Instance: instance, Term: term, Seq: seq, Proved: at, Valid: 500 * ms})
	}
}

func shows(instance string, term uint64, doubt bool) func(*ward, time.Duration) {
	return func(w *ward, _ time.Duration) { w.told(standing{instance, term, doubt}) }
}

// yes returns a confirmation of a service to a request of that time.
func yes(i int, sent time.Duration) func(*ward, time.Duration) {
	return func(w *ward, _ time.Duration) { w.confirms(i, sent) }
}

func TestA7AGuardDisarmsWhenTheLeaseEnds(t *testing.T) {
	look, leave := (*ward).look, (*ward).leave
	const both = "/a/arm /b/arm"
	for name, steps := range map[string][]wardStep{
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
		"an instance that arms again has seen all nodes disarmed": {
			{0, say("x", 1, 1), watchHolding, ""},
			{500 * ms, look, watchDisarming, both},
			{900 * ms, say("y", 1, 1), watchHolding, ""},
			{950 * ms, yes(0, 500*ms), watchHolding, ""},
			{1400 * ms, look, watchDisarming, both},
			{1410 * ms, yes(0, 500*ms), watchDisarming, ""},
			{1420 * ms, yes(0, 1400*ms), watchDisarming, ""},
			{1430 * ms, yes(1, 1400*ms), watchIdle, ""},
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
	} {
		t.Run(name, func(t *testing.T) {
			w := newWard([]string{"/a/arm", "/b/arm"})
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
		})
	}
}
