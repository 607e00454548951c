//go:build ros

package demo

import (
	"sync"
	"sync/atomic"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/lifecycle"
	lifecycle_msgs_msg "rstate/msgs/gen/lifecycle_msgs/msg"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
)

// handLife is a lifecycle kept by hand, for a node that answers otherwise than it did: the real one
// cannot be made to. It has the services and the topic that a coordinator uses, and what `ros2
// lifecycle` asks before a command.
type handLife struct {
	body   *body
	turn   sync.Mutex // held while anything is answered or done: the node has one thread
	state  atomic.Uint32
	events *lifecycle_msgs_msg.TransitionEventPublisher
}

// handMove is one transition of a managed node.
type handMove struct {
	label         string
	from, via, to lifecycle.State
	failed        lifecycle.State // where refusing it leads
	id            uint8
}

var handMoves = []handMove{
	{"configure", lifecycle.Unconfigured, lifecycle.Configuring, lifecycle.Inactive, lifecycle.Unconfigured,
		lifecycle.Configure.ID},
	{"cleanup", lifecycle.Inactive, lifecycle.CleaningUp, lifecycle.Unconfigured, lifecycle.Inactive,
		lifecycle.Cleanup.ID},
	{"activate", lifecycle.Inactive, lifecycle.Activating, lifecycle.Active, lifecycle.Inactive, lifecycle.Activate.ID},
	{"deactivate", lifecycle.Active, lifecycle.Deactivating, lifecycle.Inactive, lifecycle.Active,
		lifecycle.Deactivate.ID},
	shutdownFrom(lifecycle.Unconfigured), shutdownFrom(lifecycle.Inactive), shutdownFrom(lifecycle.Active),
}

func shutdownFrom(s lifecycle.State) handMove {
	return handMove{"shutdown", s, lifecycle.ShuttingDown, lifecycle.Finalized, lifecycle.Finalized,
		lifecycle.Shutdown(s).ID}
}

func openHandLife(node *rclgo.Node, b *body) (*handLife, error) {
	h := &handLife{body: b}
	h.state.Store(uint32(lifecycle.Unconfigured))
	var err error
	if h.events, err = lifecycle_msgs_msg.NewTransitionEventPublisher(node, "~/transition_event", nil); err != nil {
		return nil, err
	}
	if _, err = lifecycle_msgs_srv.NewGetStateService(node, "~/get_state", nil, h.getState); err != nil {
		return nil, err
	}
	if _, err = lifecycle_msgs_srv.NewGetAvailableTransitionsService(node, "~/get_available_transitions", nil,
		h.getMoves); err != nil {
		return nil, err
	}
	_, err = lifecycle_msgs_srv.NewChangeStateService(node, "~/change_state", nil, h.change)
	return h, err
}

// State returns the state that the node is in.
func (h *handLife) State() rclgo.LifecycleState {
	s := h.now()
	return rclgo.LifecycleState{ID: uint8(s), Label: s.String()}
}

func (h *handLife) now() lifecycle.State { return lifecycle.State(h.state.Load()) }

func (h *handLife) getState(_ *rclgo.ServiceInfo, _ *lifecycle_msgs_srv.GetState_Request,
	to lifecycle_msgs_srv.GetStateServiceResponseSender) {
	h.turn.Lock()
	defer h.turn.Unlock()
	resp := lifecycle_msgs_srv.NewGetState_Response()
	resp.CurrentState = stateMsg(h.now())
	h.body.send(func() error { return to.SendResponse(resp) })
}

func (h *handLife) getMoves(_ *rclgo.ServiceInfo, _ *lifecycle_msgs_srv.GetAvailableTransitions_Request,
	to lifecycle_msgs_srv.GetAvailableTransitionsServiceResponseSender) {
	h.turn.Lock()
	defer h.turn.Unlock()
	resp := lifecycle_msgs_srv.NewGetAvailableTransitions_Response()
	for _, m := range handMoves {
		if m.from == h.now() {
			resp.AvailableTransitions = append(resp.AvailableTransitions, lifecycle_msgs_msg.TransitionDescription{
				Transition: lifecycle_msgs_msg.Transition{Id: m.id, Label: m.label}, StartState: stateMsg(m.from),
				GoalState: stateMsg(m.to),
			})
		}
	}
	h.body.send(func() error { return to.SendResponse(resp) })
}

// change takes a transition, or says that it did, and answers as the fault that it meets wants it.
func (h *handLife) change(_ *rclgo.ServiceInfo, req *lifecycle_msgs_srv.ChangeState_Request,
	to lifecycle_msgs_srv.ChangeStateServiceResponseSender) {
	h.turn.Lock()
	defer h.turn.Unlock()
	resp := lifecycle_msgs_srv.NewChangeState_Response()
	move, legal := h.find(req.Transition)
	if !legal {
		h.body.send(func() error { return to.SendResponse(resp) })
		return
	}
	fault := h.body.meet(move.label)
	if fault == Lie {
		h.body.log.Info("lies about " + move.label)
		resp.Success = true
	} else {
		resp.Success = h.take(move, fault)
	}
	h.body.answer(move.label, fault, func() error { return to.SendResponse(resp) })
}

// find returns the transition that is asked for: the label decides, where there is one.
func (h *handLife) find(t lifecycle_msgs_msg.Transition) (handMove, bool) {
	for _, m := range handMoves {
		if m.from == h.now() && (t.Label == m.label || t.Label == "" && t.Id == m.id) {
			return m, true
		}
	}
	return handMove{}, false
}

// take goes through a transition and says whether it came to its end.
func (h *handLife) take(m handMove, fault Fault) bool {
	from := h.State()
	h.enter(m.via, m.id, m.label)
	switch h.body.do(h.body.ctx, m.label, from, fault) {
	case rclgo.TransitionSuccess:
		h.enter(m.to, 0, "transition_success")
		return true
	case rclgo.TransitionFailure:
		h.enter(m.failed, 0, "transition_failure")
	default:
		h.enter(lifecycle.ErrorProcessing, 0, "transition_error")
		h.enter(lifecycle.Unconfigured, 0, "transition_success")
	}
	return false
}

// enter announces the next state and is in it.
func (h *handLife) enter(next lifecycle.State, id uint8, label string) {
	event := lifecycle_msgs_msg.NewTransitionEvent()
	event.Transition.Id, event.Transition.Label = id, label
	event.StartState, event.GoalState = stateMsg(h.now()), stateMsg(next)
	h.state.Store(uint32(next))
	h.body.send(func() error { return h.events.Publish(event) })
}

func stateMsg(s lifecycle.State) lifecycle_msgs_msg.State {
	return lifecycle_msgs_msg.State{Id: uint8(s), Label: s.String()}
}
