package rclgo

import (
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// FailTake does the same as a take of s that ends with a return code of rcl.
func (s *Subscription) FailTake(code int) error {
	return s.take("take from "+s.TopicName, func() error { return &rcl.Error{Code: code, Text: "made by a test"} })
}

// HideEvents keeps the events of s out of the wait set, as if they never had the mark that makes them ready.
func (s *Subscription) HideEvents() {
	s.events.mu.Lock()
	defer s.events.mu.Unlock()
	for _, e := range s.events.m {
		s.loop.do(func() { e.handle, s.loop.dirty = nil, true })
	}
}

// HoldLoop keeps the loop of c from running until free is called.
func (c *Context) HoldLoop() (free func()) {
	held, release := make(chan struct{}), make(chan struct{})
	c.loop.post(func() { close(held); <-release })
	<-held
	return func() { close(release) }
}

// FailTakes makes the next takes of c fail.
func (c *Client) FailTakes(n int) {
	c.loop.do(func() {
		take := c.takeOne
		c.takeOne = func(msg unsafe.Pointer) (rcl.Header, error) {
			if n--; n >= 0 {
				return rcl.Header{}, &rcl.Error{Code: 1, Text: "made by a test"}
			}
			return take(msg)
		}
	})
}

// Paused reports whether s waits before it calls its callback again.
func (s *Subscription) Paused() bool { return s.paused.Load() != nil }

// Pause is how long c rested after its last fault; 0 if it has taken a response since.
func (c *Client) Pause() (p time.Duration) {
	c.loop.do(func() { p = c.pause })
	return p
}

// Paced counts the clients of s whose answers wait for their pace.
func (s *ActionServer) Paced() (n int) {
	w := s.out
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lanes {
		if l.paced {
			n++
		}
	}
	return n
}

// AnswersFirst makes each request of c return only when the loop has taken its response. Then the goroutine of the
// caller ends the call.
func (c *Client) AnswersFirst() {
	c.loop.do(func() {
		send := c.sendOne
		c.sendOne = func(msg unsafe.Pointer) (int64, error) {
			sequence, err := send(msg)
			for err == nil && !c.calls.has(sequence) {
				time.Sleep(time.Millisecond)
			}
			return sequence, err
		}
	})
}

func (c *calls) has(early int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.early[early]
	return ok
}

// Flood makes responses without a request come after each take of c, until stop is called.
func (c *Client) Flood() (stop func()) {
	var over atomic.Bool
	c.loop.do(func() {
		take := c.takeOne
		c.takeOne = func(msg unsafe.Pointer) (rcl.Header, error) {
			if header, err := take(msg); err == nil || over.Load() {
				return header, err
			}
			return rcl.Header{Sequence: -1}, nil
		}
	})
	return func() { over.Store(true) }
}

// Shuts reports whether Close of c has begun.
func (c *Client) Shuts() bool {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return c.gate.shut
}

// PauseAfter is the pause after the last of some turns.
func PauseAfter(turns ...string) (pause time.Duration) {
	var e entity
	for _, name := range turns {
		pause = e.pauseAfter(map[string]turn{"stuck": stuck, "nothing": nothing, "moved": moved}[name])
	}
	return pause
}

// TellsServices reports whether rcl itself tells the servers of a service.
func TellsServices(n *Node) bool {
	_, err := n.h.EndpointsByService(false, "/any")
	return err == nil
}

// FloodWatches makes the watches of c take messages that never end, and returns how many they take of feedback and of
// status before they return.
func (c *ActionClient) FloodWatches(most int) (feedback, status int) {
	flood := func(left int) func(unsafe.Pointer) error {
		return func(unsafe.Pointer) error {
			if left--; left < 0 {
				return errors.New("the flood is over")
			}
			return nil
		}
	}
	c.loop.do(func() {
		feedback, _ = c.watches.takeFeedback(flood(most), func(error) {})
		status, _ = c.watches.takeStatus(flood(most))
	})
	return feedback, status
}

// Pause is how long c rested after its last fault; 0 if it has taken something since.
func (c *ActionClient) Pause() (p time.Duration) {
	c.loop.do(func() { p = c.pause })
	return p
}

// SeesServer reports whether the client has found a server in the graph.
func (c *ActionClient) SeesServer() bool {
	c.vigils.mu.Lock()
	defer c.vigils.mu.Unlock()
	return c.vigils.seen
}
