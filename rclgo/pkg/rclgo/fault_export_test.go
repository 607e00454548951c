package rclgo

import "github.com/tiiuae/rclgo/internal/rcl"

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
