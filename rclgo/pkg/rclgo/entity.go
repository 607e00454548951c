package rclgo

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// gate admits uses of a handle until it is shut. Shutting waits for the admitted uses, but refuses new ones at once:
// the loop may enter while a use that waits for the loop holds up a Close.
type gate struct {
	mu     sync.Mutex
	inside int
	shut   bool
	left   *sync.Cond // of mu; nil until a Close waits
}

// enter must be followed by leave if it returns true. Between the two, a goroutine must not
// wait for a handler or another goroutine's Close.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.left != nil {
		g.left.Broadcast()
	}
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	if g.left == nil {
		g.left = sync.NewCond(&g.mu)
	}
	for g.inside > 0 {
		g.left.Wait()
	}
}

// entity is the common part of everything with a handle; the package comment explains its
// fields. Fields under "loop only" belong to the loop.
type entity struct {
	gate
	loop    *loop
	owner   *entity // nil for a context
	what    string  // for errors: publisher "/chatter"
	invalid int     // the return code that stands for a closed one

	kind     rcl.WaitKind
	handle   unsafe.Pointer // nil if there is nothing to wait for; the entity's own
	key      unsafe.Pointer // entities of equal key share one slot
	onReady  func(bits uint8)
	finalize func() error

	childMu  sync.Mutex
	children []*entity

	faultMu sync.Mutex
	faults  map[int]struct{} // the return codes that takeFault has logged

	pause  time.Duration              // of dispatchPaced, its goroutine's; or of rest, the loop's
	idle   bool                       // the last turn found nothing; belongs to the same as pause
	paused atomic.Pointer[time.Timer] // the pause that runs
	moved  func() bool                // reports whether something was taken since the handler returned; may be nil

	served  atomic.Bool // some spin covers it; written by the loop
	onPanic atomic.Pointer[func(what string, value any)]

	// loop only
	spins int // spins on this very entity
	slot  int // 0: none
	busy  bool
	gone  bool
}

// closedError reports that op was called on a closed entity.
func (e *entity) closedError(op string) error {
	return newError(e.invalid, op, e.what+" is closed")
}

// use runs fn, which may use the handle outside of the loop.
func (e *entity) use(op string, fn func() error) error {
	if !e.enter() {
		return e.closedError(op)
	}
	defer e.leave()
	return fail(op, fn())
}

// ask is use on the loop, for calls that are not thread-safe in rcl.
func (e *entity) ask(op string, fn func() error) error {
	if !e.enter() {
		return e.closedError(op)
	}
	defer e.leave()
	var err error
	if !e.loop.do(func() { err = fn() }) {
		return e.closedError(op)
	}
	return fail(op, err)
}

// build runs open on the loop to make a child of e. The child is in place before any
// goroutine can close e.
func (e *entity) build(op string, open func() error) error { return e.ask(op, open) }

// adopt makes child a child of e. Loop only, inside build.
func (e *entity) adopt(child *entity) {
	child.loop, child.owner = e.loop, e
	e.childMu.Lock()
	e.children = append(e.children, child)
	e.childMu.Unlock()
	e.loop.add(child)
}

// closeTree closes e and everything below it. It may be called from any goroutine, more
// than once.
func (e *entity) closeTree() error {
	e.seal()
	var err error
	e.loop.do(func() { err = e.remove() })
	return fail("close "+e.what, err)
}

// seal shuts the gates from the top, so that nothing can be added below.
func (e *entity) seal() {
	e.gate.close()
	e.childMu.Lock()
	children := slices.Clone(e.children)
	e.childMu.Unlock()
	for _, c := range children {
		c.seal()
	}
}

// remove finalises e after its children, the youngest first. Loop only; the gates are
// shut. It may be called again.
func (e *entity) remove() error {
	if e.gone {
		return nil
	}
	e.childMu.Lock()
	children := slices.Clone(e.children)
	e.childMu.Unlock()
	var errs []error
	for _, c := range slices.Backward(children) {
		errs = append(errs, c.remove())
	}
	e.gone = true
	e.loop.drop(e)
	if e.owner != nil {
		e.owner.forget(e)
	}
	if e.finalize != nil {
		errs = append(errs, e.finalize())
	}
	return errors.Join(errs...)
}

func (e *entity) forget(child *entity) {
	e.childMu.Lock()
	defer e.childMu.Unlock()
	if i := slices.Index(e.children, child); i >= 0 {
		e.children = slices.Delete(e.children, i, i+1)
	}
}

// covered reports whether a spin is on e or an ancestor. Loop only.
func (e *entity) covered() bool {
	for ; e != nil; e = e.owner {
		if e.spins > 0 {
			return true
		}
	}
	return false
}

// dispatch runs the handler on a goroutine and keeps e out of the wait set until it
// has returned. Loop only.
func (e *entity) dispatch(handler func()) {
	e.busy = true
	e.loop.arm(e)
	go func() {
		defer e.loop.post(e.rearm)
		e.call(handler)
	}()
}

