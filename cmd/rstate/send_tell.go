//go:build ros

package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"rstate/internal/clean"
	"rstate/internal/machine"
	"rstate/internal/term"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// teller prints the progress of a goal. Its methods are called from several goroutines.
type teller interface {
	progress(*rstate_msgs_action.Transition_Feedback)
	state(*rstate_msgs_msg.InstanceState)
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
		fmt.Fprintln(l.out, clean.Text(l.phase))
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

func (l *lines) state(*rstate_msgs_msg.InstanceState) {}

func (l *lines) end() {}

// outcome describes the result of a node: the step and the verdict, and if the step was not done,
// the evidence.
func outcome(r rstate_msgs_msg.NodeResult) string {
	done, undone := r.Verdict == rstate_msgs_msg.NodeResult_DONE, r.Verdict == rstate_msgs_msg.NodeResult_UNDONE
	switch {
	case r.Step == "" && (done || undone):
		if label := r.ToState.Label; label != "" && label != machine.Unknown {
			return "already " + label
		}
		return "unchanged"
	case undone:
		return "rolled back (" + r.Step + ")"
	case done:
		return r.Step + " done"
	}
	return strings.TrimRight(strings.TrimLeft(r.Step+" ", " ")+r.Verdict+": "+r.Evidence, ": ")
}
