// Package gate keeps readers of simulation data away from the middle of a step: they read between two steps. It imports
// the standard library only.
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
	reading int
	then    func()            // Close waits for the readers, and then calls it; nil: no Close waits
	waiting []chan<- struct{} // of the readers that wait for the end of the step; closed when they may read
}

// Close begins a step: readers that come later wait for its end. It reports whether no reader reads. Else the step must
// not begin yet: Close calls then when the last one has read, unless the gate is opened before. It never blocks.
func (g *Gate) Close(then func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.reading == 0 {
		return true
	}
	g.then = then
	return false
}

// Open ends the step, and lets all waiting readers read side by side. The next step begins after that, so a reader
// never waits for more than one step, and never sees the middle of one.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed, g.then = false, nil
	g.reading += len(g.waiting)
	for _, reads := range g.waiting {
		close(reads)
	}
	g.waiting = g.waiting[:0]
}

// Read reads between two steps: at once, or at the end of the step that runs. After most it gives up
// with ErrHeld. A step does not begin before read has returned.
func (g *Gate) Read(ctx context.Context, most time.Duration, read func()) error {
	if err := g.enter(ctx, most); err != nil {
		return err
	}
	defer g.leave()
	read()
	return nil
}

// enter waits until the caller may read. Without an error, leave must follow.
func (g *Gate) enter(ctx context.Context, most time.Duration) error {
	g.mu.Lock()
	if !g.closed {
		g.reading++
		g.mu.Unlock()
		return nil
	}
	reads := make(chan struct{})
	g.waiting = append(g.waiting, reads)
	g.mu.Unlock()
	patience := time.NewTimer(most)
	defer patience.Stop()
	var why error
	select {
	case <-reads:
		return nil
	case <-patience.C:
		why = ErrHeld
	case <-ctx.Done():
		why = context.Cause(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if k := slices.Index(g.waiting, (chan<- struct{})(reads)); k >= 0 {
		g.waiting = slices.Delete(g.waiting, k, k+1)
		return why
	}
	return nil // it was let in meanwhile
}

func (g *Gate) leave() {
	g.mu.Lock()
	g.reading--
	then := g.then
	if g.reading > 0 {
		then = nil
	}
	if then != nil {
		g.then = nil
	}
	g.mu.Unlock()
	if then != nil {
		then()
	}
}
