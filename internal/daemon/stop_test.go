//go:build ros

package daemon

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"rstate/internal/coordinator"
)

// TestStopIsNotLateWhileOthersClose: a simulation whose engine has ended is not said to leave before it is
// done, however long it waits for its turn to close.
func TestStopIsNotLateWhileOthersClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, said := observer.New(zap.WarnLevel)
		a := &Daemon{
			log: zap.New(core), loop: coordinator.New(nil, nil, nil, nil, zap.NewNop()), abort: func(error) {},
			stopping: make(chan struct{}), ended: make(chan struct{}), done: make(chan struct{}),
		}
		a.started.Do(func() {})
		close(a.ended)
		time.AfterFunc(2*stopIn, func() { close(a.done) })
		a.Stop("it is removed")
		if !a.IsOver() || said.Len() != 0 {
			t.Errorf("all is closed: %v; it said %v", a.IsOver(), said.All())
		}
	})
}
