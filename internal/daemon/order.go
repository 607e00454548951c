//go:build ros

package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rstate/internal/clean"
	"rstate/internal/engine"
	"rstate/internal/gate"
	"rstate/internal/httpapi"
	"rstate/internal/journal"
	"rstate/internal/rosnet"
	"rstate/internal/stepper"
)

// Read reads an order once. The engine gets the word that it returns.
func (d *Daemon) Read(o httpapi.Order) httpapi.Asked { return askedOf(d.net.Machine, o) }

// Ask gives the engine a goal and waits for its end. If ctx ends first, the goal goes on.
func (d *Daemon) Ask(ctx context.Context, g engine.GoalAsked) (verdict, error) {
	return d.localGoals.ask(ctx, g)
}

// retryLeast is the shortest Retry-After.
const retryLeast = time.Second

// readIn is how long an order waits for the first read of the nodes. The engine ends it earlier,
// unless another instance has the name.
const readIn = 30 * time.Second

// Command hands over an order. Where one is rejected before the nodes have been read, the wait asks for it
// again when they have been: a client need not wait after a creation. An order that arms is not kept,
// because a later disarm would come before it.
func (d *Daemon) Command(client string, o httpapi.Asked) httpapi.Wait {
	asked := engine.GoalAsked{
		Command: o.Word, Argument: o.Argument, Reason: o.Reason, ID: o.ID, Client: client, By: engine.ByGoal,
		Authorized: d.secret.Fits(o.Authority), Seen: o.Seen,
	}
	early := !d.read()
	wait := d.localGoals.hand(asked)
	return func(ctx context.Context) (httpapi.Result, error) {
		v, err := wait(ctx)
		if _, _, known := d.net.Machine.Command(o.Word); err == nil && v.Rejected != nil && early && known && !o.Arms {
			if err := d.awaitRead(ctx); err != nil {
				return httpapi.Result{}, err
			}
			v, err = d.localGoals.ask(ctx, asked)
		}
		return d.answerOf(o, v, err)
	}
}

// answerOf returns the answer to an order. The engine decides whether a rejected one may be
// repeated later, because what is shown may be older than the decision.
func (d *Daemon) answerOf(o httpapi.Asked, v verdict, err error) (httpapi.Result, error) {
	f := d.fault.Load()
	switch {
	case err == nil && v.Finished != nil:
		return resultOf(&v.Finished.Result), nil
	case err == nil && v.Rejected.Busy:
		return httpapi.Result{}, &httpapi.Busy{Why: v.Rejected.Why,
			Retry: max(retryLeast, min(d.Snapshot().Work.TimeLeft, time.Minute))}
	case err == nil && v.Rejected.Outdated && o.Arms: // waiting does not help
		return httpapi.Result{}, &httpapi.Busy{Why: v.Rejected.Why}
	case f != nil:
		return httpapi.Result{}, fmt.Errorf("simulation %s broke down: %w", d.net.Simulation, f.cause)
	case err != nil && !errors.Is(err, errOver):
		return httpapi.Result{}, err
	}
	if s := d.Snapshot(); ended(d.net.Machine, s, o.Word) {
		return alreadyEnded(d.View()), nil
	}
	if err != nil {
		return httpapi.Result{}, &httpapi.Rejected{Why: fmt.Sprintf("simulation %s has ended", d.net.Simulation)}
	}
	return httpapi.Result{}, &httpapi.Rejected{Why: v.Rejected.Why, Legal: v.Rejected.Legal}
}

// read reports whether the nodes have been read once.
func (d *Daemon) read() bool {
	select {
	case <-d.ready:
		return true
	default:
		return false
	}
}

// awaitRead returns when the nodes have been read, will not be, or could not be for readIn.
func (d *Daemon) awaitRead(ctx context.Context) error {
	patience := time.NewTimer(readIn)
	defer patience.Stop()
	select {
	case <-d.ready:
	case <-d.localGoals.ended:
	case <-patience.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Acknowledge acknowledges all stops, and says what was acknowledged.
func (d *Daemon) Acknowledge(ctx context.Context, client string, a httpapi.Acknowledgement) (string, error) {
	who := client
	if a.Who != "" {
		who = a.Who + ", " + client
	}
	if d.IsOver() {
		return "", &httpapi.Rejected{Why: "simulation " + d.net.Simulation + " has ended"}
	}
	accepted, said := d.world.Acknowledge(ctx, who, a.Authority, latchesOf(a.Shown))
	if !accepted {
		return "", &httpapi.Rejected{Why: said}
	}
	return said, nil
}

// History returns entries of the journal.
func (d *Daemon) History(q httpapi.HistoryQuery) ([]httpapi.Entry, error) {
	lines, report := newestLines(d.keeper.dir, journal.Filter{Node: q.Node, Since: q.Since}, q.Kind, uint32(q.Last))
	if report.Err != nil {
		return nil, errors.New(report.String())
	}
	var entries []httpapi.Entry
	for i := range lines {
		entries = append(entries, entryOf(&lines[i]))
	}
	return entries, nil
}

// whyLines is how many of the newest lines tell why.
const whyLines = 2000

// Why tells why the network is in its state, from the newest lines of the journal.
func (d *Daemon) Why() (httpapi.Why, error) {
	running := !d.IsOver() // asked first: what begins to end meanwhile has still written the lines that are read
	lines, report := newestLines(d.keeper.dir, journal.Filter{}, "", whyLines)
	if report.Err != nil {
		return httpapi.Why{}, errors.New(report.String())
	}
	return whyOf(journal.Why(lines, running, time.Now())), nil
}

// Data returns simulation data as they are between two steps.
func (d *Daemon) Data(ctx context.Context, name string, most int64) (httpapi.Datum, error) {
	if d.IsOver() {
		return httpapi.Datum{}, &httpapi.Missing{Why: "simulation " + d.net.Simulation + " has ended"}
	}
	found, err := d.world.Data(ctx, name, most)
	switch {
	case errors.Is(err, rosnet.ErrLargeDatum):
		return httpapi.Datum{}, httpapi.ErrTooLarge
	case errors.Is(err, rosnet.ErrNoDatum):
		names := dataNames(d.net)
		why := fmt.Sprintf("there are no data %q: the network file has none; add them under data:", name)
		if len(names) > 0 {
			why = fmt.Sprintf("there are no data %q; there is %s", name, strings.Join(names, ", "))
		}
		return httpapi.Datum{}, &httpapi.Rejected{Why: why}
	case errors.Is(err, gate.ErrHeld):
		return httpapi.Datum{}, &httpapi.Missing{Why: "the step that runs did not end in time; try again"}
	case err != nil:
		return httpapi.Datum{}, &httpapi.Missing{Why: "the data " + name + " are not there: " + err.Error()}
	}
	return httpapi.Datum{Name: name, Type: found.Type, Stamp: found.At, Value: found.Value}, nil
}

// Trigger sets a trigger of the stepped loop, or removes it.
func (d *Daemon) Trigger(number uint64, t *httpapi.Trigger) error {
	if d.IsOver() {
		return &httpapi.Rejected{Why: "simulation " + d.net.Simulation + " has ended"}
	}
	set := stepper.Trigger{ID: number}
	if t != nil {
		set.Cycles, set.At, set.Want, set.Why = t.After, secondsOf(t.At), stepper.WantOf(t.Do), clean.Short(t.Reason)
	}
	if why := d.world.SetTrigger(set); why != "" {
		return &httpapi.Rejected{Why: why}
	}
	return nil
}

// secondsOf is a number of seconds as a duration. Simulated time does not reach the largest one.
func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
