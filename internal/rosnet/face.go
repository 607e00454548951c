//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	lifecycle_msgs_msg "rstate/msgs/gen/lifecycle_msgs/msg"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

// face is the network as a lifecycle node, for tools that know only those, and for another rstate above this one. It
// speaks lifecycle_msgs alone: whatever is armed shows as active, and ~/arm is a service of its own. What the tools can
// ask for follows the roles of the machine's commands.
type face struct {
	w       *World
	moves   []move            // of a lifecycle node; empty: the machine has no command for one
	states  []lifecycle.State // that it can show
	arms    bool              // the machine has a command that arms or disarms
	asked   atomic.Uint64     // wishes so far, for their names
	waiting atomic.Int64      // wishes that have not ended
	mu      sync.Mutex
	shown   lifecycle.State                              // as announced last
	events  *lifecycle_msgs_msg.TransitionEventPublisher // nil before open
}

// newFace returns the face of the network, or nil if no command of its machine has a role.
func (w *World) newFace() *face {
	f := &face{w: w, moves: movesOf(w.machine)}
	f.states = statesOf(w.machine, f.moves)
	for _, role := range []machine.Role{machine.RoleArm, machine.RoleDisarm} {
		_, ok := w.machine.ByRole(role)
		f.arms = f.arms || ok
	}
	if !f.arms && !f.isNode() {
		return nil
	}
	return f
}

// isNode reports whether the network is a lifecycle node.
func (f *face) isNode() bool {
	return slices.ContainsFunc(f.moves, func(m move) bool { return m.role != "" })
}

// open makes the face. A client may call a service as soon as it discovers it, so open makes the
// event publisher before the services.
func (f *face) open() error {
	if f.isNode() {
		if err := f.openEvents(); err != nil {
			return err
		}
		if err := f.openServices(); err != nil {
			return err
		}
	}
	if !f.arms {
		return nil
	}
	service, err := std_srvs_srv.NewSetBoolService(f.w.node, "~/arm", deep(), f.arm)
	if err != nil {
		return fmt.Errorf("cannot offer ~/arm: %w", err)
	}
	f.w.owns(service.Close)
	return nil
}

func (f *face) openEvents() error {
	events, err := lifecycle_msgs_msg.NewTransitionEventPublisher(f.w.node, "~/transition_event", nil)
	if err != nil {
		return fmt.Errorf("cannot announce transitions: %w", err)
	}
	f.w.owns(events.Close)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events, f.shown = events, f.state() // no client has seen an earlier state
	return nil
}

func (f *face) openServices() error {
	w := f.w
	services := []struct {
		name string
		open func(name string) (closer, error)
	}{
		{"~/get_state", func(name string) (closer, error) {
			return lifecycle_msgs_srv.NewGetStateService(w.node, name, nil, f.getState)
		}},
		{"~/get_available_states", func(name string) (closer, error) {
			return lifecycle_msgs_srv.NewGetAvailableStatesService(w.node, name, nil, f.getStates)
		}},
		{"~/get_available_transitions", func(name string) (closer, error) {
			return lifecycle_msgs_srv.NewGetAvailableTransitionsService(w.node, name, nil, f.getTransitions)
		}},
		{"~/get_transition_graph", func(name string) (closer, error) {
			return lifecycle_msgs_srv.NewGetAvailableTransitionsService(w.node, name, nil, f.getGraph)
		}},
		{"~/change_state", func(name string) (closer, error) {
			return lifecycle_msgs_srv.NewChangeStateService(w.node, name, deep(), f.changeState)
		}},
	}
	for _, s := range services {
		service, err := s.open(s.name)
		if err != nil {
			return fmt.Errorf("cannot offer %s: %w", s.name, err)
		}
		w.owns(service.Close)
	}
	return nil
}

// show takes a snapshot and announces where the face has moved.
func (f *face) show(s engine.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.events == nil {
		return // there is no face yet
	}
	now := faceOf(f.w.net, s)
	before := f.shown
	if now == before {
		return
	}
	f.shown = now
	t := describeMove(f.moves, before, now)
	event := &lifecycle_msgs_msg.TransitionEvent{
		Timestamp:  uint64(time.Now().UnixNano()),
		Transition: lifecycle_msgs_msg.Transition{Id: t.id, Label: t.label},
		StartState: faceState(before), GoalState: faceState(now),
	}
	events := f.events
	f.w.out.box.Put(func() {
		if err := events.Publish(event); err != nil {
			f.w.log.Warn("cannot announce a transition", zap.Error(err))
		}
	})
}

