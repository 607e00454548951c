//go:build ros

package main

import (
	"strings"

	"rstate/internal/term"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// guardWords says of a guard what it covers, or why it covers nothing.
func guardWords(g *rstate_msgs_msg.Guard) (word, cause string) {
	switch {
	case !g.Alive:
		return "does not count", g.Cause
	case len(g.Nodes) == 0:
		return "covers no node", g.Cause
	}
	return "covers " + strings.Join(g.Nodes, ", "), g.Cause
}

func styleOfGuard(g *rstate_msgs_msg.Guard) term.Style {
	if g.Alive && g.Cause == "" {
		return term.Plain
	}
	return term.Yellow
}
