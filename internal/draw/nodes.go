package draw

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"rstate/internal/network"
	"rstate/internal/plan"
)

// Nodes is the picture of a network's order.
type Nodes struct {
	Simulation string  `json:"simulation"`
	Nodes      []Node  `json:"nodes"`
	Groups     []Group `json:"groups"`
}

// Node is one node of it, in file order.
type Node struct {
	Name      string   `json:"name"`
	Turn      int      `json:"turn"` // on the way up: 1 waits for no other node, 2 for one of turn 1, and so on
	After     []string `json:"after"`
	Optional  bool     `json:"optional"`
	Lifecycle bool     `json:"lifecycle"`
	Arm       string   `json:"arm,omitempty"` // the service that arms it
	Groups    []string `json:"groups"`
}

// Group is a name for some nodes.
type Group struct {
	Name  string   `json:"name"`
	Nodes []string `json:"nodes"`
}

// OfNodes is the picture of a network's order.
func OfNodes(net *network.Network) Nodes {
	p := Nodes{Simulation: net.Simulation, Nodes: []Node{}, Groups: []Group{}}
	turns := turnsOf(plan.OrderOf(net))
	for i := range net.Nodes {
		n := &net.Nodes[i]
		one := Node{
			Name: n.Name, Turn: turns[i], After: append([]string{}, n.After...), Optional: n.Optional,
			Lifecycle: n.Lifecycle,
			Groups:    []string{},
		}
		if n.Arm != nil {
			one.Arm = n.Arm.Service
		}
		for _, g := range net.Groups {
			if slices.Contains(g.Nodes, n.Name) {
				one.Groups = append(one.Groups, g.Name)
			}
		}
		p.Nodes = append(p.Nodes, one)
	}
	for _, g := range net.Groups {
		p.Groups = append(p.Groups, Group{g.Name, append([]string{}, g.Nodes...)})
	}
	return p
}

// turnsOf is for each node the length of the longest chain of nodes that ends in it.
func turnsOf(o plan.Order) []int {
	turns := make([]int, len(o.After))
	var turn func(i int) int
	turn = func(i int) int {
		if turns[i] == 0 {
			longest := 0
			for _, j := range o.After[i] {
				longest = max(longest, turn(j))
			}
			turns[i] = longest + 1
		}
		return turns[i]
	}
	for i := range turns {
		turn(i)
	}
	return turns
}

// remarks says in words what is special about a node.
func (n Node) remarks() []string {
	var words []string
	if n.Optional {
		words = append(words, "optional")
	}
	if !n.Lifecycle {
		words = append(words, "no lifecycle")
	}
	if n.Arm != "" {
		words = append(words, "armed by "+n.Arm)
	}
	return words
}

// deepest is how many nodes a line is drawn below at the most; beyond it a node names what it waits for.
const deepest = 8

// Text draws a tree: each node below the one that keeps it waiting longest, with the others beside it.
func (p Nodes) Text(width int) string {
	t := tree{picture: p, below: map[string][]int{}, width: width}
	last := 0
	for i, n := range p.Nodes {
		last = max(last, n.Turn)
		t.below[p.parent(n)] = append(t.below[p.parent(n)], i)
	}
	t.walk(nil, "", 0)
	for _, l := range t.lines {
		t.column = max(t.column, min(utf8.RuneCountInString(l.left), width/2))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "simulation %s: %s, in %s\n\n", p.Simulation, count(len(p.Nodes), "node"), count(last, "turn"))
	for _, l := range t.lines {
		b.WriteString(row(fmt.Sprintf("%-*s", t.column, l.left), l.remark, width))
	}
	b.WriteString("\n" + wrap("On the way up a node waits for the one above it, and for those that it names; on the way down they wait for it. "+
		"The number is its turn.", width, 0) + "\n")
	for _, g := range p.Groups {
		b.WriteString(row("group "+g.Name+":", strings.Join(g.Nodes, ", "), width))
	}
	return b.String()
}

// parent is what the node is drawn below: of those that it comes after the one with the latest turn, the first of them.
func (p Nodes) parent(n Node) string {
	best, turn := "", 0
	for _, name := range n.After {
		i := slices.IndexFunc(p.Nodes, func(o Node) bool { return o.Name == name })
		if i >= 0 && p.Nodes[i].Turn > turn {
			best, turn = name, p.Nodes[i].Turn
		}
	}
	return best
}

// tree is a picture while it is drawn.
type tree struct {
	picture Nodes
	below   map[string][]int // by name of the parent, in file order
	width   int
	column  int // where remarks begin
	lines   []line
}

type line struct{ left, remark string }

