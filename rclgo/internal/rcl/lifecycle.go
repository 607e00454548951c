package rcl

// #include "lifecycle.h"
import "C"

import "unsafe"

// Lifecycle is an rcl_lifecycle_state_machine_t in the standard form, with its services
// and its publisher on ~/transition_event. Trigger and State must not run concurrently;
// States and Transitions never change.
type Lifecycle struct {
	c C.rcl_lifecycle_state_machine_t
}

// LifecycleTypes are the type supports of the types of lifecycle_msgs.
type LifecycleTypes struct {
	TransitionEvent, ChangeState, GetState unsafe.Pointer
	GetAvailableStates                     unsafe.Pointer
	GetAvailableTransitions                unsafe.Pointer
}

// LifecycleState is a state of the machine.
type LifecycleState struct {
	ID    uint8
	Label string
}

// LifecycleTransition is an edge of the machine.
type LifecycleTransition struct {
	ID          uint8
	Label       string
	Start, Goal LifecycleState
}

// LifecycleServices are a machine's services. Do not close them: they are closed with the
// machine.
type LifecycleServices struct {
	ChangeState, GetState, GetAvailableStates *Service
	GetAvailableTransitions                   *Service
	GetTransitionGraph                        *Service
}

// NewLifecycle makes a machine in its first state. The clock must outlive it.
func NewLifecycle(n *Node, clock *Clock, ts LifecycleTypes) (*Lifecycle, error) {
	makeMu.Lock()
	defer makeMu.Unlock()
	return made[Lifecycle](C.rclgo_lifecycle_new(&n.c, &clock.c, C.rclgo_lifecycle_types{
		transition_event:          ts.TransitionEvent,
		change_state:              ts.ChangeState,
		get_state:                 ts.GetState,
		get_available_states:      ts.GetAvailableStates,
		get_available_transitions: ts.GetAvailableTransitions,
	}))
}

// Close finalises and frees l with its services and publisher.
func (l *Lifecycle) Close(n *Node) error {
	makeMu.Lock()
	defer makeMu.Unlock()
	return freed(C.rclgo_lifecycle_free(&l.c, &n.c))
}

// Services returns l's services, which l owns.
func (l *Lifecycle) Services() LifecycleServices {
	com := &l.c.com_interface
	service := func(s *C.rcl_service_t) *Service { return (*Service)(unsafe.Pointer(s)) }
	return LifecycleServices{
		ChangeState:             service(&com.srv_change_state),
		GetState:                service(&com.srv_get_state),
		GetAvailableStates:      service(&com.srv_get_available_states),
		GetAvailableTransitions: service(&com.srv_get_available_transitions),
		GetTransitionGraph:      service(&com.srv_get_transition_graph),
	}
}

// Events returns l's publisher on ~/transition_event, which l owns.
func (l *Lifecycle) Events() *Publisher {
	return (*Publisher)(unsafe.Pointer(&l.c.com_interface.pub_transition_event))
}

// Trigger follows a transition of the current state and publishes the event. After an error
// State tells whether the machine has moved, since publishing comes last.
func (l *Lifecycle) Trigger(transition uint8) error {
	return check(C.rclgo_lifecycle_trigger(&l.c, C.uint8_t(transition)))
}

// State returns the current state.
func (l *Lifecycle) State() LifecycleState { return goState(l.c.current_state) }

// States returns all states.
func (l *Lifecycle) States() []LifecycleState {
	m := &l.c.transition_map
	var out []LifecycleState
	for i := range unsafe.Slice(m.states, m.states_size) {
		out = append(out, goState(&unsafe.Slice(m.states, m.states_size)[i]))
	}
	return out
}

// Transitions returns all transitions.
func (l *Lifecycle) Transitions() []LifecycleTransition {
	m := &l.c.transition_map
	var out []LifecycleTransition
	for _, t := range unsafe.Slice(m.transitions, m.transitions_size) {
		out = append(out, LifecycleTransition{
			ID: uint8(t.id), Label: C.GoString(t.label), Start: goState(t.start), Goal: goState(t.goal),
		})
	}
	return out
}

// goState copies a state, whose memory the machine owns.
func goState(s *C.rcl_lifecycle_state_t) LifecycleState {
	return LifecycleState{ID: uint8(s.id), Label: C.GoString(s.label)}
}
