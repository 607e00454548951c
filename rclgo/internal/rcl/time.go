package rcl

// #include "seam.h"
import "C"

// Clock is an rcl_clock_t. It must outlive its timers.
type Clock struct{ c C.rcl_clock_t }

// Timer is an rcl_timer_t without a callback.
type Timer struct{ c C.rcl_timer_t }

// NewClock makes a clock of one of rcl's types.
func NewClock(clockType int) (*Clock, error) {
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Clock](C.rclgo_clock_new(C.int(clockType)))
}

// Close finalises and frees c.
func (c *Clock) Close() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_clock_free(&c.c))
}

// Now returns nanoseconds since the clock's epoch.
func (c *Clock) Now() (int64, error) {
	r := C.rclgo_clock_now(&c.c)
	return int64(r.v), check(r.ret)
}

// Override makes a ROS clock stand at now until the next call or, with on false, follow the
// system's time again.
func (c *Clock) Override(on bool, now int64) error {
	return check(C.rclgo_clock_override(&c.c, C.bool(on), C.int64_t(now)))
}

// NewTimer starts a timer.
func NewTimer(ctx *Context, clock *Clock, period int64) (*Timer, error) {
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Timer](C.rclgo_timer_new(&ctx.c, &clock.c, C.int64_t(period)))
}

// Close finalises and frees t.
func (t *Timer) Close() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_timer_free(&t.c))
}

// Call advances t to its next period.
func (t *Timer) Call() error { return check(C.rclgo_timer_call(&t.c)) }

// Reset starts the period anew.
func (t *Timer) Reset() error { return check(C.rclgo_timer_reset(&t.c)) }

// UntilNext returns nanoseconds, negative when the call is overdue.
func (t *Timer) UntilNext() (int64, error) {
	r := C.rclgo_timer_until_next(&t.c)
	return int64(r.v), check(r.ret)
}
