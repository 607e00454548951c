package engine

import (
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// A node that gives no sign of life may be busy, may be suspended, or may have crashed. Where the kernel of this host does not
// tell, only the middleware does, and it takes its time: Fast DDS keeps a participant for 20 s. The waits of a rollback must
// not end just before that, because a rollback that is given up takes the whole network down.

const (
	// missedIn is how long the middleware may take to notice that a process has ended: the default lease of Fast DDS, and
	// 5 s for a process that ends a little later than the transition fails.
	missedIn = 25 * time.Second
	// respawnIn is how long a command that repairs a state waits for the next process of a node that was lost.
	respawnIn = 5 * time.Second
	// readSoon is how long after its first read a new process is read again. The pause doubles up to readEvery.
	readSoon = 100 * time.Millisecond
)

// gaveSign reports whether the node has given a sign of life since it was last asked for its state. One that is busy with a call is
// asked every second, beginning 1 s after that.
func (n *node) gaveSign() bool {
	return n.probing.heard > n.polled && (n.call == nil || n.polled >= n.call.sent)
}

// missedBy returns until when a rollback waits for node i, which gives no sign of life: had its process ended before the
// transition failed, the middleware would have missed it by then. It returns 0 if the deadlines of the node alone decide.
func (s *State) missedBy(i int) time.Duration {
	n, w := &s.nodes[i], s.work
	back := w.phase.undoes
	if !back || n.spec.Deadline.Recover != 0 || !n.there() || n.gaveSign() {
		return 0
	}
	return max(w.fault.failedAt, n.probing.heard) + missedIn
}

// mayHaveEnded reports whether a rollback still waits for node i because its process may have ended.
func (s *State) mayHaveEnded(i int) bool {
	by := s.missedBy(i)
	if s.now.Steady >= by {
		return false
	}
	s.at(i, by)
	return true
}

// oneMayHaveEnded reports whether one of several endpoints of node i may be what is left of a process that has ended: a read
// is not answered by more than one of them, and the middleware may not have noticed the end yet.
func (s *State) oneMayHaveEnded(i int) bool {
	n := &s.nodes[i]
	by := n.several + missedIn
	if n.allAnswer || s.now.Steady >= by {
		return false
	}
	s.at(i, by)
	return true
}

// countAnswers notes whether more than one endpoint of node i has answered the same read.
func (n *node) countAnswers(ticket uint64) {
	n.allAnswer = n.allAnswer || n.count > 1 && ticket == n.answered
	n.answered = ticket
}

// awaitsRespawn reports whether the running command waits for the next process of node i, which was lost before the command
// began and not long ago.
func (s *State) awaitsRespawn(i int) bool {
	n, w := &s.nodes[i], s.work
	if !w.phase.commands || w.lowers || w.proves() || w.legs.began[i].there || n.lost == "" || n.spec.Optional || !n.leg.wants {
		return false
	}
	by := n.lostAt + respawnIn
	if s.now.Steady >= by {
		return false
	}
	s.at(i, by)
	return true
}

// readPause is how long after a read without an answer node i is read again. Requests to a new process are lost until its
// services have found ours, so it is read again soon.
func (s *State) readPause(i int) time.Duration {
	n := &s.nodes[i]
	if s.settled == "" || n.state != lifecycle.Unknown || n.proof != 0 || n.unread > 4 {
		return readEvery
	}
	return min(readEvery, readSoon<<max(0, n.unread-1))
}

// A lowering that failed is taken back by raising nodes. No node is raised before each one that made it fail has shown that it
// lives: where it has not, the origin cannot be restored, and what was raised would go down again at once.

// inDoubt reports whether node i made a lowering fail, and has not shown since that it lives.
func (s *State) inDoubt(i int) bool {
	n, w := &s.nodes[i], s.work
	return w.phase.restores && w.lowers && n.leg.open() && n.spec.Lifecycle && n.probing.heard < w.fault.failedAt && slices.Contains(w.fault.suspects, i)
}

// heldByDoubt reports whether node i is not raised yet because of such a node.
func (s *State) heldByDoubt(i int) bool {
	return slices.ContainsFunc(s.work.fault.suspects, func(j int) bool { return j != i && s.inDoubt(j) })
}

// suspected lets nodes go on that may have been held by node i.
func (s *State) suspected(i int) {
	if s.work != nil && slices.Contains(s.work.fault.suspects, i) {
		s.touchAll()
	}
}
