package app

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// restsAfter is how long a network has to rest until what it has left behind is tidied up.
	restsAfter = time.Second
	// atRest and atWork are by how many percent the memory may grow before it is tidied up.
	atRest, atWork = 100, 400
)

// tidy keeps the garbage collector away while a network is on its way: it takes a core for a millisecond or two, and on a
// machine of two cores that is the latest of a hundred states. At rest it makes up for it, and the memory stays small. Who
// sets GOGC has decided for himself.
type tidy struct {
	set func(percent int)

	mu      sync.Mutex
	working bool
	rest    *time.Timer // nil: it is not resting, or has been tidied up
}

func newTidy() *tidy {
	if os.Getenv("GOGC") != "" {
		return &tidy{set: func(int) {}}
	}
	return &tidy{set: func(percent int) {
		debug.SetGCPercent(percent)
		if percent == atRest {
			debug.FreeOSMemory() // what the way took would be held for minutes
		}
	}}
}

// shown takes whether the network is on its way.
func (t *tidy) shown(moving bool) {
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
		var rest *time.Timer
		rest = time.AfterFunc(restsAfter, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.rest == rest { // it has not gone on its way meanwhile
				t.working, t.rest = false, nil
				t.set(atRest)
			}
		})
		t.rest = rest
	}
}
