package dispatch

import (
	"testing"
	"time"

	"rstate/internal/engine"
)

// TestA8APauseAsLongAsADoubt is a pause: in doubt the process did not run.
func TestA8APauseAsLongAsADoubt(t *testing.T) {
	if in, ok := (Gap{Loop: 2 * time.Second, Process: doubt}).Input(nil).(engine.Stalled); !ok {
		t.Errorf("a gap with a pause of %v is reported as %v", doubt, in)
	}
	var h Heart
	h.Beat(time.Second)
	h.Beat(time.Second + doubt)
	if got := h.Paused(time.Second, time.Second+doubt); got != doubt {
		t.Errorf("a pause of %v is %v", doubt, got)
	}
	h = Heart{}
	h.Beat(time.Second)
	if got := h.Paused(0, time.Second+doubt); got != doubt {
		t.Errorf("a pause that has not ended is %v, want %v", got, doubt)
	}
}

// TestA8AHeartThatNeverBeat vouches for nothing since the loop looked last.
func TestA8AHeartThatNeverBeat(t *testing.T) {
	var h Heart
	if got := h.Paused(time.Second, 3*time.Second); got != 2*time.Second {
		t.Errorf("it paused for %v, want 2s", got)
	}
}

// TestA8TheNewestPausesAreKept: beats in time take none of their places, and the oldest pauses go first.
func TestA8TheNewestPausesAreKept(t *testing.T) {
	var h Heart
	now := time.Second
	beat := func(after time.Duration) { now += after; h.Beat(now) }
	beat(0)
	beat(3 * time.Second)
	for range 2 * pausesKept {
		beat(Beat)
	}
	if got := h.Paused(0, now); got != 3*time.Second {
		t.Errorf("after many beats the longest pause is %v, want 3s", got)
	}
	for range pausesKept - 1 {
		beat(time.Second)
	}
	if got := h.Paused(0, now); got != 3*time.Second {
		t.Errorf("after %d more pauses the longest is %v, want 3s", pausesKept-1, got)
	}
	beat(time.Second)
	if got := h.Paused(0, now); got != time.Second || len(h.pauses) != pausesKept {
		t.Errorf("%d pauses are kept, of which the longest is %v", len(h.pauses), got)
	}
}

// TestAnEmptyTurnHasNothingToLookFor: the loop asks before each effect, and also when none is left.
func TestAnEmptyTurnHasNothingToLookFor(t *testing.T) {
	var turn Turn
	if turn.Looks() || turn.More() {
		t.Error("there is something to carry")
	}
}
