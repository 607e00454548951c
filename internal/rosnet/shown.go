//go:build ros

package rosnet

import (
	"context"
	"errors"
	"time"

	"rstate/internal/engine"
)

// A loop that hangs, or that a panic has ended, shows nothing new and watches no node. What it showed last is not told to
// clients as if it were true.

const (
	lookAgainIn = 50 * time.Millisecond
	// giveUpIn is when a client that asks for a state gets no answer. It is longer than anybody waits.
	giveUpIn = 10 * time.Second
)

// shown is what the network is, as shown last. It is nil before anything was shown, after the network broke down, and while
// the loop stands still.
func (w *World) shown() *engine.Snapshot {
	if w.brokeDown() || w.standsStill() {
		return nil
	}
	return w.newest.Load()
}

// brokeDown reports whether Fail has said so.
func (w *World) brokeDown() bool {
	why := context.Cause(w.asking)
	return why != nil && !errors.Is(why, context.Canceled)
}

// standsStill reports whether the loop does not turn although it has not been ended.
func (w *World) standsStill() bool { return w.ctx.Err() == nil && w.naming.stands() }

// whenItTurns answers a client at once or, as any program that is busy, when the loop turns again. A network that broke
// down answers. If the loop never turns again, there is no answer.
func (w *World) whenItTurns(answer func()) {
	if w.brokeDown() || !w.standsStill() {
		answer()
		return
	}
	w.goes(func() {
		for range int(giveUpIn / lookAgainIn) {
			time.Sleep(lookAgainIn)
			if w.brokeDown() || !w.standsStill() {
				answer()
				return
			}
		}
	})
}
