package rclgo

import (
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// FailTake does what a take of s does that ends with a return code of rcl.
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
