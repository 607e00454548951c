//go:build ros

package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/rosnet"
	"rstate/internal/session"
)

// What happens when the engine of a network breaks down: something panicked, or the loop hangs. The
// network is supervised from outside of the loop then, which does nothing but disarm.

const (
	// disarmIn is how long nodes have to confirm before they are asked again.
	disarmIn = 2 * time.Second
	// askAgainIn is the pause before that.
	askAgainIn = time.Second
	// obeyIn is how long a loop has to end after its context has ended.
	obeyIn = 300 * time.Millisecond
)

// fault is why a network broke down.
type fault struct {
	cause error
	armed []string // the nodes that may be armed: they can be, and have not confirmed to be disarmed
}

// errHangs is the error of a loop that does not end.
var errHangs = errors.New("cannot go on: the loop hangs; this is a fault of rstate, please report it")

// breaks ends the loop, because a part of the network cannot work any more.
func (a *Daemon) breaks(err error) {
	if panicked := (*rosnet.Panicked)(nil); !errors.As(err, &panicked) {
		err = &session.NoROS{Cause: err}
	}
	a.abort(err)
}

// seeLoop runs the loop to its end. It leaves a loop behind that does not end in time.
func (a *Daemon) seeLoop() (engine.Exit, error) {
	type end struct {
		exit engine.Exit
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		exit, err := a.loop.Run(a.run)
		ended <- end{exit, err}
	}()
	select {
	case e := <-ended:
		return e.exit, e.err
	case <-a.run.Done():
	}
	obeys := time.NewTimer(obeyIn)
	defer obeys.Stop()
	select {
	case e := <-ended:
		return e.exit, e.err
	case <-obeys.C:
		return engine.Exit{}, errHangs
	}
}

// breakDown ends all requests and disarms what may be armed. In a factory it goes on until every node
// has confirmed, or until the simulation is removed.
func (a *Daemon) breakDown(err error) {
	a.log.Error("the coordinator broke down; nodes are disarmed", zap.Error(err))
	f := fault{err, a.world.MayArm()}
	a.setFault(f)
	a.world.Fail(fmt.Errorf("the network broke down: %w", err))
	a.desk.close()
	for last := false; len(f.armed) > 0 && !last; {
		last = a.within == nil || a.stopSince.Load() != nil
		ctx, cancel := context.WithTimeout(context.Background(), a.disarmFor())
		f.armed = a.world.DisarmAll(ctx)
		cancel()
		a.setFault(f)
		if len(f.armed) > 0 && !last {
			a.rest(askAgainIn)
		}
	}
}

// disarmFor is how long nodes have to confirm: after Stop, what is left of its time.
func (a *Daemon) disarmFor() time.Duration {
	if since := a.stopSince.Load(); since != nil {
		return max(session.CloseAtLeast, min(disarmIn, leaveIn-session.CloseAtLeast-time.Since(*since)))
	}
	return disarmIn
}

// rest waits, at most until Stop.
func (a *Daemon) rest(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.stopping:
	}
}

// setFault makes known why the network broke down. It does not wait for the watchers: the loop that
// hangs may do so in one of them.
func (a *Daemon) setFault(f fault) {
	a.fault.Store(&f)
	go a.shown.touch()
}
