package rclgo

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
)

// DefaultDomainID selects the domain of ROS_DOMAIN_ID.
const DefaultDomainID = math.MaxUint

// ContextOptions configures a context.
type ContextOptions struct {
	ClockType ClockType // of the clock that the context's timers use; zero is ROS time
	DomainID  uint
}

// NewDefaultContextOptions returns ROS time and the environment's domain.
func NewDefaultContextOptions() *ContextOptions {
	return &ContextOptions{ClockType: ClockTypeROSTime, DomainID: DefaultDomainID}
}

// Context is one use of ROS. It owns nodes, timers and clocks, and the goroutine that
// serves them.
type Context struct {
	entity
	closed  atomic.Bool
	clockMu sync.Mutex
	clock   *Clock
}

// NewContext makes a context in the environment's domain. rclArgs may be nil.
func NewContext(clockType ClockType, rclArgs *Args) (*Context, error) {
	opts := NewDefaultContextOptions()
	opts.ClockType = clockType
	return NewContextWithOpts(rclArgs, opts)
}

// NewContextWithOpts makes a context. rclArgs and opts may be nil.
func NewContextWithOpts(rclArgs *Args, opts *ContextOptions) (ctx *Context, err error) {
	const op = "create context"
	if opts == nil {
		opts = NewDefaultContextOptions()
	}
	clockType := opts.ClockType
	if clockType == ClockTypeUninitialized {
		clockType = ClockTypeROSTime
	}
	var domain *uint
	if opts.DomainID != DefaultDomainID {
		domain = &opts.DomainID
	}
	if err := introspection.CheckLayout(); err != nil {
		return nil, fail(op, err)
	}
	l, err := startLoop(rclArgs.strings(), domain)
	if err != nil {
		return nil, fail(op, err)
	}
	ctx = &Context{}
	ctx.entity = entity{loop: l, what: "context", invalid: codeAlreadyShutdown}
	logging := false
	ctx.finalize = func() error {
		err := errors.Join(l.close()...)
		if logging {
			err = errors.Join(err, leaveLogging())
		}
		return err
	}
	l.do(func() { l.add(&ctx.entity) })
	if err = joinLogging(rclArgs); err == nil {
		logging = true
		ctx.clock, err = ctx.NewClock(clockType)
	}
	if err != nil {
		return nil, errors.Join(fail(op, err), ctx.Close())
	}
	return ctx, nil
}

// Close closes everything made from the context, shuts rcl down and ends the
// context's goroutine. A second Close returns an *AlreadyShutdown.
func (c *Context) Close() error {
	if c.closed.Swap(true) {
		return c.closedError("close context")
	}
	return c.closeTree()
}

// Clock returns the clock that NewTimer uses.
func (c *Context) Clock() *Clock {
	c.clockMu.Lock()
	defer c.clockMu.Unlock()
	return c.clock
}

// SetClock makes newClock, which must be of this context, the clock that NewTimer uses.
// The old clock stays open for its timers.
func (c *Context) SetClock(newClock *Clock) {
	c.clockMu.Lock()
	defer c.clockMu.Unlock()
	c.clock = newClock
}

// DomainID returns the domain that the context is in.
func (c *Context) DomainID() (id uint, err error) {
	err = c.ask("read the context's domain", func() (err error) {
		id, err = c.loop.rctx.DomainID()
		return err
	})
	return id, err
}

// RemapNode returns the full name that a node made with NewNode would have, by the
// context's arguments. No node is made.
func (c *Context) RemapNode(name, namespace string) (full string, err error) {
	op := "remap node " + strconv.Quote(name)
	if err := noNUL(op, codeNodeInvalidName, name, namespace); err != nil {
		return "", err
	}
	err = c.ask(op, func() (err error) {
		full, err = c.loop.rctx.RemapNode(name, namespace)
		return err
	})
	return full, err
}

// OnPanic makes report be called when a handler of anything in the context panics: with
// the handler's entity, such as `service "/add"`, and with the value of the panic, on the
// handler's goroutine. The program then goes on: a goal whose ExecuteGoal panics is
// aborted, or rejected if it was not accepted; a cancel is refused; a request gets no
// answer. Without report, or with nil, the panic ends the program.
//
// The callbacks of a [Lifecycle] are an exception: as in rclcpp, a panic is logged, and
// the transition ends with TransitionError.
func (c *Context) OnPanic(report func(what string, value any)) {
	if report == nil {
		c.loop.onPanic.Store(nil)
		return
	}
	c.loop.onPanic.Store(&report)
}

// Spin serves everything of the context until ctx is done, and returns its error; or
// until the context is closed.
func (c *Context) Spin(ctx context.Context) error {
	return c.spin(ctx, &c.entity)
}

// NewNode makes a node with default options.
func (c *Context) NewNode(node_name, namespace string) (node *Node, err error) {
	return c.NewNodeWithOpts(node_name, namespace, nil)
}

// logUsers counts the contexts that use the logging of rcl, which the process shares.
var (
	logMu         sync.Mutex
	logUsers      int
	logConfigured bool
)

// joinLogging configures logging for the first context; leaveLogging undoes it after
// the last.
func joinLogging(args *Args) error {
	logMu.Lock()
	defer logMu.Unlock()
	if err := configureLogging(args); err != nil {
		return err
	}
	logUsers++
	return nil
}

func leaveLogging() error {
	logMu.Lock()
	defer logMu.Unlock()
	if logUsers--; logUsers > 0 || !logConfigured {
		return nil
	}
	logConfigured = false
	return rcl.CloseLogging()
}

func configureLogging(args *Args) error {
	if logConfigured {
		return nil
	}
	if err := rcl.ConfigureLogging(args.strings()); err != nil {
		return fail("configure logging", err)
	}
	logConfigured = true
	return nil
}

// InitLogging configures logging for the process before the first context exists. It does
// nothing if logging is configured already.
func InitLogging(args *Args) error {
	logMu.Lock()
	defer logMu.Unlock()
	return configureLogging(args)
}
