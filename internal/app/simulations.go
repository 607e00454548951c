//go:build ros

package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"rstate/internal/engine"
	"rstate/internal/gate"
	"rstate/internal/httpapi"
	"rstate/internal/journal"
	"rstate/internal/machine"
	"rstate/internal/rosnet"
)

// Simulations are the instances of this process, for clients over HTTP. It implements
// httpapi.Simulations.
type Simulations struct {
	mu       sync.RWMutex
	list     []*App          // the oldest first
	reserved map[string]bool // ids that are being made
	watchers []*watcher
	many     bool // of a factory, which is well although one of them is not
}

var _ httpapi.Simulations = (*Simulations)(nil)

// watcher hears of changes until ctx ends.
type watcher struct {
	ctx     context.Context
	changed func(id string)
}

// Add takes in an instance.
func (s *Simulations) Add(a *App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, a)
	delete(s.reserved, a.net.Simulation)
	for _, w := range s.watchers {
		s.follow(w, a)
	}
}

// reserve keeps the place of a simulation that is being made, until Add or giveUp.
func (s *Simulations) reserve(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reserved == nil {
		s.reserved = map[string]bool{}
	}
	s.reserved[id] = true
}

func (s *Simulations) giveUp(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.reserved, id)
}

// count returns how many there are, with those that are being made.
func (s *Simulations) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.list) + len(s.reserved)
}

// remove forgets an instance.
func (s *Simulations) remove(a *App) {
	s.mu.Lock()
	s.list = slices.DeleteFunc(s.list, func(o *App) bool { return o == a })
	watchers := slices.Clone(s.watchers)
	s.mu.Unlock()
	for _, w := range watchers {
		w.changed(a.net.Simulation)
	}
}

// apps returns all instances, the oldest first.
func (s *Simulations) apps() []*App {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.list)
}

// onTopic returns the id of an instance with that lifecycle topic; empty: there is none.
func (s *Simulations) onTopic(topic string) string {
	for _, a := range s.apps() {
		if a.net.Topic == topic {
			return a.net.Simulation
		}
	}
	return ""
}

// follow tells the watcher of changes of an instance. Called with mu held.
func (s *Simulations) follow(w *watcher, a *App) {
	id := a.net.Simulation
	stop := a.shown.watch(func() { w.changed(id) })
	go func() {
		select {
		case <-a.done: // nothing is shown after that
			w.changed(id)
		case <-w.ctx.Done():
		}
		stop()
	}()
	w.changed(id)
}

func (s *Simulations) find(id string) (*App, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := slices.IndexFunc(s.list, func(a *App) bool { return a.net.Simulation == id }); i >= 0 {
		return s.list[i], nil
	}
	return nil, httpapi.ErrUnknown
}

// List returns a summary of each simulation.
func (s *Simulations) List() []httpapi.Summary {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []httpapi.Summary
	for _, a := range s.list {
		list = append(list, a.view().Summary)
	}
	return list
}

// Get returns what a simulation published last.
func (s *Simulations) Get(id string) (httpapi.Simulation, error) {
	a, err := s.find(id)
	if err != nil {
		return httpapi.Simulation{}, err
	}
	return a.view(), nil
}

// over reports whether the instance has ended.
func (a *App) over() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// seen is what a view was made of.
type seen struct {
	snapshot *engine.Snapshot
	fault    *fault
	ended    bool
}

// kept is the view that was made last, for clients that poll. It is never changed.
type kept struct {
	of   seen
	view httpapi.Simulation
}

func (a *App) view() httpapi.Simulation {
	now := seen{a.snapshot(), a.fault.Load(), a.over()}
	k := a.kept.Load()
	if k == nil || k.of != now {
		k = &kept{now, a.viewOf(now)}
		a.kept.Store(k)
	}
	v := k.view
	v.Stamp = time.Now()
	return v
}

func (a *App) viewOf(s seen) httpapi.Simulation {
	w := a.about
	w.ended = s.ended
	v := w.simulation(s.snapshot, time.Now())
	if f := s.fault; f != nil {
		v.Ended, v.Intact, v.Settled, v.Commands = true, false, true, nil
		v.Progress, v.Lease, v.Cause, v.MayBeArmed = nil, nil, f.cause.Error(), f.armed
		for i := range v.Nodes {
			n := &v.Nodes[i]
			n.Armed, n.MayBeArmed = false, slices.Contains(f.armed, n.Name)
		}
	}
	return v
}

// snapshot is what was shown last; before that, an instance that knows nothing.
func (a *App) snapshot() *engine.Snapshot {
	if s := a.shown.newest.Load(); s != nil {
		return s
	}
	return &nothing
}

// nothing is what an instance knows at first.
var nothing = engine.Snapshot{State: "unknown", ProofAge: -1, Lease: engine.LeaseView{Age: -1, Left: -1}}

// Read reads an order once. The engine gets the word that it returns.
func (s *Simulations) Read(id string, o httpapi.Order) (httpapi.Asked, error) {
	a, err := s.find(id)
	if err != nil {
		return httpapi.Asked{}, err
	}
	return askedOf(a.net.Machine, o), nil
}

