package coordinator

import (
	"context"
	"sync"
	"time"

	"rstate/internal/engine"
)

const (
	// doubt is the shortest pause of the heart that makes a gap of the loop a stall of the process.
	doubt = engine.Stall / 2
	// pausesKept is more than a late loop can miss.
	pausesKept = 64
)

// Heart ticks on its own goroutine, beside the loop, and records when it could not. This separates
// a process that did not run from a loop that was busy. The zero value has never ticked: every gap
// is in doubt.
type Heart struct {
	mu     sync.Mutex
	clock  func() time.Duration // nil: the boot clock
	began  time.Time            // the origin of the beats
	ticked bool
	last   time.Duration // the newest tick
	pauses []pause       // of at least doubt; the newest last
}

type pause struct{ from, to time.Duration }

func (p pause) length() time.Duration { return p.to - p.from }

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
	now := h.now()
	if p := (pause{h.last, now}); h.ticked && p.length() >= doubt {
		h.pauses = append(h.pauses[max(0, len(h.pauses)-pausesKept+1):], p)
	}
	h.last, h.ticked = now, true
}

// longest returns the longest pause that ended after since, up to now. Without any tick it returns
// all the time since then. It ignores pauses shorter than doubt.
func (h *Heart) longest(since time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	if !h.ticked {
		return now - since
	}
	most := pause{h.last, now}.length() // the process may have just resumed, with this goroutine ahead of the heart
	for _, p := range h.pauses {
		if p.to > since {
			most = max(most, p.length())
		}
	}
	if most < doubt {
		return 0
	}
	return most
}

// Stopped reports whether the process did not run for longer than engine.Stall, and resumed within
// the last ago.
func (h *Heart) Stopped(ago time.Duration) bool { return h.longest(h.now()-ago) > engine.Stall }
