//go:build ros

package main

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/clean"
	"rstate/internal/machine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// standing describes the state of a network in words.
func standing(s *rstate_msgs_msg.InstanceState) string {
	text := labelOf(s.State)
	if s.Target.Label != s.State.Label {
		text += ", on the way to " + labelOf(s.Target)
	}
	if !s.Intact {
		text += ", not intact"
	}
	return text
}

func headline(s *rstate_msgs_msg.InstanceState) string {
	return clean.Text(fmt.Sprintf("%s (simulation %s): %s", s.Name, s.Simulation, standing(s)))
}

// changes describes the differences between two states, one sentence each. before is nil for the
// first state. Nodes are compared with known, the last state that was not unknown.
func changes(before, known, now *rstate_msgs_msg.InstanceState) []string {
	if before == nil || before.InstanceId != now.InstanceId {
		text := headline(now)
		if before != nil {
			text = "a new instance: " + text
		}
		news := append([]string{text}, nodeChanges(known, now)...)
		if line := failureLine(now); line != "" {
			news = append(news, "last failure: "+line)
		}
		return news
	}
	var news []string
	if now.State.Label != before.State.Label || now.Intact != before.Intact {
		text := "the network is " + standing(now)
		if now.Cause != "" && now.Cause != before.Cause {
			text += " (" + now.Cause + ")"
		}
		news = append(news, text)
	}
	news = append(news, nodeChanges(known, now)...)
	news = append(news, peerChanges(before, now)...)
	news = append(news, stopNews(before, now)...)
	if line := readinessChange(before, now); line != "" {
		news = append(news, line)
	}
	news = append(news, added("warning: ", before.Warnings, now.Warnings)...)
	news = append(news, added("no more: ", now.Warnings, before.Warnings)...)
	if now.LastFailure != before.LastFailure && now.LastFailure.Command != "" {
		news = append(news, "failure: "+failureLine(now))
	}
	if now.Refusal != "" && (now.Refusal != before.Refusal || now.RefusedAt != before.RefusedAt) {
		news = append(news, "refused: "+refusalLine(now))
	}
	return news
}

// added lists the texts that are new, each after a word.
func added(word string, old, now []string) []string {
	var list []string
	for _, text := range now {
		if !slices.Contains(old, text) {
			list = append(list, word+text)
		}
	}
	return list
}

// nodeChanges describes the nodes that have changed. Without a previous state, it describes the
// nodes that have a cause.
func nodeChanges(before, now *rstate_msgs_msg.InstanceState) []string {
	if now.State.Label == machine.Unknown {
		return nil
	}
	old := map[string]string{}
	if before != nil {
		for _, n := range before.Nodes {
			old[n.Name] = atRest(n)
		}
	}
	var news []string
	for _, n := range now.Nodes {
		word := atRest(n)
		was, known := old[n.Name]
		switch {
		case !known && (n.Cause != "" || before != nil):
			news = append(news, n.Name+": "+word)
		case known && was != word:
			news = append(news, fmt.Sprintf("%s: %s (was %s)", n.Name, word, was))
		}
	}
	return news
}

// peerChanges describes the peers that have changed.
func peerChanges(before, now *rstate_msgs_msg.InstanceState) []string {
	old := map[string]string{}
	for _, p := range before.Peers {
		old[p.Name] = peerLine(p)
	}
	var news []string
	for _, p := range now.Peers {
		word := peerLine(p)
		was, known := old[p.Name]
		switch {
		case !known:
			news = append(news, "peer "+p.Name+": "+word)
		case was != word:
			news = append(news, fmt.Sprintf("peer %s: %s (was %s)", p.Name, word, was))
		}
	}
	return news
}

func peerLine(p rstate_msgs_msg.Peer) string {
	words := peerWord(p)
	if cause := peerCause(p); cause != "" && (!p.Alive || p.Behind || !p.Intact) {
		words += ": " + cause
	}
	return words
}

// atRest describes a node without the call that runs, and without what grows by itself.
func atRest(n rstate_msgs_msg.NodeState) string {
	n.Running = ""
	n.ProofAge.Sec, n.ReportCount = -1, 0
	words := nodeWord(n)
	if cause := causeOf(n); cause != "" {
		words += ": " + cause
	}
	return strings.TrimSpace(words)
}
