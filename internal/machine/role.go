package machine

import "slices"

// Role is what a command is to tools that do not know the machine: the lifecycle services, ~/arm, `rstate send` and
// completion take their words from it. A role that no command has is not offered.
type Role string

// The roles, which are the commands of the preset rstate.
const (
	RoleConfigure  Role = "configure"
	RoleCleanup    Role = "cleanup"
	RoleActivate   Role = "activate"
	RoleDeactivate Role = "deactivate"
	RoleArm        Role = "arm"
	RoleDisarm     Role = "disarm"
	RoleShutdown   Role = "shutdown"
)

var roles = []Role{RoleConfigure, RoleCleanup, RoleActivate, RoleDeactivate, RoleArm, RoleDisarm, RoleShutdown}

// ByRole returns the command with the role.
func (m *Machine) ByRole(role Role) (Transition, bool) {
	i := slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.Role == role && role != "" })
	if i < 0 {
		return Transition{}, false
	}
	return m.Transitions[i], true
}
