package engine

import (
	"cmp"
	"slices"
	"time"

	"rstate/internal/clean"
)

// What nodes log. A node that refuses a step or errs usually logs why, on /rosout. Its last error during the
// step is quoted in the result and in the journal.

const (
	// logIn is how long the verdict on a refused or failed step waits for the error that the node logs: the
	// two come over different topics.
	logIn = 250 * time.Millisecond
	// logMost is how many bytes of an error are quoted.
	logMost = 300
)

// logging is what the engine knows of the errors that nodes log.
type logging struct {
	listens bool // the world passes them on
}

// nodeLogged takes an error that a node has logged. It counts if it was logged during the present step. It is
// text and nothing else: no evidence for a state, and no sign of life.
func (co *course) nodeLogged(in NodeLogged) {
	n := &co.nodes[in.Node]
	l := &n.part
	c := cmp.Or(n.call, l.refused)
	if co.work == nil || !l.open() || c == nil && !n.arm.Open() || c != nil && co.now.Steady-in.Age < c.Sent {
		return
	}
	l.logged = clean.Cut(in.Text, logMost)
	co.touch(in.Node)
}

// awaitsLog reports whether the verdict on a refused step waits for what the node logs.
func (co *course) awaitsLog(i int) bool {
	n := &co.nodes[i]
	l := &n.part
	failed := l.refused.Erred || n.state == l.refused.From
	return co.logs.listens && failed && l.stepped && l.logged == "" && co.waitUntil(i, l.refused.Found+logIn)
}

// quoting adds to the evidence against a node the last error that it has logged during the step.
func (l *part) quoting(v Verdict, evidence string) string {
	failed := []Verdict{VerdictRefused, VerdictErrored, VerdictLate}
	if l.logged == "" || !slices.Contains(failed, v) {
		return evidence
	}
	return evidence + `; it logged "` + l.logged + `"`
}

// listenLogs asks the world for what nodes log, while a transition runs.
func (co *course) listenLogs() {
	on := co.work != nil && co.closing.ended == nil
	if !co.opt.Logs || on == co.logs.listens {
		return
	}
	co.logs.listens = on
	co.do(ListenLogs{on})
}