// state is what the face shows now.
func (f *face) state() lifecycle.State { return f.stateIn(f.w.newest.Load()) }

func (f *face) stateIn(s *engine.Snapshot) lifecycle.State {
	if s == nil {
		return lifecycle.Unknown
	}
	return faceOf(f.w.net, *s)
}

func faceState(s lifecycle.State) lifecycle_msgs_msg.State {
	return lifecycle_msgs_msg.State{Id: uint8(s), Label: s.String()}
}

func (f *face) getState(_ *rclgo.ServiceInfo, _ *lifecycle_msgs_srv.GetState_Request,
	to lifecycle_msgs_srv.GetStateServiceResponseSender) {
	f.w.whenItTurns(func() {
		is := faceState(f.stateIn(f.w.shown()))
		f.w.sent(to.SendResponse(&lifecycle_msgs_srv.GetState_Response{CurrentState: is}))
	})
}

func (f *face) getStates(_ *rclgo.ServiceInfo, _ *lifecycle_msgs_srv.GetAvailableStates_Request,
	to lifecycle_msgs_srv.GetAvailableStatesServiceResponseSender) {
	resp := &lifecycle_msgs_srv.GetAvailableStates_Response{}
	for _, s := range f.states {
		resp.AvailableStates = append(resp.AvailableStates, faceState(s))
	}
	f.w.sent(to.SendResponse(resp))
}

func (f *face) getTransitions(_ *rclgo.ServiceInfo, _ *lifecycle_msgs_srv.GetAvailableTransitions_Request,
	to lifecycle_msgs_srv.GetAvailableTransitionsServiceResponseSender) {
	now := f.state()
	f.w.sent(to.SendResponse(f.describe(func(m move) bool {
		if m.from != now || m.role == "" {
			return m.from == now
		}
		_, ok := f.wished(m.role)
		return ok
	})))
}

func (f *face) getGraph(_ *rclgo.ServiceInfo, _ *lifecycle_msgs_srv.GetAvailableTransitions_Request,
	to lifecycle_msgs_srv.GetAvailableTransitionsServiceResponseSender) {
	f.w.sent(to.SendResponse(f.describe(func(move) bool { return true })))
}

// describe lists moves as ROS does.
func (f *face) describe(which func(move) bool) *lifecycle_msgs_srv.GetAvailableTransitions_Response {
	resp := &lifecycle_msgs_srv.GetAvailableTransitions_Response{}
	for _, m := range f.moves {
		if which(m) {
			resp.AvailableTransitions = append(resp.AvailableTransitions, lifecycle_msgs_msg.TransitionDescription{
				Transition: lifecycle_msgs_msg.Transition{Id: m.id, Label: m.label},
				StartState: faceState(m.from), GoalState: faceState(m.to),
			})
		}
	}
	return resp
}

// changeState sees a transition through as a goal, and answers when that has ended.
func (f *face) changeState(info *rclgo.ServiceInfo, req *lifecycle_msgs_srv.ChangeState_Request,
	to lifecycle_msgs_srv.ChangeStateServiceResponseSender) {
	answer := func(success bool) {
		f.w.sent(to.SendResponse(&lifecycle_msgs_srv.ChangeState_Response{Success: success}))
	}
	role, ok := requested(f.moves, f.state(), req.Transition.Id, req.Transition.Label)
	word, offered := f.wished(role)
	if !ok || !offered {
		f.w.log.Warn("a change of state was refused: it is not one of this state", zap.Stringer("state", f.state()),
			zap.String("label", req.Transition.Label), zap.Uint8("id", req.Transition.Id))
		answer(false)
		return
	}
	f.wish(word, string(role)+" over ~/change_state", "a lifecycle client (~/change_state)", originOf(info),
		func(done bool, _ string) { answer(done) })
}

