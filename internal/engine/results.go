package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// How nodes, work and goals end, and the last failure, which is shown until a goal succeeds.

// Ending is how a goal ended, in the terms of the action.
type Ending uint8

// The endings.
const (
	Succeeded Ending = iota
	Aborted
	Canceled
)

func (e Ending) String() string { return [...]string{"succeeded", "aborted", "canceled"}[e] }

// Outcome is how the work of a goal ended, in one word.
type Outcome string

// The outcomes.
const (
	OutcomeDone         Outcome = "done"
	OutcomeAlready      Outcome = "already"
	OutcomeRestored     Outcome = "restored"
	OutcomeUnconfigured Outcome = "unconfigured"
	OutcomeFinalized    Outcome = "finalized"
	OutcomeHeld         Outcome = "held"
	OutcomeCanceled     Outcome = "canceled"
	OutcomePreempted    Outcome = "preempted"
	OutcomeSuperseded   Outcome = "superseded"
	OutcomePeersBehind  Outcome = "peers_behind"
)

// Verdict is the result of one node.
type Verdict string

// The verdicts.
const (
	VerdictDone    Verdict = "done"
	VerdictRefused Verdict = "refused"
	VerdictErrored Verdict = "errored"
	VerdictLate    Verdict = "late"
	VerdictGone    Verdict = "gone"
	VerdictUnknown Verdict = "unknown"
	VerdictSkipped Verdict = "skipped"
	VerdictUndone  Verdict = "undone"
)

// NodeResult is the result of one node, with the evidence in words. Step is its last step.
type NodeResult struct {
	Node     string
	Step     string
	Verdict  Verdict
	Evidence string
	From     lifecycle.State // where it was found; Unknown: not read yet, or absent
	State    lifecycle.State // as last seen
	Elapsed  time.Duration
}

// Result is the final answer to the client of a goal.
type Result struct {
	Success bool
	Outcome Outcome
	Message string // one sentence for the user
	State   string // the network's state
	Nodes   []NodeResult
	Elapsed time.Duration
}

// noteResult keeps the result of a node's part.
func (co *course) noteResult(i int) {
	n := &co.nodes[i]
	w := co.work
	r := NodeResult{
		Node: n.spec.Name, Step: n.part.result.did, Verdict: n.part.result.verdict, Evidence: n.part.result.evidence,
		From: w.foundIn(i), State: n.state,
		Elapsed: co.now.Steady - n.part.since,
	}
	w.parts.results[i], w.parts.did[i] = r, true
	if !co.armsNext(i) {
		co.feedback(r)
	}
	if n.there() {
		n.place.repairs.epoch = n.epoch
	}
	if n.part.result.did != "" || n.part.passed || n.part.status == partGivenUp {
		co.recordResult(i, r)
	}
}

// resultsOf lists the results of the nodes: first the failures, in their order, then the rest as
// they ended. The failures include those of a command that w follows (F8).
func (ro *roster) resultsOf(w *work) []NodeResult {
	list := slices.Clone(w.fault.blame)
	if w.goal != nil {
		list = slices.Concat(w.goal.blame, w.fault.blame)
	}
	failures := list
	for i, r := range w.parts.results {
		blamed := func(b NodeResult) bool { return b.Node == ro.nodes[i].spec.Name }
		if w.parts.did[i] && !slices.ContainsFunc(failures, blamed) {
			r.State = ro.nodes[i].state
			list = append(list, r)
		}
	}
	for k := range list {
		list[k].Elapsed = max(0, list[k].Elapsed.Round(time.Microsecond))
	}
	return list
}

func (co *course) reportResults() {
	if co.work != nil {
		co.report.results = co.resultsOf(co.work)
	}
}

// Failure is the last failure: a command that failed, or a lowering that no goal asked for. The
// zero value: there was none since a goal last succeeded.
type Failure struct {
	Command string
	By      Origin
	Client  string // the client that asked; empty: none did
	Outcome Outcome
	From    string // the settled state in which it began
	Why     string
	At      time.Time // wall clock
}

func (f Failure) String() string {
	return fmt.Sprintf("%s %s: %s", f.Command, f.Outcome, f.Why)
}

// OutcomeLowered is the outcome of a lowering that no goal asked for. No goal ends with it.
const OutcomeLowered Outcome = "lowered"

// noteLowered notes a lowering that no goal asked for. The end of the process does not count,
// because nothing went wrong.
func (st *standing) noteLowered(by Origin, command, why string) {
	if st.closing.stop != nil {
		return
	}
	st.note(Failure{Command: command, By: by, Outcome: OutcomeLowered, From: st.settled, Why: why})
}

// noteEnd notes the end of a transition: a failure that no goal reports, or a success that clears
// the last failure. Work that a policy began does not clear it, whichever client waits for that
// work.
func (st *standing) noteEnd(w *work, e Ending, o Outcome, message string) {
	commanded := w.goal != nil && w.by != ByPolicy && w.by != ByExit
	f := Failure{Command: cmp.Or(w.command, "recovery"), By: w.by, Outcome: o, From: w.origin, Why: message}
	switch {
	case o == OutcomeRestored && w.command == "" && st.report.failure.Outcome == OutcomeLowered:
		// The disarm says more than its repair.
	case e == Aborted && w.goal == nil && fails(o):
		st.note(f)
	case e == Succeeded && o == OutcomeDone && commanded:
		st.report.failure = Failure{}
	}
}

// noteFinished notes a goal that failed.
func (st *standing) noteFinished(g *goal, e Ending, r Result) {
	if e != Aborted || !fails(r.Outcome) {
		return
	}
	f := Failure{Command: g.asked, By: g.by, Client: g.who, Outcome: r.Outcome, From: g.from, Why: r.Message}
	if g.by != ByGoal {
		f.Client = ""
	}
	st.note(f)
}

// fails reports whether an aborted goal with this outcome has failed. A goal that gave way to
// another has not.
func fails(o Outcome) bool { return o != OutcomePreempted && o != OutcomeSuperseded }

func (st *standing) note(f Failure) {
	f.At = st.now.Wall
	st.report.failure, st.changed = f, true
}
