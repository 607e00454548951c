//go:build ros

package factory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"rstate/internal/daemon"
	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/session"
)

// Slot is the place of one simulation of a batch in a factory. Its id is known before the simulation is made, so that
// the processes of the simulation can start first.
type Slot struct {
	ID      string
	Net     *network.Network
	factory *Factory
	app     atomic.Pointer[daemon.Daemon]
}

// Slot reserves an id for the simulation of a file.
func (f *Factory) Slot(file string) (*Slot, error) {
	id, err := f.take(file, "")
	if err != nil {
		return nil, err
	}
	net, err := network.LoadAs(file, id)
	if err != nil {
		f.all.GiveUp(id)
		return nil, err
	}
	return &Slot{ID: id, Net: net, factory: f}, nil
}

// GiveUp frees a slot whose simulation is not run.
func (s *Slot) GiveUp() { s.factory.all.GiveUp(s.ID) }

// HasBegun reports whether the loop of the simulation has run.
func (s *Slot) HasBegun() bool {
	a := s.app.Load()
	return a != nil && hasRun(&a.Snapshot().Loop)
}

// hasRun reports whether the loop runs, or has run since the last reset.
func hasRun(l *engine.LoopView) bool { return l.Runs || l.Step > 0 }

// Run makes the simulation, runs its loop to its end, ends the simulation and frees the slot. The outcome of the result
// is also that of a machine without outcomes. An error says that the simulation did not come to its end by itself: it
// is or wraps the cause of ctx, or is *Stall, or another one. The result then tells how far the simulation came.
func (s *Slot) Run(ctx context.Context) (daemon.Result, error) {
	a, err := s.factory.open(s)
	if err != nil {
		s.GiveUp()
		return daemon.Result{Simulation: s.ID}, err
	}
	s.app.Store(a)
	p := &playing{a: a}
	err = p.play(ctx)
	outcome, why := p.outcome()
	why = cmp.Or(why, p.refused)
	if err == nil {
		err = p.end(ctx)
	}
	last := "the simulation has come to its end"
	if err != nil {
		last = session.Reason(err)
	}
	a.StopAs(last, network.ExitShutdown)
	s.factory.all.Remove(a)
	r := a.Result()
	if broke := a.Broke(); err == nil {
		err = broke
	}
	late, lateWhy := p.outcome()
	if late == "" && s.HasBegun() {
		late = string(network.Stopped)
	}
	r.Outcome, r.Why = cmp.Or(outcome, late, string(network.NoStart)), cmp.Or(why, lateWhy, r.Why)
	return r, err
}

// open makes the simulation of a slot.
func (f *Factory) open(s *Slot) (*daemon.Daemon, error) {
	if err := f.begin(); err != nil {
		return nil, err
	}
	defer f.making.Done()
	return f.make(s.ID, s.Net.File, byBatch)
}

// byBatch names the client that runs the simulations of a batch.
const byBatch = "rstate batch"

// Stall is the error of a simulation that is undecided when this process did not run for a while. The engine then
// interrupts what runs, so an outcome that came later would not be that of the scenario.
type Stall struct{ Why string }

func (e *Stall) Error() string {
	return e.Why + ", so the simulation was interrupted; run fewer simulations at a time, or less beside them"
}

// playing is a simulation on its way from its start to its end.
type playing struct {
	a       *daemon.Daemon
	refused string // why a command failed; empty: none did
}

// play brings the network into the state in which its loop runs, and waits for the end of the loop. A loop that pauses
// goes on, because nothing else resumes it, and one that was reset begins again. play returns without an error when the
// outcome is decided, a command fails, no command leads into the loop, or the simulation has ended.
func (p *playing) play(ctx context.Context) error {
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	defer p.a.Watch(func() {
		if s := p.a.Snapshot(); s.Stall != "" && s.Loop.Outcome == "" {
			interrupt(&Stall{s.Stall})
		}
	})()
	select {
	case <-p.a.Begun():
	case <-p.a.Ended():
		return nil
	case <-ctx.Done():
		return p.cut(ctx)
	}
	for {
		s, err := p.stands(ctx)
		if s == nil || s.Loop.Outcome != "" || p.refused != "" {
			return err
		}
		way := wayInto(p.a.Network().Machine, s.Settled,
			func(to machine.State) bool { return to.Loop == machine.LoopRunning })
		if len(way) == 0 {
			return nil
		}
		if err := p.send(ctx, way); err != nil {
			return err
		}
	}
}