// turn is what came of e being ready once.
type turn int

const (
	// stuck: something that is there was not taken. A panic of the handler counts as stuck.
	stuck turn = iota
	// nothing: there was nothing to take. A middleware may wake a reader for that, as Cyclone DDS does when
	// a writer ends.
	nothing
	moved
)

// turnOf returns the turn in which n things were taken, with or without a fault.
func turnOf(n int, fault bool) turn {
	switch {
	case fault:
		return stuck
	case n == 0:
		return nothing
	}
	return moved
}

// dispatchPaced is dispatch for a handler that may leave e ready. After a turn that calls for a
// pause, e goes back into the wait set when that is over, or when resume is called. Loop only.
func (e *entity) dispatchPaced(handler func() turn) {
	e.busy = true
	e.loop.arm(e)
	go func() {
		result := stuck
		defer func() {
			pause := e.pauseAfter(result)
			if pause == 0 {
				e.loop.post(e.rearm)
				return
			}
			e.paused.Store(time.AfterFunc(pause, func() { e.loop.post(e.rearm) }))
			if e.moved != nil && e.moved() { // resume may have been called before the Store
				e.resume()
			}
		}()
		e.call(func() { result = handler() })
	}()
}

// The pauses of dispatchPaced and rest.
const (
	leastPause   = 10 * time.Millisecond
	longestPause = time.Second
)

// pauseAfter returns how long e stays out of the wait set after a turn. While e is stuck, the pause
// grows. A turn that finds nothing is free, and is followed by the least pause if the turn before it
// found nothing either: then the middleware wakes e again and again, and a message may still come.
func (e *entity) pauseAfter(result turn) time.Duration {
	before := e.idle
	e.idle = result == nothing
	switch {
	case result == stuck:
		e.pause = min(max(2*e.pause, leastPause), longestPause)
		return e.pause
	case result == nothing && before:
		return leastPause
	case result == moved:
		e.pause = 0
	}
	return 0
}

// rest keeps e out of the wait set for a while after a turn of takes on the loop, if the turn calls
// for a pause. Loop only.
func (e *entity) rest(result turn) {
	pause := e.pauseAfter(result)
	if pause == 0 {
		return
	}
	e.busy = true
	e.loop.arm(e)
	time.AfterFunc(pause, func() { e.loop.post(e.rearm) })
}

// resume ends a pause of dispatchPaced.
func (e *entity) resume() {
	if t := e.paused.Swap(nil); t != nil && t.Stop() {
		e.loop.post(e.rearm)
	}
}

// call runs a handler. A panic goes to OnPanic of the node or the context, or ends the
// program if neither has a function.
func (e *entity) call(handler func()) {
	if report := e.reporter(); report != nil {
		defer func() {
			if p := recover(); p != nil {
				(*report)(e.what, p)
			}
		}()
	}
	handler()
}

// reporter returns the function that takes panics: that of the nearest owner, else that of
// the context; nil if there is none.
func (e *entity) reporter() *func(what string, value any) {
	for o := e; o != nil; o = o.owner {
		if report := o.onPanic.Load(); report != nil {
			return report
		}
	}
	return e.loop.onPanic.Load()
}

// NothingTaken reports whether err says that a take found nothing. A callback may meet it: a
// middleware can wake a subscription without a message, and another goroutine can be faster.
func NothingTaken(err error) bool {
	var typed coded
	return errors.As(err, &typed) && nothingThere(typed.retCode())
}

// nothingThere reports whether a take with that return code found nothing.
func nothingThere(code int) bool {
	switch code {
	case codeSubscriptionTakeFailed, codeClientTakeFailed, codeServiceTakeFailed, codeEventTakeFailed,
		codeActionClientTakeFailed, codeActionServerTakeFailed:
		return true
	}
	return false
}

// takeFault reports whether err is a fault, and logs that something could not be taken or
// decoded, once for each kind of error. An empty queue and a closed e are not faults.
func (e *entity) takeFault(log *Logger, op string, err error) bool {
	err = fail(op, err)
	code := 0
	if typed, ok := err.(coded); ok {
		code = typed.retCode()
	}
	if err == nil || nothingThere(code) || code == e.invalid {
		return false
	}
	e.faultMu.Lock()
	_, known := e.faults[code]
	if !known {
		if e.faults == nil {
			e.faults = map[int]struct{}{}
		}
		e.faults[code] = struct{}{}
	}
	e.faultMu.Unlock()
	if !known {
		_ = log.Errorf("%v (errors of this kind are not logged again for the %s)", err, e.what)
	}
	return true
}

// rearm puts e back into the wait set. Loop only.
func (e *entity) rearm() {
	e.busy = false
	e.loop.arm(e)
}
