package logs

import (
	"io"
	"sync"
	"time"
)

const (
	// spoolBytes bounds how much of a log waits to be written.
	spoolBytes = 1 << 20
	// spoolGather is how long lines are gathered into one write, because each write wakes the
	// reader.
	spoolGather = 2 * time.Millisecond
	// spoolPatience is how long Sync waits for the reader.
	spoolPatience = time.Second
)

// backlog writes lines asynchronously, in order, and several at once. Logging never waits for the
// file. It is safe for concurrent use.
type backlog struct {
	to   io.Writer
	lost func(lines int) []byte // the line which says that so many were dropped

	mu      sync.Mutex
	waiting []byte
	dropped int
	idle    chan struct{} // closed when nothing waits any more; nil: nothing does
}

// Write queues a line. It never blocks: without room it drops the line, and reports that when there
// is room again.
func (s *backlog) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting)+len(line) > spoolBytes {
		s.dropped++
		return len(line), nil
	}
	s.waiting = append(s.waiting, line...)
	if s.idle == nil {
		s.idle = make(chan struct{})
		go s.drain()
	}
	return len(line), nil
}

// drain writes until nothing waits, and ends then: a log has no end of its own.
func (s *backlog) drain() {
	var lines []byte
	for {
		time.Sleep(spoolGather)
		s.mu.Lock()
		lines, s.waiting = s.waiting, lines[:0]
		dropped := s.dropped
		s.dropped = 0
		if len(lines) == 0 && dropped == 0 {
			s.waiting = nil // what a burst took is given back
			close(s.idle)
			s.idle = nil
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		if dropped > 0 {
			lines = append(lines, s.lost(dropped)...)
		}
		_, _ = s.to.Write(lines) // no reader is left for an error
	}
}

// Sync waits until everything is written, unless that takes too long.
func (s *backlog) Sync() error {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	if idle == nil {
		return nil
	}
	timer := time.NewTimer(spoolPatience)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
	return nil
}
