//go:build ros

package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// told keeps what is printed.
type told struct {
	lines
	mu   sync.Mutex
	said []string
}

func (t *told) say(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, text)
}

// begins reports whether exactly these beginnings of lines are printed.
func (t *told) begins(want ...string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.EqualFunc(t.said, want, strings.HasPrefix)
}

// following is a goal that is being followed, with what a test does to it.
type following struct {
	*interrupts
	told   *told
	stop   chan os.Signal
	ctx    context.Context
	ends   context.CancelCauseFunc // the goal
	down   atomic.Bool             // the goal lowers
	obeyed chan struct{}           // closed when no signal is waited for any more
}

// followed starts to wait for signals while the client follows a goal. It is called in a synctest bubble.
func followed(t *testing.T, cancels bool) *following {
	f := &following{told: &told{}, stop: make(chan os.Signal, 4), obeyed: make(chan struct{})}
	f.ctx, f.ends = context.WithCancelCause(t.Context())
	f.interrupts = &interrupts{
		command: "inactive", lowers: f.down.Load, cancels: cancels, teller: f.told, stop: f.stop, leave: f.ends,
		taken: make(chan struct{}), cancel: make(chan struct{}), learned: make(chan struct{}),
	}
	t.Cleanup(func() { f.ends(nil) })
	go func() {
		f.obey(f.ctx)
		close(f.obeyed)
	}()
	synctest.Wait()
	return f
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// What Ctrl-C does depends on the machine of the daemon. As long as it is not known, Ctrl-C waits for it.
func TestF4CtrlCWaitsUntilTheMachineIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		down    bool
		learned bool // the machine becomes known
	}{
		"and then cancels a goal that raises":     {false, true},
		"and then leaves a goal that lowers":      {true, true},
		"not for longer than learnsIn: it raises": {false, false},
		"not for longer than learnsIn: it lowers": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := followed(t, false)
				f.down.Store(!c.down) // asked for too early, it would say the opposite
				close(f.taken)
				f.stop <- os.Interrupt
				time.Sleep(learnsIn - time.Millisecond)
				synctest.Wait()
				if !f.told.begins() || isClosed(f.cancel) || f.ctx.Err() != nil {
					t.Fatalf("before the machine is known: said %q, cancelled %v, left %v", f.told.said,
						isClosed(f.cancel), context.Cause(f.ctx))
				}
				f.down.Store(c.down)
				if c.learned {
					close(f.learned)
				} else {
					time.Sleep(time.Millisecond)
				}
				synctest.Wait()
				if c.down {
					if isClosed(f.cancel) || f.ctx.Err() == nil ||
						!strings.Contains(context.Cause(f.ctx).Error(), "inactive goes on") {
						t.Errorf("cancelled %v, left %v", isClosed(f.cancel), context.Cause(f.ctx))
					}
					return
				}
				if !isClosed(f.cancel) || f.ctx.Err() != nil || !f.told.begins("cancelling") {
					t.Errorf("cancelled %v, left %v, said %q", isClosed(f.cancel), context.Cause(f.ctx), f.told.said)
				}
			})
		})
	}
}

// If the goal ends while Ctrl-C waits for the machine, nothing is printed and nothing is cancelled.
func TestF4CtrlCWaitsNoLongerThanTheGoalLasts(t *testing.T) {
	for name, learned := range map[string]bool{"the machine is not known": false,
		"it becomes known at the same time": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := followed(t, false)
				f.stop <- os.Interrupt
				synctest.Wait()
				f.ends(nil)
				if learned {
					close(f.learned)
				}
				synctest.Wait()
				if !f.told.begins() || isClosed(f.cancel) || !isClosed(f.obeyed) {
					t.Errorf("said %q, cancelled %v, still waiting %v", f.told.said, isClosed(f.cancel),
						!isClosed(f.obeyed))
				}
				time.Sleep(2 * learnsIn)
				synctest.Wait()
				if !f.told.begins() || isClosed(f.cancel) {
					t.Errorf("later: said %q, cancelled %v", f.told.said, isClosed(f.cancel))
				}
			})
		})
	}
}

// With --cancel, and for any other signal, the machine does not matter.
func TestF4TheMachineDecidesOnlyWhatCtrlCDoes(t *testing.T) {
	for name, c := range map[string]struct {
		cancels bool
		signal  os.Signal
		want    string
	}{
		"Ctrl-C with --cancel":  {true, os.Interrupt, "cancelling"},
		"SIGTERM":               {false, syscall.SIGTERM, "inactive is sent first"},
		"SIGTERM with --cancel": {true, syscall.SIGTERM, "inactive is sent first"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := followed(t, c.cancels)
				f.down.Store(true)
				f.stop <- c.signal
				synctest.Wait() // no time passes
				if !f.told.begins(c.want) || isClosed(f.cancel) != (c.want == "cancelling") {
					t.Errorf("said %q, cancelled %v; want %q", f.told.said, isClosed(f.cancel), c.want)
				}
			})
		})
	}
}