// walk draws what hangs below the last of the nodes that lead there, each behind the rails of those above it.
func (t *tree) walk(above []string, rails string, depth int) {
	parent := ""
	if depth > 0 {
		parent = above[depth-1]
	}
	children := t.below[parent]
	for k, i := range children {
		n := t.picture.Nodes[i]
		branch, rail := "├─ ", "│  "
		if k == len(children)-1 {
			branch, rail = "└─ ", "   "
		}
		if depth == 0 || depth > deepest {
			branch, rail = "", ""
		}
		remarks := append(n.remarks(), n.waits(above, depth)...)
		t.lines = append(t.lines, line{fmt.Sprintf("%3d  %s%s%s ", n.Turn, rails, branch, n.Name),
			strings.Join(remarks, "; ")})
		t.walk(append(above[:depth:depth], n.Name), rails+rail, depth+1)
	}
}

// waits returns the other nodes that the node waits for, which the drawing does not show.
func (n Node) waits(above []string, depth int) []string {
	if depth > deepest {
		return []string{"after " + strings.Join(n.After, ", ")}
	}
	also := slices.DeleteFunc(slices.Clone(n.After), func(name string) bool { return slices.Contains(above, name) })
	if len(also) == 0 {
		return nil
	}
	return []string{"also after " + strings.Join(also, ", ")}
}

// Dot draws the order for Graphviz.
func (p Nodes) Dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n    rankdir=LR;\n    node [shape=box];\n", quote(p.Simulation))
	p.boxes(func(k int, group string, members []Node) {
		indent := "    "
		if group != "" {
			fmt.Fprintf(&b, "    subgraph %s {\n        label=%s;\n", quote(fmt.Sprintf("cluster_%d", k)), quote(group))
			indent += "    "
		}
		for _, n := range members {
			attributes := []string{"label=" + quote(n.label("\n"))}
			if n.Optional {
				attributes = append(attributes, "style=dashed")
			}
			if n.Arm != "" {
				attributes = append(attributes, "peripheries=2")
			}
			fmt.Fprintf(&b, "%s%s [%s];\n", indent, quote(n.Name), strings.Join(attributes, ", "))
		}
		if group != "" {
			b.WriteString("    }\n")
		}
	})
	for _, e := range p.edges() {
		fmt.Fprintf(&b, "    %s -> %s;\n", quote(e.from), quote(e.to))
	}
	b.WriteString("}\n")
	return b.String()
}

// Mermaid draws the order for Markdown.
func (p Nodes) Mermaid() string {
	id := map[string]string{}
	for i, n := range p.Nodes {
		id[n.Name] = fmt.Sprintf("n%d", i)
	}
	var b, classes strings.Builder
	b.WriteString("flowchart LR\n")
	p.boxes(func(k int, group string, members []Node) {
		indent := "    "
		if group != "" {
			fmt.Fprintf(&b, "    subgraph g%d[%s]\n", k, quote(group))
			indent += "    "
		}
		for _, n := range members {
			fmt.Fprintf(&b, "%s%s[%s]\n", indent, id[n.Name], quote(n.label("<br/>")))
			if n.Optional {
				fmt.Fprintf(&classes, "    style %s stroke-dasharray: 4\n", id[n.Name])
			}
			if n.Arm != "" {
				fmt.Fprintf(&classes, "    style %s stroke-width: 4px\n", id[n.Name])
			}
		}
		if group != "" {
			b.WriteString("    end\n")
		}
	})
	for _, e := range p.edges() {
		fmt.Fprintf(&b, "    %s --> %s\n", id[e.from], id[e.to])
	}
	return b.String() + classes.String()
}

// label is a node's name with what is special about it. Of its groups the first is drawn as a box.
func (n Node) label(newline string) string {
	words := append([]string{n.Name}, n.remarks()...)
	if len(n.Groups) > 1 {
		words = append(words, "also in "+strings.Join(n.Groups[1:], ", "))
	}
	return strings.Join(words, newline)
}

// boxes goes through the groups with the nodes that are drawn in them, and last through the nodes of no group. A node
// is drawn in its first group: boxes cannot overlap.
func (p Nodes) boxes(draw func(k int, group string, members []Node)) {
	for k, g := range append(slices.Clone(p.Groups), Group{}) {
		var members []Node
		for _, n := range p.Nodes {
			if first := append(slices.Clone(n.Groups), "")[0]; first == g.Name {
				members = append(members, n)
			}
		}
		if len(members) > 0 {
			draw(k, g.Name, members)
		}
	}
}

func (p Nodes) edges() []edge {
	var list []edge
	for _, n := range p.Nodes {
		for _, a := range n.After {
			list = append(list, edge{from: a, to: n.Name})
		}
	}
	return list
}
