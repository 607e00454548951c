package rclgo

import (
	"strconv"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// serveAll puts an entity around each of the machine's services. Loop only.
func (l *Lifecycle) serveAll() {
	s := l.h.Services()
	l.serve(s.ChangeState, changeStateType, l.changeState)
	l.serve(s.GetState, getStateType, func(types.Message) types.Message {
		return &wire[getStateResponse]{getStateResponse{stateMsg(l.State())}}
	})
	l.serve(s.GetAvailableStates, getStatesType, func(types.Message) types.Message {
		return &wire[getStatesResponse]{getStatesResponse{l.states}}
	})
	l.serve(s.GetAvailableTransitions, getTransitionsType, func(types.Message) types.Message {
		return &wire[getTransitionsResponse]{getTransitionsResponse{describe(l.transitionsFrom(l.State()))}}
	})
	l.serve(s.GetTransitionGraph, getTransitionsType, func(types.Message) types.Message {
		return &wire[getTransitionsResponse]{getTransitionsResponse{describe(l.transitions)}}
	})
}

// serve serves a service that belongs to the machine and is finalised with it. Loop only.
func (l *Lifecycle) serve(h *rcl.Service, ts *introspection.ServiceType, answer func(types.Message) types.Message) {
	s := &Service{node: l.node, ts: ts, h: h, ServiceName: h.ServiceName()}
	s.out = newServiceWriter(s, NewDefaultServiceOptions())
	s.finalize = func() error { s.out.close(); return nil }
	s.handler = func(_ *ServiceInfo, req types.Message, out ServiceResponseSender) {
		defer l.takeTurn()()
		resp := answer(req)
		if err := out.SendResponse(resp); err != nil && l.ctx.Err() == nil {
			_ = l.node.Logger().Warn(err)
		}
	}
	s.what, s.invalid = "service "+strconv.Quote(s.ServiceName), codeServiceInvalid
	s.kind, s.handle = rcl.WaitService, unsafe.Pointer(h)
	s.onReady = func(uint8) { s.dispatchPaced(s.serve) }
	l.adopt(&s.entity)
}

// changeState does a transition for a client. The answer to an illegal transition is the same
// as to a failed one, as everywhere in ROS.
func (l *Lifecycle) changeState(req types.Message) types.Message {
	want := req.(*wire[changeStateRequest]).Body.Transition
	run, err := l.begin(rcl.LifecycleTransition{ID: want.ID, Label: want.Label})
	result := TransitionError
	if err == nil {
		result, err = run.finish()
	}
	if err != nil && l.ctx.Err() == nil {
		_ = l.node.Logger().Warn(err)
	}
	return &wire[changeStateResponse]{changeStateResponse{err == nil && result == TransitionSuccess}}
}

func describe(list []rcl.LifecycleTransition) []transitionDescriptionMsg {
	var out []transitionDescriptionMsg
	for _, t := range list {
		out = append(out, transitionDescriptionMsg{
			Transition: transitionMsg{t.ID, t.Label},
			Start:      stateMsg(t.Start),
			Goal:       stateMsg(t.Goal),
		})
	}
	return out
}
