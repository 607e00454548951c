// Package outline drafts the network file of a robot from a description of what runs: the ROS graph, or a launch file.
// What it guesses stands in the file with its reason, and what it cannot know is marked for a person. It looks at
// nothing itself: others gather the description. It imports clean, lifecycle and network (for the names that a file
// takes).
package outline

import (
	"cmp"
	"slices"
	"strings"
)

// Robot is what was seen of a robot. The names of its fields in JSON are those of `rstate init -o json`.
type Robot struct {
	Source string `json:"source"` // where it was seen: "the graph of domain 0"
	Launch bool   `json:"launch"` // the source is a launch file: no states, topics and services are known
	Nodes  []Node `json:"nodes"`
	// Daemons are the instances of rstate that run already.
	Daemons []Daemon `json:"daemons"`
	// Unread are the parts of a launch file that were not followed, such as the handler of an event.
	Unread []string `json:"unread"`
}

// Node is a node as it was seen.
type Node struct {
	Name  string `json:"name"` // full
	Kind  Kind   `json:"kind"`
	Count int    `json:"count"` // how many nodes have this name
	// State is the answer to get_state; empty: there was none, or nothing asked.
	State string `json:"state"`
	// Transitions are those that the node says it can take now.
	Transitions []string `json:"transitions"`
	SimTime     *bool    `json:"use_sim_time"` // nil: not known
	// Process tells the processes of nodes apart; empty: not known.
	Process string `json:"process"`

	Serves    []Endpoint `json:"serves"` // services, also those of actions
	Calls     []Endpoint `json:"calls"`
	Publishes []Endpoint `json:"publishes"`
	Reads     []Endpoint `json:"reads"`

	// Manages are the nodes that a manager of nav2 drives.
	Manages []string `json:"manages"`

	// Of a launch file.
	Package    string      `json:"package,omitempty"`
	Executable string      `json:"executable,omitempty"` // or the plugin of a composable node
	Remappings [][2]string `json:"remappings,omitempty"`
	Managed    bool        `json:"-"` // the launch file says that it is a lifecycle node
}

// Endpoint is a topic or service by name and type.
type Endpoint struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Daemon is a running rstate.
type Daemon struct {
	Name  string   `json:"name"`
	Nodes []string `json:"nodes"` // that it drives
	File  string   `json:"file"`  // the name of its network file
	Text  string   `json:"text"`  // the content of that file; empty: it did not answer
}

// Kind says what a node is to rstate.
type Kind string

// The kinds of nodes.
const (
	Lifecycle Kind = "lifecycle"
	Plain     Kind = "plain"
	Control   Kind = "controller_manager" // of ros2_control
	Nav2      Kind = "nav2_manager"
	Container Kind = "container" // of composable nodes
	Own       Kind = "rstate"    // a daemon, a factory or a guard
	Tool      Kind = "tool"      // a helper that a tool or a library made
	Unknown   Kind = "unknown"   // a launch file does not say
)

// Draft is a network file and what it rests on.
type Draft struct {
	Seen  Robot    `json:"seen"`
	Order []Link   `json:"order"`
	ToDo  []string `json:"todo"` // what a person has to decide; the file has the same texts
	Text  string   `json:"file"`
}

// Link is a reason to let one node come after another.
type Link struct {
	Node    string   `json:"node"`
	After   string   `json:"after"`
	Because []string `json:"because"` // what the one uses of the other: "reads /scan"
	// Left says why the file does not follow it; empty: it does.
	Left string `json:"left"`
	// Implied: other links lead there too, so the file does not repeat it.
	Implied bool `json:"implied"`

	weight, node, after int // the two nodes are numbers of the list
}

// NoNodes is the error of a robot without nodes.
type NoNodes struct{ Source string }

func (e *NoNodes) Error() string { return "cannot draft a network: there is no node in " + e.Source }

// Of drafts the network file of a robot. The file is the name under which the user will have it; empty: not known.
func Of(r Robot, file string) (Draft, error) {
	r.Nodes = slices.Clone(r.Nodes)
	for i := range r.Nodes {
		r.Nodes[i].Kind = kindOf(&r.Nodes[i], r.Launch)
	}
	slices.SortStableFunc(r.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	manage(r.Nodes)
	d := Draft{Seen: r, ToDo: []string{}, Order: []Link{}}
	listed := d.listed()
	if len(listed) == 0 {
		return d, &NoNodes{r.Source}
	}
	d.Order = order(listed)
	w := writer{draft: &d, file: cmp.Or(file, "FILE")}
	w.write(listed)
	d.Text = w.b.String()
	return d, nil
}

// listed returns the nodes that the file lists: the lifecycle nodes, or if there are none, all that run for the robot.
func (d *Draft) listed() []Node {
	all := d.some(Lifecycle)
	if len(all) == 0 {
		all = d.some(Plain, Unknown, Control, Nav2, Container)
	}
	return all
}

// some returns the nodes of these kinds whose names a network file takes.
func (d *Draft) some(kinds ...Kind) (found []Node) {
	for _, n := range d.Seen.Nodes {
		if slices.Contains(kinds, n.Kind) && usable(n.Name) {
			found = append(found, n)
		}
	}
	return found
}
