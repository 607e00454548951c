package coordinator

import (
	"context"
	"sync"
	"time"

	"rstate/internal/dispatch"
	"rstate/internal/engine"
)

// Heart ticks on its own goroutine, beside the loop, and records when it could not. This separates
// a process that did not run from a loop that was busy. The zero value has never ticked: every gap
// is in doubt.
type Heart struct {
	mu    sync.Mutex
	clock func() time.Duration // nil: the boot clock
	began time.Time            // the origin of the beats
	inner dispatch.Heart
}

// Run ticks every Beat until ctx ends.
func (h *Heart) Run(ctx context.Context) {
	beat := time.NewTimer(h.toBeat())
	defer beat.Stop()
	for {
		h.tick()
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			beat.Reset(h.toBeat())
		}
	}
}

// toBeat returns the time until the next beat. The heart and the loop beat at the same moments,
// since waking an idle process is most of the cost of a beat. Other processes beat at other
// moments.
func (h *Heart) toBeat() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.began.IsZero() {
		h.began = time.Now()
	}
	return Beat - time.Since(h.began)%Beat
}

func (h *Heart) now() time.Duration {
	if h.clock == nil {
		return bootTime()
	}
	return h.clock()
}

func (h *Heart) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inner.Beat(h.now())
}

// Paused returns the longest pause that ended after since, up to now; see dispatch.Heart. Between a
// caller's reading of the clock and this call, the process may have been suspended: now is read anew.
func (h *Heart) Paused(since, _ time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.inner.Paused(since, h.now())
}

// Stopped reports whether the process did not run for longer than engine.Stall, and resumed within
// the last ago.
func (h *Heart) Stopped(ago time.Duration) bool {
	now := h.now()
	return h.Paused(now-ago, now) > engine.Stall
}
