//go:build ros

package rosnet

import (
	"fmt"
	"sync"
)

// closer is a part of the node.
type closer interface{ Close() error }

// offering makes the services and the action once the name is ours. A request to a name reaches
// every instance of that name: an instance that only listens would answer for the one that drives
// the network.
type offering struct {
	mu    sync.Mutex // held while it is made, and while it is closed
	once  sync.Once
	begun bool // loop only
}

// takeName makes all of it, on a goroutine of its own since making takes its time.
func (w *World) takeName() {
	w.offering.once.Do(func() {
		w.offering.begun = true
		w.goes(func() {
			w.offering.mu.Lock()
			defer w.offering.mu.Unlock()
			if w.ctx.Err() != nil {
				return
			}
			w.naming.take()
			switch err := w.offer(); {
			case w.ctx.Err() != nil:
			case err != nil:
				w.broken(err)
			case w.serving != nil:
				w.serving()
			}
		})
	})
}

// offer makes the services and the action. A client may use each as soon as it discovers it, so
// those that take commands are made last. ~/get_network is made first: a parent must know that we
// are a network before it drives us.
func (w *World) offer() error {
	for _, make := range []func() error{w.startGetNetwork, w.startFace, w.startPlan, w.startTriggers, w.startSimulation,
		w.startAcknowledge, w.offerOthers, w.startManager, w.startGoals} {
		if err := make(); err != nil {
			return err
		}
	}
	w.startDiagnostics()
	return nil
}

// offerOthers makes what the process around us offers on the node.
func (w *World) offerOthers() error {
	if w.others == nil {
		return nil
	}
	close, err := w.others()
	if err != nil {
		return err
	}
	w.owns(close)
	return nil
}

// startFace makes the network a lifecycle node.
func (w *World) startFace() error {
	if w.face == nil {
		return nil
	}
	if err := w.face.open(); err != nil {
		return fmt.Errorf("cannot be a lifecycle node: %w", err)
	}
	return nil
}
