//go:build ros

package rosnet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/protocol"
	"rstate/internal/siminterfaces"
)

// The network as a simulator for clients of simulation_interfaces (L15).

// simulation offers the loop of the network. Only a network with a loop has one.
type simulation struct {
	w     *World
	asked atomic.Uint64 // goals so far, for their names

	mu      sync.Mutex
	changed chan struct{} // closed at the next change of what follows, or of the snapshot
	ended   uint64        // steps that have ended since the start of rstate
	rewound uint64        // resets since then
	stopped bool          // a client has set STATE_STOPPED, and no step has ended since
}

// lastStepsIn is how long a client waits that pauses a loop which runs its last steps.
const lastStepsIn = 10 * time.Second

// ranBehind is how many steps the feedback may be behind the loop before it leaves some out.
const ranBehind = 100

func newSimulation(w *World) *simulation { return &simulation{w: w, changed: make(chan struct{})} }

// tells returns what takes simulated time, also for the clients.
func (w *World) tells(tick func(time.Duration)) func(time.Duration) {
	w.simulation = newSimulation(w)
	return func(now time.Duration) {
		w.simulation.ticks(now)
		if tick != nil {
			tick(now)
		}
	}
}

// ticks takes simulated time: after a step it is above zero, and a reset makes it zero.
func (s *simulation) ticks(now time.Duration) {
	s.change(func() {
		if now == 0 {
			s.rewound++
			return
		}
		s.ended++
		s.stopped = false
	})
}

// change changes something, and wakes those who wait.
func (s *simulation) change(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
	close(s.changed)
	s.changed = make(chan struct{})
}

// show says that there is a newer snapshot.
func (s *simulation) show() { s.change(func() {}) }

// counts returns how many steps have ended and how many resets there were, and what is closed when
// anything changes.
func (s *simulation) counts() (ended, rewound uint64, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended, s.rewound, s.changed
}

