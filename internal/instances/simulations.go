//go:build ros

package instances

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"rstate/internal/daemon"
	"rstate/internal/httpapi"
)

// Simulations are the instances of this process, for clients over HTTP. It implements
// httpapi.Simulations.
type Simulations struct {
	mu       sync.RWMutex
	list     []*daemon.Daemon // the oldest first
	reserved map[string]bool  // ids that are being made
	watchers []*watcher
	many     bool // of a factory, which is well although one of them is not
}

var _ httpapi.Simulations = (*Simulations)(nil)

// NewSimulations makes a place for instances: for many of a factory, or for one.
func NewSimulations(many bool) *Simulations { return &Simulations{many: many} }

// watcher hears of changes until ctx ends.
type watcher struct {
	ctx     context.Context
	changed func(id string)
}

// Add takes in an instance.
func (s *Simulations) Add(a *daemon.Daemon) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, a)
	delete(s.reserved, a.Network().Simulation)
	for _, w := range s.watchers {
		s.follow(w, a)
	}
}

// Reserve keeps the place of a simulation that is being made, until Add or giveUp.
func (s *Simulations) Reserve(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reserved == nil {
		s.reserved = map[string]bool{}
	}
	s.reserved[id] = true
}

// GiveUp frees a place that was reserved.
func (s *Simulations) GiveUp(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.reserved, id)
}

// Count returns how many there are, with those that are being made.
func (s *Simulations) Count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.list) + len(s.reserved)
}

// Remove forgets an instance.
func (s *Simulations) Remove(a *daemon.Daemon) {
	s.mu.Lock()
	s.list = slices.DeleteFunc(s.list, func(o *daemon.Daemon) bool { return o == a })
	watchers := slices.Clone(s.watchers)
	s.mu.Unlock()
	for _, w := range watchers {
		w.changed(a.Network().Simulation)
	}
}

// Apps returns all instances, the oldest first.
func (s *Simulations) Apps() []*daemon.Daemon {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.list)
}

// OnTopic returns the id of an instance with that lifecycle topic; empty: there is none.
func (s *Simulations) OnTopic(topic string) string {
	for _, a := range s.Apps() {
		if a.Network().Topic == topic {
			return a.Network().Simulation
		}
	}
	return ""
}

// follow tells the watcher of changes of an instance. Called with mu held.
func (s *Simulations) follow(w *watcher, a *daemon.Daemon) {
	id := a.Network().Simulation
	stop := a.Watch(func() { w.changed(id) })
	go func() {
		select {
		case <-a.Done(): // nothing is shown after that
			w.changed(id)
		case <-w.ctx.Done():
		}
		stop()
	}()
	w.changed(id)
}

// Find returns the instance of an id; the error is httpapi.ErrUnknown.
func (s *Simulations) Find(id string) (*daemon.Daemon, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := slices.IndexFunc(s.list, func(a *daemon.Daemon) bool { return a.Network().Simulation == id }); i >= 0 {
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
		list = append(list, a.View().Summary)
	}
	return list
}

// Get returns what a simulation published last.
func (s *Simulations) Get(id string) (httpapi.Simulation, error) {
	a, err := s.Find(id)
	if err != nil {
		return httpapi.Simulation{}, err
	}
	return a.View(), nil
}

// Figures returns what has happened in the present run of a simulation.
func (s *Simulations) Figures(id string) (httpapi.Figures, error) {
	a, err := s.Find(id)
	if err != nil {
		return httpapi.Figures{}, err
	}
	return a.Figures(), nil
}

// Read reads an order once. The engine gets the word that it returns.
func (s *Simulations) Read(id string, o httpapi.Order) (httpapi.Asked, error) {
	a, err := s.Find(id)
	if err != nil {
		return httpapi.Asked{}, err
	}
	return a.Read(o), nil
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
		if s.many || !a.IsOver() {
			continue
		}
		if _, err := a.Wait(); err != nil {
			return fmt.Errorf("simulation %s has broken down: %w", a.Network().Simulation, err)
		}
	}
	return nil
}

// Command hands over an order.
func (s *Simulations) Command(id, client string, o httpapi.Asked) httpapi.Wait {
	a, err := s.Find(id)
	if err != nil {
		return func(context.Context) (httpapi.Result, error) { return httpapi.Result{}, err }
	}
	return a.Command(client, o)
}

// History returns entries of the journal of a simulation.
func (s *Simulations) History(_ context.Context, id string, q httpapi.HistoryQuery) ([]httpapi.Entry, error) {
	a, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	return a.History(q)
}

// Why tells why a simulation is in its state.
func (s *Simulations) Why(_ context.Context, id string) (httpapi.Why, error) {
	a, err := s.Find(id)
	if err != nil {
		return httpapi.Why{}, err
	}
	return a.Why()
}

// Network returns the network file of a simulation.
func (s *Simulations) Network(id string) (httpapi.Network, error) {
	a, err := s.Find(id)
	if err != nil {
		return httpapi.Network{}, err
	}
	return httpapi.Network{File: a.Network().File, YAML: a.Network().YAML()}, nil
}

// Data returns simulation data as they are between two steps.
func (s *Simulations) Data(ctx context.Context, id, name string, most int64) (httpapi.Datum, error) {
	a, err := s.Find(id)
	if err != nil {
		return httpapi.Datum{}, err
	}
	return a.Data(ctx, name, most)
}

// Acknowledge acknowledges all stops of a simulation.
func (s *Simulations) Acknowledge(ctx context.Context, id, client string, k httpapi.Acknowledgement) (string, error) {
	a, err := s.Find(id)
	if err != nil {
		return "", err
	}
	return a.Acknowledge(ctx, client, k)
}

// Trigger sets a trigger of the stepped loop of a simulation, or removes it.
func (s *Simulations) Trigger(_ context.Context, id string, number uint64, t *httpapi.Trigger) error {
	a, err := s.Find(id)
	if err != nil {
		return err
	}
	return a.Trigger(number, t)
}
