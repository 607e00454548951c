package outbox

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test on fake time with an outbox that is being run.
func bubble(t *testing.T, test func(t *testing.T, o *Outbox)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		o := New(func() time.Duration { return time.Since(start) })
		ended := make(chan struct{})
		go func() { o.Run(); close(ended) }()
		test(t, o)
		o.Close()
		<-ended
	})
}

// blocked returns a write that takes that long.
func blocked(d time.Duration) func() { return func() { time.Sleep(d) } }

func TestWritesKeepTheirOrderAndNeverBlockTheCaller(t *testing.T) {
	bubble(t, func(t *testing.T, o *Outbox) {
		var got []int
		start := time.Now()
		o.Put(blocked(3 * time.Second))
		for i := range 100 {
			o.Put(func() { got = append(got, i) })
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("putting took %v", took)
		}
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("written: %v", got)
		}
	})
}

func TestOfASlotOnlyTheNewestIsWritten(t *testing.T) {
	bubble(t, func(t *testing.T, o *Outbox) {
		var got []string
		say := func(what string) func() { return func() { got = append(got, what) } }
		s := o.Slot(0)
		o.Put(blocked(time.Second))
		if s.Set(say("old")) {
			t.Error("the first write replaced another")
		}
		o.Put(say("after"))
		if !s.Set(say("new")) {
			t.Error("the second write replaced nothing")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if want := []string{"new", "after"}; !slices.Equal(got, want) {
			t.Errorf("written: %v, want %v", got, want)
		}
		if s.Set(say("later")) {
			t.Error("a write replaced one that had been written")
		}
		synctest.Wait()
		if got[len(got)-1] != "later" {
			t.Errorf("written: %v", got)
		}
	})
}

// TestA8WhatHasWaitedTooLongIsNotWritten: an old lease message or heartbeat is never sent late.
func TestA8WhatHasWaitedTooLongIsNotWritten(t *testing.T) {
	bubble(t, func(t *testing.T, o *Outbox) {
		const keep = 200 * time.Millisecond
		wrote, lost := 0, 0
		s := o.Slot(keep)
		for _, c := range []struct {
			block time.Duration
			want  int
		}{{0, 1}, {keep, 1}, {keep + time.Millisecond, 0}, {3 * time.Second, 0}} {
			wrote, lost = 0, 0
			o.Put(blocked(c.block))
			s.SetOr(func() { wrote++ }, func() { lost++ })
			time.Sleep(c.block + time.Second)
			synctest.Wait()
			if wrote != c.want || lost != 1-c.want {
				t.Errorf("behind a write of %v it was written %d times, want %d, and lost %d times", c.block, wrote,
					c.want, lost)
			}
		}
		o.Put(blocked(keep / 2))
		s.Set(func() { t.Error("a cleared write was written") })
		s.Clear()
		time.Sleep(time.Second)
	})
}

func TestWaitGivesUpOnAWriterThatIsStuck(t *testing.T) {
	bubble(t, func(t *testing.T, o *Outbox) {
		start := time.Now()
		if !o.Wait(t.Context(), o.Mark()) {
			t.Error("an empty outbox has something left")
		}
		for range 10 { // slow, and each write goes on
			o.Put(blocked(patience / 2))
		}
		mark := o.Mark()
		o.Put(blocked(3 * time.Second))
		if !o.Wait(t.Context(), mark) || time.Since(start) != 5*patience {
			t.Errorf("after %v the mark was not reached", time.Since(start))
		}
		mark = o.Mark()
		start = time.Now()
		if o.Wait(t.Context(), mark) || time.Since(start) > patience {
			t.Errorf("it waited %v for a writer that is stuck", time.Since(start))
		}
		start = time.Now()
		if o.Wait(t.Context(), mark) || time.Since(start) > 0 {
			t.Errorf("it waited %v more for a writer that is known to be stuck", time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if o.Wait(ctx, mark) {
			t.Error("the mark was reached")
		}
	})
}
