// Package outbox lets a loop hand writes to a goroutine of their own, so that the loop never waits for the middleware.
// It may import internal/queue.
package outbox

import (
	"context"
	"sync"
	"time"

	"rstate/internal/patient"
	"rstate/internal/queue"
)

// patience is how long one write may take before nothing waits for the writer any more.
const patience = 100 * time.Millisecond * patient.Factor

// Outbox carries writes out in order, one at a time. All methods may be called from any goroutine, Run from one.
type Outbox struct {
	todo *queue.Queue[func()]
	now  func() time.Duration

	mu    sync.Mutex
	put   uint64
	done  uint64
	busy  bool
	began time.Duration // of the write that runs
	moved chan struct{} // closed when done changes; nil while nothing waits
}

// New returns an outbox. Its clock must count the time in which the machine is suspended.
func New(now func() time.Duration) *Outbox {
	return &Outbox{todo: queue.New[func()](), now: now}
}

// Run carries the writes out. It returns after Close, when everything that was put before is written.
func (o *Outbox) Run() {
	for {
		write, ok := o.todo.Take(context.Background())
		if !ok {
			return
		}
		o.mu.Lock()
		o.busy, o.began = true, o.now()
		o.mu.Unlock()
		write()
		o.mu.Lock()
		o.busy = false
		o.done++
		o.move()
		o.mu.Unlock()
	}
}

// move wakes what waits. The caller holds o.mu.
func (o *Outbox) move() {
	if o.moved != nil {
		close(o.moved)
		o.moved = nil
	}
}

// Put appends a write. It never blocks. It drops the write after Close.
func (o *Outbox) Put(write func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.todo.Put(write) {
		o.put++
	}
}

// Mark names everything that was put so far.
func (o *Outbox) Mark() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.put
}

// Wait waits until everything that a mark names is written, and reports whether it is. It gives up when ctx ends, and
// when one write takes longer than 100 ms.
func (o *Outbox) Wait(ctx context.Context, mark uint64) bool {
	for {
		o.mu.Lock()
		if o.done >= mark {
			o.mu.Unlock()
			return true
		}
		left := patience
		if o.busy {
			left -= o.now() - o.began
		}
		if left <= 0 {
			o.mu.Unlock()
			return false
		}
		if o.moved == nil {
			o.moved = make(chan struct{})
		}
		moved := o.moved
		o.mu.Unlock()
		timer := time.NewTimer(left)
		select {
		case <-moved:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
	}
}

// Close refuses further writes. Run ends when the others are done.
func (o *Outbox) Close() { o.todo.Close() }

// Slot holds the newest of several writes of which only the newest counts.
type Slot struct {
	out  *Outbox
	keep time.Duration

	mu    sync.Mutex
	write func() // nil: nothing waits
	lost  func() // called instead, if write is dropped because of its age; may be nil
	at    time.Duration
}

// Slot returns a slot of o. A write that is older than keep is dropped when its turn comes; 0 keeps it for ever.
func (o *Outbox) Slot(keep time.Duration) *Slot { return &Slot{out: o, keep: keep} }

// Set puts a write. If the slot's last write still waits, the new one takes its place in the order, and Set reports
// true.
func (s *Slot) Set(write func()) (replaced bool) { return s.SetOr(write, nil) }

// SetOr is Set, and lost is called in the turn of the write if that is too old by then.
func (s *Slot) SetOr(write, lost func()) (replaced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	replaced = s.write != nil
	s.write, s.lost, s.at = write, lost, s.out.now()
	if !replaced {
		s.out.Put(s.carry)
	}
	return replaced
}

// Clear drops the write that waits.
func (s *Slot) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.write != nil {
		s.write, s.lost = func() {}, nil
	}
}

// carry is the slot's turn. The age is looked at right before the write.
func (s *Slot) carry() {
	s.mu.Lock()
	write, lost, age := s.write, s.lost, s.out.now()-s.at
	s.write, s.lost = nil, nil
	s.mu.Unlock()
	switch {
	case s.keep == 0 || age <= s.keep:
		write()
	case lost != nil:
		lost()
	}
}
