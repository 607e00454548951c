//go:build ros

package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/patient"
	"rstate/internal/rosnet"
	"rstate/internal/session"
)

// What happens when the engine of a network breaks down: something panicked, or the loop hangs. The
// network is supervised from outside of the loop then, which does nothing but disarm.

const (
	// disarmIn is how long nodes have to confirm before they are asked again.
	disarmIn = 2 * time.Second * patient.Factor
	// askAgainIn is the pause before that.
	askAgainIn = time.Second
	// obeyIn is how long a loop has to end after its context has ended.
	obeyIn = 300 * time.Millisecond * patient.Factor
)

// fault is why a network broke down.
type fault struct {
	cause error
	armed []string // the nodes that may be armed: they can be, and have not confirmed to be disarmed
}

// errHangs is the error of a loop that does not end.
var errHangs = errors.New("cannot go on: the loop hangs; this is a fault of rstate, please report it")

// breaks ends the loop, because a part of the network cannot work any more.
func (d *Daemon) breaks(err error) {
	if panicked := (*rosnet.Panicked)(nil); !errors.As(err, &panicked) {
		err = &session.NoROS{Cause: err}
	}
	d.abort(err)
}

// seeLoop runs the loop to its end. It leaves a loop behind that does not end in time.
func (d *Daemon) seeLoop() (engine.Exit, error) {
	type end struct {
		exit engine.Exit
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		exit, err := d.loop.Run(d.run)
		ended <- end{exit, err}
	}()
	select {
	case e := <-ended:
		return e.exit, e.err
	case <-d.run.Done():
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
func (d *Daemon) breakDown(err error) {
	d.log.Error("the coordinator broke down; nodes are disarmed", zap.Error(err))
	f := fault{err, d.world.MayArm()}
	d.setFault(f)
	d.world.Fail(fmt.Errorf("the network broke down: %w", err))
	d.localGoals.close()
	for last := false; len(f.armed) > 0 && !last; {
		last = d.within == nil || d.stopSince.Load() != nil
		ctx, cancel := context.WithTimeout(context.Background(), d.disarmFor())
		f.armed = d.world.DisarmAll(ctx)
		cancel()
		d.setFault(f)
		if len(f.armed) > 0 && !last {
			d.rest(askAgainIn)
		}
	}
}

// disarmFor is how long nodes have to confirm: after Stop, what is left of its time.
func (d *Daemon) disarmFor() time.Duration {
	if since := d.stopSince.Load(); since != nil {
		return max(session.CloseAtLeast, min(disarmIn, leaveIn-session.CloseAtLeast-time.Since(*since)))
	}
	return disarmIn
}

// rest waits, at most until Stop.
func (d *Daemon) rest(span time.Duration) {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.stopping:
	}
}

// setFault makes known why the network broke down. It does not wait for the watchers: the loop that
// hangs may do so in one of them.
func (d *Daemon) setFault(f fault) {
	d.fault.Store(&f)
	go d.shown.touch()
}
