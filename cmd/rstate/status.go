//go:build ros

package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"go.uber.org/zap"

	"rstate/internal/client"
	"rstate/internal/term"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

func statusVerb(e *env, f *options) action {
	daemon := f.daemon("full `name` of the daemon")
	patience := f.Duration("timeout", client.Patience, "how long to wait for an unresponsive daemon, a `time` like 30s")
	output := f.output("how to print the state")
	return func(words []string) int {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		conn, err := connect(e, func() (*client.Client, error) { return client.NewBrief(*daemon, e.ros, zap.NewNop()) })
		if err != nil {
			return codeOf(e, err)
		}
		defer conn.Close()
		conn.Patience = *patience
		conn.Waits = func(text string) { fmt.Fprintln(e.err, text) }
		state, err := conn.State(ctx)
		if err != nil {
			return codeOf(e, err)
		}
		if *output != asTable {
			return e.print(*output, message{state})
		}
		printState(e.out, state)
		return exitDone
	}
}

// printState prints a state for people: in colours, if out is a terminal.
func printState(out io.Writer, s *rstate_msgs_msg.InstanceState) {
	for _, line := range statusLines(s) {
		term.Print(out, line)
	}
}

// statusLines returns the lines of a status.
func statusLines(s *rstate_msgs_msg.InstanceState) []term.Line {
	var lines []term.Line
	add := func(style term.Style, texts ...string) {
		for _, text := range texts {
			if text != "" {
				lines = append(lines, term.Text(text, style))
			}
		}
	}
	where := standing(s)
	if s.Target.Label != s.State.Label {
		where = strings.Replace(where, labelOf(s.Target),
			fmt.Sprintf("%s, %d of %d steps", labelOf(s.Target), s.Progress.Done, s.Progress.Total), 1)
	}
	lines = append(lines, term.Line{{Text: fmt.Sprintf("%s (simulation %s): ", s.Name, s.Simulation)},
		{Text: where, Style: styleOfNetwork(s)}})
	add(term.Plain, runningLine(s), loopLine(s), leaseLine(s))
	lines = append(lines, statusTable(s)...)
	lines = append(lines, stopLines(s)...)
	lines = append(lines, readinessLines(s)...)
	for _, g := range s.OpenGoals {
		add(term.Plain, fmt.Sprintf("goal %s is open, and waits for peers or for the end of the loop", g))
	}
	add(term.Yellow, prefixed("waiting: ", s.Progress.WaitingFor)...)
	if s.Clock == rstate_msgs_msg.InstanceState_CLOCK_HELD {
		add(term.Yellow, "simulated time stands still; deadlines of nodes are held")
	}
	add(term.Yellow, prefixed("warning: ", s.Warnings)...)
	add(term.Red, prefixed("last failure: ", []string{failureLine(s)})...)
	add(term.Plain, prefixed("last refused: ", []string{refusalLine(s)})...)
	add(term.Plain, legalLine(s))
	return lines
}

// prefixed puts a word before each text that is not empty.
func prefixed(word string, texts []string) []string {
	var list []string
	for _, text := range texts {
		if text != "" {
			list = append(list, word+text)
		}
	}
	return list
}

// statusTable returns a line for each node, peer and guard, in columns.
func statusTable(s *rstate_msgs_msg.InstanceState) []term.Line {
	type row struct {
		name, word, cause string
		style             term.Style
	}
	var rows []row
	for _, n := range s.Nodes {
		rows = append(rows, row{n.Name, nodeWord(n), causeOf(n), styleOf(n)})
	}
	for _, p := range s.Peers {
		rows = append(rows, row{"peer " + p.Name, peerWord(p), peerCause(p), styleOfPeer(p)})
	}
	for i := range s.Guards {
		w, cause := guardWords(&s.Guards[i])
		rows = append(rows, row{"guard " + s.Guards[i].Id, w, cause, styleOfGuard(&s.Guards[i])})
	}
	name, word := 0, 0
	for _, r := range rows {
		name, word = max(name, term.Width(r.name)), max(word, term.Width(r.word))
	}
	lines := make([]term.Line, 0, len(rows))
	for _, r := range rows {
		text := fmt.Sprintf("  %s  %s  %s", padded(r.name, name), padded(r.word, word), r.cause)
		lines = append(lines, term.Text(strings.TrimRight(text, " "), r.style))
	}
	return lines
}

// padded fills a text up to so many columns.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-term.Width(text)))
}

// causeOf returns why a node is as it is, without what its word has said already.
func causeOf(n rstate_msgs_msg.NodeState) string {
	if n.Present {
		return n.Cause
	}
	return withoutAbsence(n.Cause)
}

// peerCause returns why a peer is as it is, without what its word has said already.
func peerCause(p rstate_msgs_msg.Peer) string {
	if p.Alive {
		return p.Cause
	}
	return withoutAbsence(p.Cause)
}

// withoutAbsence cuts from a cause that something is not there.
func withoutAbsence(cause string) string {
	return strings.TrimLeft(strings.TrimPrefix(cause, "is not there"), ",; ")
}

// legalLine lists the commands that the daemon accepts now.
func legalLine(s *rstate_msgs_msg.InstanceState) string {
	if len(s.Legal) == 0 {
		return "legal now: no command"
	}
	return "legal now: " + strings.Join(s.Legal, ", ")
}

// nodeWord describes a node in a few words.
func nodeWord(n rstate_msgs_msg.NodeState) string {
	words := []string{labelOf(n.State)}
	switch {
	case !n.Present:
		words[0] = "not there"
	case !n.Lifecycle:
		words[0] = "present"
	}
	switch {
	case n.Armed:
		words = append(words, "armed")
	case n.MayBeArmed:
		words = append(words, "may be armed")
	}
	if n.ArmServedBy != "" {
		words = append(words, "arm served by "+n.ArmServedBy)
	}
	if n.ProofAge.Sec >= 0 && (n.Armed || n.MayBeArmed) {
		words = append(words, "proof "+took(durationOf(n.ProofAge))+" old")
	}
	if n.Running != "" {
		words = append(words, n.Running+" runs")
	}
	if n.Report != "" {
		words = append(words, reportWord(n))
	}
	if n.Optional {
		words = append(words, "optional")
	}
	if n.Instances > 1 {
		words = append(words, fmt.Sprintf("%d of that name", n.Instances))
	}
	return strings.Join(words, ", ")
}

// reportWord names the sub-state that a node reports, and how often in a row.
func reportWord(n rstate_msgs_msg.NodeState) string {
	if n.ReportCount > 1 {
		return fmt.Sprintf("reports %s (%d times)", n.Report, n.ReportCount)
	}
	return "reports " + n.Report
}

// peerWord describes a peer in a few words.
func peerWord(p rstate_msgs_msg.Peer) string {
	words := []string{labelOf(p.State)}
	switch {
	case !p.Alive && p.InstanceId == "" && p.Age.Sec >= 0: // it speaks only the four fields
		words[0] = "last reported " + labelOf(p.State)
	case !p.Alive:
		words[0] = "not there"
	case !p.SameMachine:
		words = append(words, "of another machine")
	case p.Behind:
		words = append(words, "behind")
	}
	if p.Alive && !p.Intact {
		words = append(words, "not intact")
	}
	if p.Leaving && p.Alive {
		words = append(words, "ends")
	}
	if p.Required {
		words = append(words, "required")
	}
	return strings.Join(words, ", ")
}