// end gives the commands that end a simulation which has come to rest.
func (p *playing) end(ctx context.Context) error {
	m := p.a.Network().Machine
	if t, ok := m.ByRole(machine.RoleShutdown); ok && !t.Hidden {
		return p.send(ctx, []string{t.Name})
	}
	return p.send(ctx, wayInto(m, p.a.Snapshot().Settled, func(to machine.State) bool { return to.Final }))
}

// wayInto returns the fewest commands that lead into a state that fits; empty: none do.
func wayInto(m *machine.Machine, from string, fits func(machine.State) bool) (best []string) {
	for _, to := range m.States {
		if way, ok := m.Path(from, to.Name); ok && fits(to) && (best == nil || len(way) < len(best)) {
			best = way
		}
	}
	return best
}

// send gives commands one after another, and waits for the end of each. If one fails, refused has the reason, and the
// others are not given.
func (p *playing) send(ctx context.Context, way []string) error {
	for _, command := range way {
		v, err := p.a.Ask(ctx, engine.GoalAsked{Command: machine.ReadWord(command), Reason: byBatch, Client: byBatch,
			By: engine.ByGoal, Seen: p.a.Snapshot().Seen})
		switch {
		case ctx.Err() != nil:
			return p.cut(ctx)
		case err != nil: // the simulation has ended
			return nil
		case v.Rejected != nil:
			p.refused = fmt.Sprintf("%s was rejected: %s", command, v.Rejected.Why)
			return nil
		case v.Finished.Ending != engine.Succeeded:
			p.refused = fmt.Sprintf("%s failed: %s", command, v.Finished.Result.Message)
			return nil
		}
	}
	return nil
}

// stands waits until the network has settled in a state without a loop. It returns nil without an error if the
// simulation has ended.
func (p *playing) stands(ctx context.Context) (*engine.Snapshot, error) {
	changed := make(chan struct{}, 1)
	defer p.a.Watch(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	for {
		s := p.a.Snapshot()
		here, _ := p.a.Network().Machine.State(s.Settled)
		if s.Rests() && here.Loop == machine.NoLoop && !s.Loop.Runs {
			return s, nil
		}
		select {
		case <-changed:
		case <-p.a.Ended():
			return nil, nil
		case <-ctx.Done():
			return nil, p.cut(ctx)
		}
	}
}

// outcome is that of the simulation so far, and its reason.
func (p *playing) outcome() (outcome, why string) {
	l := &p.a.Snapshot().Loop
	return l.Outcome, l.Why
}

// Cut is the error of a simulation that did not come to its end.
type Cut struct {
	Cause error
	Where string // the simulation was
}

func (e *Cut) Error() string { return fmt.Sprintf("%v; %s", e.Cause, e.Where) }

func (e *Cut) Unwrap() error { return e.Cause }

// cut is the error of a simulation whose context has ended.
func (p *playing) cut(ctx context.Context) error {
	s := p.a.Snapshot()
	where := "the network was " + s.State
	if l := &s.Loop; hasRun(l) {
		where += fmt.Sprintf(", step %d at %v of simulated time", l.Step, l.Now)
		if l.Phase != "" {
			where += ", " + l.Phase
		}
	}
	if doubts := slices.Concat(s.Waiting, s.Deviations); len(doubts) > 0 {
		where += ": " + strings.Join(doubts, "; ")
	}
	return &Cut{context.Cause(ctx), where}
}
