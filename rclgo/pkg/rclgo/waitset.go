package rclgo

import (
	"context"
	"slices"
	"sync"
)

// WaitSet serves a selection of entities. They may be of different nodes, but of one
// context.
type WaitSet struct {
	entity
	ctx *Context

	// The selection; Add… appends. Do not change it in another way while Run runs.
	Subscriptions []*Subscription
	Timers        []*Timer
	Services      []*Service
	Clients       []*Client
	ActionClients []*ActionClient
	ActionServers []*ActionServer

	mu   sync.Mutex
	runs []*spin // the running ones
}

// NewWaitSet makes an empty wait set.
func (c *Context) NewWaitSet() (ws *WaitSet, err error) {
	ws = &WaitSet{ctx: c}
	err = c.build("create wait set", func() error {
		ws.what, ws.invalid = "wait set", codeWaitSetInvalid
		c.adopt(&ws.entity)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ws, nil
}

// Close ends Run and closes the wait set, not what was added to it.
func (w *WaitSet) Close() (err error) { return w.closeTree() }

// Context returns what the wait set was made from.
func (w *WaitSet) Context() *Context { return w.ctx }

// AddSubscriptions adds subscriptions, also while Run runs, as all Add… do.
func (w *WaitSet) AddSubscriptions(subs ...*Subscription) { addTo(w, &w.Subscriptions, subs) }

// AddTimers adds timers.
func (w *WaitSet) AddTimers(timers ...*Timer) { addTo(w, &w.Timers, timers) }

// AddServices adds services.
func (w *WaitSet) AddServices(services ...*Service) { addTo(w, &w.Services, services) }

// AddClients adds clients.
func (w *WaitSet) AddClients(clients ...*Client) { addTo(w, &w.Clients, clients) }

func (s *Subscription) base() *entity { return &s.entity }
func (t *Timer) base() *entity        { return &t.entity }
func (s *Service) base() *entity      { return &s.entity }
func (c *Client) base() *entity       { return &c.entity }

func addTo[T interface{ base() *entity }](w *WaitSet, list *[]T, more []T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list = append(*list, more...)
	if len(w.runs) == 0 {
		return
	}
	// Entities of another context are left for the next Run to refuse.
	targets := slices.DeleteFunc(appendBases(nil, more), func(e *entity) bool { return e.loop != w.loop })
	runs := w.runs
	w.loop.do(func() {
		for _, s := range runs {
			w.loop.extendSpin(s, targets)
		}
	})
}

func appendBases[T interface{ base() *entity }](to []*entity, list []T) []*entity {
	for _, e := range list {
		to = append(to, e.base())
	}
	return to
}

// Run serves the added entities. It returns the error of ctx when ctx is done, and also
// returns when the wait set is closed. An empty wait set just waits.
func (w *WaitSet) Run(ctx context.Context) (err error) {
	w.mu.Lock()
	targets := appendBases(nil, w.Subscriptions)
	targets = appendBases(targets, w.Timers)
	targets = appendBases(targets, w.Services)
	targets = appendBases(targets, w.Clients)
	targets = appendBases(targets, w.ActionClients)
	targets = appendBases(targets, w.ActionServers)
	s := newSpin(&w.entity, targets)
	w.runs = append(w.runs[:len(w.runs):len(w.runs)], s)
	err = s.begin()
	w.mu.Unlock()
	if err == nil {
		err = s.wait(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = slices.DeleteFunc(slices.Clone(w.runs), func(other *spin) bool { return other == s })
	return err
}
