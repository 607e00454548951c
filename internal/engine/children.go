package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/patient"
)

// Nodes that are networks themselves, or that another instance drives too.

// relation is that of a node to other instances of rstate.
type relation struct {
	// Why this instance must not drive the network that the node is; for the process childOf.
	child   string
	childOf uint64
	tellBy  time.Duration // until then a start waits for the node to report what it drives
	driver  string        // a peer that drives it too
}

// ChildIn is how long a start waits for a network among its nodes to report what it drives.
const ChildIn = 3 * time.Second * patient.Factor

func (ro *roster) childSeen(i int) {
	if !ro.startup.writes {
		ro.nodes[i].relation.tellBy = ro.now.Steady + ChildIn
		ro.wakeWhole(ro.nodes[i].relation.tellBy)
	}
}

// childFound judges a node that is the network of another rstate. It refuses a network that leads
// back to this one, because that network would be driven by what it drives. It also refuses a
// network of the same simulation, which would get each command twice: as a node and as a peer.
func (s *State) childFound(in ChildFound) {
	n := &s.nodes[in.Node]
	n.relation.child, n.relation.childOf, n.relation.tellBy = "", in.Epoch, 0
	switch {
	case len(in.Way) > 0:
		n.relation.child = fmt.Sprintf("is a network that leads back to this one (%s): take one of them out of nodes",
			way(n.spec.Name, in.Way))
	case in.Simulation == s.net.Simulation:
		n.relation.child = fmt.Sprintf("is a network of the same simulation, %s: give its file another simulation id, or let the two be peers and take it out of nodes", in.Simulation)
	}
	s.changed = true
	s.touch(in.Node)
	if n.relation.child != "" && !s.startup.named {
		s.exit(codeBadInput, fmt.Sprintf("cannot drive the network of %q: %s %s", s.net.File, n.spec.Name,
			n.relation.child))
	}
}

func way(first string, names []string) string {
	text := first
	for _, name := range names {
		text += " lists " + name
		if name != names[len(names)-1] {
			text += ", which"
		}
	}
	return text
}

// misled says why node i must not be raised although it is present; empty: it may be.
func (n *node) misled() string {
	if n.relation.driver != "" {
		return driven(n.relation.driver, "is", "it")
	}
	if n.relation.childOf != n.epoch {
		return "" // of an earlier process
	}
	return n.relation.child
}

// driven says of one node or of several that another instance drives them too.
func driven(driver, are, them string) string {
	return are + " driven by " + driver + " too, and a node has one coordinator only: take " + them +
		" out of one of the two files"
}

// drivenWords says of nodes that another instance drives them too.
func drivenWords(names []string, driver string) string {
	if len(names) == 1 {
		return names[0] + " " + driven(driver, "is", "it")
	}
	return strings.Join(names, ", ") + " " + driven(driver, "are", "them")
}

// judgeDrivers notes which of our nodes a peer drives too.
func (le *league) judgeDrivers() {
	for i := range le.nodes {
		n := &le.nodes[i]
		driver := ""
		for _, p := range le.peers.book.Peers() {
			// A peer that leaves may still drive it.
			if p.Alive && slices.Contains(p.Status.Nodes, n.spec.Name) {
				driver = p.Status.Name
			}
		}
		if driver != n.relation.driver {
			n.relation.driver = driver
			le.changed = true
			le.touch(i)
		}
	}
}
