package daemon

import (
	"sync"
	"sync/atomic"
	"time"

	"rstate/internal/engine"
	"rstate/internal/patient"
)

// shown is the newest snapshot of an instance, and the watchers that hear of a newer one.
type shown struct {
	newest atomic.Pointer[moment]
	turned atomic.Int64 // when the loop turned last, in ns since origin

	mu       sync.Mutex
	watchers map[int]func()
	last     int
}

// moment is a snapshot, and when it was made.
type moment struct {
	snapshot *engine.Snapshot
	at       time.Time
}

// origin is the beginning of the clock of turned.
var origin = time.Now()

// put takes a newer snapshot. The loop calls it, so watchers return at once.
func (n *shown) put(s *engine.Snapshot) {
	n.turn()
	n.newest.Store(&moment{s, time.Now()})
	n.touch()
}

// turn notes that the loop turns.
func (n *shown) turn() { n.turned.Store(int64(time.Since(origin))) }

// stallAfter is how long a loop may not turn until it counts as stalled. It turns ten times in that time.
const stallAfter = time.Second * patient.Factor

// stalled reports whether the loop has turned once, and not for a while.
func (n *shown) stalled() bool {
	at := time.Duration(n.turned.Load())
	return at > 0 && time.Since(origin)-at > stallAfter
}

// since is how long ago the loop turned last; negative: it has not turned yet.
func (n *shown) since() time.Duration {
	at := time.Duration(n.turned.Load())
	if at <= 0 {
		return -1
	}
	return time.Since(origin) - at
}

// touch tells the watchers that something else has changed.
func (n *shown) touch() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, changed := range n.watchers {
		changed()
	}
}

// watch calls changed after each change until stop is called.
func (n *shown) watch(changed func()) (stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.watchers == nil {
		n.watchers = map[int]func(){}
	}
	n.last++
	k := n.last
	n.watchers[k] = changed
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.watchers, k)
	}
}
