package engine

import (
	"slices"
	"strings"

	"rstate/internal/machine"
)

// Names that a node must not offer unless it is armed: an action, service or topic that moves
// something. The world reports which of them the graph shows; the engine decides what follows.

func (s *State) unsafeSeen(in UnsafeSeen) {
	n := &s.nodes[in.Node]
	if slices.Equal(n.unsafe, in.Names) {
		return
	}
	n.bare = len(in.Names) > 0 && (n.bare || len(in.Names) > len(n.unsafe) && n.arm.ToDisarm())
	n.unsafe = in.Names
	s.report.changed = true
	s.touch(in.Node)
	s.touchAround(in.Node)
}

// exposed lists the unsafe names that node i offers although the network's state does not arm;
// empty: none.
func (s *State) exposed(i int, here machine.State) string {
	n := &s.nodes[i]
	if len(n.unsafe) == 0 || here.Armed.Any() {
		return ""
	}
	return "advertises " + strings.Join(n.unsafe, ", ") + " although it is not armed"
}

// exposedBefore names the nodes that offer unsafe names and have not been armed; empty: none.
func (s *State) exposedBefore() string {
	for i := range s.nodes {
		if s.offersUnarmed(i) {
			return s.nodes[i].spec.Name + " " + s.exposed(i, machine.State{})
		}
	}
	return ""
}

// offersUnarmed reports whether node i offers unsafe names without being armed. A node that refuses
// to disarm is still armed, unless the names have appeared after the disarm was sent.
func (s *State) offersUnarmed(i int) bool {
	n := &s.nodes[i]
	b := n.arm.Belief()
	return len(n.unsafe) > 0 && (b == Disarmed || n.bare && b == MayBeArmed)
}

// stillExposed reports whether a node still offers an unsafe name after a disarm.
func (s *State) stillExposed() bool {
	here, _ := s.machine.State(s.work.target)
	for i := range s.nodes {
		if s.exposed(i, here) != "" {
			return true
		}
	}
	return false
}

// withdraws reports whether the unsafe names of node i must disappear before the running disarm
// ends.
func (s *State) withdraws(i int, p *phase) bool {
	from, _ := s.machine.State(s.work.origin)
	return len(s.nodes[i].unsafe) > 0 && p.commands && s.isDisarm(s.work.command) && from.Armed.Any()
}
