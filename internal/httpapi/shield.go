package httpapi

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"go.uber.org/zap"
)

// errPanic is the answer of a simulation whose code panicked.
var errPanic = errors.New("internal error; the log of the daemon has more")

// shield passes calls on and turns a panic into an error. The service calls simulations from
// goroutines of its own too, where a panic would end the process and all other simulations.
type shield struct {
	simulations Simulations
	factory     Factory
	log         *zap.Logger
	panicked    func()
}

func shielded[T any](s *shield, f func() (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.panicked()
			s.log.Error("http panic", zap.String("fault", fmt.Sprint(fault)), zap.ByteString("stack", debug.Stack()))
			err = errPanic
		}
	}()
	return f()
}

func (s *shield) List() []Summary {
	all, _ := shielded(s, func() ([]Summary, error) { return s.simulations.List(), nil })
	return all
}

func (s *shield) Get(id string) (Simulation, error) {
	return shielded(s, func() (Simulation, error) { return s.simulations.Get(id) })
}

func (s *shield) Figures(id string) (Figures, error) {
	return shielded(s, func() (Figures, error) { return s.simulations.Figures(id) })
}

func (s *shield) Read(id string, o Order) (Asked, error) {
	return shielded(s, func() (Asked, error) { return s.simulations.Read(id, o) })
}

func (s *shield) Command(id, client string, a Asked) Wait {
	wait, err := shielded(s, func() (Wait, error) { return s.simulations.Command(id, client, a), nil })
	return func(ctx context.Context) (Result, error) {
		if err != nil {
			return Result{}, err
		}
		return shielded(s, func() (Result, error) { return wait(ctx) })
	}
}

func (s *shield) Acknowledge(ctx context.Context, id, client string, a Acknowledgement) (string, error) {
	return shielded(s, func() (string, error) { return s.simulations.Acknowledge(ctx, id, client, a) })
}

func (s *shield) Data(ctx context.Context, id, name string, most int64) (Datum, error) {
	return shielded(s, func() (Datum, error) { return s.simulations.Data(ctx, id, name, most) })
}

func (s *shield) History(ctx context.Context, id string, q HistoryQuery) ([]Entry, error) {
	return shielded(s, func() ([]Entry, error) { return s.simulations.History(ctx, id, q) })
}

func (s *shield) Why(ctx context.Context, id string) (Why, error) {
	return shielded(s, func() (Why, error) { return s.simulations.Why(ctx, id) })
}

func (s *shield) Network(id string) (Network, error) {
	return shielded(s, func() (Network, error) { return s.simulations.Network(id) })
}

func (s *shield) Trigger(ctx context.Context, id string, number uint64, t *Trigger) error {
	_, err := shielded(s, func() (struct{}, error) { return struct{}{}, s.simulations.Trigger(ctx, id, number, t) })
	return err
}

func (s *shield) Watch(ctx context.Context, changed func(id string)) {
	// A panic ends the events of changes; it is in the log.
	_, _ = shielded(s, func() (struct{}, error) { s.simulations.Watch(ctx, changed); return struct{}{}, nil })
}

func (s *shield) Health(ctx context.Context) error {
	_, err := shielded(s, func() (struct{}, error) { return struct{}{}, s.simulations.Health(ctx) })
	return err
}

func (s *shield) Create(ctx context.Context, client string, c Creation) (Simulation, error) {
	return shielded(s, func() (Simulation, error) { return s.factory.Create(ctx, client, c) })
}

func (s *shield) Remove(ctx context.Context, id, client string, r Removal) error {
	_, err := shielded(s, func() (struct{}, error) { return struct{}{}, s.factory.Remove(ctx, id, client, r) })
	return err
}