// wished returns what the network is asked for in a role, and false if it does not offer the role now.
func (f *face) wished(role machine.Role) (word string, ok bool) {
	return f.w.machine.Wish(role, f.settled())
}

// settled returns the state in which the network has settled, as shown last.
func (f *face) settled() string {
	if s := f.w.newest.Load(); s != nil {
		return s.Settled
	}
	return ""
}

func (f *face) arm(info *rclgo.ServiceInfo, req *std_srvs_srv.SetBool_Request,
	to std_srvs_srv.SetBoolServiceResponseSender) {
	f.setArmed(req.Data, originOf(info), func(success bool, message string) {
		f.w.sent(to.SendResponse(&std_srvs_srv.SetBool_Response{Success: success, Message: message}))
	})
}

// setArmed handles every request to arm or disarm over a service. A request to arm succeeds at once
// if the network is armed, as with any node. A disarm always goes to the engine, because it is an
// order to all peers (C4). While an earlier request is open, the engine gets every one. If no node of
// this network is armed when the engine answers, the disarm succeeds whatever the answer is: a negative
// one would tell a parent that one of its nodes refuses to disarm.
func (f *face) setArmed(on bool, from origin, answer func(success bool, message string)) {
	const already = "it is so already"
	command, known := f.w.machine.DisarmWord(f.settled())
	so, late := func() bool { return !known && f.disarmed() }, f.nobodyArmed
	if on {
		command, known = f.wished(machine.RoleArm)
		so, late = f.armed, f.armed
	}
	switch { // an answer may wait for the client to be discovered, and the next request must not
	case f.waiting.Load() == 0 && so(): // else the one before may be about to change it
		f.w.goes(func() { answer(true, already) })
		return
	case !known:
		f.w.goes(func() { answer(false, "no command of machine "+f.w.machine.Name+" does that") })
		return
	}
	f.wish(command, "asked for over ~/arm", "a service client (~/arm)", from, func(done bool, message string) {
		if !done && late() {
			done, message = true, already+"; "+message
		}
		answer(done, message)
	})
}

// armed says whether the network rests in a state that arms.
func (f *face) armed() bool {
	s := f.w.shown()
	if s == nil || !s.Rests() || !s.Intact {
		return false
	}
	state, ok := f.w.machine.State(s.State)
	return ok && state.Armed.Any()
}

// disarmed says whether nothing is armed, may be, or is about to be.
func (f *face) disarmed() bool {
	s := f.w.shown()
	return s != nil && s.Rests() && f.nobodyArmed()
}

// nobodyArmed says whether no node is armed or may be, one that an earlier run may have left armed included, as was
// shown last.
func (f *face) nobodyArmed() bool {
	s := f.w.shown()
	return s != nil && len(s.ArmedLeftovers) == 0 && !slices.ContainsFunc(s.Nodes,
		func(n engine.NodeView) bool { return n.Armed != engine.Disarmed && n.CanArm })
}

// wish asks the engine for something at once, so that of two requests of one client the last one decides. It tells how that
// ended on a goroutine of its own.
func (f *face) wish(command, reason, client string, from origin, ended func(done bool, message string)) {
	handle := fmt.Sprintf("service %d", f.asked.Add(1))
	one := f.w.goals.add(handle)
	f.waiting.Add(1)
	f.w.ask(engine.GoalAsked{Handle: handle, Command: machine.ReadWord(command), Reason: reason, Client: client,
		By: engine.ByParent}, from)
	f.w.goes(func() {
		defer f.waiting.Add(-1)
		defer f.w.goals.remove(handle)
		done, message := outcome(f.w.asking, one)
		ended(done, message)
	})
}

// outcome waits for the end of a goal that has no action client.
func outcome(ctx context.Context, g *goal) (done bool, message string) {
	for {
		told, ok := g.told.Take(ctx)
		if !ok {
			return false, errOver.Error()
		}
		told.await(ctx)
		switch e := told.effect.(type) {
		case engine.RejectGoal:
			return false, e.Why
		case engine.FinishGoal:
			return e.Result.Success, e.Result.Message
		}
	}
}

// sent notes an answer that could not be sent.
func (w *World) sent(err error) {
	if err != nil && w.ctx.Err() == nil {
		w.log.Warn("cannot answer a service request", zap.Error(err))
	}
}
