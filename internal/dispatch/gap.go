package dispatch

import (
	"time"

	"rstate/internal/engine"
)

const (
	// Beat is the period of the loop's beat, and of the heart beside it.
	Beat = 100 * time.Millisecond
	// doubt is the shortest pause of the heart that makes a gap of the loop a stall of the process.
	doubt = engine.Stall / 2
)

// Gap is a period of more than engine.Stall in which the loop did not turn. Process is how long the
// process did not run in that time, as far as its heart shows. The zero value is no gap.
type Gap struct{ Loop, Process time.Duration }

// Any reports whether g is a gap.
func (g Gap) Any() bool { return g.Loop > 0 }

// And adds a later gap.
func (g Gap) And(later Gap) Gap {
	return Gap{g.Loop + later.Loop, max(g.Process, later.Process)}
}

// Input returns the input that reports the gap to the engine, with the effects that perished in it.
// In doubt it reports that the process did not run.
func (g Gap) Input(unsent []engine.Effect) engine.Input {
	if g.Process < doubt {
		return engine.Late{For: g.Loop, Unsent: unsent}
	}
	return engine.Stalled{For: g.Loop, Still: g.Process}
}

// Watch finds the gaps of a loop. It gets readings of a clock that also advances while the process
// or the machine is suspended.
type Watch struct{ looked time.Duration }

// Pauses knows when a process did not run; *Heart does.
type Pauses interface {
	// Paused returns the longest pause of the process that ended after since, up to now.
	Paused(since, now time.Duration) time.Duration
}

// Begin is the first look of the loop.
func (w *Watch) Begin(now time.Duration) { w.looked = now }

// Look returns the gap since the last look, if it is one.
func (w *Watch) Look(now time.Duration, heart Pauses) Gap {
	before := w.looked
	w.looked = now
	if now-before <= engine.Stall {
		return Gap{}
	}
	return Gap{now - before, heart.Paused(before, now)}
}

// pausesKept is more than a late loop can miss.
const pausesKept = 64

// Heart is what the beats of a process beside its loop show: a process that did not run misses
// beats, a loop that is busy does not. The zero value has never beaten: every gap is in doubt.
type Heart struct {
	beaten bool
	last   time.Duration // the newest beat
	pauses []pause       // of at least doubt; the newest last
}

type pause struct{ from, to time.Duration }

// Beat notes a beat.
func (h *Heart) Beat(now time.Duration) {
	if h.beaten && now-h.last >= doubt {
		h.pauses = append(h.pauses[max(0, len(h.pauses)-pausesKept+1):], pause{h.last, now})
	}
	h.last, h.beaten = now, true
}

// Paused returns the longest pause that ended after since, up to now. Without any beat it returns all
// the time since then. It ignores pauses shorter than doubt.
func (h *Heart) Paused(since, now time.Duration) time.Duration {
	if !h.beaten {
		return now - since
	}
	most := now - h.last // the process may have just resumed, with the loop ahead of the heart
	for _, p := range h.pauses {
		if p.to > since {
			most = max(most, p.to-p.from)
		}
	}
	if most < doubt {
		return 0
	}
	return most
}
