//go:build ros

package rosnet

import (
	"cmp"
	"slices"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// faceRole is a role that lifecycle_msgs has a transition for.
type faceRole struct {
	role    machine.Role
	id      uint8 // of the request; shutdown has one for each origin, and this is the first
	results uint8 // id of its success; those of a failure and of an error follow
	passing lifecycle.State
}

// label is that of the request. ROS 2 and the roles use the same words.
func (r faceRole) label() string { return string(r.role) }

// faceRoles are all of them, with the ids of lifecycle_msgs.
var faceRoles = []faceRole{
	{machine.RoleConfigure, 1, 10, lifecycle.Configuring},
	{machine.RoleCleanup, 2, 20, lifecycle.CleaningUp},
	{machine.RoleActivate, 3, 30, lifecycle.Activating},
	{machine.RoleDeactivate, 4, 40, lifecycle.Deactivating},
	{machine.RoleShutdown, 5, 50, lifecycle.ShuttingDown},
}

// The ids of the end of error processing. lifecycle_msgs has names only for the ends of the others.
const errorDone, errorFailed, errorErred = 60, 61, 62

// faceOrder lists the states of a lifecycle node in the order in which ROS lists them.
var faceOrder = []lifecycle.State{
	lifecycle.Unknown, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active, lifecycle.Finalized,
	lifecycle.Configuring, lifecycle.CleaningUp, lifecycle.ShuttingDown, lifecycle.Activating, lifecycle.Deactivating,
	lifecycle.ErrorProcessing,
}

// move is a transition of a lifecycle node.
type move struct {
	id       uint8
	label    string
	role     machine.Role // empty: it is no request
	from, to lifecycle.State
}

// The labels of what is no request.
const (
	moveSuccess = "transition_success"
	moveFailure = "transition_failure"
	moveError   = "transition_error"
)

// movesOf lists what the machine can do as a lifecycle node: for each command with a role of lifecycle_msgs the request
// from each of its origins, and its ends. For the preset rstate these are the transitions of every lifecycle node.
func movesOf(m *machine.Machine) []move {
	var list []move
	add := func(new move) {
		if !slices.Contains(list, new) {
			list = append(list, new)
		}
	}
	for _, r := range faceRoles {
		ways := waysOf(m, r.role)
		for _, w := range ways {
			add(move{r.requestID(w.from), r.label(), r.role, w.from, r.passing})
		}
		for _, w := range ways {
			add(move{r.results, moveSuccess, "", r.passing, w.to})
		}
		for _, w := range ways {
			back := w.from
			if w.to == lifecycle.Finalized { // nothing undoes the end of a network
				back = w.to
			}
			add(move{r.results + 1, moveFailure, "", r.passing, back})
		}
		if len(ways) > 0 && m.Error != "" {
			add(move{r.results + 2, moveError, "", r.passing, lifecycle.ErrorProcessing})
		}
	}
	if m.Error != "" {
		add(move{errorDone, moveSuccess, "", lifecycle.ErrorProcessing, lifecycle.Unconfigured})
		add(move{errorFailed, moveFailure, "", lifecycle.ErrorProcessing, lifecycle.Finalized})
		add(move{errorErred, moveError, "", lifecycle.ErrorProcessing, lifecycle.Finalized})
	}
	return list
}

// requestID returns the id of the request from a state of the face.
func (r faceRole) requestID(from lifecycle.State) uint8 {
	if r.role != machine.RoleShutdown {
		return r.id
	}
	switch from {
	case lifecycle.Inactive:
		return r.id + 1
	case lifecycle.Active:
		return r.id + 2
	}
	return r.id
}

// way is where a command leads from one of its origins, as a lifecycle node.
type way struct{ from, to lifecycle.State }

// waysOf lists the ways of the command with the role, from low to high.
func waysOf(m *machine.Machine, role machine.Role) []way {
	t, ok := m.ByRole(role)
	if !ok {
		return nil
	}
	var list []way
	for _, s := range m.States {
		if s.Passing || s.Final || !t.Always && !slices.Contains(t.From, s.Name) {
			continue
		}
		to, _ := m.Target(t.Name, s.Name)
		end, _ := m.State(to)
		if w := (way{atRest(s), atRest(end)}); !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b way) int { return cmp.Compare(a.from, b.from) })
	return list
}

