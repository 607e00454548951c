package engine

import "rstate/internal/machine"

// Commands that the machine runs without a client.

// reaction is a command that the machine runs without a client.
type reaction struct {
	do       string // empty: none
	in       string // the state in which the event came
	why      string
	expected bool // nothing went wrong
}

// reactTo notes the reaction of the machine to an event of node i, or of the network itself with -1.
func (s *State) reactTo(event machine.Event, i int) {
	node := ""
	if i >= 0 {
		node = s.nodes[i].spec.Name
	}
	why := node + " erred"
	switch event {
	case machine.Settled:
		why = "the network is " + s.settled
	case machine.LoopIdle:
		why = s.loop.stopped()
	case machine.NodeReborn:
		why = "a new process of " + node + " is there"
	}
	s.noteReaction(machine.On{Event: event}, node, why)
}

// noteReaction notes the reaction of the machine to what happened, and reports whether there is one. A
// reaction runs at rest only: what fails during a transition is that transition's failure.
func (co *course) noteReaction(on machine.On, node, why string) bool {
	if co.busy() || co.settled == "" || co.reaction.do != "" {
		return false
	}
	list := co.machine.Autos(co.settled, on, node)
	if len(list) == 0 {
		return false
	}
	expected := on.Event == machine.Settled || on.Event == machine.LoopIdle || on.Event == machine.Made
	co.reaction = reaction{do: list[0].Do, in: co.settled, why: why, expected: expected}
	return true
}

// react begins a noted reaction, and reports whether it did.
func (s *State) react() bool {
	r := s.reaction
	s.reaction = reaction{}
	if r.do == "" || s.busy() || s.settled != r.in || !s.judge.Can(r.do) {
		return false
	}
	t := s.command(r.do, s.origin())
	if why := s.refuses(t); why != "" {
		s.recordState(EventFailed, t.Name+", the reaction to "+r.why+", was not begun: "+why)
		return false
	}
	if !r.expected {
		s.noteLowered(ByPolicy, t.Name, r.why)
	}
	s.beginUncommanded(r.do, nil, r.why)
	return true
}
