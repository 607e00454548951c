package rclgo

import (
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// ClockType is the time that a clock measures.
type ClockType uint32

// The types of clocks.
const (
	ClockTypeUninitialized ClockType = 0
	ClockTypeROSTime       ClockType = 1
	ClockTypeSystemTime    ClockType = 2
	ClockTypeSteadyTime    ClockType = 3
)

// Clock is a source of time for timers.
type Clock struct {
	entity
	ctx *Context
	h   *rcl.Clock
}

// NewClock makes a clock.
func (c *Context) NewClock(clockType ClockType) (clock *Clock, err error) {
	clock = &Clock{ctx: c}
	err = c.build("create clock", func() (err error) {
		if clock.h, err = rcl.NewClock(int(clockType)); err != nil {
			return err
		}
		clock.what, clock.invalid = "clock", codeInvalidArgument
		clock.finalize = func() error { return clock.h.Close() }
		c.adopt(&clock.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return clock, nil
}

// Close closes the timers made with the clock and the clock.
func (c *Clock) Close() (err error) { return c.closeTree() }

// Context returns the context of the clock or of its node.
func (c *Clock) Context() *Context { return c.ctx }

// Now reads the clock. The epoch of steady time is arbitrary.
func (c *Clock) Now() (now time.Time, err error) {
	err = c.ask("read clock", func() error {
		ns, err := c.h.Now()
		now = time.Unix(0, ns)
		return err
	})
	return now, err
}

// SetROSTimeOverride makes a clock of ROS time stand at now until the next call, as
// with simulated time. Timers that are due fire.
func (c *Clock) SetROSTimeOverride(now time.Time) error {
	return c.ask("override clock", func() error { return c.h.Override(true, now.UnixNano()) })
}

// ClearROSTimeOverride lets a clock of ROS time run with the system again.
func (c *Clock) ClearROSTimeOverride() error {
	return c.ask("override clock", func() error { return c.h.Override(false, 0) })
}

// Timer calls its callback periodically.
type Timer struct {
	entity
	Callback func(*Timer)
	ctx      *Context
	h        *rcl.Timer
}

// NewTimer starts a timer on the context's clock. Calls that are due while the callback
// runs are skipped.
func (c *Context) NewTimer(timeout time.Duration, timer_callback func(*Timer)) (timer *Timer, err error) {
	return c.Clock().NewTimer(timeout, timer_callback)
}

// NewTimer starts a timer on the clock. Calls that are due while the callback runs are
// skipped.
func (c *Clock) NewTimer(period time.Duration, callback func(*Timer)) (timer *Timer, err error) {
	timer = &Timer{Callback: callback, ctx: c.ctx}
	err = c.build("create timer", func() (err error) {
		if timer.h, err = rcl.NewTimer(c.loop.rctx, c.h, int64(period)); err != nil {
			return err
		}
		timer.what, timer.invalid = "timer", codeTimerInvalid
		timer.kind, timer.handle = rcl.WaitTimer, unsafe.Pointer(timer.h)
		timer.onReady = timer.fire
		timer.finalize = func() error { return timer.h.Close() }
		c.adopt(&timer.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return timer, nil
}

// fire moves the timer on before its callback starts. Loop only.
func (t *Timer) fire(uint8) {
	if err := t.h.Call(); err != nil {
		return // cancelled since it became ready
	}
	t.dispatch(func() {
		if t.Callback != nil {
			t.Callback(t)
		}
	})
}

// Close stops the timer.
func (t *Timer) Close() (err error) { return t.closeTree() }

// Context returns what the timer was made from.
func (t *Timer) Context() *Context { return t.ctx }

// GetTimeUntilNextCall returns nanoseconds, negative when the call is overdue.
func (t *Timer) GetTimeUntilNextCall() (ns int64, err error) {
	err = t.ask("read timer", func() (err error) {
		ns, err = t.h.UntilNext()
		return err
	})
	return ns, err
}

// Reset starts the period anew.
func (t *Timer) Reset() error { return t.ask("reset timer", t.h.Reset) }
