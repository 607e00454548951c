package outline

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/clean"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// The marks that a person searches for.
const (
	markGuess = "guess: "
	markToDo  = "TODO: "
)

const (
	// columns is how wide a line may be.
	columns = 100
	// mostChecks is how many topics of a node are offered as checks.
	mostChecks = 3
	// standardLease is the topic of a daemon with the standard name.
	standardLease = "/rstate/arm_lease"
)

// writer writes the text of a draft.
type writer struct {
	draft *Draft
	file  string
	b     strings.Builder
}

// comment writes a text as comment lines. What comes from outside goes through here or is checked as a name, so that it
// cannot end a comment.
func (w *writer) comment(indent, text string) {
	line := ""
	for _, word := range strings.Fields(clean.Text(text)) {
		if line != "" && len(indent)+len("# ")+len(line)+1+len(word) > columns {
			fmt.Fprintf(&w.b, "%s# %s\n", indent, line)
			line = " "
		}
		if line == "" {
			line = word
		} else {
			line += " " + word
		}
	}
	fmt.Fprintf(&w.b, "%s# %s\n", indent, line)
}

func (w *writer) toDo(indent, format string, args ...any) {
	text := clean.Text(fmt.Sprintf(format, args...))
	w.draft.ToDo = append(w.draft.ToDo, text)
	w.comment(indent, markToDo+text)
}

func (w *writer) guess(indent, format string, args ...any) {
	w.comment(indent, markGuess+fmt.Sprintf(format, args...))
}

func (w *writer) blank() { w.b.WriteByte('\n') }

func (w *writer) write(listed []Node) {
	r := &w.draft.Seen
	for _, line := range []string{
		fmt.Sprintf("The network of a robot, drafted by rstate init from %s.", r.Source),
		fmt.Sprintf("It shows %s.", w.count(listed)),
		`"guess:" marks what is guessed, and from what.`,
		fmt.Sprintf(`"TODO:" marks what you decide: grep -n TODO: %s`, w.file),
		"Then rstate check finds faults of the file, rstate graph draws the order, and rstate run drives the nodes.",
	} {
		w.comment("", line)
	}
	w.blank()
	w.whole(listed)
	simulation, why := simulationOf(listed)
	w.guess("", "the id of the simulation, %s. Daemons with the same id follow each other", why)
	fmt.Fprintf(&w.b, "simulation: %s\n\n", simulation)
	w.defaults(listed)
	w.b.WriteString("nodes:\n")
	for i := range listed {
		if i > 0 {
			w.blank()
		}
		w.node(&listed[i])
	}
	w.others(listed)
}

func (w *writer) count(listed []Node) string {
	others := 0
	for _, kind := range []Kind{Plain, Unknown, Control, Nav2, Container} {
		others += len(w.draft.some(kind))
	}
	if n := len(w.draft.some(Lifecycle)); n > 0 {
		return clean.Count(n, "lifecycle node") + " and " + clean.Count(others, "other node")
	}
	return clean.Count(len(listed), "node") + ", none of which is known to have a lifecycle"
}

// whole writes what concerns the network as a whole.
func (w *writer) whole(listed []Node) {
	before := w.b.Len()
	r := &w.draft.Seen
	for _, d := range r.Daemons {
		switch {
		case !usable(d.Name):
		case d.Text == "":
			w.toDo("", "%s is an rstate that runs already and has not told its network. A node has one coordinator: "+
				"stop that daemon before you start another", d.Name)
		default:
			w.toDo("", "%s already drives %s with %s. That file is a better source than this one: rstate init "+
				"--from-daemon %s. Stop that daemon before you start another", d.Name, w.nodes(d.Nodes), d.File, d.Name)
		}
	}
	for _, n := range w.draft.some(Nav2) {
		drives := "nodes"
		if len(n.Manages) > 0 {
			drives = w.nodes(n.Manages)
		}
		w.toDo("", "%s, the lifecycle manager of nav2, drives %s. A node has one coordinator: rstate import nav2 makes a "+
			"network file of its parameters. Start nav2 with autostart:=False and without this manager", n.Name, drives)
	}
	w.simTime(listed)
	for _, what := range r.Unread {
		w.toDo("", "%s. If nodes start there, add them below", what)
	}
	if r.Launch {
		w.toDo("", "a launch file shows no topics and no services, so no order is guessed and nothing is armed. Write "+
			"after: and arm: at the nodes, or run rstate init while the robot runs")
	} else if n := asleep(listed); n > 0 {
		w.toDo("", "%s not active, and a node may make its topics only then. rstate init guesses the order better "+
			"while the robot runs", ofAll(n, len(listed)))
	}
	if seen := statesOf(listed); len(seen) > 1 {
		w.toDo("", "the nodes are in different states (%s), and rstate run lowers them to the lowest. To leave them "+
			"where they are, write startup: hold", strings.Join(seen, ", "))
	}
	if w.b.Len() > before {
		w.blank()
	}
}

// statesOf counts the nodes in each state from which a start goes on, the highest first.
func statesOf(nodes []Node) (seen []string) {
	for _, state := range []lifecycle.State{lifecycle.Active, lifecycle.Inactive, lifecycle.Unconfigured} {
		count := 0
		for _, n := range nodes {
			if n.State == state.String() {
				count++
			}
		}
		if count > 0 {
			seen = append(seen, fmt.Sprintf("%d %s", count, state))
		}
	}
	return seen
}

