package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// TestA2TheLeastProofHolds: the least proof that a file may name outlasts a lease message that is late, and leaves time
// between two reads of a node.
func TestA2TheLeastProofHolds(t *testing.T) {
	if network.LeastProof < 2*lease.Every || network.LeastProof/probesPerProof <= probeFloor {
		t.Errorf("%v; a lease message comes every %v", network.LeastProof, lease.Every)
	}
}

// armedFor is a network that has been armed since before its proofs, the oldest of which is as old as age.
func armedFor(t *testing.T, age time.Duration) *State {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: x\nnodes:\n  /hand: {arm: {}}\n  /eye: {probe: 100ms}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := New(net, Options{Name: "/rstate", Instance: "1"})
	s.settled, s.now.Steady = "armed", time.Minute
	for i, old := range []time.Duration{0, age} {
		n := &s.nodes[i]
		n.count, n.epoch, n.state, n.firm, n.provenAt = 1, 1, lifecycle.Active, true, s.now.Steady-old
	}
	return s
}

// TestA2AProofIsGoodAsLongAsTheFileSays: as old as `proof` it still renews the lease, and older it does not.
func TestA2AProofIsGoodAsLongAsTheFileSays(t *testing.T) {
	for _, late := range []time.Duration{0, 1} {
		s := armedFor(t, 500*time.Millisecond+late)
		s.holdLease()
		renewed := slices.ContainsFunc(s.out, func(e Effect) bool { _, ok := e.(SendLease); return ok })
		if old := late > 0; renewed == old || s.unrenewable() != old {
			t.Errorf("a proof that is %v too old: renewed %v, unrenewable %v", late, renewed, s.unrenewable())
		}
	}
}

