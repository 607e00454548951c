package demo

import (
	"context"
	"sync"
	"time"

	"rstate/internal/lease"
	"rstate/internal/patient"
)

// firstLeaseIn is how long a request to arm waits for a lease: the request may overtake the lease's
// first message.
const firstLeaseIn = time.Second * patient.Factor

// follower follows an arm lease for a demo node, in a thread that nothing of the node holds up.
type follower struct {
	topic string
	ended func() // called each time that a lease ends which was watched

	mu       sync.Mutex
	receiver lease.Receiver
	start    time.Time
	heard    chan struct{} // closed when a message counts, and replaced
	timer    *time.Timer   // runs while the end of the lease is watched
	watched  bool
	lapses   uint64 // of the receiver, when the watching began: a lease that holds later may be another one
}

func newFollower(topic string, ended func()) *follower {
	l := &follower{topic: topic, ended: ended, start: time.Now(), heard: make(chan struct{})}
	l.timer = time.AfterFunc(time.Hour, l.look)
	l.timer.Stop()
	return l
}

func (l *follower) take(m lease.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.receiver.Take(time.Since(l.start), m) {
		close(l.heard)
		l.heard = make(chan struct{})
	}
	l.wake()
}

// wake sets the timer to the end of the lease. A message of another instance can bring that
// forward.
func (l *follower) wake() {
	if l.watched {
		left := l.receiver.Ends() - time.Since(l.start)
		if l.receiver.Lapses() != l.lapses {
			left = 0
		}
		l.timer.Reset(max(0, left))
	}
}

// look runs when the lease ought to have ended.
func (l *follower) look() {
	l.mu.Lock()
	if !l.watched {
		l.mu.Unlock()
		return
	}
	if l.receiver.Holds(time.Since(l.start)) && l.receiver.Lapses() == l.lapses {
		l.wake()
		l.mu.Unlock()
		return
	}
	l.watched = false
	l.mu.Unlock()
	l.ended()
}

// watch reports whether the lease holds, and watches for its end if it does.
func (l *follower) watch() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.receiver.Holds(time.Since(l.start)) {
		return false
	}
	l.watched, l.lapses = true, l.receiver.Lapses()
	l.wake()
	return true
}

// rest ends the watching: the node is not armed.
func (l *follower) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched = false
	l.timer.Stop()
}

// holds reports whether the lease holds; heard is closed when the next message counts.
func (l *follower) holds() (yes bool, heard <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.receiver.Holds(time.Since(l.start)), l.heard
}

// await waits until a lease holds, for a while.
func (l *follower) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, firstLeaseIn)
	defer cancel()
	for {
		yes, heard := l.holds()
		if yes {
			return
		}
		select {
		case <-heard:
		case <-ctx.Done():
			return
		}
	}
}
