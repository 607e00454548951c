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

// life is the order of the roles in Commands.
var life = []Role{RoleConfigure, RoleActivate, RoleArm, RoleDisarm, RoleDeactivate, RoleCleanup}

// Commands lists every command that clients can give, in an order that depends on nothing but the machine: those with a
// role in the order of a life, then the others as the file has them, and last those that can end the network.
func (m *Machine) Commands() []Transition {
	rank := func(t Transition) int {
		k := slices.Index(life, t.Role)
		switch {
		case m.CanEnd(t.Name):
			return len(life) + 1
		case k < 0:
			return len(life)
		}
		return k
	}
	all := slices.DeleteFunc(slices.Clone(m.Transitions), func(t Transition) bool { return t.Hidden })
	slices.SortStableFunc(all, func(a, b Transition) int { return rank(a) - rank(b) })
	return all
}

// ByRole returns the command with the role.
func (m *Machine) ByRole(role Role) (Transition, bool) {
	i := slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.Role == role && role != "" })
	if i < 0 {
		return Transition{}, false
	}
	return m.Transitions[i], true
}

// Wish returns the command or state that a tool which knows only the role asks for in a network that has settled in the
// state. It returns false if the machine does not offer the role there.
//
// Where the command is legal and a goal that names its target would run the same command, the wish is the target: a
// network that has reached it meanwhile has nothing to do. Where the command is not legal, the wish is its target if
// the way there only lowers or repairs. So a lifecycle tool can deactivate an armed network, and activate again a
// network in which a node has strayed. To arm, the wish is always the command: where it is not legal, the refusal says
// why.
func (m *Machine) Wish(role Role, settled string) (word string, ok bool) {
	t, ok := m.ByRole(role)
	if !ok {
		return "", false
	}
	here, known := m.State(settled)
	to := t.target(settled)
	switch {
	case t.Always || role == RoleArm:
		return t.Name, true
	case !known:
		return "", false
	case !t.starts(here):
		return m.wishBeyond(settled, to)
	}
	path, _ := m.Path(settled, to)
	if _, named := m.namesState(to); named && len(path) == 1 && path[0] == t.Name {
		return to, true
	}
	return t.Name, true
}

// wishBeyond is the wish for a target whose command does not begin in the settled state.
func (m *Machine) wishBeyond(settled, to string) (word string, ok bool) {
	if _, leads := m.Path(settled, to); to == "" || !leads || m.Raises(settled, to) {
		return "", false
	}
	word, isState := m.namesState(to)
	if end, begins := m.Target(word, settled); !isState && (!begins || end != to) {
		return "", false
	}
	return word, true
}

// namesState returns what a goal with the name of the state asks for, and whether that is the state. A command of the
// same name wins over the state.
func (m *Machine) namesState(state string) (word string, isState bool) {
	word, isState, _ = m.Command(Word(state))
	return word, isState && word == state
}

// DisarmWord returns the command that disarms a network that has settled in the state: the one that leads out of this
// armed state, or else the one with the role, or else any. A disarm is legal whenever something may be armed, so it
// does not depend on a role. It returns false if the machine has no disarm that clients can name.
func (m *Machine) DisarmWord(settled string) (word string, ok bool) {
	if t, ok := m.Disarm(settled); ok && !t.Hidden && m.Disarms(t.Name) {
		return t.Name, true
	}
	if t, ok := m.ByRole(RoleDisarm); ok {
		return t.Name, true
	}
	for _, t := range m.Transitions {
		if !t.Hidden && m.Disarms(t.Name) {
			return t.Name, true
		}
	}
	return "", false
}

// RoleShown returns the role of what a network does that shows the state while the command runs. After a failure, the
// network may show the passing state of another command, or of several; then the role is theirs if they agree.
func (m *Machine) RoleShown(state, command string) Role {
	if t, ok := m.Transition(command); ok && (t.Via == "" || t.Via == state) {
		return t.Role
	}
	var shown []Role
	for _, t := range m.Transitions {
		if t.Via == state && !slices.Contains(shown, t.Role) {
			shown = append(shown, t.Role)
		}
	}
	if s, _ := m.State(state); !s.Passing || len(shown) != 1 {
		return ""
	}
	return shown[0]
}
