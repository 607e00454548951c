package gate

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestL7AReaderWaitsForTheEndOfTheStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Gate
		value := 1
		read := func() (got int, took time.Duration, err error) {
			begin := time.Now()
			err = g.Read(t.Context(), 5*time.Second, func() { got = value })
			return got, time.Since(begin), err
		}
		if got, took, err := read(); got != 1 || took != 0 || err != nil {
			t.Errorf("between steps: %d after %v, %v", got, took, err)
		}
		if !g.Close(nil) {
			t.Error("a step waits although no reader reads")
		}
		time.AfterFunc(time.Second, func() {
			value = 2
			g.Open()
			next := make(chan struct{})
			if !g.Close(func() { close(next) }) { // the next step comes at once
				<-next
			}
			value = 3
		})
		if got, took, err := read(); got != 2 || took != time.Second || err != nil {
			t.Errorf("in a step: %d after %v, %v", got, took, err)
		}
	})
}

func TestAReaderDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Gate
		g.Close(nil)
		begin, reads := time.Now(), 0
		if err := g.Read(t.Context(), 5*time.Second, func() { reads++ }); !errors.Is(err, ErrHeld) ||
			time.Since(begin) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		gone := errors.New("the client went away")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(gone) })
		if err := g.Read(ctx, 5*time.Second, func() { reads++ }); !errors.Is(err, gone) {
			t.Errorf("%v", err)
		}
		if g.Open(); reads != 0 || len(g.waiting) != 0 {
			t.Errorf("%d of those that gave up read, %d wait", reads, len(g.waiting))
		}
	})
}

// TestL7ReadersReadSideBySide: a slow reader holds up the next step, and no other reader. Neither holds up what opens
// and closes the gate.
func TestL7ReadersReadSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Gate
		var all sync.WaitGroup
		began := time.Now()
		read := func(takes time.Duration, at time.Duration) {
			all.Go(func() {
				err := g.Read(t.Context(), 5*time.Second, func() { time.Sleep(takes) })
				if took := time.Since(began); took != at || err != nil {
					t.Errorf("a reader that takes %v was served after %v, not %v (%v)", takes, took, at, err)
				}
			})
		}
		step := func(want bool) (runs chan struct{}) {
			runs = make(chan struct{})
			if got := g.Close(func() { close(runs) }); got != want {
				t.Errorf("the step may begin: %v", got)
			}
			return runs
		}
		step(true)
		read(3*time.Second, 4*time.Second)
		read(0, time.Second)
		time.Sleep(time.Second)
		g.Open()
		second := step(false)
		read(0, 2*time.Second) // waits for the end of the second step
		time.Sleep(time.Second)
		g.Open() // the second step ends before it has begun
		third := step(false)
		read(time.Second, 7*time.Second)
		<-third
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("the third step began after %v", took)
		}
		time.Sleep(2 * time.Second)
		g.Open()
		all.Wait()
		select {
		case <-second:
			t.Error("a step begins that has ended")
		default:
		}
	})
}

// TestL7APanicOfAReaderEndsItsReading: the next step does not wait for it.
func TestL7APanicOfAReaderEndsItsReading(t *testing.T) {
	var g Gate
	func() {
		defer func() { _ = recover() }()
		_ = g.Read(t.Context(), time.Second, func() { panic("no data") })
	}()
	if !g.Close(nil) {
		t.Error("the step waits for a reader that has panicked")
	}
}

// TestReadersThatAskAllTheTime: beside steps that follow each other at once, each reader reads, and none sees the
// middle of a step.
func TestReadersThatAskAllTheTime(t *testing.T) {
	const readers, each = 8, 200
	var g Gate
	var inside atomic.Bool // a step runs
	var read, middle atomic.Int64
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for range each {
				if err := g.Read(context.Background(), time.Minute, func() {
					if read.Add(1); inside.Load() {
						middle.Add(1)
					}
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	next := make(chan struct{}, 1)
	for steps := 0; ; steps++ {
		if !g.Close(func() { next <- struct{}{} }) {
			<-next
		}
		inside.Store(true)
		for range 100 {
			_ = inside.Load()
		}
		inside.Store(false)
		g.Open()
		select {
		case <-over:
			if read.Load() != readers*each || middle.Load() != 0 {
				t.Errorf("%d reads in %d steps, %d of them in the middle of one", read.Load(), steps, middle.Load())
			}
			return
		default:
		}
	}
}
