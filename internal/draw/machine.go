package draw

import (
	"fmt"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Machine is the picture of a machine.
type Machine struct {
	Name        string       `json:"machine"`
	Initial     string       `json:"initial"`
	Failing     string       `json:"failing,omitempty"` // the state in which a failure is put right
	Recovery    string       `json:"recovery"`          // how, for a person
	States      []State      `json:"states"`
	Transitions []Transition `json:"transitions"`
}

// State is one state of it, in file order.
type State struct {
	Name    string      `json:"name"`
	ID      uint8       `json:"id"`
	Passing bool        `json:"passing"` // a transition goes through it
	Final   bool        `json:"final"`
	Nodes   []GroupWant `json:"nodes"` // the first group that a node is in says where it is to be
	Others  string      `json:"others,omitempty"`
	Armed   []string    `json:"armed"` // groups; "all" for every node that can be armed
	level   int
}

// GroupWant is where the nodes of one group are to be.
type GroupWant struct {
	Group string `json:"group"`
	State string `json:"state"`
}

// Transition is one command, in file order.
type Transition struct {
	Name   string   `json:"name"`
	From   []string `json:"from"` // resting states
	Always bool     `json:"always"`
	Via    string   `json:"via,omitempty"`
	To     string   `json:"to"`
	Loop   bool     `json:"loop"`
}

// OfMachine is the picture of the machine that a network follows. What becomes of a failure is the network's to say.
func OfMachine(net *network.Network) Machine {
	m := net.Machine
	p := Machine{Name: m.Name, Initial: m.Initial, Failing: m.Error, States: []State{}, Transitions: []Transition{}}
	p.Recovery = "back to where it began, else all nodes unconfigured, else "
	switch net.LastResort {
	case network.ResortHold:
		p.Recovery += "held as they are"
	default:
		p.Recovery += "shut down"
	}
	for _, s := range m.States {
		p.States = append(p.States, stateOf(s))
	}
	for _, t := range m.Transitions {
		p.Transitions = append(p.Transitions, Transition{
			Name: t.Name, From: origins(m, t), Always: t.Always, Via: t.Via, To: t.To, Loop: t.Loop,
		})
	}
	return p
}

func stateOf(s machine.State) State {
	one := State{Name: s.Name, ID: s.ID, Passing: s.Passing, Final: s.Final, Nodes: []GroupWant{}, Armed: []string{}, level: s.Level()}
	if s.Passing {
		return one
	}
	for _, g := range s.Nodes.Groups {
		one.Nodes = append(one.Nodes, GroupWant{g.Group, g.State.String()})
	}
	if s.Nodes.Others != lifecycle.Unknown {
		one.Others = s.Nodes.Others.String()
	}
	if one.Armed = append(one.Armed, s.Armed.Groups...); s.Armed.All {
		one.Armed = []string{"all"}
	}
	return one
}

// origins lists the resting states in which the transition can be commanded.
func origins(m *machine.Machine, t machine.Transition) []string {
	from := []string{}
	for _, s := range m.States {
		if !s.Passing && !s.Final && (t.Always || slices.Contains(t.From, s.Name)) {
			from = append(from, s.Name)
		}
	}
	return from
}

// wants says in words what nodes are in a state.
func (s State) wants() string {
	var words []string
	for _, g := range s.Nodes {
		words = append(words, g.Group+" "+g.State)
	}
	switch {
	case s.Others == "" && len(words) > 0:
		words = append(words, "others as they are")
	case s.Others != "" && len(words) > 0:
		words = append(words, "others "+s.Others)
	case s.Others != "":
		words = append(words, "every node "+s.Others)
	}
	switch {
	case slices.Equal(s.Armed, []string{"all"}):
		words = append(words, "armed")
	case len(s.Armed) > 0:
		words = append(words, "armed: "+strings.Join(s.Armed, " and "))
	}
	return strings.Join(words, ", ")
}

// Text lists the states from the one that allows most, each with the commands that lead out of it.
func (m Machine) Text(width int) string {
	resting, command, target := m.resting(), 0, 0
	for _, t := range m.Transitions {
		command, target = max(command, len(t.Name)), max(target, len(t.To))
	}
	var b strings.Builder
	head := fmt.Sprintf("machine %s: %s, %s; it begins in %s", m.Name, count(len(resting), "state"), count(len(m.Transitions), "command"), m.Initial)
	b.WriteString(wrap(head, width-2, 2) + "\n")
	arrows := func(in func(Transition) bool) {
		for _, t := range m.Transitions {
			if !in(t) {
				continue
			}
			via := ""
			if t.Via != "" {
				via = "through " + t.Via
			}
			b.WriteString(row(fmt.Sprintf("  %-*s ──▶ %-*s", command, t.Name, target, t.To), via, width))
		}
	}
	for _, s := range resting {
		said := s.wants()
		if s.Final {
			said += "; nothing leads out"
		}
		b.WriteString("\n" + row(fmt.Sprintf("%-*s", command+2, s.Name), said, width))
		arrows(func(t Transition) bool { return !t.Always && slices.Contains(t.From, s.Name) })
	}
	b.WriteString("\nfrom every state\n")
	arrows(func(t Transition) bool { return t.Always })
	fails := "if a command fails:"
	if m.Failing != "" {
		fails = "if a command fails, through " + m.Failing + ":"
	}
	b.WriteString("\n" + wrap(fails+" "+m.Recovery, width-2, 2) + "\n")
	return b.String()
}

// resting lists the states in which a network can be, the highest first; of equal ones the one listed last is higher.
func (m Machine) resting() []State {
	list := slices.DeleteFunc(slices.Clone(m.States), func(s State) bool { return s.Passing })
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b State) int { return b.level - a.level })
	return list
}

