package schedule

import (
	"flag"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

var drawn = flag.Int("machines", machines, "how many machines to draw")

// TestDrawnMachines draws machines. Each is refused by the reader, or its network lives whole: it never panics, and it
// keeps R3, R4, A1 and A3.
func TestDrawnMachines(t *testing.T) {
	var failed, taken atomic.Int32
	workers := min(runtime.GOMAXPROCS(0), *drawn)
	t.Run("workers", func(t *testing.T) {
		for k := range workers {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				for seed := 1 + k; seed <= *drawn && failed.Load() < 5; seed += workers {
					m := DrawMachine(uint64(seed))
					trace, faults, ok := m.Live()
					if ok {
						taken.Add(1)
					}
					if len(faults) > 0 {
						failed.Add(1)
						t.Errorf("%s\n%v", m.Report(faults), trace)
					}
				}
			})
		}
	})
	t.Logf("%d of %d machines were taken", taken.Load(), *drawn)
	if share := float64(taken.Load()) / float64(*drawn); failed.Load() == 0 && (share < 0.1 || share > 0.9) {
		t.Errorf("%.0f %% of the machines were taken: the draw finds little", 100*share)
	}
}
