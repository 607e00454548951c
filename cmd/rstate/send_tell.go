//go:build ros

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"rstate/internal/clean"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/term"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// teller prints the progress of a goal. Its methods are called from several goroutines.
type teller interface {
	progress(*rstate_msgs_action.Transition_Feedback)
	state(*rstate_msgs_msg.InstanceState)
	taken(id string) // the daemon has accepted the goal, under that id
	say(text string)
	result(*rstate_msgs_action.Transition_Result) // may overtake the last progress
	end()                                         // the last call
}

// newTeller returns a teller that draws in place on a terminal, else one that prints lines.
func newTeller(out io.Writer) teller {
	if term.Is(out) {
		return newBoard(out)
	}
	return &lines{out: out}
}

// lines prints a line for each thing that is new.
type lines struct {
	mu    sync.Mutex
	out   io.Writer
	phase string
	names phaseNames
	goal  ownGoal
	last  *rstate_msgs_msg.InstanceState // the newest state
	told  []string                       // the waits that were printed
}

func (l *lines) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, clean.Text(text))
}

// result prints nothing: send prints the result itself.
func (l *lines) result(*rstate_msgs_action.Transition_Result) {}

func (l *lines) progress(f *rstate_msgs_action.Transition_Feedback) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if label := l.names.of(f); label != l.phase {
		l.phase = label
		fmt.Fprintln(l.out, phaseLabel(l.phase))
	}
	fmt.Fprintf(l.out, "  %-24s %s (%d of %d)\n", clean.Text(f.Last.Name), clean.Text(outcome(f.Last)), f.Done, f.Total)
}

// wayBack marks the steps that roll a transition back: they are counted separately.
const wayBack = ", rolled back"

// phaseNames follows the phases of a transition by its feedback.
type phaseNames struct {
	label  string // of the state that was shown last
	undoes bool   // the phase began by rolling back: error processing, whose label says enough
	back   bool   // it has turned to rolling back
}

// of returns the name of the phase to which the feedback belongs.
func (p *phaseNames) of(f *rstate_msgs_action.Transition_Feedback) string {
	undone := f.Last.Verdict == rstate_msgs_msg.NodeResult_UNDONE
	if f.State.Label != p.label {
		*p = phaseNames{label: f.State.Label, undoes: undone}
	}
	p.back = p.back || undone && !p.undoes
	if p.back {
		return p.label + wayBack
	}
	return p.label
}

func (l *lines) state(s *rstate_msgs_msg.InstanceState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = s
	l.waits()
}

// waits prints each wait of a rollback once.
func (l *lines) waits() {
	s := l.last
	if s == nil || !l.goal.runs(s, time.Now()) {
		return
	}
	for _, wait := range s.Progress.WaitingFor {
		if what := waitOf(wait); !slices.Contains(l.told, what) {
			l.told = append(l.told, what)
			fmt.Fprintln(l.out, "  waiting: "+clean.Text(wait))
		}
	}
}

// taken also prints what the newest state says of this goal: a state may overtake the answer that the goal is accepted.
func (l *lines) taken(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.goal = ownGoal{id, time.Now()}
	l.waits()
}

func (l *lines) end() {}

// ownGoal is the goal of this client once the daemon has accepted it.
type ownGoal struct {
	id string // empty: not accepted yet
	at time.Time
}

// strangersFor is how long after the acceptance a state may still be of before it.
const strangersFor = 500 * time.Millisecond

// runs reports whether a state shows work for this goal, not for that of another client. A goal that has
// joined the one of another client runs under the id of that.
func (g ownGoal) runs(s *rstate_msgs_msg.InstanceState, now time.Time) bool {
	return g.id != "" && (s.Progress.GoalId == g.id || now.Sub(g.at) > strangersFor)
}

// waitOf returns what a wait is for, without how long it still lasts.
func waitOf(wait string) string {
	if k := strings.LastIndex(wait, ", "); k >= 0 {
		return wait[:k]
	}
	return wait
}

// phaseLabel returns the name of a phase as text for people.
func phaseLabel(label string) string {
	state, back := strings.CutSuffix(label, wayBack)
	text := clean.Text(lifecycle.Words(state))
	if back {
		text += wayBack
	}
	return text
}

// outcome describes the result of a node: the step and the verdict, and if the step was not done,
// the evidence.
func outcome(r rstate_msgs_msg.NodeResult) string {
	done, undone := r.Verdict == rstate_msgs_msg.NodeResult_DONE, r.Verdict == rstate_msgs_msg.NodeResult_UNDONE
	switch {
	case r.Step == "" && (done || undone):
		if label := r.ToState.Label; label != "" && label != machine.Unknown {
			return "already " + labelOf(r.ToState)
		}
		return "unchanged"
	case undone:
		return "rolled back (" + r.Step + ")"
	case done:
		return r.Step + " done"
	}
	return strings.TrimRight(strings.TrimLeft(r.Step+" ", " ")+r.Verdict+": "+r.Evidence, ": ")
}