// asleep counts the lifecycle nodes that answered that they are not active.
func asleep(nodes []Node) (n int) {
	for _, node := range nodes {
		if node.State != "" && node.State != lifecycle.Active.String() {
			n++
		}
	}
	return n
}

// ofAll says how many nodes are, or are not, something.
func ofAll(n, all int) string {
	switch {
	case n == 1 && all == 1:
		return "the node is"
	case n == all:
		return fmt.Sprintf("all %d nodes are", all)
	case n == 1:
		return fmt.Sprintf("1 of %d nodes is", all)
	}
	return fmt.Sprintf("%d of %d nodes are", n, all)
}

func (w *writer) simTime(listed []Node) {
	var yes, no []string
	for _, n := range listed {
		switch {
		case n.SimTime == nil:
		case *n.SimTime:
			yes = append(yes, n.Name)
		default:
			no = append(no, n.Name)
		}
	}
	var clocks []string
	for _, n := range w.draft.Seen.Nodes {
		if names(n.Publishes, "/clock") && usable(n.Name) {
			clocks = append(clocks, n.Name)
		}
	}
	if len(yes) == 0 {
		return
	}
	by := "no node publishes /clock now"
	if len(clocks) > 0 {
		by = strings.Join(clocks, " and ") + " publishes /clock"
	}
	w.comment("", fmt.Sprintf("Nodes use simulated time, and %s. Deadlines follow it with: "+
		"rstate run %s --ros-args -p use_sim_time:=true", by, w.file))
	if len(no) > 0 {
		w.toDo("", "%s use_sim_time true, and %s not. Set it alike", haveHas(yes), strings.Join(no, ", ")+" do"+es(no))
	}
}

func haveHas(list []string) string {
	if len(list) == 1 {
		return list[0] + " has"
	}
	return strings.Join(list, ", ") + " have"
}

func es(list []string) string {
	if len(list) == 1 {
		return "es"
	}
	return ""
}

// nodes names nodes, or counts many.
func (w *writer) nodes(names []string) string {
	const few = 6
	usables := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !usable(n) })
	if len(usables) == 0 {
		return "no node"
	}
	if len(usables) > few {
		return clean.Count(len(usables), "node")
	}
	return strings.Join(usables, ", ")
}

// simulationOf guesses the id of the simulation.
func simulationOf(listed []Node) (id, why string) {
	first := func(name string) string {
		namespace, _, deeper := strings.Cut(name[1:], "/")
		if !deeper {
			return ""
		}
		return namespace
	}
	id = first(listed[0].Name)
	for _, n := range listed {
		if first(n.Name) != id {
			id = ""
		}
	}
	switch {
	case id == "":
		return noID, "because the nodes have no namespace in common"
	case !isID(id):
		return noID, "because the namespace of the nodes is no id in a network file"
	}
	return id, "because all nodes are in that namespace"
}

// noID is the id of a simulation where the nodes suggest none.
const noID = "my_robot"

// isID reports whether a network file takes a name as the id of its simulation: it can be too long, or no text in YAML.
func isID(name string) bool {
	_, err := network.Parse("", fmt.Appendf(nil, "simulation: %s\nnodes: {/node: {}}\n", name))
	return err == nil
}

// defaults writes what holds for every node: a network that can be armed needs proofs of its nodes.
func (w *writer) defaults(listed []Node) {
	for i := range listed {
		if sure, _ := listed[i].armServices(); len(sure) > 0 && listed[i].Kind == Lifecycle {
			w.comment("", "rstate asks each node for its state every second, also while the network is armed.")
			w.b.WriteString("defaults: {probe: 1s}\n\n")
			return
		}
	}
}

// others lists the nodes that are not in the file, in the form in which they can be.
func (w *writer) others(listed []Node) {
	in := func(n Node) bool { return slices.ContainsFunc(listed, func(l Node) bool { return l.Name == n.Name }) }
	const indent = "  "
	offer := func(heading string, kinds ...Kind) {
		var left []Node
		for _, n := range w.draft.some(kinds...) {
			if !in(n) {
				left = append(left, n)
			}
		}
		if len(left) == 0 {
			return
		}
		w.blank()
		w.comment(indent, heading)
		for _, n := range left {
			if w.draft.Seen.Launch {
				fmt.Fprintf(&w.b, "%s# %s: {lifecycle: false}  # %s\n", indent, n.Name, clean.Text(n.program()))
			} else {
				fmt.Fprintf(&w.b, "%s# %s: {lifecycle: false}\n", indent, n.Name)
			}
		}
	}
	offer("Nodes without a lifecycle. rstate can demand that they are there from inactive up: remove the # of a line.", Plain)
	offer("A launch file does not say whether these have a lifecycle. Remove the # of a line, and lifecycle: false if it does.",
		Unknown)
	offer("ros2_control. Its own services load and switch controllers and hardware, which rstate does not drive. rstate can "+
		"demand that the manager is there; what must move only when armed belongs into arm: of a node.", Control)
	offer("Containers of composable nodes. What they have loaded are nodes of their own, above.", Container)
	offer("The lifecycle managers of nav2, whose place rstate takes.", Nav2)
	unusable := 0
	for _, n := range w.draft.Seen.Nodes {
		if !usable(n.Name) {
			unusable++
		}
	}
	if unusable > 0 {
		w.blank()
		w.comment(indent, fmt.Sprintf("Left out: %s whose name ROS does not take.", clean.Count(unusable, "node")))
	}
}
