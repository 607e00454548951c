package demo

import (
	"context"
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

func endsWithItsLease(t *testing.T, renewals int) {
	const valid = 500 * time.Millisecond
	ended := make(chan time.Duration, 9)
	var l *follower
	l = newFollower("/rstate/arm_lease", func() { ended <- time.Since(l.start) })
	seq := uint64(0)
	renew := func() {
		seq++
		l.take(lease.Message{Instance: "a", Term: 1, Seq: seq, Proved: time.Since(l.start), Valid: valid})
	}
	if l.watch() {
		t.Fatal("a lease holds before any message")
	}
	renew()
	if !l.watch() {
		t.Fatal("the lease does not hold after its first message")
	}
	for range renewals {
		time.Sleep(valid / 10)
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
	l.take(lease.Message{Instance: "a", Term: 1, Seq: 1, Proved: 1, Valid: 300 * time.Millisecond})
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

// TestA6ALeashAwaitsTheFirstMessage: a request to arm may overtake the lease, and waits for it.
func TestA6ALeashAwaitsTheFirstMessage(t *testing.T) {
	synctest.Test(t, leashAwaitsTheFirstMessage)
}

func leashAwaitsTheFirstMessage(t *testing.T) {
	l := newFollower("/rstate/arm_lease", func() {})
	go func() {
		time.Sleep(50 * time.Millisecond)
		l.take(lease.Message{Instance: "a", Term: 1, Seq: 1, Proved: 1, Valid: time.Minute})
	}()
	begin := time.Now()
	l.await(context.Background())
	if took := time.Since(begin); took != 50*time.Millisecond || !l.watch() {
		t.Errorf("waited %v, and the lease holds: %v", took, l.watch())
	}
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
	forge(1)
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
		if want := 300 * time.Millisecond; !suspended && at != want {
			t.Errorf("its end was noticed at %v, want %v", at, want)
		}
	case <-time.After(10 * time.Second):
		t.Error("the node stays armed by another lease")
	}
}
