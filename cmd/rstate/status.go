//go:build ros

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"go.uber.org/zap"

	"rstate/internal/app"
	"rstate/internal/clean"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

func statusVerb(e *env, f *options) action {
	daemon := f.String("node", "/"+app.NodeName, "full `name` of the daemon")
	patience := f.Duration("timeout", app.Patience, "how long to wait for an unresponsive daemon, a `time` like 30s")
	output := f.output("how to print the state")
	return func(words []string) int {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		client, err := connect(e, func() (*app.Client, error) { return app.NewBriefClient(*daemon, e.ros, zap.NewNop()) })
		if err != nil {
			return codeOf(e, err)
		}
		defer client.Close()
		client.Patience = *patience
		client.Waits = func(text string) { fmt.Fprintln(e.err, text) }
		state, err := client.State(ctx)
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

func printState(out io.Writer, s *rstate_msgs_msg.InstanceState) {
	fmt.Fprintf(out, "%s (simulation %s): %s", clean.Text(s.Name), clean.Text(s.Simulation), clean.Text(s.State.Label))
	if s.Target.Label != s.State.Label {
		fmt.Fprintf(out, ", on the way to %s, %d of %d steps", clean.Text(s.Target.Label), s.Progress.Done, s.Progress.Total)
	}
	if !s.Intact {
		fmt.Fprint(out, ", not intact")
	}
	fmt.Fprintln(out)
	for _, line := range []string{runningLine(s), loopLine(s), leaseLine(s)} {
		if line != "" {
			fmt.Fprintln(out, clean.Text(line))
		}
	}
	var lines bytes.Buffer
	table := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	for _, n := range s.Nodes {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", clean.Text(n.Name), clean.Text(nodeWord(n)), clean.Text(n.Cause))
	}
	for _, p := range s.Peers {
		fmt.Fprintf(table, "  peer %s\t%s\t%s\n", clean.Text(p.Name), clean.Text(peerWord(p)), clean.Text(p.Cause))
	}
	table.Flush()
	for line := range strings.Lines(lines.String()) { // without trailing padding
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
	for _, g := range s.OpenGoals {
		fmt.Fprintf(out, "goal %s is open, and waits for peers or for the end of the loop\n", clean.Text(g))
	}
	for _, w := range s.Progress.WaitingFor {
		fmt.Fprintln(out, "waiting: "+clean.Text(w))
	}
	if s.Clock == rstate_msgs_msg.InstanceState_CLOCK_HELD {
		fmt.Fprintln(out, "simulated time stands still; deadlines of nodes are held")
	}
	for _, w := range s.Warnings {
		fmt.Fprintln(out, "warning: "+clean.Text(w))
	}
	if line := failureLine(s); line != "" {
		fmt.Fprintln(out, "last failure: "+clean.Text(line))
	}
	if line := refusalLine(s); line != "" {
		fmt.Fprintln(out, "last refused: "+clean.Text(line))
	}
	fmt.Fprintln(out, clean.Text(legalLine(s)))
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
	words := []string{n.State.Label}
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
	words := []string{p.State.Label}
	switch {
	case !p.Alive && p.InstanceId == "" && p.Age.Sec >= 0: // it speaks only the four fields
		words[0] = "last reported " + p.State.Label
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
