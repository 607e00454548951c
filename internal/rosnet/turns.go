//go:build ros

package rosnet

import (
	"context"
	"sync"
)

// mostWaiting is how many commands may wait for the one that runs.
const mostWaiting = 8

// turns lets commands run one by one, in the order in which they took their tickets. Safe for use side by side.
type turns struct {
	mu   sync.Mutex
	held int             // tickets that are not given back: of the command that runs, and of those that wait
	last <-chan struct{} // closed when the newest ticket is given back; nil: none was taken
}

// ticket is the place of one command in that order.
type ticket struct {
	of     *turns
	before <-chan struct{} // closed when the ticket before this one is given back
	over   chan struct{}
}

// full reports whether no more commands may wait.
func (t *turns) full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held > mostWaiting
}

// take returns the next ticket. It never blocks.
func (t *turns) take() *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &ticket{of: t, before: t.last, over: make(chan struct{})}
	if k.before == nil {
		none := make(chan struct{})
		close(none)
		k.before = none
	}
	t.last = k.over
	t.held++
	return k
}

// await waits for the turn of the ticket, or until ctx ends.
func (k *ticket) await(ctx context.Context) error {
	select {
	case <-k.before:
		return nil
	case <-ctx.Done():
		return errOver
	}
}

// giveBack ends the turn of the ticket. It is called once.
func (k *ticket) giveBack() {
	k.of.mu.Lock()
	k.of.held--
	k.of.mu.Unlock()
	close(k.over)
}
