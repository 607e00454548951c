package engine

import (
	"slices"
	"strings"

	"rstate/internal/machine"
)

// Names that a node must not offer unless it is armed: an action, service or topic that moves
// something. The world reports which of them the graph shows; the engine decides what follows.

func (co *course) unsafeSeen(in UnsafeSeen) {
	n := &co.nodes[in.Node]
	if slices.Equal(n.unsafe, in.Names) {
		return
	}
	n.bare = len(in.Names) > 0 && (n.bare || len(in.Names) > len(n.unsafe) && n.arm.ToDisarm())
	n.unsafe = in.Names
	co.changed = true
	co.touch(in.Node)
	co.touchAround(in.Node)
}

// exposed lists the unsafe names that node i offers although the network's state does not arm;
// empty: none.
func (ro *roster) exposed(i int, here machine.State) string {
	n := &ro.nodes[i]
	if len(n.unsafe) == 0 || here.Armed.Any() {
		return ""
	}
	return "advertises " + strings.Join(n.unsafe, ", ") + " although it is not armed"
}

// exposedBefore names the nodes that offer unsafe names and have not been armed; empty: none.
func (ro *roster) exposedBefore() string {
	for i := range ro.nodes {
		if ro.offersUnarmed(i) {
			return ro.nodes[i].spec.Name + " " + ro.exposed(i, machine.State{})
		}
	}
	return ""
}

// offersUnarmed reports whether node i offers unsafe names without being armed. A node that refuses
// to disarm is still armed, unless the names have appeared after the disarm was sent.
func (ro *roster) offersUnarmed(i int) bool {
	n := &ro.nodes[i]
	b := n.arm.Belief()
	return len(n.unsafe) > 0 && (b == Disarmed || n.bare && b == MayBeArmed)
}

// stillExposed reports whether a node still offers an unsafe name after a disarm.
func (co *course) stillExposed() bool {
	here, _ := co.machine.State(co.work.target)
	for i := range co.nodes {
		if co.exposed(i, here) != "" {
			return true
		}
	}
	return false
}

// withdraws reports whether the unsafe names of node i must disappear before the running disarm
// ends.
func (co *course) withdraws(i int, p *phase) bool {
	from, _ := co.machine.State(co.work.origin)
	return len(co.nodes[i].unsafe) > 0 && p == forward && co.isDisarm(co.work.command) && from.Armed.Any()
}
