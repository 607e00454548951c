package engine

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// A node that is known to be lost before a lowering begins, although an endpoint of its name is
// left: it has not answered its probes, and its process may be suspended, hang, or have ended
// without the graph knowing it yet. Such a node does not fail what takes the network down. The
// request still goes to what is left of it, the result names it, and it deviates until it answers
// or is gone from the graph. Disarming is exempt: it waits for its confirmation.

// silent reports whether node i is known to be lost while endpoints of it are left.
func (n *node) silent() bool { return n.there() && n.reading.probing.left > 0 }

// lostBefore reports whether the running work lowers node i and the node was lost before that
// began.
func (s *State) lostBefore(i int) bool {
	n, w := &s.nodes[i], s.work
	if !n.silent() || !w.parts.began[i].silent || !n.part.wants {
		return false
	}
	switch p := w.phase; {
	case p.commands:
		return w.lowers && !w.proves()
	case p.returns:
		return n.state.Level() > n.part.want.Level()
	}
	return w.phase.down
}

// pressLost passes over a lost node when its turn comes.
func (s *State) pressLost(i int) {
	if s.blocked(i) {
		s.nodes[i].part.started = false
		return
	}
	s.passOver(i)
}

// passOver sends the next step of a lost node to every endpoint that is left, and does not wait for
// it.
func (s *State) passOver(i int) {
	n := &s.nodes[i]
	l := &n.part
	evidence := fmt.Sprintf("is lost: it left %d probes without an answer", n.reading.probing.left)
	t, ok := lifecycle.Next(n.state, l.want)
	if ok && n.call == nil && n.state.Primary() && t.Target().Level() < n.state.Level() && !s.awaitsJournal() {
		l.result.did, l.down, l.stepped = t.Label, true, true
		s.send(i, t)
		evidence += ", and may not do what it is asked"
	}
	l.passed = true
	s.finish(i, partDone, VerdictGone, evidence)
}

// passedOver names the nodes that were lost before the lowering began, and are not where they are
// to be.
func (s *State) passedOver(w *work) string {
	words := ""
	for i := range s.nodes {
		n := &s.nodes[i]
		if lost := w.parts.began[i].silent || !w.parts.began[i].there; lost && n.place.deviant != "" && s.matters(i) && !n.spec.Optional {
			words += fmt.Sprintf("; %s %s", n.spec.Name, n.place.deviant)
		}
	}
	return words
}

// onlyLost reports whether every node that is not in its place was lost before the lowering w
// began, and may not be armed.
func (s *State) onlyLost(w *work) bool {
	if !w.lowers {
		return false
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		lost := w.parts.began[i].silent && n.silent() || !w.parts.began[i].there && !n.there() && n.absence.lost != ""
		if n.place.deviant != "" && s.matters(i) && !(lost && n.arm.Belief() == Disarmed) {
			return false
		}
	}
	return true
}

// A process that has ended stays in the graph until the middleware misses it, for 20 s with default
// settings. The operating system knows at once. But which process belongs to an endpoint of the
// graph is inferred, and may be wrong. So the engine tests such a report by one read of a lifecycle
// node: an endpoint that answers lives. One that does not answer in endedIn no longer counts as
// living: the node is lost if no other endpoint of it is left, and a respawned node does not share
// its name with a dead one.
//
// Nothing else follows from it. A node that may be armed may still be, disarms go to every endpoint
// in the graph, and no decision about the name of this instance (S1) rests on it. Anything that is
// heard from the endpoint later takes it back.

// whyEnded is the reason shown for such a node.
const whyEnded = "its process has ended"

const (
	// How long a process has to answer the read if it may have ended.
	endedIn = 100 * time.Millisecond
	// An engine that looks so much later may have the answer before it, unread.
	endedLate = 25 * time.Millisecond
	endedMost = 500 * time.Millisecond // the longest that it waits for that reason
)

// shows takes what the graph shows. Ends of processes that have left it are forgotten.
func (d *endpoints) shows(in NodeSeen) {
	d.epochs, d.newest, d.count = in.Epochs, in.Epoch, max(in.Count, 1)
	d.ends = slices.DeleteFunc(d.ends, func(e end) bool { return !slices.Contains(d.epochs, e.epoch) })
}

