package engine

import (
	"slices"
	"strings"

	"rstate/internal/machine"
)

// What a node must not offer unless armed: an action, a service, a topic that moves something. The world says what of it
// is in the graph; here it is decided what follows.

func (s *State) unsafeSeen(in UnsafeSeen) {
	n := &s.nodes[in.Node]
	if slices.Equal(n.unsafe, in.Names) {
		return
	}
	n.unsafe = in.Names
	s.report.changed = true
	s.touch(in.Node)
	s.touchAround(in.Node)
}

// exposed says what node i offers although the network is in a state that does not arm; empty: nothing.
func (s *State) exposed(i int, here machine.State) string {
	n := &s.nodes[i]
	if len(n.unsafe) == 0 || here.Armed.Any() {
		return ""
	}
	return "advertises " + strings.Join(n.unsafe, ", ") + " although it is not armed"
}

// exposedBefore says who offers what is unsafe and has not been armed; empty: nobody.
func (s *State) exposedBefore() string {
	for i := range s.nodes {
		if n := &s.nodes[i]; n.arm.Belief() == Disarmed && len(n.unsafe) > 0 {
			return n.spec.Name + " " + s.exposed(i, machine.State{})
		}
	}
	return ""
}

// withdraws says whether what node i offers has to go before the running disarm is over.
func (s *State) withdraws(i int, p *phase) bool {
	from, _ := s.machine.State(s.work.origin)
	return len(s.nodes[i].unsafe) > 0 && p.commands && s.isDisarm(s.work.command) && from.Armed.Any()
}

// stillExposed says whether somebody offers after a disarm what is only to be there while armed.
func (s *State) stillExposed() bool {
	here, _ := s.machine.State(s.work.target)
	for i := range s.nodes {
		if s.exposed(i, here) != "" {
			return true
		}
	}
	return false
}
