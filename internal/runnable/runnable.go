// Package runnable limits waits by the time in which this process could run.
//
// A wait of a test ends with an error after half a minute. A process that was suspended in this time, with its machine
// or by SIGSTOP, or that got no processor on a busy machine, has not waited: neither it nor what it waits for could do
// anything. So a Limit counts a wake-up every 20 ms, and a late one as little more than a wake-up in time. This leaves
// out every kind of absence. /proc/self/task/*/schedstat knows only one of them: it does not count a suspension, nor
// the time that a hypervisor takes from a virtual machine, and its run delays of several threads overlap, so that their
// sum is more than what passed. Beside two busy loops on two processors, wake-ups are late by some milliseconds each,
// and a limit is then little longer than by the wall clock.
//
// It imports the standard library only.
package runnable

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// every is the time between two wake-ups.
	every = 20 * time.Millisecond
	// most is what a late wake-up counts.
	most = 2 * every
)

// Limit is a limit of a wait. Stop releases it.
type Limit struct {
	over, stopped chan struct{}
	stop          sync.Once
}

// Within begins a limit, which is over when this process could run for so long.
func Within(d time.Duration) *Limit {
	l := &Limit{over: make(chan struct{}), stopped: make(chan struct{})}
	go l.count(d)
	return l
}

func (l *Limit) count(left time.Duration) {
	wake := time.NewTimer(min(every, left))
	defer wake.Stop()
	for at := time.Now(); ; {
		select {
		case <-l.stopped:
			return
		case <-wake.C:
		}
		now := time.Now()
		if left -= counted(now.Sub(at)); left <= 0 {
			close(l.over)
			return
		}
		at = now
		wake.Reset(min(every, left))
	}
}

// counted returns how much of the time since the last wake-up counts.
func counted(passed time.Duration) time.Duration { return min(passed, most) }

// Over is closed when the limit is over.
func (l *Limit) Over() <-chan struct{} { return l.over }

// IsOver reports whether the limit is over.
func (l *Limit) IsOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// Stop ends the counting. A limit that is not over by then never is.
func (l *Limit) Stop() { l.stop.Do(func() { close(l.stopped) }) }

// ErrOver is the cause of a context whose limit is over.
var ErrOver = errors.New("its time is over")

// Context returns a context that ends with the limit.
func Context(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	l := Within(d)
	go func() {
		defer l.Stop()
		select {
		case <-l.Over():
			cancel(ErrOver)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}