// living returns how many endpoints count as living, and the newest of them.
func (d *endpoints) living() (newest uint64, count int) {
	count, newest = d.count, d.newest
	if !slices.ContainsFunc(d.ends, end.confirmed) {
		return newest, count
	}
	newest = 0
	for _, epoch := range d.epochs {
		if slices.ContainsFunc(d.ends, func(e end) bool { return e.confirmed() && e.epoch == epoch }) {
			count--
			continue
		}
		newest = max(newest, epoch)
	}
	return newest, count
}

func (e end) confirmed() bool { return e.verdict == endConfirmed }

// reachable reports whether requests to the node still go to an endpoint, even if its process is
// said to have ended.
func (n *node) reachable() bool { return n.there() || n.absence.endpoints.count > 0 }

// nodeEnded begins to test whether a process has ended.
func (s *State) nodeEnded(in NodeEnded) {
	n := &s.nodes[in.Node]
	d := &n.absence.endpoints
	known := slices.ContainsFunc(d.ends, func(e end) bool { return e.epoch == in.Epoch })
	if s.closing.ended != nil || known || !n.there() || !slices.Contains(d.epochs, in.Epoch) {
		return
	}
	d.ends = append(d.ends, end{epoch: in.Epoch, told: s.now.Steady})
	s.test(in.Node, &d.ends[len(d.ends)-1])
}

// test reads a node to see whether a process of it lives.
func (s *State) test(i int, e *end) {
	if s.nodes[i].spec.Lifecycle {
		s.ask(i, false)
		e.ticket = s.turn.number
	} else { // a plain node cannot be read; the answer to a later request proves that it lives
		e.ticket = s.turn.number + 1
	}
	e.verdict, e.answers, e.others = endTested, 0, max(0, s.nodes[i].absence.endpoints.count-1)
	e.by = s.now.Steady + endedIn
	s.at(i, e.by)
	if !slices.Contains(s.turn.ending, i) {
		s.turn.ending = append(s.turn.ending, i)
	}
}

// retest tests again where the result was uncertain: other endpoints may answer by now, or the
// engine was late.
func (s *State) retest(i int) {
	n := &s.nodes[i]
	for k := range n.absence.endpoints.ends {
		if e := &n.absence.endpoints.ends[k]; n.there() && !e.confirmed() && (e.verdict == endTested || n.absence.endpoints.count > 1) {
			e.told = s.now.Steady
			s.test(i, e)
		}
	}
}

// judgeEnds declares those processes ended that have not answered in time.
func (s *State) judgeEnds() {
	open := s.turn.ending[:0]
	for _, i := range s.turn.ending {
		n := &s.nodes[i]
		waits, changed := false, false
		for k := range n.absence.endpoints.ends {
			e := &n.absence.endpoints.ends[k]
			switch {
			case e.verdict != endTested:
			case s.now.Steady < e.by:
				waits = true
			case s.now.Steady >= e.by+endedLate && e.by < e.told+endedMost:
				e.by = s.now.Steady + endedIn/2
				s.at(i, e.by)
				waits = true
			default:
				e.verdict, changed = endConfirmed, true
			}
		}
		if waits {
			open = append(open, i)
		}
		if changed {
			s.recount(i)
		}
	}
	s.turn.ending = open
}

// recount notes how many processes of node i live by now.
func (s *State) recount(i int) {
	if newest, count := s.nodes[i].absence.endpoints.living(); count > 0 {
		s.present(i, newest, count)
	} else {
		s.lose(i, whyEnded)
	}
}

// answered takes an answer of node i to a request of that number. One that went out after the end
// of a process was reported proves that a process of the name lives. It was that one if every other
// endpoint has answered too.
func (s *State) answered(i int, number uint64) {
	n := &s.nodes[i]
	d := &n.absence.endpoints
	changed := false
	for k := range d.ends {
		e := &d.ends[k]
		if number < e.ticket {
			continue
		}
		if number == e.ticket {
			e.answers++
		}
		if d.count == 1 || !n.there() || number == e.ticket && e.answers > e.others {
			changed = changed || e.confirmed()
			e.verdict = endDoubted
		}
	}
	if changed {
		s.recount(i)
	}
}

// announced takes that something was heard from the process of an epoch. While it is tested, that
// may have been said before the end, and it is tested once more; later it proves that the process
// lives.
func (s *State) announced(i int, epoch uint64) {
	d := &s.nodes[i].absence.endpoints
	k := slices.IndexFunc(d.ends, func(e end) bool { return e.epoch == epoch })
	switch {
	case k < 0:
	case d.ends[k].verdict == endTested:
		d.ends[k].told = s.now.Steady
		s.test(i, &d.ends[k])
	default:
		was := d.ends[k].confirmed()
		d.ends = slices.Delete(d.ends, k, k+1)
		if was {
			s.recount(i)
		}
	}
}

