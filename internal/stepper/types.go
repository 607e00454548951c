package stepper

import (
	"fmt"
	"time"
)

// Role is what a participant does in a cycle.
type Role uint8

// The roles.
const (
	Simulator  Role = iota // steps in step_simulator
	Controller             // steps in step_controller
)

// Participant is one node of the loop. A call is overdue after Deadline, which must be positive.
type Participant struct {
	Name     string
	Role     Role
	Deadline time.Duration
}

// Config is what a loop has from its network file and machine.
type Config struct {
	Participants []Participant
	Has          Wants // the wants that the machine has a command for
	Asks         bool  // no cycle begins without the input Begin
}

// Phase is a part of a cycle. The values are those of rstate_msgs/srv/Step.
type Phase uint8

// The phases; those of a cycle in their order.
const (
	StepBegin Phase = iota
	StepSimulator
	StepController
	StepEnd
	Resetting // before the first cycle after a reset
	phases
)

func (p Phase) String() string {
	if p < phases {
		return [phases]string{"step_begin", "step_simulator", "step_controller", "step_end", "reset"}[p]
	}
	return fmt.Sprintf("phase %d", uint8(p))
}

// calls reports whether a participant of a role is called in the phase.
func (p Phase) calls(r Role) bool {
	switch p {
	case StepSimulator:
		return r == Simulator
	case StepController:
		return r == Controller
	}
	return true
}
