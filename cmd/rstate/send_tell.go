//go:build ros

package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"rstate/internal/clean"
	"rstate/internal/term"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// teller tells how a goal goes, while it runs. It is called from several goroutines.
type teller interface {
	progress(*rstate_msgs_action.Transition_Feedback)
	state(*rstate_msgs_msg.InstanceState)
	say(text string)
	result(*rstate_msgs_action.Transition_Result) // may overtake the last progress
	end()                                         // nothing is told any more
}

// newTeller tells in place on a terminal, else by lines.
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
	if label := labelOf(f, l.phase); label != l.phase {
		l.phase = label
		fmt.Fprintln(l.out, clean.Text(l.phase))
	}
	fmt.Fprintf(l.out, "  %-24s %s (%d of %d)\n", clean.Text(f.Last.Name), clean.Text(outcome(f.Last)), f.Done, f.Total)
}

// wayBack marks the steps that roll a cancelled transition back: they have a count of their own.
const wayBack = ", rolled back"

// labelOf names the part of the goal that feedback is about; before is the name of the part that came last.
func labelOf(f *rstate_msgs_action.Transition_Feedback, before string) string {
	label := f.State.Label
	if before == label+wayBack || before == label && f.Last.Verdict == rstate_msgs_msg.NodeResult_UNDONE {
		return label + wayBack
	}
	return label
}

func (l *lines) state(*rstate_msgs_msg.InstanceState) {}

func (l *lines) end() {}

// outcome says what became of a node: the step and the verdict, and of one that did not do it, what is known of that.
func outcome(r rstate_msgs_msg.NodeResult) string {
	done, undone := r.Verdict == rstate_msgs_msg.NodeResult_DONE, r.Verdict == rstate_msgs_msg.NodeResult_UNDONE
	switch {
	case r.Step == "" && (done || undone):
		return "is as it must be"
	case undone:
		return "taken back by " + r.Step
	case done:
		return r.Step + " done"
	}
	return strings.TrimRight(strings.TrimLeft(r.Step+" ", " ")+r.Verdict+": "+r.Evidence, ": ")
}
