package rclgo

import (
	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
)

// The types of lifecycle_msgs that the services of a Lifecycle use.
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
	changeStateType    = wireService[changeStateRequest, changeStateResponse]("lifecycle_msgs/srv/ChangeState")
	getStateType       = wireService[getStateRequest, getStateResponse]("lifecycle_msgs/srv/GetState")
	getStatesType      = wireService[getStatesRequest, getStatesResponse]("lifecycle_msgs/srv/GetAvailableStates")
	getTransitionsType = wireService[getTransitionsRequest, getTransitionsResponse](
		"lifecycle_msgs/srv/GetAvailableTransitions")
)

// lifecycleTypes loads all types of the machine, so that a missing package is an error. rcl
// itself fills in the event, whose fields differ between releases of ROS.
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