// TestA6TheWordsOfALapsedLeaseNameTheProof and its age.
func TestA6TheWordsOfALapsedLeaseNameTheProof(t *testing.T) {
	s := armedFor(t, 800*time.Millisecond)
	s.hold.lease.Begin()
	if lapsed := s.lapse(""); !lapsed {
		t.Fatal("the lease is renewed on an old proof")
	}
	want := "not renewed in time: no proof of the last 500ms; that of /eye is 800ms old"
	if got := s.report.cause; !strings.HasSuffix(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// TestA6WhatWasSaidOfALeaseIsAged by the time that the loop did not count, also what comes back from the middleware.
func TestA6WhatWasSaidOfALeaseIsAged(t *testing.T) {
	l := leaseSaid{proved: 50, before: 30, at: 60, said: true}
	if l.age(20); l.proved != 30 || l.before != 10 || l.at != 40 {
		t.Errorf("20 later: %+v", l)
	}
	s := armedFor(t, 0)
	s.hold.lease.Begin()
	s.gap.uncounted = time.Second
	s.leaseUnsent(LeaseUnsent{Term: s.hold.lease.Term(), Proved: s.now.Steady + time.Second - time.Millisecond, Sent: true})
	if want := s.now.Steady - time.Millisecond; s.hold.leased.proved != want || !s.hold.lease.Held() {
		t.Errorf("it counts from %v, want %v", s.hold.leased.proved, want)
	}
}

// TestA6TheLeaseOfAnotherRunHoldsForItsTime from when it was heard.
func TestA6TheLeaseOfAnotherRunHoldsForItsTime(t *testing.T) {
	s := armedFor(t, 0)
	for proof, holds := range map[time.Duration]time.Duration{time.Second: leaseOver, time.Minute: time.Minute + leaseSlack} {
		s.net.Proof = proof
		if s.hold.noteOtherLease(&s.agenda); s.hold.othersEnd != s.now.Steady+holds {
			t.Errorf("proof %v: until %v, want %v", proof, s.hold.othersEnd, s.now.Steady+holds)
		}
	}
}

const hand, eye = 0, 1 // the nodes of armedFor: one that is armed, and one that is only probed

// TestA2ProbesAreAsOftenAsTheProofNeeds: five times in the time of a proof while something is armed, more often if the
// file says so, and never all the time.
func TestA2ProbesAreAsOftenAsTheProofNeeds(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		state             string
		probe, hand, eyes time.Duration
	}{
		{"armed", 300 * ms, 100 * ms, 100 * ms}, {"armed", 50 * ms, 100 * ms, 50 * ms}, {"armed", ms, 100 * ms, probeFloor},
		{"active", 300 * ms, 0, 300 * ms}, {"active", ms, 0, probeFloor}, {"active", 0, 0, 0}, {"", 300 * ms, 0, 0},
	} {
		s := armedFor(t, 0)
		s.settled, s.nodes[eye].spec.Probe = c.state, c.probe
		if hands, eyes := s.probeEvery(hand), s.probeEvery(eye); hands != c.hand || eyes != c.eyes {
			t.Errorf("%+v: the armed node every %v, the other every %v", c, hands, eyes)
		}
	}
}

// TestA2AProofOfEachNodeHasAnEnd: it is judged at the first moment at which it is too old.
func TestA2AProofOfEachNodeHasAnEnd(t *testing.T) {
	for _, late := range []time.Duration{0, 1} {
		s := armedFor(t, 500*time.Millisecond+late)
		s.nodes[eye].part.result.verdict = VerdictDone
		if age, ok := s.proofAge(eye); !ok || age != 500*time.Millisecond+late {
			t.Errorf("its proof is %v old: %v", age, ok)
		}
		if old := late > 0; (s.stale(eye) != "") != old || s.unproven() != old {
			t.Errorf("%v after its end: stale %q, unproven %v", late, s.stale(eye), s.unproven())
		}
	}
	s := armedFor(t, 0)
	s.nodes[eye].part.result.verdict, s.nodes[eye].provenAt = VerdictDone, 0
	if _, ok := s.proofAge(eye); ok || !s.unproven() {
		t.Error("a node that has never answered has a proof")
	}
	s = armedFor(t, 0)
	if s.noteProof(eye); !slices.Contains(s.wakes, wakeup{s.now.Steady + 500*time.Millisecond + 1, eye}) {
		t.Errorf("its end is not looked at: %v", s.wakes)
	}
	s = armedFor(t, 0)
	if s.probe(eye); !slices.Contains(s.wakes, wakeup{s.now.Steady + 100*time.Millisecond, eye}) {
		t.Errorf("the next probe is not looked at: %v", s.wakes)
	}
}

// TestS3AFailedProbeTakesItsTime: three in a row, and each at least a second.
func TestS3AFailedProbeTakesItsTime(t *testing.T) {
	for _, c := range []struct {
		missed int
		silent time.Duration
		lost   bool
	}{{2, 3 * time.Second, true}, {2, 3*time.Second - 1, false}, {1, time.Minute, false}, {3, time.Minute, true}} {
		s := armedFor(t, 0)
		s.settled = "active"
		p := &s.nodes[eye].reading.probing
		p.last, p.missed, p.heard = s.now.Steady-time.Millisecond, c.missed, s.now.Steady-c.silent
		if s.missed(eye, 100*time.Millisecond); (p.lostAfter > 0) != c.lost || p.missed != c.missed+1 {
			t.Errorf("%+v: it is lost after %d, with %d missed", c, p.lostAfter, p.missed)
		}
		p.heard, p.lostAfter = p.last, 0
		if s.missed(eye, 100*time.Millisecond); p.missed != 0 || p.lostAfter > 0 {
			t.Errorf("%+v: an answer does not count: %+v", c, *p)
		}
	}
}

// TestA2TheOldestProofIsNamed: of equal ones the first. A request to arm that has no answer proves nothing, and an optional
// node that may be armed has time from its appearance on.
func TestA2TheOldestProofIsNamed(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		is   func(s *State)
		age  time.Duration
		node string
	}{
		"all are new": {func(*State) {}, 0, "/hand"},
		"one is old":  {func(s *State) { s.nodes[eye].provenAt -= 800 * ms }, 800 * ms, "/eye"},
		"an arm has no answer": {func(s *State) {
			n := &s.nodes[hand]
			n.provenAt -= 800 * ms
			n.arm.ArmSent(1, s.now.Steady-100*ms)
			n.part.status = partGivenUp
		}, 800 * ms, "/hand"},
		"an optional node has appeared": {func(s *State) {
			n := &s.nodes[hand]
			n.spec.Optional, n.provenAt, n.reading.several = true, 0, s.now.Steady-50*ms
			n.arm.ArmSent(1, s.now.Steady-100*ms)
			n.part.status = partGivenUp
		}, 50 * ms, "/hand"},
	} {
		s := armedFor(t, 0)
		c.is(s)
		if oldest, node := s.oldestProver(); s.now.Steady-oldest != c.age || node != c.node {
			t.Errorf("%s: the oldest proof is %v old, of %q; want %v, of %q", name, s.now.Steady-oldest, node, c.age, c.node)
		}
	}
}
