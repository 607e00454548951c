package rclgo

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// gate lets uses of a handle in until it is shut. Shutting waits for those inside.
type gate struct {
	mu   sync.RWMutex
	shut bool
}

// enter must be followed by leave if it returns true. Nobody may enter twice, or wait
// for a handler or another goroutine's Close in between.
func (g *gate) enter() bool {
	g.mu.RLock()
	if g.shut {
		g.mu.RUnlock()
		return false
	}
	return true
}

func (g *gate) leave() { g.mu.RUnlock() }

func (g *gate) close() {
	g.mu.Lock()
	g.shut = true
	g.mu.Unlock()
}

// entity is what everything with a handle has in common; the package comment tells how
// it is filled. Fields under "loop only" belong to the loop.
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

	served atomic.Bool // some spin covers it; written by the loop

	// loop only
	spins int // spins on this very entity
	slot  int // 0: none
	busy  bool
	gone  bool
}

// closedError says that op came too late.
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

// ask is use on the loop, for what rcl does not call thread-safe.
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

// build runs open on the loop to make a child of e. The child is in place before
// anybody can close e.
func (e *entity) build(op string, open func() error) error { return e.ask(op, open) }

// adopt makes child part of e. Loop only, inside build.
func (e *entity) adopt(child *entity) {
	child.loop, child.owner = e.loop, e
	e.childMu.Lock()
	e.children = append(e.children, child)
	e.childMu.Unlock()
	e.loop.add(child)
}

// closeTree closes e and everything below it, from any goroutine, and may be called
// again.
func (e *entity) closeTree() error {
	e.seal()
	var err error
	e.loop.do(func() { err = e.remove() })
	return fail("close "+e.what, err)
}

// seal shuts the gates from the top, so that nothing is added below any more.
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

// covered says whether a spin is on e or anything above it. Loop only.
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
		handler()
	}()
}

// rearm puts e back into the wait set. Loop only.
func (e *entity) rearm() {
	e.busy = false
	e.loop.arm(e)
}