// edges are the arrows of a diagram, in file order, each once. A transition that may begin in every state is drawn from
// those that rest.
func (m Machine) edges() []edge {
	var list []edge
	add := func(e edge) {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	for _, t := range m.Transitions {
		for _, from := range t.From {
			if t.Via == "" {
				add(edge{from, t.To, t.Name})
				continue
			}
			add(edge{from, t.Via, t.Name})
		}
		if t.Via != "" {
			add(edge{t.Via, t.To, ""})
		}
	}
	for _, t := range m.Transitions {
		if m.Failing != "" && t.Via != "" && !t.Always {
			add(edge{t.Via, m.Failing, "a failure"})
		}
	}
	return list
}

// Mermaid draws the machine for Markdown.
func (m Machine) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", m.Initial)
	for _, e := range m.edges() {
		label := ""
		if e.label != "" {
			label = ": " + e.label
		}
		fmt.Fprintf(&b, "    %s --> %s%s\n", e.from, e.to, label)
	}
	for _, s := range m.States {
		if s.Final {
			fmt.Fprintf(&b, "    %s --> [*]\n", s.Name)
		}
	}
	if m.Failing != "" {
		fmt.Fprintf(&b, "    note right of %s: %s\n", m.Failing, strings.ReplaceAll(m.Recovery, ", else all", ",<br/>else all"))
	}
	return b.String()
}

// Dot draws the machine for Graphviz.
func (m Machine) Dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", quote(m.Name))
	b.WriteString("    node [shape=box, style=rounded];\n    begin [shape=point, label=\"\"];\n")
	for _, s := range m.States {
		switch {
		case s.Passing:
			fmt.Fprintf(&b, "    %s [style=\"rounded,dashed\"];\n", quote(s.Name))
		case s.Final:
			fmt.Fprintf(&b, "    %s [peripheries=2];\n", quote(s.Name))
		case len(s.Armed) > 0:
			fmt.Fprintf(&b, "    %s [style=\"rounded,bold\"];\n", quote(s.Name))
		default:
			fmt.Fprintf(&b, "    %s;\n", quote(s.Name))
		}
	}
	fmt.Fprintf(&b, "    begin -> %s;\n", quote(m.Initial))
	for _, e := range m.edges() {
		switch e.label {
		case "":
			fmt.Fprintf(&b, "    %s -> %s;\n", quote(e.from), quote(e.to))
		default:
			fmt.Fprintf(&b, "    %s -> %s [label=%s];\n", quote(e.from), quote(e.to), quote(e.label))
		}
	}
	b.WriteString("}\n")
	return b.String()
}
