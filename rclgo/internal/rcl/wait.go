package rcl

// #include "seam.h"
import "C"

import "unsafe"

// WaitKind is the sort of handle in a slot. A kind that consists of several handles, such as
// an action client, is one more here, in add and in is_ready of wait.c; its ready parts are
// the bits of the slot's ready.
type WaitKind int

// The kinds of slots.
const (
	WaitSubscription WaitKind = C.RCLGO_WAIT_SUBSCRIPTION
	WaitGuard        WaitKind = C.RCLGO_WAIT_GUARD
	WaitTimer        WaitKind = C.RCLGO_WAIT_TIMER
	WaitClient       WaitKind = C.RCLGO_WAIT_CLIENT
	WaitService      WaitKind = C.RCLGO_WAIT_SERVICE
	WaitEvent        WaitKind = C.RCLGO_WAIT_EVENT
	WaitActionClient WaitKind = C.RCLGO_WAIT_ACTION_CLIENT
	WaitActionServer WaitKind = C.RCLGO_WAIT_ACTION_SERVER
)

// Waiter is a wait set and the slots that feed it. Only one goroutine may use it.
type Waiter struct{ c C.rclgo_waiter }

// NewWaiter makes a waiter without slots.
func NewWaiter(ctx *Context) (*Waiter, error) {
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Waiter](C.rclgo_waiter_new(&ctx.c))
}

// Close finalises and frees w.
func (w *Waiter) Close() error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_waiter_free(&w.c))
}

// Resize drops all slots and makes n empty ones.
func (w *Waiter) Resize(n int) error { return check(C.rclgo_waiter_resize(&w.c, C.size_t(n))) }

// Set fills a slot, armed.
func (w *Waiter) Set(slot int, kind WaitKind, handle unsafe.Pointer) {
	s := w.slot(slot)
	s.kind, s.handle, s.armed = C.int32_t(kind), handle, 1
}

// Arm sets whether the next Wait waits on the slot.
func (w *Waiter) Arm(slot int, armed bool) {
	if armed {
		w.slot(slot).armed = 1
	} else {
		w.slot(slot).armed = 0
	}
}

// Ready returns the parts of the slot that the last Wait found ready.
func (w *Waiter) Ready(slot int) uint8 { return uint8(w.slot(slot).ready) }

// Wait blocks until an armed slot is ready and returns how many are.
func (w *Waiter) Wait() (int, error) {
	r := C.rclgo_waiter_wait(&w.c)
	return int(r.v), check(r.ret)
}

func (w *Waiter) slot(i int) *C.rclgo_slot {
	return &unsafe.Slice(w.c.slots, int(w.c.nslots))[i]
}