// statesOf lists the states that the machine can show as a lifecycle node.
func statesOf(m *machine.Machine, moves []move) []lifecycle.State {
	shown := []lifecycle.State{lifecycle.Unknown}
	for _, s := range m.States {
		if !s.Passing {
			shown = append(shown, atRest(s))
		}
	}
	for _, o := range moves {
		shown = append(shown, o.from, o.to)
	}
	return slices.DeleteFunc(slices.Clone(faceOrder),
		func(s lifecycle.State) bool { return !slices.Contains(shown, s) })
}

// describeMove names a move that the face made. A network can make moves that no node can: a node of it strays, or its
// error processing leads back to where it was. They have no id.
func describeMove(moves []move, from, to lifecycle.State) move {
	for _, m := range moves {
		if m.from == from && m.to == to {
			return m
		}
	}
	return move{from: from, to: to}
}

// requested returns the role of the transition that is meant, if the state has it. The label decides; some tools send
// the id alone. Shutdown is one of every state but the last, those in which a transition runs too.
func requested(moves []move, now lifecycle.State, id uint8, label string) (machine.Role, bool) {
	for _, m := range moves {
		switch {
		case m.role == "", label != "" && m.label != label, label == "" && m.id != id:
		case m.from == now, m.role == machine.RoleShutdown && now != lifecycle.Finalized:
			return m.role, true
		}
	}
	return "", false
}

// faceOf returns the state that a network shows as a lifecycle node. During a transition it is the
// transition state of the command's role, or else the state before.
//
// At rest it is what the state of the network asks of its highest node. If a required node is lower
// than its own part, the face is as low: a parent then sees that a node has strayed, and repairs it
// by driving the network. A node that is absent or finalized counts as unconfigured.
func faceOf(net *network.Network, s engine.Snapshot) lifecycle.State {
	if s.Settled == "" {
		return lifecycle.Unknown
	}
	m := net.Machine
	if s.State == m.Error { // a passing state
		return lifecycle.ErrorProcessing
	}
	state, _ := m.State(s.State)
	moves := state.Passing || s.Work.Command != ""
	if moves {
		role := m.RoleShown(s.State, s.Work.Command)
		if i := slices.IndexFunc(faceRoles, func(r faceRole) bool { return r.role == role }); i >= 0 {
			return faceRoles[i].passing
		}
		state, _ = m.State(s.Settled)
	}
	shown := atRest(state)
	if moves || !state.Nodes.AsIs && shown != lifecycle.Inactive && shown != lifecycle.Active {
		return shown
	}
	if state.Nodes.AsIs && !state.Final {
		shown = lifecycle.Active // the nodes alone decide
	}
	return lowered(shown, net, state, s.Nodes)
}

// lowered lowers the face of a network that rests in the state by its required nodes.
func lowered(shown lifecycle.State, net *network.Network, state machine.State,
	nodes []engine.NodeView) lifecycle.State {
	for i, n := range nodes {
		switch {
		case n.Optional:
		case !n.Present, n.Lifecycle && n.State == lifecycle.Finalized:
			return lifecycle.Unconfigured
		case n.Lifecycle && n.State.Primary() && n.State.Level() < least(net, state, i).Level():
			shown = lifecycle.Lower(shown, n.State)
		}
	}
	return shown
}

// least returns the least state in which node i does not lower the face of a network that rests in the state; unknown
// if the state leaves the node as it is.
func least(net *network.Network, state machine.State, i int) lifecycle.State {
	if state.Nodes.AsIs {
		return lifecycle.Active
	}
	want, _ := net.Want(state, i)
	if want == lifecycle.Inactive && !net.Nodes[i].NeedsConfiguration {
		return lifecycle.Unconfigured
	}
	return want
}

// atRest returns what a state of the network is for a lifecycle node: what it asks of its highest node. A state that
// asks nothing of any node counts as unconfigured.
func atRest(s machine.State) lifecycle.State {
	switch level := s.Level(); {
	case s.Final:
		return lifecycle.Finalized
	case level <= lifecycle.Unconfigured.Level():
		return lifecycle.Unconfigured
	case level == lifecycle.Inactive.Level():
		return lifecycle.Inactive
	}
	return lifecycle.Active
}
