package engine_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"rstate/internal/engine"
	"rstate/internal/simnet/schedule"
)

// beginnings are the phases in which work begins.
var beginnings = []string{"forward", "finalizing", "reconciling", "leaving", "adopting", "restoring"}

// TestPhasesFollowAsTheTableSays: in drawn lives no phase follows another that its row does not name, and
// each phase begins.
func TestPhasesFollowAsTheTableSays(t *testing.T) {
	var mutex sync.Mutex
	seen := map[[2]string]uint64{} // the seed of a life in which one follows the other
	end := engine.Follow(func(before, begins string) {
		mutex.Lock()
		defer mutex.Unlock()
		seen[[2]string{before, begins}]++
	})
	defer end()
	live(150)
	next := map[string][]string{"": beginnings}
	var reached []string
	for _, row := range engine.Phases() {
		next[row.Name] = row.Next
	}
	for pair := range seen {
		reached = append(reached, pair[1])
		if !slices.Contains(next[pair[0]], pair[1]) {
			t.Errorf("%q follows %q %d times, and its row does not name it", pair[1], pair[0], seen[pair])
		}
	}
	for _, row := range engine.Phases() {
		if !slices.Contains(reached, row.Name) {
			t.Errorf("%s begins in no life: it is dead, or the lives are too few", row.Name)
		}
		for _, n := range row.Next {
			if seen[[2]string{row.Name, n}] == 0 {
				t.Logf("%s follows %s in no life", n, row.Name)
			}
		}
	}
}

// live runs drawn lives: of one instance, of several, and of drawn machines.
func live(n uint64) {
	var group sync.WaitGroup
	workers := uint64(runtime.GOMAXPROCS(0))
	for k := range workers {
		group.Go(func() {
			for seed := 1 + k; seed <= n; seed += workers {
				schedule.Draw(seed).Run()
				schedule.DrawPeers(seed, 2).Run()
				for part := range uint64(4) {
					schedule.DrawMachine(4*seed + part).Live()
				}
			}
		})
	}
	group.Wait()
}
