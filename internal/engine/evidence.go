package engine

import (
	"slices"

	"rstate/internal/engine/belief"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// What nodes say, and what the engine believes of their states.

func (s *State) stateRead(in StateRead) {
	s.answered(in.Node, in.Ticket)
	s.noteResponse(in.Node)
	n := &s.nodes[in.Node]
	n.countAnswers(in.Ticket)
	k := slices.IndexFunc(n.reading.reads, func(r read) bool { return r.ticket == in.Ticket })
	if k < 0 { // of another process, or overtaken by a later read: only a hint
		if in.State != n.state {
			s.poll(in.Node) // two of one name may differ for ever
		}
		return
	}
	s.heardFrom(in.Node)
	sent, watch := n.reading.reads[k].sent, n.reading.reads[k].watch
	n.reading.reads = n.reading.reads[k+1:]
	switch {
	case n.calls.asked && sent <= n.calls.sent:
		// sent before the last request, so it says nothing about that request's result
	case sent < n.at && in.State != n.state:
		s.doubt(in.Node) // which of the two is older only a later read tells
		s.read(in.Node)
	default:
		if !watch {
			n.provenAt = sent
			s.noteProof(in.Node)
		}
		if n.call != nil && in.State == n.call.From {
			n.call.Still++
		}
		s.believe(in.Node, in.State)
	}
	s.touch(in.Node)
}

// eventHeard takes an announcement; package belief interprets it.
func (s *State) eventHeard(in EventHeard) {
	s.announced(in.Node, in.Epoch)
	n := &s.nodes[in.Node]
	if !n.there() || !n.spec.Lifecycle || (in.Epoch != 0 && in.Epoch != n.epoch) {
		return
	}
	s.heardFrom(in.Node)
	s.noteResponse(in.Node)
	if in.To == lifecycle.ErrorProcessing && !n.spec.Optional {
		s.reactTo(machine.NodeError, in.Node)
	}
	e := belief.Event{From: in.From, To: in.To}
	switch n.known().Heard(e, n.calls.unheard.Announced(e, s.now.Steady)) {
	case belief.Unclear:
		s.read(in.Node)
	case belief.Contradicts:
		s.doubt(in.Node)
		s.read(in.Node)
	case belief.Moves:
		s.believe(in.Node, in.To)
	case belief.Ends:
		s.arrived(in.Node, in.To)
	case belief.Agrees:
		s.agree(in.Node)
	case belief.Claims:
		s.claim(in.Node, in.To)
		s.read(in.Node)
	}
	s.touch(in.Node)
}

// claim takes a state of a node that is not firm yet.
func (co *course) claim(i int, state lifecycle.State) {
	n := &co.nodes[i]
	n.state, n.at, n.firm, n.doubted = state, co.now.Steady, false, co.now.Steady
	co.touchAround(i)
	co.at(i, co.now.Steady+confirmIn)
	co.changed = true
	if state != n.part.want {
		co.doubt(i)
	}
}

// doubt notes a contradiction to the believed state: no request rests on it before the next read.
func (co *course) doubt(i int) {
	n := &co.nodes[i]
	if !n.spec.Lifecycle {
		return
	}
	if n.firm {
		n.firm, n.doubted = false, co.now.Steady
		co.noteStray(i)
	}
	if l := &n.part; co.work != nil && l.status == partDone && l.sure && l.wants && !l.short && !l.passed && n.there() {
		l.sure = false
		co.work.parts.unsure++
	}
}

// believe takes evidence of a node's state that is newer than all other, and later than the last
// request.
func (co *course) believe(i int, state lifecycle.State) {
	n := &co.nodes[i]
	if c := n.call; c != nil && state == c.Do.Passing() {
		c.Started = true
	}
	co.changed = co.changed || co.settled == "" // there is less to wait for
	if n.state != state {
		co.changed = true
		co.touchAround(i) // which node waits for which depends on their states
	}
	if done := n.calls.closed; done != nil && state != done.Do.Target() {
		done.Agreed = true // it has moved on since: later messages are news
	}
	if !n.firm {
		co.noteStray(i)
	}
	n.state, n.at, n.firm = state, co.now.Steady, true
	if co.work != nil {
		co.work.found(i, n)
		if co.work.arm.proven {
			co.touchAll() // a doubt keeps the network from being armed
		}
	}
	co.touch(i)
}

// noteStray notes that the state of an optional node has become firm, or is in doubt: at rest, that decides whether a
// command can bring it back.
func (co *course) noteStray(i int) {
	co.changed = co.changed || !co.busy() && co.nodes[i].spec.Optional
}

// known is what package belief needs to know of the node.
func (n *node) known() belief.Known {
	return belief.Known{State: n.state, Call: n.call, Closed: n.calls.closed, Refused: n.part.refused}
}

// vouched reports whether the believed state rests on the answer or the announcement of the node's
// last step. An event of no known request proves less: it may be from an earlier step.
func (n *node) vouched() bool {
	c := n.calls.closed
	return c != nil && !c.Agreed && !n.firm && n.state == c.Do.Target()
}

// agree makes the state firm, once, when the answer and the announcement of a call agree.
func (co *course) agree(i int) {
	n := &co.nodes[i]
	c := n.calls.closed
	agrees := c.Agree()
	if agrees && n.state == c.Do.Target() {
		co.believe(i, n.state)
	}
}