// network is what a client can see of the network now.
func (s *simulation) network() siminterfaces.Network {
	n := siminterfaces.Network{Machine: s.w.machine, State: machine.Unknown}
	if v := s.w.newest.Load(); v != nil {
		n.State, n.Settled, n.Target, n.Legal = v.State, v.Settled, v.Work.Target, v.Legal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n.Stopped = s.stopped
	return n
}

// startSimulation offers the services and the action, if the types are installed.
func (w *World) startSimulation() error {
	s := w.simulation
	if s == nil {
		return nil
	}
	handlers := map[string]struct {
		waits  bool // it takes its time
		handle func(req types.Message, from origin) (fields map[string]any, r siminterfaces.Result)
	}{
		siminterfaces.GetSimulatorFeatures: {false, s.features},
		siminterfaces.GetSimulationState:   {false, s.state},
		siminterfaces.SetSimulationState:   {true, s.set},
		siminterfaces.StepSimulation:       {true, s.step},
		siminterfaces.ResetSimulation:      {true, s.reset},
	}
	var names []string
	for name := range handlers {
		names = append(names, name)
	}
	kinds, err := loadStandard(names...)
	var action *introspection.ActionType
	if err == nil {
		action, err = introspection.LoadDynamicAction(siminterfaces.Package, siminterfaces.SimulateSteps)
	}
	if err != nil {
		s.without(notInstalled(err))
		return nil
	}
	for name, h := range handlers {
		kind, line := kinds[name], new(turns)
		service, err := w.node.NewService("~/"+siminterfaces.ServiceName(name), kind, deep(),
			func(info *rclgo.ServiceInfo, req types.Message, to rclgo.ServiceResponseSender) {
				answer := func() { s.answer(kind, to, name, req, originOf(info), h.handle) }
				switch {
				case !h.waits:
					answer()
				case quits(req):
					w.goes(answer)
				default:
					s.inTurn(line, answer, func() { s.answer(kind, to, name, req, originOf(info), lineIsFull) })
				}
			})
		if err != nil {
			return fmt.Errorf("cannot offer ~/%s: %w", siminterfaces.ServiceName(name), err)
		}
		w.owns(service.Close)
	}
	return s.offerAction(action)
}

// without says why nothing is offered to clients of the standard.
func (s *simulation) without(err error) {
	note := s.w.log.Warn
	if missing := (*missingPackage)(nil); errors.As(err, &missing) {
		note = s.w.log.Debug // most systems have no client that would ask
	}
	note("clients of simulation_interfaces cannot drive the loop", zap.Error(err))
}

func (s *simulation) offerAction(kind *introspection.ActionType) error {
	opts := rclgo.NewDefaultActionServerOptions()
	opts.ResultTimeout = keepResults
	opts.FeedbackTopicQos.Depth = protocol.FeedbackDepth
	name := "~/" + siminterfaces.ServiceName(siminterfaces.SimulateSteps)
	server, err := s.w.node.NewActionServer(name, rclgo.NewAction(kind,
		func(ctx context.Context, g *rclgo.GoalHandle) (types.Message, error) { return s.simulate(ctx, g, kind) }),
		opts)
	if err != nil {
		return err
	}
	s.w.owns(server.Close)
	return nil
}

// answer answers one request.
func (s *simulation) answer(
	kind *introspection.ServiceType, to rclgo.ServiceResponseSender, name string, req types.Message, from origin,
	handle func(types.Message, origin) (map[string]any, siminterfaces.Result),
) {
	fields, r := handle(req, from)
	if fields == nil {
		fields = map[string]any{}
	}
	if name != siminterfaces.GetSimulatorFeatures { // the one answer without a result
		fields["result.result"], fields["result.error_message"] = uint8(r.Code), r.Why
	}
	resp, err := filled(kind.Response(), fields)
	if err != nil {
		s.w.log.Warn("cannot answer a client of simulation_interfaces", zap.String("service", name), zap.Error(err))
		resp = kind.Response().New().(*introspection.DynamicMessage)
	}
	s.w.sent(to.SendResponse(resp))
}

func (s *simulation) features(types.Message, origin) (map[string]any, siminterfaces.Result) {
	var list []uint16
	for _, f := range siminterfaces.Offers(s.w.machine) {
		list = append(list, uint16(f))
	}
	info := fmt.Sprintf("rstate %s, simulation %s, machine %s", s.w.version, s.w.net.Simulation, s.w.machine.Name)
	fields := map[string]any{"features.features": list, "features.custom_info": info}
	return fields, siminterfaces.Result{Code: siminterfaces.OK}
}

func (s *simulation) state(types.Message, origin) (map[string]any, siminterfaces.Result) {
	return map[string]any{"state.state": uint8(s.network().Now())}, siminterfaces.Result{Code: siminterfaces.OK}
}

// set takes the network to a state of the standard, command by command.
func (s *simulation) set(req types.Message, from origin) (map[string]any, siminterfaces.Result) {
	var wanted uint8
	if err := readField(req, "state.state", &wanted); err != nil {
		return nil, failed(err)
	}
	to := siminterfaces.State(wanted)
	way, r := s.network().Way(to)
	if r.Code != siminterfaces.OK {
		return nil, r
	}
	for _, m := range way {
		if r := s.moves(m, from, fmt.Sprintf("%v over ~/set_simulation_state", to)); r.Code != siminterfaces.OK {
			return nil, r
		}
	}
	if to == siminterfaces.Paused { // the last steps of a loop may still run
		ctx, cancel := context.WithTimeout(s.w.asking, lastStepsIn)
		defer cancel()
		if err := s.await(ctx, s.stands); err != nil {
			state := s.network().State
			why := fmt.Sprintf("the loop still runs the steps that were asked for (the network is %s)", state)
			return nil, siminterfaces.Result{Code: siminterfaces.StateTransitionError, Why: why}
		}
	}
	s.change(func() { s.stopped = to == siminterfaces.Stopped })
	return nil, siminterfaces.Result{Code: siminterfaces.OK}
}

// moves runs one command, and returns when the network is where it leads.
func (s *simulation) moves(m siminterfaces.Move, from origin, reason string) siminterfaces.Result {
	in := func(v *engine.Snapshot) bool { return v.Rests() && v.State == m.To }
	switch e := s.ask(s.w.asking, nil, command{word: m.Command, reason: reason, from: from}, in); {
	case e.rejected:
		return siminterfaces.Result{Code: siminterfaces.IncorrectTransition, Why: e.why}
	case !e.ok:
		return siminterfaces.Result{Code: siminterfaces.StateTransitionError, Why: e.why}
	}
	// A stop of cle has succeeded when the last step still runs.
	if err := s.await(s.w.asking, func(v *engine.Snapshot) bool { return in(v) || s.stands(v) }); err != nil {
		return siminterfaces.Result{Code: siminterfaces.StateTransitionError, Why: err.Error()}
	}
	if v := s.w.newest.Load(); !in(v) {
		why := fmt.Sprintf("after %s the network is %s, not %s: %s", m.Command, v.State, m.To, v.Cause)
		return siminterfaces.Result{Code: siminterfaces.StateTransitionError, Why: why}
	}
	return siminterfaces.Result{Code: siminterfaces.OK}
}

// stands reports whether the network rests without a loop.
func (s *simulation) stands(v *engine.Snapshot) bool {
	here, known := s.w.machine.State(v.State)
	return v.Rests() && known && here.Loop == machine.NoLoop
}

func (s *simulation) step(req types.Message, from origin) (map[string]any, siminterfaces.Result) {
	var steps uint64
	if err := readField(req, "steps", &steps); err != nil {
		return nil, failed(err)
	}
	return nil, s.run(steps, "~/step_simulation", from, nil, func(uint64) {})
}

// run runs a number of steps, and returns when the loop stands. progress hears how many have ended.
func (s *simulation) run(
	steps uint64, over string, from origin, cancel <-chan struct{}, progress func(done uint64),
) siminterfaces.Result {
	if steps == 0 {
		return failed(errors.New("0 steps are asked for; ask for 1 or more"))
	}
	word, r := s.network().Steps()
	if r.Code != siminterfaces.OK {
		return r
	}
	before, _, _ := s.counts()
	ran := func() uint64 { ended, _, _ := s.counts(); return min(ended-before, steps) }
	watch := func(*engine.Snapshot) bool { progress(ran()); return false }
	e := s.ask(s.w.asking, cancel, command{
		word: word, argument: strconv.FormatUint(steps, 10), reason: fmt.Sprintf("%d steps over %s", steps, over), from: from,
	}, watch)
	if e.rejected {
		if now := s.network().Now(); now != siminterfaces.Paused { // meanwhile
			return siminterfaces.Result{Code: siminterfaces.IncorrectState, Why: e.why}
		}
		return siminterfaces.Result{Code: siminterfaces.OperationFailed, Why: e.why}
	}
	if e.ok { // in some machines it ends before the loop does
		if err := s.awaitEnd(cancel, watch); err != nil {
			return failed(err)
		}
	}
	progress(ran())
	v := s.w.newest.Load()
	switch done := ran(); {
	case !e.ok:
		return failed(fmt.Errorf("%d of %d steps have run; %s", done, steps, e.why))
	case done < steps:
		why := cmp.Or(v.Loop.Fault, v.Cause)
		return failed(fmt.Errorf("%d of %d steps have run; the network is %s: %s", done, steps, v.State, why))
	}
	return siminterfaces.Result{Code: siminterfaces.OK}
}

// awaitEnd waits until the loop stands. A cancel pauses it.
func (s *simulation) awaitEnd(cancel <-chan struct{}, watch func(*engine.Snapshot) bool) error {
	ctx, stop := context.WithCancel(s.w.asking)
	defer stop()
	if cancel != nil {
		s.w.goes(func() {
			select {
			case <-cancel:
			case <-ctx.Done():
				return
			}
			if way, r := s.network().Way(siminterfaces.Paused); r.Code == siminterfaces.OK && len(way) > 0 {
				s.ask(ctx, nil, command{word: way[0].Command, reason: "a cancel over ~/simulate_steps"}, nil)
			}
		})
	}
	return s.await(ctx, func(v *engine.Snapshot) bool { watch(v); return s.stands(v) })
}

func (s *simulation) reset(req types.Message, from origin) (map[string]any, siminterfaces.Result) {
	var scope uint8
	if err := readField(req, "scope", &scope); err != nil {
		return nil, failed(err)
	}
	word, r := s.network().Reset(siminterfaces.Scope(scope))
	if r.Code != siminterfaces.OK {
		return nil, r
	}
	_, before, _ := s.counts()
	again := func(v *engine.Snapshot) bool { // a reset of cloe runs the loop at once
		_, rewound, _ := s.counts()
		return rewound > before && v.Rests()
	}
	switch e := s.ask(s.w.asking, nil, command{word: word, reason: "asked for over ~/reset_simulation", from: from}, again); {
	case e.rejected:
		return nil, siminterfaces.Result{Code: siminterfaces.IncorrectState, Why: e.why}
	case !e.ok:
		return nil, siminterfaces.Result{Code: siminterfaces.OperationFailed, Why: e.why}
	}
	return nil, siminterfaces.Result{Code: siminterfaces.OK}
}

// simulate sees a goal of ~/simulate_steps through.
func (s *simulation) simulate(
	ctx context.Context, g *rclgo.GoalHandle, kind *introspection.ActionType,
) (types.Message, error) {
	var steps uint64
	if err := readField(g.Description, "steps", &steps); err != nil {
		return nil, err
	}
	sender, err := g.Accept()
	if err != nil {
		return nil, err
	}
	told := uint64(0)
	progress := func(done uint64) {
		if done > told+ranBehind {
			told = done - 1
		}
		for told < done {
			told++
			msg, err := filled(kind.Feedback(),
				map[string]any{"completed_steps": told, "remaining_steps": steps - told})
			if err == nil {
				err = sender.Send(msg)
			}
			if err != nil {
				s.w.log.Warn("cannot tell a client of simulation_interfaces how far its steps are", zap.Error(err))
				told = done
			}
		}
	}
	r := s.run(steps, "~/simulate_steps", originOf(g.RequestInfo()), g.Canceling(), progress)
	result, err := filled(kind.Result(), map[string]any{"result.result": uint8(r.Code), "result.error_message": r.Why})
	switch {
	case err != nil:
		return nil, rclgo.Aborted(err)
	case r.Code == siminterfaces.OK:
		return result, nil
	case errors.Is(context.Cause(ctx), rclgo.ErrGoalCanceled):
		return result, rclgo.Canceled(nil)
	}
	return result, rclgo.Aborted(errors.New(r.Why))
}
