package daemon

import (
	"sync"
	"sync/atomic"

	"rstate/internal/engine"
)

// shown is the newest snapshot of an instance, and the watchers that hear of a newer one.
type shown struct {
	newest atomic.Pointer[engine.Snapshot]

	mu       sync.Mutex
	watchers map[int]func()
	last     int
}

// put takes a newer snapshot. The loop calls it, so watchers return at once.
func (n *shown) put(s *engine.Snapshot) {
	n.newest.Store(s)
	n.touch()
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
