//go:build ros

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// besideUsually is how many networks of a kind are measured concurrently. These benchmarks mostly
// wait, for a proof to age or a second to pass, so they hardly slow each other down. But each has
// some processes, and more than two for each core would measure the scheduler.
const besideUsually = 2

// beside runs rounds on rigs of a kind, each in a goroutine of its own, and returns the rigs. What
// the rigs share must be safe for that.
func beside[T any](b *testing.B, rounds int, make func() T, round func(T)) (rigs []T) {
	b.Helper()
	count := min(times(b, "RSTATE_BENCH_BESIDE", besideUsually, 1), rounds)
	var all sync.WaitGroup
	for i := range count {
		rig := make()
		rigs = append(rigs, rig)
		share := rounds / count
		if i < rounds%count {
			share++
		}
		all.Go(func() { // a Fatal ends only this goroutine; the benchmark fails and prints the measurements so far
			for range share {
				round(rig)
			}
		})
	}
	all.Wait()
	return rigs
}

// late prints the daemon's journal of a round that took longer than its limit, at once: the log of
// a benchmark with sub-benchmarks is only shown if it fails. Its times are those of the wall clock.
func (r *armedRig) late(what string, at int64, took, limit time.Duration) {
	if limit == 0 || took <= limit {
		return
	}
	began := time.Now().Add(time.Duration(at - r.all[0].at("clock", nil)))
	history := exec.Command(binary(r.b), "history", "--node", "/"+r.daemon.name, "--all", "--last", "30")
	text, err := history.CombinedOutput()
	fmt.Fprintf(os.Stderr, "%s took %v, more than %v; it happened at %s; the journal (%v):\n%s", what, took, limit,
		began.Format("15:04:05.000"), err, text)
}
