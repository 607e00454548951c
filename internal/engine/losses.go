package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
)

// A node that is known to be lost before a lowering begins, although an endpoint of its name is
// left: it has not answered its probes, and its process may be suspended, hang, or have ended
// without the graph knowing it yet. Such a node does not fail what takes the network down. The
// request still goes to what is left of it, the result names it, and it deviates until it answers
// or is gone from the graph. Disarming is exempt: it waits for its confirmation.

// silent reports whether node i is known to be lost while endpoints of it are left.
func (n *node) silent() bool { return n.there() && n.reading.probing.lostAfter > 0 }

// lostBefore reports whether the running work lowers node i and the node was lost before that
// began.
func (co *course) lostBefore(i int) bool {
	n, w := &co.nodes[i], co.work
	if !n.silent() || !w.parts.began[i].silent || !n.part.wants {
		return false
	}
	switch p := w.phase; {
	case p == forward:
		return w.lowers && !w.proves()
	case p.heads == backward:
		return n.state.Level() > n.part.want.Level()
	}
	return w.phase.lowers()
}

// pressLost passes over a lost node when its turn comes.
func (co *course) pressLost(i int) {
	if waits := co.awaitTurn(i); waits {
		co.nodes[i].part.started = false
		return
	}
	co.passOver(i)
}

// passOver sends the next step of a lost node to every endpoint that is left, and does not wait for
// it.
func (co *course) passOver(i int) {
	n := &co.nodes[i]
	l := &n.part
	evidence := fmt.Sprintf("is lost: it left %d probes without an answer", n.reading.probing.lostAfter)
	t, ok := lifecycle.Next(n.state, l.want)
	if ok && n.call == nil && n.state.Primary() && t.Target().Level() < n.state.Level() && !co.awaitsJournal() {
		l.result.did, l.down, l.stepped = t.Label, true, true
		co.send(i, t)
		evidence += ", and may not do what it is asked"
	}
	l.passed = true
	co.finish(i, partDone, VerdictGone, evidence)
}

// passedOver names the nodes that were lost before the lowering began, and are not where they are
// to be.
func (ro *roster) passedOver(w *work) string {
	words := ""
	for i := range ro.nodes {
		n := &ro.nodes[i]
		if lost := w.parts.began[i].silent ||
			!w.parts.began[i].there; lost && n.place.deviant != "" && ro.matters(i) && !n.spec.Optional {
			words += fmt.Sprintf("; %s %s", n.spec.Name, n.place.deviant)
		}
	}
	return words
}

// onlyLost reports whether every node that is not in its place was lost before the lowering w
// began, and may not be armed.
func (ro *roster) onlyLost(w *work) bool {
	if !w.lowers {
		return false
	}
	for i := range ro.nodes {
		n := &ro.nodes[i]
		lost := w.parts.began[i].silent && n.silent() || !w.parts.began[i].there && !n.there() && n.absence.lost != ""
		if n.place.deviant != "" && ro.matters(i) && !(lost && n.arm.Belief() == Disarmed) {
			return false
		}
	}
	return true
}

// A node that gives no sign of life may be busy, may be suspended, or may have crashed. Where the
// kernel of this host does not tell, only the middleware does, and it takes its time. The waits of a rollback must not end just before that, because a
// rollback that is given up takes the whole network down.

const (
	// usualSilent is how long Fast DDS keeps a silent process in the graph.
	usualSilent = 20 * time.Second
	// laterEnd is how much later than the transition fails a process may end.
	laterEnd = 5 * time.Second
)

// silent returns how long the middleware keeps a silent process in the graph.
func (f *facts) silent() time.Duration {
	if f.opt.Silent > 0 {
		return f.opt.Silent
	}
	return usualSilent
}

// missedIn returns how long the middleware may take to notice that a process has ended.
func (f *facts) missedIn() time.Duration { return f.silent() + laterEnd }

// gaveSign reports whether the node has given a sign of life since it was last asked for its state.
// One that is busy with a call is asked every second, beginning 1 s after that.
func (n *node) gaveSign() bool {
	return n.reading.probing.heard > n.reading.polled && (n.call == nil || n.reading.polled >= n.call.Sent)
}

// missedBy returns until when a rollback waits for node i, which gives no sign of life: had its
// process ended before the transition failed, the middleware would have missed it by then. It
// returns 0 if the deadlines of the node alone decide.
func (co *course) missedBy(i int) time.Duration {
	n, w := &co.nodes[i], co.work
	back := w.phase.undoes
	if !back || n.spec.Deadline.Recover != 0 || !n.there() || n.gaveSign() {
		return 0
	}
	return max(w.fault.failedAt, n.reading.probing.heard) + co.missedIn()
}

// mayHaveEnded reports whether a rollback still waits for node i because its process may have
// ended.
func (co *course) mayHaveEnded(i int) bool {
	return co.waitUntil(i, co.missedBy(i))
}

// oneMayHaveEnded reports whether one of several endpoints of node i may be what is left of a
// process that has ended: a read is not answered by more than one of them, and the middleware may
// not have noticed the end yet.
func (ro *roster) oneMayHaveEnded(i int) bool {
	n := &ro.nodes[i]
	return !n.reading.allAnswer && ro.waitUntil(i, n.reading.several+ro.missedIn())
}

// countAnswers notes whether more than one endpoint of node i has answered the same read.
func (n *node) countAnswers(ticket uint64) {
	n.reading.allAnswer = n.reading.allAnswer || n.count > 1 && ticket == n.reading.answered
	n.reading.answered = ticket
}
