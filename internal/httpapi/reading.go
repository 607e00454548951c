package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Operations that only read, and are about more than the state.

func (s *Server) history(ctx context.Context, in *historyInput) (*historyOutput, error) {
	if _, err := s.find(in.ID); err != nil {
		return nil, err
	}
	giveBack, ok := s.histories.take(callerOf(ctx).local)
	if !ok {
		return nil, s.full("readers of the journal")
	}
	defer giveBack()
	entries, err := s.simulations.History(ctx, in.ID, in.HistoryQuery)
	if err != nil {
		return nil, problemOf(err)
	}
	return &historyOutput{entries}, nil
}

// why reads as much of the journal as a reader of the history does, so it has the same places.
func (s *Server) why(ctx context.Context, in *ByID) (*whyOutput, error) {
	if _, err := s.find(in.ID); err != nil {
		return nil, err
	}
	giveBack, ok := s.histories.take(callerOf(ctx).local)
	if !ok {
		return nil, s.full("readers of the journal")
	}
	defer giveBack()
	why, err := s.simulations.Why(ctx, in.ID)
	if err != nil {
		return nil, problemOf(err)
	}
	return &whyOutput{why}, nil
}

func (s *Server) network(_ context.Context, in *ByID) (*networkOutput, error) {
	if _, err := s.find(in.ID); err != nil {
		return nil, err
	}
	net, err := s.simulations.Network(in.ID)
	if err != nil {
		return nil, problemOf(err)
	}
	return &networkOutput{net}, nil
}

func (s *Server) data(ctx context.Context, in *dataInput) (*dataOutput, error) {
	if _, err := s.find(in.ID); err != nil {
		return nil, err
	}
	giveBack, ok := s.readers.take(callerOf(ctx).local)
	if !ok {
		return nil, s.full("readers of data")
	}
	defer giveBack()
	d, err := s.simulations.Data(ctx, in.ID, in.Name, s.config.Limits.Data)
	var rejected *Rejected
	var missing *Missing
	switch {
	case errors.Is(err, ErrTooLarge):
		return nil, problem(http.StatusRequestEntityTooLarge, fmt.Sprintf(
			"the data %s are larger than %d bytes, the limit of an answer; subscribe to their topic instead", in.Name,
			s.config.Limits.Data))
	case errors.As(err, &rejected):
		return nil, problem(http.StatusNotFound, rejected.Why)
	case errors.As(err, &missing):
		p := problem(http.StatusServiceUnavailable, missing.Why)
		p.retry = time.Second
		return nil, p
	case err != nil:
		return nil, problemOf(err)
	}
	d.Value, _ = finite(d.Value).(map[string]any)
	return &dataOutput{d}, nil
}

// ByNumber names a trigger of a simulation.
type ByNumber struct {
	ByID
	Number uint64 `path:"number" minimum:"1" maximum:"4294967295" doc:"Chosen by the client."`
}
