package network

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/machine"
)

// Unwatched says whether nobody asks a node for its state, and nothing of it is checked, while others are armed: that it has
// died, or stands still, is known only when it leaves the graph. On an optional one, as long as it is not armed, nothing
// depends; and a node that is no lifecycle node has no state to be asked for.
func (n *Node) Unwatched() bool {
	return n.Lifecycle && !n.Optional && n.Arm == nil && n.Probe == 0 && len(n.Checks) == 0
}

// unwatched warns of such nodes in a network that can be armed.
func (c *checker) unwatched(m *machine.Machine) {
	arms := slices.ContainsFunc(m.States, func(s machine.State) bool { return s.Armed.Any() })
	if !arms || !slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.Arm != nil }) {
		return
	}
	var names []string
	for i := range c.Nodes {
		if c.Nodes[i].Unwatched() {
			names = append(names, c.Nodes[i].Name)
		}
	}
	if len(names) > 0 {
		c.at[names[0]].Value.Warn(UnwatchedWords(names), "write probe: 1s there, or in defaults, or give it a check")
	}
}

// UnwatchedWords says what follows for nodes that nobody asks.
func UnwatchedWords(names []string) string {
	const shown = 5
	list := strings.Join(names[:min(len(names), shown)], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "nobody asks " + list + " for its state while armed: killed on another host or frozen it is missed after some 20 s, hanging in a callback never"
}