// outOfGraph notes that no endpoint of node i is left in the graph. One whose process was said to
// have ended may have heard the lease until now.
func (s *State) outOfGraph(i int) {
	n := &s.nodes[i]
	if a := &n.arm; n.absence.endpoints.count > 0 && !n.there() && a.Belief() != Disarmed && !a.Left() {
		a.OutliveMore(s.hold.leaseEnds)
		s.at(i, a.GoneBy())
	}
	n.absence.endpoints = endpoints{}
}

// A node that gives no sign of life may be busy, may be suspended, or may have crashed. Where the
// kernel of this host does not tell, only the middleware does, and it takes its time: Fast DDS
// keeps a participant for 20 s. The waits of a rollback must not end just before that, because a
// rollback that is given up takes the whole network down.

const (
	// missedIn is how long the middleware may take to notice that a process has ended: the default
	// lease of Fast DDS, and 5 s for a process that ends a little later than the transition fails.
	missedIn = 25 * time.Second
	// respawnIn is how long a command that repairs a state waits for the next process of a node
	// that was lost.
	respawnIn = 5 * time.Second
	// readSoon is how long after its first read a new process is read again. The pause doubles up
	// to readEvery.
	readSoon = 100 * time.Millisecond
)

// gaveSign reports whether the node has given a sign of life since it was last asked for its state.
// One that is busy with a call is asked every second, beginning 1 s after that.
func (n *node) gaveSign() bool {
	return n.reading.probing.heard > n.reading.polled && (n.call == nil || n.reading.polled >= n.call.Sent)
}

// missedBy returns until when a rollback waits for node i, which gives no sign of life: had its
// process ended before the transition failed, the middleware would have missed it by then. It
// returns 0 if the deadlines of the node alone decide.
func (s *State) missedBy(i int) time.Duration {
	n, w := &s.nodes[i], s.work
	back := w.phase.undoes
	if !back || n.spec.Deadline.Recover != 0 || !n.there() || n.gaveSign() {
		return 0
	}
	return max(w.fault.failedAt, n.reading.probing.heard) + missedIn
}

// mayHaveEnded reports whether a rollback still waits for node i because its process may have
// ended.
func (s *State) mayHaveEnded(i int) bool {
	return s.before(i, s.missedBy(i))
}

// oneMayHaveEnded reports whether one of several endpoints of node i may be what is left of a
// process that has ended: a read is not answered by more than one of them, and the middleware may
// not have noticed the end yet.
func (s *State) oneMayHaveEnded(i int) bool {
	n := &s.nodes[i]
	return !n.reading.allAnswer && s.before(i, n.reading.several+missedIn)
}

// countAnswers notes whether more than one endpoint of node i has answered the same read.
func (n *node) countAnswers(ticket uint64) {
	n.reading.allAnswer = n.reading.allAnswer || n.count > 1 && ticket == n.reading.answered
	n.reading.answered = ticket
}

// awaitsRespawn reports whether the running command waits for the next process of node i, which was
// lost before the command began and not long ago.
func (s *State) awaitsRespawn(i int) bool {
	n, w := &s.nodes[i], s.work
	if !w.phase.commands || w.lowers || w.proves() || w.parts.began[i].there || n.absence.lost == "" || n.spec.Optional || !n.part.wants {
		return false
	}
	return s.before(i, n.absence.lostAt+respawnIn)
}

// readPause is how long after a read without an answer node i is read again. Requests to a new
// process are lost until its services have found ours, so it is read again soon.
func (s *State) readPause(i int) time.Duration {
	n := &s.nodes[i]
	if s.settled == "" || n.state != lifecycle.Unknown || n.proof != 0 || n.reading.unread > 4 {
		return readEvery
	}
	return min(readEvery, readSoon<<max(0, n.reading.unread-1))
}

// A lowering that failed is taken back by raising nodes. No node is raised before each one that
// made it fail has shown that it lives: where it has not, the origin cannot be restored, and what
// was raised would go down again at once.

// inDoubt reports whether node i made a lowering fail, and has not shown since that it lives.
func (s *State) inDoubt(i int) bool {
	n, w := &s.nodes[i], s.work
	return w.phase.restores && w.lowers && n.part.open() && n.spec.Lifecycle && n.reading.probing.heard < w.fault.failedAt && slices.Contains(w.fault.suspects, i)
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
