package engine

import (
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/stepper"
)

// Which instance of a simulation has the loop.

// noLoop says why this instance cannot start the loop to which a command leads; empty: it can, or none does.
func (s *State) noLoop(t machine.Transition) string {
	to, _ := s.machine.State(t.To)
	switch first := s.peers.otherLoop(); {
	case to.Loop == machine.NoLoop:
		return ""
	case s.net.Loop == nil:
		return "the network file has no loop:, so this instance runs none; add it, or send the command to the instance that has it"
	case first != nil && !s.loop.runs:
		return first.Name + " has the loop of the simulation; send the command to it"
	}
	for _, p := range s.net.Loop.Participants { // each of two would take the call, and the faster answer would count
		if why := s.nodes[s.net.Index(p.Node)].several(); why != "" {
			return p.Node + " " + why
		}
	}
	return ""
}

// otherLoop returns the status of the oldest living peer that has the loop of the simulation; nil: none
// has. A peer without the loop shows no state of it.
func (pe *peering) otherLoop() *mirror.Status {
	var first *mirror.Status
	for _, p := range pe.book.Peers() {
		state, _ := pe.machine.State(p.Status.State)
		if p.Alive && p.Same && state.Loop != machine.NoLoop && (first == nil || p.Status.Instance < first.Instance) {
			first = &p.Status
		}
	}
	return first
}

// cedeLoop ends the loop at once if an older instance runs it too, and reports whether it did. That is no
// change of the simulation.
func (s *State) cedeLoop(here machine.State) bool {
	first := s.peers.otherLoop()
	if first == nil || first.Instance > s.opt.Instance {
		return false
	}
	why := first.Name + " has the loop of the simulation"
	s.loop.stop(&s.agenda, stepper.Abort, why)
	s.loop.fault = why
	if here.Armed.Any() {
		s.disarmForSafety(why)
		return true
	}
	s.settleWithoutLoop(false)
	return true
}

// raisesPeers reports whether a change to the state would raise peers above the common target.
func (pe *peering) raisesPeers(to string) bool {
	common := pe.book.Target()
	return common != "" && pe.machine.Raises(common, to)
}
