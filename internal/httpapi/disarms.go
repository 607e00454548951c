package httpapi

import (
	"context"
	"sync"

	"go.uber.org/zap"
)

// lowering is the open disarms: handed over, and not ended. A disarm is never refused because others run. Of each
// simulation, and apart for this host and for others, at most so many are open. Those that come beyond them share one
// order: the next one, which is handed over as soon as one that is open has ended. It never joins one that
// is open, because an arm may lie between the two. An arm that was sent later may come before it, and is disarmed too.
//
// So the memory has two bounds: this number for each simulation, and for the clients that wait, that of connections.
type lowering struct {
	most int // open ones of a line

	mu    sync.Mutex
	lines map[lineOf]*line // those with an open disarm
}

type lineOf struct {
	id    string // of the simulation
	local bool
}

type line struct {
	open int
	next *shared // nil: no client waits for it
}

// shared is a disarm with all clients that wait for its end.
type shared struct {
	asked  Asked
	client string
	done   chan struct{} // closed when the rest is known
	result Result
	err    error
}

func newLowering(limit int) *lowering {
	return &lowering{most: max(1, limit/2), lines: map[lineOf]*line{}}
}

// disarm carries out a disarm and returns when it has ended or the client is away.
func (s *Server) disarm(ctx context.Context, id string, asked Asked) (Result, error) {
	var one *shared
	by := callerOf(ctx)
	s.challenges.void(id, func() { one = s.lower(lineOf{id, by.local}, by.name, asked) })
	select {
	case <-one.done:
		return one.result, problemOf(one.err)
	case <-ctx.Done():
		return Result{}, away("command")
	}
}

// lower hands a disarm over, or makes it the next one of its line.
func (s *Server) lower(of lineOf, client string, asked Asked) *shared {
	d := s.lowering
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lines[of]
	if l == nil {
		l = &line{}
		d.lines[of] = l
	}
	if l.open < d.most {
		l.open++
		one := &shared{asked: asked, client: client, done: make(chan struct{})}
		go s.see(of, one, s.simulations.Command(of.id, client, asked))
		return one
	}
	if l.next == nil {
		l.next = &shared{done: make(chan struct{})}
	}
	asked.ID, asked.Argument = "", "" // those of one client must not make it a repeated order, or a wrong one, for all
	l.next.asked, l.next.client = asked, client
	return l.next
}

// see tells the clients of a disarm how it has ended, and then those of the disarms that follow it.
func (s *Server) see(of lineOf, one *shared, wait Wait) {
	for one != nil {
		one.result, one.err = wait(context.Background())
		s.config.Log.Info("http command", zap.String("simulation", of.id), zap.Stringer("command", one.asked.Word),
			zap.String("client", one.client), zap.Error(one.err))
		close(one.done)
		one, wait = s.nextOf(of)
	}
}

// nextOf hands over the next disarm of a line in the place of one that has ended; nil: there is none.
func (s *Server) nextOf(of lineOf) (*shared, Wait) {
	d := s.lowering
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lines[of]
	if one := l.next; one != nil {
		l.next = nil
		return one, s.simulations.Command(of.id, one.client, one.asked)
	}
	if l.open--; l.open == 0 {
		delete(d.lines, of)
	}
	return nil, nil
}
