//go:build ros

package rosnet

import (
	"context"
	"sync"
)

// mailbox hands values to one receiver, in order. Putting never blocks, so that the coordinator's loop can.
type mailbox[T any] struct {
	mu    sync.Mutex
	items []T
	ready chan struct{} // holds a token while there are items
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{ready: make(chan struct{}, 1)} }

func (m *mailbox[T]) put(item T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items = append(m.items, item)
	m.mark()
}

// mark puts the token in place; m.mu is held.
func (m *mailbox[T]) mark() {
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// next waits for the oldest item; it returns false when ctx ends first.
func (m *mailbox[T]) next(ctx context.Context) (item T, ok bool) {
	select {
	case <-ctx.Done():
		return item, false
	case <-m.ready:
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	item = m.items[0]
	m.items = m.items[1:]
	if len(m.items) > 0 {
		m.mark()
	}
	return item, true
}
