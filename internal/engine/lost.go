package engine

import (
	"fmt"

	"rstate/internal/lifecycle"
)

// A node that is known to be lost before a lowering begins, although an endpoint of its name is left: it has not answered
// its probes, and its process may be suspended, hang, or have ended without the graph knowing it yet. Such a node does not
// fail what takes the network down. The request still goes to what is left of it, the result names it, and it deviates until
// it answers or is gone from the graph. Disarming is exempt: it waits for its confirmation.

// silent reports whether node i is known to be lost while endpoints of it are left.
func (n *node) silent() bool { return n.there() && n.probing.left > 0 }

// lostBefore reports whether the running work lowers node i and the node was lost before that began.
func (s *State) lostBefore(i int) bool {
	n, w := &s.nodes[i], s.work
	if !n.silent() || !w.legs.began[i].silent || !n.leg.wants {
		return false
	}
	switch p := w.phase; {
	case p.commands:
		return w.lowers && !w.proves()
	case p.returns:
		return n.state.Level() > n.leg.want.Level()
	}
	return w.phase.down
}

// passOver sends the next step of a lost node to every endpoint that is left, and does not wait for it.
func (s *State) passOver(i int) {
	n := &s.nodes[i]
	l := &n.leg
	evidence := fmt.Sprintf("is lost: it left %d probes without an answer", n.probing.left)
	t, ok := lifecycle.Next(n.state, l.want)
	if ok && n.call == nil && n.state.Primary() && t.Target().Level() < n.state.Level() && !s.awaitsJournal() {
		l.did, l.down, l.stepped = t.Label, true, true
		s.send(i, t)
		evidence += ", and may not do what it is asked"
	}
	l.passed = true
	s.finish(i, legDone, VerdictGone, evidence)
}

// passedOver names the nodes that were lost before the lowering began, and are not where they are to be.
func (s *State) passedOver(w *work) string {
	words := ""
	for i := range s.nodes {
		n := &s.nodes[i]
		if lost := w.legs.began[i].silent || !w.legs.began[i].there; lost && n.deviant != "" && s.matters(i) && !n.spec.Optional {
			words += fmt.Sprintf("; %s %s", n.spec.Name, n.deviant)
		}
	}
	return words
}

// onlyLost reports whether every node that is not in its place was lost before the lowering w began, and may not be armed.
func (s *State) onlyLost(w *work) bool {
	if !w.lowers {
		return false
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		lost := w.legs.began[i].silent && n.silent() || !w.legs.began[i].there && !n.there() && n.lost != ""
		if n.deviant != "" && s.matters(i) && !(lost && n.arm.Belief() == Disarmed) {
			return false
		}
	}
	return true
}
