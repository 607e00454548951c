package rclgo

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// loop is the goroutine of one context. It owns every rcl handle of the context. It is
// not locked to a thread: the only thread-local data of rcl is the text of its last error,
// which is read in the same C call, and a locked goroutine costs two thread switches
// whenever it waits for another goroutine.
type loop struct {
	mu        sync.Mutex
	queue     []func()
	waiting   bool // the loop waits, or is about to wait
	triggered bool // its wait will end
	stopped   bool
	retry     chan struct{} // wakes a loop whose wait set failed
	done      chan struct{}
	onPanic   atomic.Pointer[func(what string, value any)]
	guarded   gate // around triggering the guard condition

	// loop only
	rctx    *rcl.Context
	guard   *rcl.GuardCondition
	waiter  *rcl.Waiter
	list    []*entity   // everything that may be waited on, oldest first
	slots   [][]*entity // by slot; slot 0 is the guard condition
	dirty   bool        // slots do not match list and spins
	spins   map[*spin]struct{}
	ending  bool
	running []func() // the batch of closures being run, kept for its memory
}

// startLoop initialises rcl and starts the loop.
func startLoop(args []string, domain *uint) (*loop, error) {
	l := &loop{
		retry: make(chan struct{}, 1),
		done:  make(chan struct{}),
		spins: map[*spin]struct{}{},
		dirty: true,
	}
	ready := make(chan error)
	go func() {
		err := l.open(args, domain)
		ready <- err
		if err == nil {
			l.run()
		}
	}()
	return l, <-ready
}

func (l *loop) open(args []string, domain *uint) (err error) {
	if l.rctx, err = rcl.NewContext(args, domain); err != nil {
		return err
	}
	if l.guard, err = rcl.NewGuardCondition(l.rctx); err != nil {
		_ = l.rctx.Close()
		return err
	}
	if l.waiter, err = rcl.NewWaiter(l.rctx); err != nil {
		_ = l.guard.Close()
		_ = l.rctx.Close()
	}
	return err
}

// post queues fn and reports whether the loop will run it.
func (l *loop) post(fn func()) bool {
	l.mu.Lock()
	if l.stopped {
		l.mu.Unlock()
		return false
	}
	l.queue = append(l.queue, fn)
	wake := l.waiting && !l.triggered
	l.triggered = l.triggered || wake
	l.mu.Unlock()
	if wake {
		l.wake()
	}
	return true
}

// wake ends the wait. The lock must not be held, or the loop would wake up to wait for it.
func (l *loop) wake() {
	if !l.guarded.enter() {
		return
	}
	defer l.guarded.leave()
	_ = l.guard.Trigger()
	select {
	case l.retry <- struct{}{}:
	default:
	}
}

// do runs fn on the loop and reports whether it ran. It must not be called on the loop, or
// while holding something that the loop needs.
func (l *loop) do(fn func()) bool {
	ran := make(chan struct{})
	if !l.post(func() { fn(); close(ran) }) {
		<-l.done
		return false
	}
	select {
	case <-ran:
		return true
	case <-l.done:
	}
	select {
	case <-ran:
		return true
	default:
		return false
	}
}

// stop ends the loop, from the closure that is running. Loop only.
func (l *loop) stop() { l.ending = true }

func (l *loop) run() {
	defer close(l.done)
	for {
		l.drain()
		// Let the goroutines that this round has woken run first. While the loop waits in C, its
		// processor is not free for them until the runtime retakes it, late. A handler that
		// finishes now is back in the wait set without another round.
		runtime.Gosched()
		again := l.drain()
		if l.ending {
			return
		}
		if l.dirty {
			l.rebuild()
		}
		if !l.park() {
			continue
		}
		if again {
			runtime.Gosched()
		}
		n, err := l.waiter.Wait()
		l.unpark()
		if err != nil {
			l.fail(err)
			continue
		}
		l.serve(n)
	}
}

// drain runs the queued closures, and reports whether there were any. Closures after the one
// that stops the loop are dropped.
func (l *loop) drain() (ran bool) {
	for !l.ending {
		l.mu.Lock()
		l.queue, l.running = l.running[:0], l.queue
		l.mu.Unlock()
		if len(l.running) == 0 {
			return ran
		}
		ran = true
		for i, fn := range l.running {
			if !l.ending {
				fn()
			}
			l.running[i] = nil
		}
	}
	return ran
}

// park announces the wait, unless closures are queued.
func (l *loop) park() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting, l.triggered = len(l.queue) == 0, false
	return l.waiting
}

func (l *loop) unpark() {
	l.mu.Lock()
	l.waiting = false
	l.mu.Unlock()
}

// rebuild fills the slots with all entities that are served.
func (l *loop) rebuild() {
	l.dirty = false
	clear(l.slots) // or entities that are gone would stay in memory
	l.slots = append(l.slots[:0], nil)
	shared := map[unsafe.Pointer]int{}
	for _, e := range l.list {
		e.slot = 0
		if e.served.Store(e.covered()); !e.served.Load() || e.handle == nil {
			continue
		}
		if at, ok := shared[e.key]; ok && e.key != nil {
			l.slots[at] = append(l.slots[at], e)
			continue
		}
		e.slot = len(l.slots)
		shared[e.key] = e.slot
		l.slots = append(l.slots, []*entity{e})
	}
	if err := l.waiter.Resize(len(l.slots)); err != nil {
		l.slots = nil
		l.endSpins(err)
		return
	}
	l.waiter.Set(0, rcl.WaitGuard, unsafe.Pointer(l.guard))
	for i, sharers := range l.slots[1:] {
		l.waiter.Set(i+1, sharers[0].kind, sharers[0].handle)
		l.arm(sharers[0])
	}
}

// arm updates the wait set to the state of e.
func (l *loop) arm(e *entity) {
	if e.slot > 0 && !e.gone && !l.dirty {
		l.waiter.Arm(e.slot, !e.busy)
	}
}

// serve hands the n ready slots to their entities.
func (l *loop) serve(n int) {
	for i := 0; i < len(l.slots) && n > 0; i++ {
		bits := l.waiter.Ready(i)
		if bits == 0 {
			continue
		}
		n--
		for _, e := range l.slots[i] {
			e.onReady(bits)
		}
	}
}

// fail ends all spins with err. The loop goes on without them. If it cannot wait for its
// own guard condition either, it waits for the next closure.
func (l *loop) fail(err error) {
	if len(l.spins) > 0 {
		l.endSpins(err)
		return
	}
	if l.park() {
		<-l.retry
		l.unpark()
	}
}

func (l *loop) add(e *entity) {
	l.list = append(l.list, e)
	l.dirty = true
}

// drop removes e from all lists, and ends the spins on it.
func (l *loop) drop(e *entity) {
	if i := slices.Index(l.list, e); i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
	l.dirty = true
	e.slot = 0
	e.served.Store(false)
	for s := range l.spins {
		if s.owner == e {
			l.endSpin(s, e.closedError(s.op))
		}
	}
}

// close ends the loop after everything is finalised. Loop only.
func (l *loop) close() []error {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	l.guarded.close()
	l.stop()
	return []error{l.waiter.Close(), l.guard.Close(), l.rctx.Close()}
}
