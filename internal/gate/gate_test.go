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
		g.Close()
		time.AfterFunc(time.Second, func() {
			value = 2
			g.Open()
			g.Close() // the next step begins at once
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
		g.Close()
		begin, reads := time.Now(), 0
		if err := g.Read(t.Context(), 5*time.Second, func() { reads++ }); !errors.Is(err, ErrHeld) || time.Since(begin) != 5*time.Second {
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

// TestReadersThatAskAllTheTime: beside steps that follow each other at once, each reader reads, and none sees the middle of
// a step.
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
	for steps := 0; ; steps++ {
		g.Close()
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
