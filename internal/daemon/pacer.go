package daemon

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// restsAfter is how long a network has to rest until what it has left behind is collected.
	restsAfter = time.Second
	// atRest and atWork are by how many percent the memory may grow before it is collected.
	atRest, atWork = 100, 400
)

// pacer keeps the garbage collector away while a network is on its way: it takes a core for a
// millisecond or two, and on a machine of two cores that is the latest of a hundred states. At rest
// the collector catches up, and the memory stays small. If the user sets GOGC, pacer does nothing.
type pacer struct {
	set  func(percent int)
	free func() // gives back what is not used

	mu      sync.Mutex
	working bool
	rest    *time.Timer // nil: it is not resting, or that has been done
}

func newPacer() *pacer {
	if os.Getenv("GOGC") != "" {
		return noPacer()
	}
	return &pacer{set: func(percent int) { debug.SetGCPercent(percent) }, free: debug.FreeOSMemory}
}

// noPacer does nothing: of many networks in a process, none speaks for all.
func noPacer() *pacer { return &pacer{set: func(int) {}, free: func() {}} }

// shown takes whether the network is on its way.
func (t *pacer) shown(moving bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case moving:
		if t.rest != nil {
			t.rest.Stop()
			t.rest = nil
		}
		if !t.working {
			t.working = true
			t.set(atWork)
		}
	case t.working && t.rest == nil:
		rest := make(chan *time.Timer, 1)
		t.rest = time.AfterFunc(restsAfter, func() {
			if t.rests(<-rest) {
				t.free() // otherwise held for minutes; a concurrent Show does not wait for it
			}
		})
		rest <- t.rest
	}
}

// rests says whether the network has rested until now, so that it is time to catch up.
func (t *pacer) rests(since *time.Timer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rest != since {
		return false // it has gone on its way meanwhile
	}
	t.working, t.rest = false, nil
	t.set(atRest)
	return true
}
