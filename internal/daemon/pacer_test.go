package daemon

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestMemoryIsTidiedUpAtRest: not during a transition, not between two transitions in sequence, and
// once each time.
func TestMemoryIsTidiedUpAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done, freed := make(chan int, 10), 0
		m := &pacer{set: func(percent int) { done <- percent }, free: func() { freed++ }}
		var set []int
		after := func(wait time.Duration, moving bool, want ...int) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			m.shown(moving)
			for len(done) > 0 {
				set = append(set, <-done)
			}
			if !slices.Equal(set, want) {
				t.Errorf("set %v, want %v", set, want)
			}
		}
		after(0, false)
		after(time.Hour, true, atWork)
		after(time.Hour, true, atWork)
		after(0, false, atWork)
		after(restsAfter-1, true, atWork)
		after(restsAfter, false, atWork)
		after(restsAfter/2, false, atWork)
		after(restsAfter/2, false, atWork, atRest)
		after(time.Hour, true, atWork, atRest, atWork)
		if freed != 1 {
			t.Errorf("memory was given back %d times, want once", freed)
		}
	})
}
