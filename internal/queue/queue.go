// Package queue holds the unbounded first-in-first-out queue between the goroutines of one process. It imports nothing
// of this project.
package queue

import (
	"context"
	"sync"
)

// least is the smallest capacity. A queue of this size or less keeps its memory, so that a steady trickle of items
// allocates nothing.
const least = 16

// Queue is an unbounded FIFO queue. All methods may be called from any goroutine; there may be several producers and
// several consumers. Use New to make one.
//
// Invariant: while items wait, the channel ready holds a token, or a consumer that received the token is about to call
// TryTake, which puts the token back if items are left. The token only says "look"; TryTake decides.
type Queue[T any] struct {
	ready chan struct{}

	mu     sync.Mutex
	ring   []T // its length is the capacity
	head   int // index of the oldest item
	size   int
	closed bool
}

// New returns an empty queue.
func New[T any]() *Queue[T] { return &Queue[T]{ready: make(chan struct{}, 1)} }

// Put appends an item. It never blocks. It reports false, and drops the item, if the queue is closed.
func (q *Queue[T]) Put(item T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if q.size == len(q.ring) {
		q.resize(max(least, 2*q.size))
	}
	q.ring[(q.head+q.size)%len(q.ring)] = item
	q.size++
	q.mark()
	return true
}

// TryTake removes the oldest item. It reports false if there is none.
func (q *Queue[T]) TryTake() (item T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size == 0 {
		return item, false
	}
	var none T
	item, q.ring[q.head] = q.ring[q.head], none
	q.head = (q.head + 1) % len(q.ring)
	q.size--
	if len(q.ring) > least && q.size <= len(q.ring)/4 {
		q.resize(max(least, len(q.ring)/2))
	}
	if q.size > 0 {
		q.mark()
	}
	return item, true
}

// Take waits for the oldest item and removes it. It reports false if ctx ends first, or if the queue is closed and
// empty.
func (q *Queue[T]) Take(ctx context.Context) (item T, ok bool) {
	for ctx.Err() == nil {
		if item, ok = q.TryTake(); ok {
			return item, true
		}
		if q.finished() {
			return item, false
		}
		select {
		case <-ctx.Done():
		case <-q.ready:
		}
	}
	q.remind()
	return item, false
}

// remind passes on the token that a consumer may have received just as its context ended.
func (q *Queue[T]) remind() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size > 0 {
		q.mark()
	}
}

// Ready returns a channel for use in a select. A receive from it says that items may wait: the receiver must then call
// TryTake, once at least. After Close the channel is always ready.
func (q *Queue[T]) Ready() <-chan struct{} { return q.ready }

// Len returns the number of items that wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size
}

// Close refuses further items and wakes every consumer that waits. Items that wait already can still be taken. Close
// may be called more than once.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.ready)
	}
}

// Clear drops every item that waits and gives the memory back.
func (q *Queue[T]) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ring, q.head, q.size = nil, 0, 0
}

func (q *Queue[T]) finished() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && q.size == 0
}

// mark puts the token in place. The caller holds q.mu.
func (q *Queue[T]) mark() {
	if q.closed {
		return // the closed channel is always ready
	}
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// resize moves the items to a ring of another capacity. The caller holds q.mu.
func (q *Queue[T]) resize(capacity int) {
	ring := make([]T, capacity)
	n := copy(ring, q.ring[q.head:min(q.head+q.size, len(q.ring))])
	copy(ring[n:], q.ring[:q.size-n])
	q.ring, q.head = ring, 0
}
