// Package gate keeps readers of simulation data away from the middle of a step: they read between two steps. It imports the
// standard library only.
package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrHeld says that the step did not end in time.
var ErrHeld = errors.New("the step has not ended")

// Gate is closed while a step runs. The zero value is open. Its methods are safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	closed  bool
	waiting []*reader // in the order of their coming
}

// reader is a read that waits for the end of the step.
type reader struct {
	read func()
	done chan struct{} // closed when it has read
}

// Close begins a step. It waits for a read that runs.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
}

// Open ends the step, and lets everybody read who waits. The next step begins after that, so a reader
// never waits for more than one step, and never sees the middle of one.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
	for _, r := range g.waiting {
		r.read()
		close(r.done)
	}
	g.waiting = g.waiting[:0]
}

// Read reads between two steps: at once, or at the end of the step that runs. After most it gives up
// with ErrHeld. A step does not begin before read has returned.
func (g *Gate) Read(ctx context.Context, most time.Duration, read func()) error {
	g.mu.Lock()
	if !g.closed {
		defer g.mu.Unlock()
		read()
		return nil
	}
	r := &reader{read, make(chan struct{})}
	g.waiting = append(g.waiting, r)
	g.mu.Unlock()
	patience := time.NewTimer(most)
	defer patience.Stop()
	var why error
	select {
	case <-r.done:
		return nil
	case <-patience.C:
		why = ErrHeld
	case <-ctx.Done():
		why = context.Cause(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if k := slices.Index(g.waiting, r); k >= 0 {
		g.waiting = slices.Delete(g.waiting, k, k+1)
		return why
	}
	return nil // it was let in meanwhile
}
