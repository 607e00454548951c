//go:build ros

package rosnet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/looper"
	"rstate/internal/network"
	"rstate/internal/siminterfaces"
	"rstate/internal/stepper"
)

// A participant of the loop that speaks simulation_interfaces (L14).

// simulator calls one such node. Its clients are made when the types are installed, which may be
// after the start.
type simulator struct {
	w    *World
	spec *network.Participant

	mu      sync.Mutex                // Ready is called beside the driver
	clients map[string]*simulatorCall // by type; nil: not made yet
	resets  bool                      // its features name a reset
}

// simulatorCall is a service of the simulator, and the one request that rstate sends it.
type simulatorCall struct {
	client  *rclgo.Client
	typ     string
	request *introspection.DynamicMessage
}

// openSimulator returns the caller of a simulator. That the types are not installed is no fault of
// the network before its loop begins.
func (w *World) openSimulator(spec *network.Participant) *simulator {
	s := &simulator{w: w, spec: spec}
	if _, err := s.calls(); err != nil {
		w.log.Warn("a participant of the loop cannot be reached", zap.String("node", spec.Node), zap.Error(err))
	}
	return s
}

// calls returns the services of the simulator. It makes the clients if they are not made yet.
func (s *simulator) calls() (map[string]*simulatorCall, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients != nil {
		return s.clients, nil
	}
	requests := map[string]map[string]any{
		siminterfaces.GetSimulatorFeatures: {},
		siminterfaces.SetSimulationState:   {"state.state": uint8(siminterfaces.Paused)},
		siminterfaces.StepSimulation:       {"steps": s.spec.Steps},
		siminterfaces.ResetSimulation:      {"scope": uint8(siminterfaces.ScopeDefault)},
	}
	kinds, err := loadStandard(slices.Sorted(maps.Keys(requests))...)
	if err != nil {
		return nil, fmt.Errorf("%s speaks %s, and %w", s.spec.Node, siminterfaces.Package, err)
	}
	made := map[string]*simulatorCall{}
	var closers []func() error
	shut := func() error {
		var errs []error
		for _, close := range closers {
			errs = append(errs, close())
		}
		return errors.Join(errs...)
	}
	for typ, kind := range kinds {
		request, err := filled(kind.Request(), requests[typ])
		if err != nil {
			return nil, errors.Join(err, shut())
		}
		client, err := s.w.node.NewClient(s.spec.Below(siminterfaces.ServiceName(typ)), kind, nil)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("cannot reach the participant %q: %w", s.spec.Node, err), shut())
		}
		closers = append(closers, client.Close)
		made[typ] = &simulatorCall{client, typ, request}
	}
	if err := s.w.ownsLate(shut); err != nil {
		return nil, err
	}
	s.clients = made
	return made, nil
}

// ownsLate registers what Close has to close and was made after the start. A world that is closed
// closes it at once.
func (w *World) ownsLate(close func() error) error {
	w.offering.mu.Lock()
	defer w.offering.mu.Unlock()
	if w.ctx.Err() != nil {
		return errors.Join(errOver, close())
	}
	w.owns(close)
	return nil
}

// Ready reads the features of the simulator and pauses it.
func (s *simulator) Ready(ctx context.Context) error {
	calls, err := s.calls()
	if err != nil {
		return err
	}
	answer, err := s.ask(ctx, calls[siminterfaces.GetSimulatorFeatures])
	if err != nil {
		return err
	}
	features, err := numbers(answer, "features.features")
	if err != nil {
		return fmt.Errorf("%s cannot take part: %w", s.spec.Node, err)
	}
	if err := siminterfaces.Lacks(features, s.spec.Steps); err != nil {
		return fmt.Errorf("%s cannot be stepped: %w", s.spec.Node, err)
	}
	resets := slices.Contains(features, siminterfaces.SimulationReset)
	s.mu.Lock()
	s.resets = resets
	s.mu.Unlock()
	needed := []string{siminterfaces.StepSimulation}
	if resets {
		needed = append(needed, siminterfaces.ResetSimulation)
	}
	for _, typ := range needed {
		if !appears(ctx, calls[typ].client) {
			return s.offersNo(calls[typ])
		}
	}
	return s.pause(ctx, calls)
}

func (s *simulator) pause(ctx context.Context, calls map[string]*simulatorCall) error {
	answer, err := s.ask(ctx, calls[siminterfaces.SetSimulationState])
	if err != nil {
		return err
	}
	if err := verdict(answer); err != nil {
		return fmt.Errorf("%s cannot be paused: %w", s.spec.Node, err)
	}
	return nil
}

// ask sends a request when the service is there, and waits for the answer.
func (s *simulator) ask(ctx context.Context, c *simulatorCall) (types.Message, error) {
	if !appears(ctx, c.client) {
		return nil, s.offersNo(c)
	}
	answer, _, err := c.client.Send(ctx, c.request)
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s has not answered %s within %v", s.spec.Node, c.client.ServiceName, s.spec.Deadline)
	case err != nil:
		return nil, fmt.Errorf("%s does not answer %s: %w", s.spec.Node, c.client.ServiceName, err)
	}
	return answer, nil
}

func (s *simulator) offersNo(c *simulatorCall) error {
	return fmt.Errorf("%s does not offer %s (%s/srv/%s); "+
		"start a simulator that does, or write services: in participants if its services have other names",
		s.spec.Node, c.client.ServiceName, siminterfaces.Package, c.typ)
}

// Counts reports that the simulator does not count its messages.
func (s *simulator) Counts() bool { return false }

// Ask is not called, since the simulator does not count.
func (s *simulator) Ask(context.Context, looper.Question) (looper.Reply, error) {
	return looper.Reply{}, errors.New("simulators that speak " + siminterfaces.Package + " do not count their messages")
}

// Call steps the simulator in the phase of simulators, and resets it after a reset. The other
// phases have nothing for it.
func (s *simulator) Call(c looper.Call, answer func(looper.Answer, error)) (forget func()) {
	fine := looper.Answer{Answered: stepper.Answered{OK: true}}
	switch c.Phase {
	case stepper.StepSimulator:
		return s.step(func(err error) { answer(fine, err) })
	case stepper.Resetting:
		ctx, cancel := context.WithCancel(s.w.ctx)
		s.w.goes(func() {
			defer cancel()
			if err := s.reset(ctx); ctx.Err() == nil {
				answer(fine, err)
			}
		})
		return cancel
	}
	answer(fine, nil)
	return func() {}
}

// step asks for the steps of the simulator that are one of the loop.
func (s *simulator) step(ended func(error)) (forget func()) {
	calls, err := s.calls()
	if err != nil {
		ended(err)
		return func() {}
	}
	c := calls[siminterfaces.StepSimulation]
	gives, err := c.client.SendFunc(c.request, func(msg types.Message, _ *rclgo.ServiceInfo, err error) {
		if err == nil {
			err = verdict(msg)
		}
		ended(err)
	})
	if err != nil {
		ended(err)
		return func() {}
	}
	return func() { gives() }
}

// reset takes the simulator to its beginning, and pauses it there: some simulators go on after a
// reset.
func (s *simulator) reset(ctx context.Context) error {
	calls, err := s.calls()
	if err != nil {
		return err
	}
	s.mu.Lock()
	resets := s.resets
	s.mu.Unlock()
	if !resets {
		return fmt.Errorf("its features lack %v", siminterfaces.SimulationReset)
	}
	msg, err := s.ask(ctx, calls[siminterfaces.ResetSimulation])
	if err != nil {
		return err
	}
	if err := verdict(msg); err != nil {
		return err
	}
	return s.pause(ctx, calls)
}
