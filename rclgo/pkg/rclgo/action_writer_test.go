package rclgo

import (
	"testing"
	"time"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// TestAnAnswerIsOfferedUntilItsClientIsFound: the middleware sends nothing to a client whose
// reader it has not discovered. A lost announcement is repeated after 3 s, so the writer
// retries for longer than that.
func TestAnAnswerIsOfferedUntilItsClientIsFound(t *testing.T) {
	now := time.Now()
	w := newActionWriter(nil)
	w.clock = func() time.Time { return now }
	w.put(rcl.GoalService, rcl.Header{}, answer{})
	l := w.lanes[laneKey{service: rcl.GoalService}]
	for found := now.Add(2 * 3 * time.Second); now.Before(found); now = now.Add(100 * time.Millisecond) {
		if chosen, _ := w.choose(now); chosen != l {
			t.Fatalf("after %v the answer is not offered", now.Sub(l.asked))
		}
		w.sent(l, l.waiting[0], &Timeout{})
		if len(l.waiting) == 0 || l.known {
			t.Fatalf("after %v the answer was given up", now.Sub(l.asked))
		}
	}
	w.sent(l, l.waiting[0], nil)
	if len(l.waiting) > 0 || !l.known {
		t.Error("the answer that has left is offered again")
	}
}
