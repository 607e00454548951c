package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	eventGap   = 50 * time.Millisecond // between two events of one simulation, at least
	aliveEvery = time.Second           // so that a client notices within two that the server is away
)

// hub turns changes of simulations into events, and hands them to all streams. It asks for a
// simulation and encodes it once for all of them. A stream that is slow, or a simulation that
// changes often, skips what is outdated: an event is the whole simulation, not a difference.
type hub struct {
	simulations Simulations
	wake        chan struct{} // 1: there are changes or streams to see to

	mu      sync.Mutex
	changed map[string]bool
	streams map[*stream]bool // true: it has been given all simulations
}

// event is one event as it is written.
type event []byte

// stream is one client. What it has not written yet is at most one event of each simulation, and one that the server
// lives.
type stream struct {
	only string // the one simulation that it is about; empty: all
	wake chan struct{}

	mu      sync.Mutex
	pending map[string]event
	alive   event // nil: it is written
	ready   bool  // all simulations of the start are pending or written
}

func newHub(s Simulations) *hub {
	return &hub{simulations: s, wake: make(chan struct{}, 1),
		changed: map[string]bool{}, streams: map[*stream]bool{}}
}

// run serves the streams until the context ends.
func (h *hub) run(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() { h.simulations.Watch(ctx, h.mark) })
	watching.Go(func() { h.beat(ctx) })
	defer watching.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		}
		h.spread()
		select {
		case <-ctx.Done():
			return
		case <-time.After(eventGap):
		}
	}
}

// beat tells all streams each second that the server lives. It asks once for all of them, and waits for no simulation that
// spread asks for.
func (h *hub) beat(ctx context.Context) {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.mu.Lock()
		streams := slices.Collect(maps.Keys(h.streams))
		h.mu.Unlock()
		if len(streams) == 0 {
			continue
		}
		list, texts := h.simulations.List(), map[string]event{}
		for _, s := range streams {
			if _, done := texts[s.only]; !done {
				texts[s.only] = aliveOf(list, s.only)
			}
			s.beat(texts[s.only])
		}
	}
}

// mark notes a change. Loops of simulations call it, so it only waits for other short holders of
// the lock.
func (h *hub) mark(id string) {
	h.mu.Lock()
	if len(h.streams) > 0 {
		h.changed[id] = true
	}
	h.mu.Unlock()
	poke(h.wake)
}

// poke wakes the reader of a channel of size 1, if it has not been woken yet.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (h *hub) join(only string) *stream {
	s := &stream{only: only, wake: make(chan struct{}, 1), pending: map[string]event{}}
	h.mu.Lock()
	h.streams[s] = false
	h.mu.Unlock()
	poke(h.wake)
	return s
}

func (h *hub) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
}

// spread hands what has changed to all streams, and everything to new ones. Only run calls it.
func (h *hub) spread() {
	h.mu.Lock()
	changed, streams := h.changed, maps.Clone(h.streams)
	h.changed = map[string]bool{}
	for s := range h.streams {
		h.streams[s] = true
	}
	h.mu.Unlock()
	news := map[string]event{}
	for id := range changed {
		news[id] = h.encode(id)
	}
	all := map[string]event{}
	if slices.Contains(slices.Collect(maps.Values(streams)), false) {
		for _, s := range h.simulations.List() {
			if e, done := news[s.ID]; done {
				all[s.ID] = e
			} else {
				all[s.ID] = h.encode(s.ID)
			}
		}
	}
	for s, known := range streams {
		if known {
			s.give(news)
		} else {
			s.give(all)
		}
	}
}

// encode asks for a simulation and returns the event that describes it.
func (h *hub) encode(id string) event {
	s, err := h.simulations.Get(id)
	name, data := "simulation", any(s)
	switch {
	case errors.Is(err, ErrUnknown):
		name, data = "removed", map[string]string{"id": id}
	case err != nil:
		name, data = "fault", map[string]string{"id": id, "detail": err.Error()}
	}
	text, err := json.Marshal(data)
	if err != nil {
		name, text = "fault", []byte(`{}`)
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, text)
}

// aliveOf returns the event that the server lives. Its stamp shows a client how long events take on their way.
func aliveOf(list []Summary, only string) event {
	a := Alive{Stamp: time.Now()}
	for _, one := range list {
		if one.Stalled && (only == "" || only == one.ID) {
			a.Stalled = append(a.Stalled, one.ID)
		}
	}
	text, _ := json.Marshal(a) // times and strings only: this cannot fail
	return fmt.Appendf(nil, "event: alive\ndata: %s\n\n", text)
}

func (s *stream) give(events map[string]event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, e := range events {
		if s.only == "" || s.only == id {
			s.pending[id] = e
		}
	}
	s.ready = true
	poke(s.wake)
}

func (s *stream) beat(alive event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive = alive
	poke(s.wake)
}

// take returns what is to be written: events in the order of the ids, and then that the server lives.
func (s *stream) take() (events []event, alive event, ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.pending)) {
		events = append(events, s.pending[id])
	}
	alive, s.alive = s.alive, nil
	clear(s.pending)
	return events, alive, s.ready
}

// events answers GET /events.
func (s *Server) events(w http.ResponseWriter, r *http.Request, only string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not collect events
	if r.Method == http.MethodHead {
		return
	}
	giveBack, ok := s.streams.take(local(r))
	if !ok {
		s.full("streams").write(w)
		return
	}
	defer giveBack()
	control := http.NewResponseController(w)
	stream := s.hub.join(only)
	defer s.hub.leave(stream)
	send := func(text []byte) error {
		if err := control.SetWriteDeadline(time.Now().Add(s.config.Limits.Write)); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		return control.Flush()
	}
	err, told := send(append([]byte("retry: 500\n\n"), aliveOf(s.simulations.List(), only)...)), false
	for err == nil {
		select {
		case <-r.Context().Done():
			return
		case <-s.stopping:
			return
		case <-stream.wake:
			events, alive, ready := stream.take()
			text := slices.Concat(events...)
			if ready && !told {
				text, told = append(text, "event: ready\ndata: {}\n\n"...), true
			}
			if text = append(text, alive...); len(text) > 0 {
				err = send(text)
			}
		}
	}
}
