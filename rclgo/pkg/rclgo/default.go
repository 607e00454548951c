package rclgo

import (
	"context"
	"sync"
	"time"
)

var (
	defaultMu      sync.Mutex
	defaultContext *Context
)

// Init makes the default context. args may be nil. If there is a default context already,
// Init does nothing.
func Init(args *Args) (err error) { return InitWithOpts(args, nil) }

// InitWithOpts is Init with options. args and opts may be nil.
func InitWithOpts(args *Args, opts *ContextOptions) (err error) {
	defaultMu.Lock()
	defer defaultMu.Unlock()
	if defaultContext != nil {
		return nil
	}
	defaultContext, err = NewContextWithOpts(args, opts)
	return err
}

// Uninit closes the default context, if there is one.
func Uninit() (err error) {
	defaultMu.Lock()
	c := defaultContext
	defaultContext = nil
	defaultMu.Unlock()
	if c == nil {
		return nil
	}
	return c.Close()
}

// DefaultContext returns the context that Init made, or nil.
func DefaultContext() *Context {
	defaultMu.Lock()
	defer defaultMu.Unlock()
	return defaultContext
}

// withDefault calls fn with the default context.
func withDefault[T any](op string, fn func(*Context) (T, error)) (T, error) {
	c := DefaultContext()
	if c == nil {
		var none T
		return none, newError(codeNotInit, op, "there is no default context; call Init first")
	}
	return fn(c)
}

// NewNode makes a node in the default context.
func NewNode(nodeName, namespace string) (*Node, error) {
	return withDefault("create node", func(c *Context) (*Node, error) { return c.NewNode(nodeName, namespace) })
}

// NewClock makes a clock in the default context.
func NewClock(clockType ClockType) (*Clock, error) {
	return withDefault("create clock", func(c *Context) (*Clock, error) { return c.NewClock(clockType) })
}

// NewTimer makes a timer in the default context.
func NewTimer(timeout time.Duration, timerCallback func(*Timer)) (*Timer, error) {
	return withDefault("create timer", func(c *Context) (*Timer, error) { return c.NewTimer(timeout, timerCallback) })
}

// NewWaitSet makes a wait set in the default context.
func NewWaitSet() (*WaitSet, error) {
	return withDefault("create wait set", (*Context).NewWaitSet)
}

// Spin serves the default context until ctx is done.
func Spin(ctx context.Context) error {
	_, err := withDefault("spin", func(c *Context) (struct{}, error) { return struct{}{}, c.Spin(ctx) })
	return err
}
