//go:build ros

package rosnet

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"go.uber.org/zap"
)

// A panic in anything that belongs to a world breaks this world alone: other worlds of the process go
// on. It is a fault of rstate, so its world does nothing more but to disarm.

// Panicked is the error of a world in which something panicked.
type Panicked struct {
	Where string // a handler or a goroutine
	Value any
}

func (p *Panicked) Error() string {
	return fmt.Sprintf("%s panicked: %v; this is a fault of rstate, please report it", p.Where, p.Value)
}

// panicked takes a panic that was recovered.
func (w *World) panicked(where string, value any) {
	w.log.Error("a part of the network panicked", zap.String("part", where), zap.Any("panic", value),
		zap.ByteString("stack", debug.Stack()))
	w.broken(&Panicked{where, value})
}

// survive is deferred by a goroutine of this world.
func (w *World) survive(where string) {
	if w.broken == nil {
		return
	}
	if value := recover(); value != nil {
		w.panicked(where, value)
	}
}

// goes runs f on a goroutine, for whose end Close waits.
func (w *World) goes(f func()) {
	w.tasks.Go(func() {
		defer w.survive("a goroutine")
		f()
	})
}

// errOver is why a request of a client does not end otherwise.
var errOver = errors.New("rstate has ended")

// whyOver says why requests of clients end.
func (w *World) whyOver() error {
	if w.brokeDown() {
		return context.Cause(w.asking)
	}
	return errOver
}

// Fail answers open goals, and all that come later, with the reason why nothing will come of them.
// DisarmAll still works, until Close.
func (w *World) Fail(why error) { w.fail(why) }
