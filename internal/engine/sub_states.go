package engine

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/clean"
	"rstate/internal/network"
)

// Sub-states that nodes report of themselves (S6).

// reported is the sub-state that the present process of a node has reported (S6).
type reported struct {
	word    string        // empty: none
	count   int           // how often in a row
	made    time.Duration // when it was published last
	strange []string      // undeclared words that were recorded
	since   time.Duration // when the present reportTime began
	lines   int           // recorded in it
	omitted int           // not recorded since the last line
}

// strangeMost is how many undeclared words of one process are recorded.
const strangeMost = 8

// nodeReported takes a sub-state that a node reports of itself (S6). It is no evidence for the
// lifecycle state of the node, and no sign of life: the middleware keeps the newest message.
func (cl *clients) nodeReported(in NodeReported) {
	n := &cl.nodes[in.Node]
	if !n.there() || in.Epoch != n.epoch {
		return
	}
	r := &n.reading.reported
	kind := n.spec.SubState(in.Word)
	if kind == network.Undeclared {
		cl.strangeReport(in)
		return
	}
	cl.changed = true
	made := cl.now.Steady - in.Age
	repeated := in.Word == r.word && (r.made >= cl.repeatsSince() || made < r.made+sameReport)
	if in.Word != r.word {
		r.word, r.count = in.Word, 0
	}
	r.count++
	r.made = made
	if repeated {
		return
	}
	cl.recordReport(in)
	switch e := (nodeError{in.Node, kind, in.Word}); {
	case made < cl.goals.workedAt: // from before the newest command, whether that runs or has settled
	case cl.busy():
		cl.failReported(e)
	default:
		cl.reactToReport(e)
	}
}

// sameReport is how much later a message that comes twice may seem to be made: its age is measured by clocks.
const sameReport = 10 * time.Millisecond

// repeatsSince is when the running work began, or else when the network settled. A word that has come since
// then says nothing new when it comes again.
func (cl *clients) repeatsSince() time.Duration {
	if cl.busy() {
		return cl.work.since
	}
	return cl.goals.settledAt
}

// A node may report faster than a disk writes. Of each reportTime, only so many lines are recorded.
const (
	reportTime  = 10 * time.Second
	reportLines = 20
)

// recordReport records a sub-state, and how many have been omitted before it.
func (ro *roster) recordReport(in NodeReported) {
	r := &ro.nodes[in.Node].reading.reported
	if ro.now.Steady-r.since >= reportTime {
		r.since, r.lines = ro.now.Steady, 0
	}
	if r.lines == reportLines {
		r.omitted++
		return
	}
	words := "reports " + in.Word
	if r.omitted > 0 {
		words += fmt.Sprintf("; not in the journal before it: %s, of which at most %d in %v are",
			clean.Count(r.omitted, "report"), reportLines, reportTime)
	}
	r.lines, r.omitted = r.lines+1, 0
	e := ro.nodeEntry(in.Node, EntryNode, EventReported, words)
	e.Cause = in.Message
	ro.record(e)
}

// strangeReport records a word that the network file does not declare, once.
func (ro *roster) strangeReport(in NodeReported) {
	r := &ro.nodes[in.Node].reading.reported
	if len(r.strange) >= strangeMost || slices.Contains(r.strange, in.Word) {
		return
	}
	r.strange = append(r.strange, in.Word)
	ro.record(ro.nodeEntry(in.Node, EntryNode, EventStrange,
		fmt.Sprintf("reports %q, which is ignored: the network file does not declare it; add it to runtime_states, exception_states or fatal_states of the node", in.Word)))
}
