package machine

import (
	"slices"

	"rstate/internal/lifecycle"
)

// Raises reports whether going from one state to the other asks more of any node, arms anything, or starts a stepped
// loop. It compares node by node, whatever the groups have in them: between two states of one level a node may still
// rise. Unconfigured asks for the least that a living node can be, so no node rises to it. No command may raise where
// no client asked for it (R4).
func (m *Machine) Raises(from, to string) bool {
	a, _ := m.State(from)
	b, _ := m.State(to)
	return b.above(a)
}

// above reports whether going from o to s raises.
func (s State) above(o State) bool {
	return s.Armed.beyond(o.Armed) || s.Loop == LoopRunning && o.Loop == NoLoop || s.Nodes.above(o.Nodes)
}

// RaisesFrom is Raises from the origin to the target of a command; so does a command whose nodes come back up from the
// state that they go through.
func (m *Machine) RaisesFrom(command, origin string) bool {
	_, _, raises := m.raise(command, origin)
	return raises
}

// raise returns the two states between which a command raises nodes.
func (m *Machine) raise(command, origin string) (from, to string, raises bool) {
	to, ok := m.Target(command, origin)
	t, _ := m.Transition(command)
	switch {
	case ok && m.Raises(origin, to):
		return origin, to, true
	case ok && t.Through != "" && m.Raises(t.Through, to):
		return t.Through, to, true
	}
	return "", "", false
}

// LowersFrom is Lowers from the origin to the target of a command.
func (m *Machine) LowersFrom(command, origin string) bool {
	to, ok := m.Target(command, origin)
	return ok && m.Lowers(origin, to)
}

// Bounds reports whether a goal says how high a network that can be armed is to be at most: it names a state that
// disarms, or a command that lowers from some state.
func (m *Machine) Bounds(name string, isState bool) bool {
	return slices.ContainsFunc(m.States, func(s State) bool { return s.Armed.Any() }) &&
		slices.ContainsFunc(m.States, func(s State) bool {
			return isState && s.Armed.Any() && m.Lowers(s.Name, name) || !isState && m.LowersFrom(name, s.Name)
		})
}

// beyond reports whether a arms a node that o does not arm, whatever the groups have in them.
func (a Armed) beyond(o Armed) bool {
	if o.All || !a.Any() {
		return false
	}
	return a.All || slices.ContainsFunc(a.Groups, func(g string) bool { return !slices.Contains(o.Groups, g) })
}

// above reports whether w asks more of any node than o does. A node is in a group that both name, or in one of each, or
// in none: a file is refused whose groups disagree about a node.
func (w Want) above(o Want) bool {
	if w.AsIs {
		return false
	}
	var before, after []lifecycle.State // of nodes that are in no group of both
	for _, g := range o.Groups {
		if k := slices.IndexFunc(w.Groups, func(h GroupWant) bool { return h.Group == g.Group }); k >= 0 {
			if rises(g.State, w.Groups[k].State) {
				return true
			}
			continue
		}
		before = append(before, g.State)
	}
	for _, g := range w.Groups {
		if !slices.ContainsFunc(o.Groups, func(h GroupWant) bool { return h.Group == g.Group }) {
			after = append(after, g.State)
		}
	}
	for _, a := range append(before, o.Others) {
		for _, b := range append(after, w.Others) {
			if rises(a, b) {
				return true
			}
		}
	}
	return false
}

// rises reports whether a node may rise when its wanted state changes. Unknown stands for a node that is left as it is:
// before, it may be as low as unconfigured.
func rises(from, to lifecycle.State) bool {
	return to.Level() > max(from.Level(), lifecycle.Unconfigured.Level())
}

// Commanded returns the transition that a person or a tool names as a command.
func (m *Machine) Commanded(w Word) (Transition, bool) {
	name, isState, ok := m.Command(w)
	if !ok || isState {
		return Transition{}, false
	}
	return m.Transition(name)
}
