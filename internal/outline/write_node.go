package outline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"rstate/internal/clean"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// The entry of a node, and the comments in front of it.

// node writes what is known of a node, and its entry.
func (w *writer) node(n *Node) {
	const indent = "  "
	w.about(indent, n)
	var entry []string
	if n.Kind != Lifecycle {
		entry = append(entry, "lifecycle: false")
	}
	if list := w.order(indent, n); len(list) > 0 {
		entry = append(entry, "after: ["+strings.Join(list, ", ")+"]")
	}
	if n.Kind == Lifecycle {
		entry = append(entry, w.arm(indent, n)...)
		w.checks(indent, n)
		w.reports(indent, n)
	}
	line := fmt.Sprintf("%s%s: {%s}\n", indent, n.Name, strings.Join(entry, ", "))
	if len(line) > columns && len(entry) > 0 {
		line = fmt.Sprintf("%s%s:\n%s%s%s\n", indent, n.Name, indent, indent, strings.Join(entry, "\n"+indent+indent))
	}
	w.b.WriteString(line)
}

// about writes what the node is now.
func (w *writer) about(indent string, n *Node) {
	switch {
	case w.draft.Seen.Launch:
		w.comment(indent, n.program())
	case n.Kind != Lifecycle:
		w.comment(indent, string(n.Kind)+" node")
	case n.State == "":
		w.toDo(indent, "%s has not answered what its state is; rstate doctor %s says why", n.Name, w.file)
	case n.State == lifecycle.Finalized.String():
		w.toDo(indent, "%s is finalized, and no command raises it again: start its process anew", n.Name)
	case len(n.Transitions) > 0:
		w.comment(indent, fmt.Sprintf("%s; it can %s", n.State, strings.Join(n.Transitions, ", ")))
	default:
		w.comment(indent, n.State)
	}
	if n.Count > 1 {
		w.toDo(indent, "%d nodes have the name %s. rstate drives one of them: give each a name of its own", n.Count,
			n.Name)
	}
	if together := w.together(n); len(together) > 0 {
		w.comment(indent, "in one process with "+w.nodes(together)+": they are lost together")
		for _, other := range w.draft.some(Control) {
			if slices.Contains(together, other.Name) {
				w.toDo(indent, "if %s switches %s as a controller, remove it here: a node has one coordinator", other.Name,
					n.Name)
			}
		}
	}
}

// program names what a launch file starts.
func (n *Node) program() string {
	what := strings.Trim(n.Package+" "+n.Executable, " ")
	for _, r := range n.Remappings {
		what += fmt.Sprintf(", %s:=%s", r[0], r[1])
	}
	return what
}

// together returns the other nodes of the process of a node.
func (w *writer) together(n *Node) (others []string) {
	for _, o := range w.draft.Seen.Nodes {
		if n.Process != "" && o.Process == n.Process && o.Name != n.Name && o.Kind != Tool && o.Kind != Own {
			others = append(others, o.Name)
		}
	}
	return others
}

// order writes the reasons for the place of a node, and returns what it comes after.
func (w *writer) order(indent string, n *Node) (list []string) {
	all := w.draft.Order // sorted by node
	first, _ := slices.BinarySearchFunc(all, n.Name,
		func(l Link, name string) int { return strings.Compare(l.Node, name) })
	for _, l := range all[first:] {
		if l.Node != n.Name {
			break
		}
		if l.Implied {
			continue
		}
		because := "it " + andMore(l.Because)
		if l.Left != "" {
			w.guess(indent, "not after %s, although %s: %s", l.After, because, l.Left)
			continue
		}
		w.guess(indent, "after %s, because %s", l.After, because)
		list = append(list, l.After)
	}
	return list
}

// andMore names the first of the reasons, and counts the others.
func andMore(list []string) string {
	const few = 2
	if len(list) <= few {
		return strings.Join(list, " and ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:few], ", "), len(list)-few)
}

// arm writes what may arm a node, and returns its entry.
func (w *writer) arm(indent string, n *Node) (entry []string) {
	sure, perhaps := n.armServices()
	lease, follows := n.follows()
	for _, service := range sure {
		w.guess(indent, "%s (%s) arms it, by its name", service, typeSwitch)
		w.toDo(indent, "make sure that %s arms with true and disarms with false. Every start of rstate disarms it", service)
		call := fmt.Sprintf("service: %s", service)
		if !follows {
			w.toDo(indent, "%s follows no arm lease, so it stays armed if rstate dies. Let it follow the lease, or run "+
				"rstate guard beside it and write arming: {guard: required}", n.Name)
			call += ", dead_man: none"
		} else if lease != standardLease {
			w.toDo(indent, "%s follows the lease %s, so the daemon has to be %s: set its name with --ros-args", n.Name, lease,
				path.Dir(lease))
		}
		entry = append(entry, "arm: {"+call+"}")
	}
	for _, service := range perhaps {
		w.toDo(indent, "if %s (%s) switches what can do harm, let rstate arm with it: arm: {service: %s}", service,
			typeSwitch, service)
	}
	if len(sure) == 0 && follows {
		w.toDo(indent, "%s follows the arm lease %s, and no service of it is known that arms: write arm: {service: …}", n.Name, lease)
	}
	return entry
}

// checks offers what could be a check.
func (w *writer) checks(indent string, n *Node) {
	offered := 0
	for _, e := range n.Publishes {
		if problem, _ := network.TopicName(e.Name); problem != "" || !e.telling() || strings.Contains(e.Name, "/_") {
			continue
		}
		if offered++; offered <= mostChecks {
			w.comment(indent, fmt.Sprintf("could be a check: checks: [{topic: %s, age: 1s}]", e.Name))
		}
	}
	if offered > mostChecks {
		w.comment(indent, fmt.Sprintf("publishes %s more", clean.Count(offered-mostChecks, "topic")))
	}
	for _, e := range n.Serves {
		if problem, _ := network.ServiceName(e.Name); e.Type == typeTrigger && problem == "" {
			w.comment(indent, fmt.Sprintf("could be a check, if it only looks: checks: [{service: %s}]", e.Name))
		}
	}
}

// reports writes what a node can do beyond a lifecycle.
func (w *writer) reports(indent string, n *Node) {
	if slices.Contains(n.Publishes, Endpoint{n.Name + "/report", typeReport}) {
		w.toDo(indent, "%s reports sub-states: list them as runtime_states and exception_states", n.Name)
	}
	if serves(n, "/step", typeStep) {
		w.toDo(indent, "%s can take part in a stepped loop: docs/loop.md explains the key loop", n.Name)
	}
}
