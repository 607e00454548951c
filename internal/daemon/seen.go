//go:build ros

package daemon

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/httpapi"
	"rstate/internal/network"
)

// Network is the network that the instance drives.
func (d *Daemon) Network() *network.Network { return d.net }

// Journal is the folder of its journal.
func (d *Daemon) Journal() string { return d.keeper.dir }

// Begun is closed when the state is known and autostart has ended.
func (d *Daemon) Begun() <-chan struct{} { return d.begun }

// Ended is closed when the engine has ended. Closing goes on until Done.
func (d *Daemon) Ended() <-chan struct{} { return d.ended }

// Broke returns why the engine broke down; nil: it did not.
func (d *Daemon) Broke() error {
	if f := d.fault.Load(); f != nil {
		return f.cause
	}
	return nil
}

// IsUnsafe waits for the end of the engine and reports whether a node may be armed, or is not shut down.
func (d *Daemon) IsUnsafe() bool {
	<-d.ended
	f := d.fault.Load()
	return d.code == codeUnclean && (f == nil || len(f.armed) > 0)
}

// Discard closes an instance that was never started.
func (d *Daemon) Discard() { d.end(codeUnclean, errStopped) }

// Watch calls changed after each change of what is shown, until stop is called.
func (d *Daemon) Watch(changed func()) (stop func()) { return d.shown.watch(changed) }

// IsOver reports whether the instance has ended.
func (d *Daemon) IsOver() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// seen is what a view was made of.
type seen struct {
	moment moment
	fault  *fault
	ended  bool
}

// kept is the view that was made last, for clients that poll. It is never changed.
type kept struct {
	of   seen
	view httpapi.Simulation
}

// View is what clients over HTTP are shown.
func (d *Daemon) View() httpapi.Simulation {
	now := seen{*d.moment(), d.fault.Load(), d.IsOver()}
	k := d.kept.Load()
	if k == nil || k.of != now {
		k = &kept{now, d.viewOf(now)}
		d.kept.Store(k)
	}
	v := k.view
	v.Stalled = !v.Ended && d.shown.stalled()
	return v
}

// Figures is what has happened in this run.
func (d *Daemon) Figures() httpapi.Figures {
	f := d.figures.read()
	f.Turned, f.Lease = d.shown.since(), d.world.LeaseAge(time.Now())
	return f
}

func (d *Daemon) viewOf(s seen) httpapi.Simulation {
	w := d.about
	w.ended = s.ended || s.fault != nil
	v := w.simulation(s.moment.snapshot, s.moment.at)
	if f := s.fault; f != nil {
		v.Ended, v.Broke, v.Intact, v.Settled, v.Commands = true, true, false, true, nil
		v.Progress, v.Lease, v.Cause, v.MayBeArmed = nil, nil, f.cause.Error(), f.armed
		for i := range v.Nodes {
			n := &v.Nodes[i]
			n.Armed, n.MayBeArmed = false, slices.Contains(f.armed, n.Name)
		}
	}
	return v
}

// Snapshot is what was shown last; before that, an instance that knows nothing.
func (d *Daemon) Snapshot() *engine.Snapshot { return d.moment().snapshot }

// moment is that snapshot, and when it was made.
func (d *Daemon) moment() *moment {
	if m := d.shown.newest.Load(); m != nil {
		return m
	}
	return &moment{&nothing, d.about.created}
}

// nothing is what an instance knows at first.
var nothing = engine.Snapshot{State: "unknown", ProofAge: -1, Lease: engine.LeaseView{Age: -1, Left: -1}}

// Post gives the engine an input.
func (d *Daemon) Post(in engine.Input) { d.loop.Post(in) }
