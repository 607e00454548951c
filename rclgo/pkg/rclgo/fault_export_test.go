package rclgo

import (
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// FailTake does the same as a take of s that ends with a return code of rcl.
func (s *Subscription) FailTake(code int) error {
	return s.take("take from "+s.TopicName, func() error { return &rcl.Error{Code: code, Text: "made by a test"} })
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
