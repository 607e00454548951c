package demo

import (
	"testing"
	"testing/synctest"
	"time"

	"rstate/internal/lease"
)

// TestA6ALeashEndsWithItsLease: the end of a watched lease is noticed without a message, exactly at
// the time that the newest message allows; the end of a lease that is not watched is not reported.
func TestA6ALeashEndsWithItsLease(t *testing.T) {
	for name, renewals := range map[string]int{"renewed": 10, "never renewed": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { endsWithItsLease(t, renewals) })
		})
	}
}

// knows lets the follower hear twice that no lease is held, so that it knows how fast a message can be.
func (l *follower) knows(instance, writer string) {
	for range 2 {
		l.take(lease.Message{Instance: instance, Writer: writer, Proved: time.Since(l.start)})
		time.Sleep(lease.Apart)
	}
}

func endsWithItsLease(t *testing.T, renewals int) {
	const valid = 10 * lease.Every
	ended := make(chan time.Duration, 9)
	var l *follower
	l = newFollower("/rstate/arm_lease", func() { ended <- time.Since(l.start) })
	seq := uint64(0)
	renew := func() {
		seq++
		l.take(lease.Message{Instance: "a", Term: 1, Seq: seq, Proved: time.Since(l.start), Valid: valid})
	}
	if l.knows("a", ""); l.watch() {
		t.Fatal("a lease holds before any message of one")
	}
	renew()
	if !l.watch() {
		t.Fatal("the lease does not hold after its first message")
	}
	for range renewals {
		time.Sleep(lease.Every)
		renew()
	}
	select {
	case at := <-ended:
		t.Fatalf("the lease ended at %v, though it was renewed", at)
	default:
	}
	l.mu.Lock()
	ends := l.receiver.Ends()
	l.mu.Unlock()
	if at := <-ended; at != ends {
		t.Errorf("the lease was good until %v, and its end was noticed at %v", ends, at)
	}
	renew()
	if l.watch() {
		t.Error("a term that has run out holds again")
	}
}

// TestA6ALeashThatRestsIsSilent: a node that was disarmed gets no report that its lease has ended.
func TestA6ALeashThatRestsIsSilent(t *testing.T) {
	synctest.Test(t, leashThatRests)
}

func leashThatRests(t *testing.T) {
	ended := make(chan bool, 9)
	l := newFollower("/rstate/arm_lease", func() { ended <- true })
	l.knows("a", "")
	l.take(lease.Message{Instance: "a", Term: 1, Seq: 1, Proved: time.Since(l.start), Valid: 300 * time.Millisecond})
	if !l.watch() {
		t.Fatal("the lease does not hold after its first message")
	}
	l.rest()
	select {
	case <-ended:
		t.Error("a leash that rests told of the end")
	case <-time.After(600 * time.Millisecond):
	}
}

// TestA6ALeashAwaitsTheFirstMessage: a request to arm may overtake the lease, and waits for it: for the first message if
// it has heard before that none is held, for the second of a source that it did not know, and in vain for messages that
// waited.
func TestA6ALeashAwaitsTheFirstMessage(t *testing.T) {
	for name, c := range map[string]awaited{
		"known":                    {known: true, took: 50 * time.Millisecond, holds: true},
		"not known":                {took: 50*time.Millisecond + lease.Every, holds: true},
		"suspended":                {known: true, waited: 20 * time.Second, took: firstLeaseIn},
		"suspended, and not known": {waited: 20 * time.Second, took: firstLeaseIn},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { awaits(t, c) })
		})
	}
}

// awaited is what a follower knows when a call to arm comes, how long the messages of the lease have waited for it, and
// how long the call then waits.
type awaited struct {
	known        bool
	waited, took time.Duration
	holds        bool
}

func awaits(t *testing.T, c awaited) {
	l := newFollower("/rstate/arm_lease", func() {})
	if c.known {
		l.knows("a", "")
	}
	time.Sleep(c.waited)
	sent := time.Since(l.start) - c.waited + 50*time.Millisecond
	go func() {
		time.Sleep(50 * time.Millisecond)
		for k := range uint64(3) {
			l.take(lease.Message{Instance: "a", Term: 1, Seq: k + 1, Proved: sent, Valid: time.Second})
			if sent += lease.Every; c.waited == 0 {
				time.Sleep(lease.Every)
			}
		}
	}()
	begin := time.Now()
	l.await(t.Context())
	if took, holds := time.Since(begin), l.watch(); took != c.took || holds != c.holds {
		t.Errorf("waited %v, and the lease holds: %v; want %v and %v", took, holds, c.took, c.holds)
	}
	l.rest()
	time.Sleep(time.Second) // for the messages that still come
}

// TestA6ALeashIsNotKeptByAnotherLease: another source, which was there first or came later, does not hide the end of
// the lease under which the node was armed; not even if the node's process was suspended then.
func TestA6ALeashIsNotKeptByAnotherLease(t *testing.T) {
	for name, suspended := range map[string]bool{"awake": false, "suspended": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { notKeptByAnother(t, suspended) })
		})
	}
}

func notKeptByAnother(t *testing.T, suspended bool) {
	ended := make(chan time.Duration, 9)
	var l *follower
	l = newFollower("/rstate/arm_lease", func() { ended <- time.Since(l.start) })
	forge := func(seq uint64) {
		l.take(lease.Message{Instance: "a", Writer: "forger", Term: 1, Seq: seq, Proved: time.Since(l.start),
			Valid: time.Hour})
	}
	l.knows("a", "forger")
	l.knows("a", "daemon")
	forge(1)
	began := time.Since(l.start)
	l.take(lease.Message{Instance: "a", Writer: "daemon", Term: 1, Seq: 1, Proved: time.Since(l.start),
		Valid: 300 * time.Millisecond})
	if !l.watch() {
		t.Fatal("no lease holds")
	}
	if suspended {
		l.timer.Stop() // what runs out meanwhile is not seen
		time.Sleep(time.Second)
		forge(2)
	}
	select {
	case at := <-ended:
		if want := began + 300*time.Millisecond; !suspended && at != want {
			t.Errorf("its end was noticed at %v, want %v", at, want)
		}
	case <-time.After(10 * time.Second):
		t.Error("the node stays armed by another lease")
	}
}