// retryLeast is the shortest Retry-After.
const retryLeast = time.Second

// readIn is how long an order waits for the first read of the nodes. The engine ends it earlier,
// unless another instance has the name.
const readIn = 30 * time.Second

// Command carries out an order and returns when it has ended. One that is rejected before the nodes
// have been read is asked for again when they have been: a client need not wait after a creation.
// An order that arms is not kept, because a later disarm would come before it.
func (s *Simulations) Command(ctx context.Context, id, client string, o httpapi.Asked) (httpapi.Result, error) {
	a, err := s.find(id)
	if err != nil {
		return httpapi.Result{}, err
	}
	asked := engine.GoalAsked{
		Command: o.Word, Argument: o.Argument, Reason: o.Reason, ID: o.ID, Client: client, By: engine.ByGoal, Authorized: a.secret.Fits(o.Authority),
	}
	early := !a.read()
	v, err := a.desk.ask(ctx, asked)
	if _, _, known := a.net.Machine.Command(o.Word); err == nil && v.rejected != nil && early && known && !o.Arms {
		if err := a.awaitRead(ctx); err != nil {
			return httpapi.Result{}, err
		}
		v, err = a.desk.ask(ctx, asked)
	}
	return a.answerOf(o.Word, v, err)
}

// answerOf returns the answer to an order. The engine decides whether a rejected one may be
// repeated later, because what is shown may be older than the decision.
func (a *App) answerOf(asked machine.Word, v verdict, err error) (httpapi.Result, error) {
	f := a.fault.Load()
	switch {
	case err == nil && v.finished != nil:
		return resultOf(&v.finished.Result), nil
	case err == nil && v.rejected.Busy:
		return httpapi.Result{}, &httpapi.Busy{Why: v.rejected.Why, Retry: max(retryLeast, min(a.snapshot().Work.TimeLeft, time.Minute))}
	case f != nil:
		return httpapi.Result{}, fmt.Errorf("simulation %s broke down: %w", a.net.Simulation, f.cause)
	case err != nil && !errors.Is(err, errOver):
		return httpapi.Result{}, err
	}
	if s := a.snapshot(); ended(a.net.Machine, s, asked) {
		return alreadyEnded(a.view()), nil
	}
	if err != nil {
		return httpapi.Result{}, &httpapi.Rejected{Why: fmt.Sprintf("simulation %s has ended", a.net.Simulation)}
	}
	return httpapi.Result{}, &httpapi.Rejected{Why: v.rejected.Why, Legal: v.rejected.Legal}
}

// read reports whether the nodes have been read once.
func (a *App) read() bool {
	select {
	case <-a.ready:
		return true
	default:
		return false
	}
}

// awaitRead returns when the nodes have been read, will not be, or could not be for readIn.
func (a *App) awaitRead(ctx context.Context) error {
	patience := time.NewTimer(readIn)
	defer patience.Stop()
	select {
	case <-a.ready:
	case <-a.desk.ended:
	case <-patience.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// History returns entries of the journal of a simulation.
func (s *Simulations) History(_ context.Context, id string, q httpapi.HistoryQuery) ([]httpapi.Entry, error) {
	a, err := s.find(id)
	if err != nil {
		return nil, err
	}
	lines, report := newestLines(a.keeper.dir, journal.Filter{Node: q.Node, Since: q.Since}, q.Kind, uint32(q.Last))
	if report.Err != nil {
		return nil, errors.New(report.String())
	}
	var entries []httpapi.Entry
	for i := range lines {
		entries = append(entries, entryOf(&lines[i]))
	}
	return entries, nil
}

// Data returns simulation data as they are between two steps.
func (s *Simulations) Data(ctx context.Context, id, name string, most int64) (httpapi.Datum, error) {
	a, err := s.find(id)
	if err != nil {
		return httpapi.Datum{}, err
	}
	if a.over() {
		return httpapi.Datum{}, &httpapi.Missing{Why: "simulation " + id + " has ended"}
	}
	d, err := a.world.Data(ctx, name, most)
	switch {
	case errors.Is(err, rosnet.ErrLargeDatum):
		return httpapi.Datum{}, httpapi.ErrTooLarge
	case errors.Is(err, rosnet.ErrNoDatum):
		names := dataNames(a.net)
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
	return httpapi.Datum{Name: name, Type: d.Type, Stamp: d.At, Value: d.Value}, nil
}

// Watch calls changed after each change until ctx ends.
func (s *Simulations) Watch(ctx context.Context, changed func(id string)) {
	w := &watcher{ctx, changed}
	s.mu.Lock()
	s.watchers = append(s.watchers, w)
	for _, a := range s.list {
		s.follow(w, a)
	}
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers = slices.DeleteFunc(s.watchers, func(o *watcher) bool { return o == w })
}

// Health returns why an instance does not run as it should.
func (s *Simulations) Health(context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, a := range s.list {
		if !s.many && a.over() && a.err != nil {
			return fmt.Errorf("simulation %s has broken down: %w", a.net.Simulation, a.err)
		}
	}
	return nil
}
