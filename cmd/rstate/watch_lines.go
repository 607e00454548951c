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

// standing says in words where a network is.
func standing(s *rstate_msgs_msg.InstanceState) string {
	text := s.State.Label
	if s.Target.Label != s.State.Label {
		text += ", on the way to " + s.Target.Label
	}
	if !s.Intact {
		text += ", not intact"
	}
	return text
}

func headline(s *rstate_msgs_msg.InstanceState) string {
	return clean.Text(fmt.Sprintf("%s (simulation %s): %s", s.Name, s.Simulation, standing(s)))
}

// changes says what differs between two states, a sentence each; before is nil at the first one. Nodes are compared with
// the last state that said how they are.
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
	for _, w := range now.Warnings {
		if !slices.Contains(before.Warnings, w) {
			news = append(news, "warning: "+w)
		}
	}
	for _, w := range before.Warnings {
		if !slices.Contains(now.Warnings, w) {
			news = append(news, "no more: "+w)
		}
	}
	if now.LastFailure != before.LastFailure && now.LastFailure.Command != "" {
		news = append(news, "failure: "+failureLine(now))
	}
	if now.Refusal != "" && (now.Refusal != before.Refusal || now.RefusedAt != before.RefusedAt) {
		news = append(news, "refused: "+refusalLine(now))
	}
	return news
}

// nodeChanges tells of the nodes that are not as they were; at first, of those that are not as they should be.
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

// peerChanges tells of the peers that are not as they were.
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
	if p.Cause != "" && (!p.Alive || p.Behind || !p.Intact) {
		words += ": " + p.Cause
	}
	return words
}

// atRest is how a node is, whatever is asked of it now.
func atRest(n rstate_msgs_msg.NodeState) string {
	n.Running = ""
	n.ProofAge.Sec = -1 // it grows by itself
	words := nodeWord(n)
	if n.Cause != "" {
		words += ": " + n.Cause
	}
	return strings.TrimSpace(words)
}
