package network

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/machine"
	"rstate/internal/middleware"
)

// Unwatched reports whether no proof is asked of a node, and nothing of it is checked while others are armed: they
// stay armed after it has died, or stands still, until it leaves the graph. The default watch (S5) only shows it as
// unresponsive. On an optional one, as long as it is not armed, nothing depends; and a node that is no lifecycle node
// has no state to be asked for.
func (n *Node) Unwatched() bool {
	return n.Lifecycle && !n.Optional && n.Arm == nil && len(n.Serves) == 0 && n.Probe == 0 &&
		!slices.ContainsFunc(n.Checks, func(c Check) bool { return c.Stays() })
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
		c.at[names[0]].Value.Warn(UnwatchedWords(names, middleware.GoneAnywhere()), "write probe: 1s there, or in defaults, or give it a check")
	}
}

// UnwatchedWords says what follows for nodes of which no proof is asked. gone says how long the middleware keeps a
// silent process in the graph.
func UnwatchedWords(names []string, gone string) string {
	const shown = 5
	list := strings.Join(names[:min(len(names), shown)], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "while armed, no proof is asked of " + list +
		": if it is killed on another host or suspended, the others stay armed until the middleware removes it (" + gone + "), and for ever if it hangs in a callback, where it is only shown as unresponsive"
}
