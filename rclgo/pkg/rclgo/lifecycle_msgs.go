package rclgo

import (
	"slices"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The types of lifecycle_msgs that the services of a Lifecycle speak. Generated
// bindings import this package, so it cannot use them.
type (
	stateMsg struct {
		ID    uint8  `yaml:"id"`
		Label string `yaml:"label"`
	}
	transitionMsg struct {
		ID    uint8  `yaml:"id"`
		Label string `yaml:"label"`
	}
	transitionDescriptionMsg struct {
		Transition transitionMsg `yaml:"transition"`
		Start      stateMsg      `yaml:"start_state"`
		Goal       stateMsg      `yaml:"goal_state"`
	}

	changeStateRequest struct {
		Transition transitionMsg `yaml:"transition"`
	}
	changeStateResponse struct {
		Success bool `yaml:"success"`
	}
	getStateRequest struct{}

	getStateResponse struct {
		State stateMsg `yaml:"current_state"`
	}
	getStatesRequest struct{}

	getStatesResponse struct {
		States []stateMsg `yaml:"available_states"`
	}
	getTransitionsRequest struct{}

	getTransitionsResponse struct {
		Transitions []transitionDescriptionMsg `yaml:"available_transitions"`
	}
)

var (
	changeStateType = lifecycleService("ChangeState",
		func() types.Message { return &changeStateRequest{} },
		func() types.Message { return &changeStateResponse{} })
	getStateType = lifecycleService("GetState",
		func() types.Message { return &getStateRequest{} },
		func() types.Message { return &getStateResponse{} })
	getStatesType = lifecycleService("GetAvailableStates",
		func() types.Message { return &getStatesRequest{} },
		func() types.Message { return &getStatesResponse{} })
	getTransitionsType = lifecycleService("GetAvailableTransitions",
		func() types.Message { return &getTransitionsRequest{} },
		func() types.Message { return &getTransitionsResponse{} })
)

func lifecycleService(name string, request, response func() types.Message) *introspection.ServiceType {
	name = "lifecycle_msgs/srv/" + name
	return introspection.NewServiceType(name,
		introspection.NewMessageType(name+"_Request", request),
		introspection.NewMessageType(name+"_Response", response))
}

// lifecycleTypes loads everything that the machine needs, so that a package which is
// not installed is an error. rcl itself fills in the event, whose fields differ between
// versions of ROS.
func lifecycleTypes() (ts rcl.LifecycleTypes, err error) {
	event, err := introspection.LoadDynamic("lifecycle_msgs", "TransitionEvent")
	if err != nil {
		return ts, err
	}
	for _, s := range []*introspection.ServiceType{changeStateType, getStateType, getStatesType, getTransitionsType} {
		if err := s.Check(); err != nil {
			return ts, err
		}
	}
	return rcl.LifecycleTypes{
		TransitionEvent:         event.TypeSupport(),
		ChangeState:             changeStateType.TypeSupport(),
		GetState:                getStateType.TypeSupport(),
		GetAvailableStates:      getStatesType.TypeSupport(),
		GetAvailableTransitions: getTransitionsType.TypeSupport(),
	}, nil
}

func (m *changeStateRequest) CloneMsg() types.Message  { c := *m; return &c }
func (m *changeStateResponse) CloneMsg() types.Message { c := *m; return &c }
func (m *getStateRequest) CloneMsg() types.Message     { return &getStateRequest{} }
func (m *getStateResponse) CloneMsg() types.Message    { c := *m; return &c }
func (m *getStatesRequest) CloneMsg() types.Message    { return &getStatesRequest{} }
func (m *getStatesResponse) CloneMsg() types.Message {
	return &getStatesResponse{slices.Clone(m.States)}
}
func (m *getTransitionsRequest) CloneMsg() types.Message { return &getTransitionsRequest{} }
func (m *getTransitionsResponse) CloneMsg() types.Message {
	return &getTransitionsResponse{slices.Clone(m.Transitions)}
}

func (m *changeStateRequest) SetDefaults()     { *m = changeStateRequest{} }
func (m *changeStateResponse) SetDefaults()    { *m = changeStateResponse{} }
func (m *getStateRequest) SetDefaults()        {}
func (m *getStateResponse) SetDefaults()       { *m = getStateResponse{} }
func (m *getStatesRequest) SetDefaults()       {}
func (m *getStatesResponse) SetDefaults()      { *m = getStatesResponse{} }
func (m *getTransitionsRequest) SetDefaults()  {}
func (m *getTransitionsResponse) SetDefaults() { *m = getTransitionsResponse{} }

func (*changeStateRequest) GetTypeSupport() types.MessageTypeSupport {
	return changeStateType.Request()
}
func (*changeStateResponse) GetTypeSupport() types.MessageTypeSupport {
	return changeStateType.Response()
}
func (*getStateRequest) GetTypeSupport() types.MessageTypeSupport   { return getStateType.Request() }
func (*getStateResponse) GetTypeSupport() types.MessageTypeSupport  { return getStateType.Response() }
func (*getStatesRequest) GetTypeSupport() types.MessageTypeSupport  { return getStatesType.Request() }
func (*getStatesResponse) GetTypeSupport() types.MessageTypeSupport { return getStatesType.Response() }
func (*getTransitionsRequest) GetTypeSupport() types.MessageTypeSupport {
	return getTransitionsType.Request()
}
func (*getTransitionsResponse) GetTypeSupport() types.MessageTypeSupport {
	return getTransitionsType.Response()
}
