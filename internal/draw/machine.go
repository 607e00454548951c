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
	Reactions   []Reaction   `json:"reactions,omitempty"`
}

// State is one state of it, in file order.
type State struct {
	Name    string      `json:"name"`
	ID      uint8       `json:"id"`
	Passing bool        `json:"passing"` // a transition goes through it
	Final   bool        `json:"final"`
	Exit    int         `json:"exit,omitempty"` // of a final state: the exit code after a clean end
	Nodes   []GroupWant `json:"nodes"`          // the first group that a node is in says where it is to be
	Others  string      `json:"others,omitempty"`
	AsIs    bool        `json:"as_is,omitempty"` // nothing is asked of any node
	Armed   []string    `json:"armed"`           // groups; "all" for every node that can be armed
	level   int
}

// GroupWant is where the nodes of one group are to be.
type GroupWant struct {
	Group string `json:"group"`
	State string `json:"state"`
}

// Transition is one command, in file order.
type Transition struct {
	Name     string   `json:"name"`
	From     []string `json:"from"` // resting states
	Always   bool     `json:"always"`
	Via      string   `json:"via,omitempty"`
	To       string   `json:"to,omitempty"`      // from every origin; else see Targets
	Targets  []Move   `json:"targets,omitempty"` // if the target depends on the origin
	Loop     bool     `json:"loop"`
	Through  string   `json:"through,omitempty"`
	Preempts bool     `json:"preempts,omitempty"`
	Hidden   bool     `json:"hidden,omitempty"`  // no client can command it
	Fails    []Move   `json:"fails,omitempty"`   // where a failure ends, by origin, if another command follows it
	Stays    bool     `json:"stays,omitempty"`   // a failure ends in the origin
	Arrives  bool     `json:"arrives,omitempty"` // it passes over a node that fails
}

// Move is the way from one state to another.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Reaction is a command that runs without a client.
type Reaction struct {
	In   string `json:"in"`
	On   string `json:"on"`
	From string `json:"from,omitempty"` // the node; empty: every node
	Do   string `json:"do"`
	To   string `json:"to"`
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
		p.Transitions = append(p.Transitions, transitionOf(m, t))
	}
	for _, a := range m.Auto {
		to, _ := m.Target(a.Do, a.In)
		on := string(a.On.Event)
		if a.On.Event == machine.Reported {
			on = a.On.Word
		}
		p.Reactions = append(p.Reactions, Reaction{In: a.In, On: on, From: a.From, Do: a.Do, To: to})
	}
	return p
}

func transitionOf(m *machine.Machine, t machine.Transition) Transition {
	one := Transition{
		Name: t.Name, From: origins(m, t), Always: t.Always, Via: t.Via, To: t.To, Loop: t.Loop, Through: t.Through,
		Preempts: t.Preempts, Hidden: t.Hidden, Stays: t.OnError.Does == machine.Stay,
	}
	one.Arrives = !t.Always && !slices.ContainsFunc(one.From,
		func(from string) bool { return !m.Arrives(t.Name, from) })
	for _, from := range one.From {
		if to, ok := m.Target(t.Name, from); ok && t.To == "" {
			one.Targets = append(one.Targets, Move{from, to})
		}
		if m.Arrives(t.Name, from) {
			continue
		}
		f := m.OnFailure(t.Name, from, machine.Error)
		if to, ok := m.Target(f.Then, f.Rest); ok {
			one.Fails = append(one.Fails, Move{from, to})
		}
	}
	return one
}

// target is the state to which the command leads from the origin.
func (t Transition) target(origin string) string {
	for _, m := range t.Targets {
		if m.From == origin {
			return m.To
		}
	}
	return t.To
}

// targets lists the states to which the command leads, each once.
func (t Transition) targets() []string {
	var list []string
	for _, from := range t.From {
		if to := t.target(from); !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	return list
}

// restores reports whether a failure takes the rungs of the network.
func (t Transition) restores() bool { return !t.Always && !t.Stays && !t.Arrives && len(t.Fails) == 0 }

func stateOf(s machine.State) State {
	one := State{Name: s.Name, ID: s.ID, Passing: s.Passing, Final: s.Final, Exit: s.Exit, AsIs: s.Nodes.AsIs,
		Nodes: []GroupWant{}, Armed: []string{}, level: s.Level()}
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
	case s.AsIs:
		words = append(words, "every node as it is")
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
	resting, command, target, offered := m.resting(), 0, 0, 0
	for _, t := range m.Transitions {
		if command = max(command, len(t.Name)); !t.Hidden {
			offered++
		}
		for _, to := range t.targets() {
			target = max(target, len(to))
		}
	}
	for _, r := range m.Reactions {
		command = max(command, len(r.On)+2)
	}
	name := command + 2
	for _, s := range resting {
		name = max(name, len(s.Name))
	}
	var b strings.Builder
	head := fmt.Sprintf("machine %s: %s, %s; it begins in %s", m.Name, count(len(resting), "state"),
		count(offered, "command"), m.Initial)
	b.WriteString(wrap(head, width-2, 2) + "\n")
	arrow := func(t Transition, from, to string) {
		b.WriteString(row(fmt.Sprintf("  %-*s ──▶ %-*s", command, t.Name, target, to), t.remark(from), width))
	}
	for _, s := range resting {
		said := s.wants()
		switch {
		case s.Final && s.Exit != 0:
			said += fmt.Sprintf("; nothing leads out, exit code %d", s.Exit)
		case s.Final:
			said += "; nothing leads out"
		}
		b.WriteString("\n" + row(fmt.Sprintf("%-*s", name, s.Name), said, width))
		for _, t := range m.Transitions {
			if !t.Always && !t.Hidden && slices.Contains(t.From, s.Name) {
				arrow(t, s.Name, t.target(s.Name))
			}
		}
		for _, r := range m.Reactions {
			if r.In == s.Name {
				b.WriteString(row(fmt.Sprintf("  %-*s ──▶ %-*s", command, "("+r.On+")", target, r.To),
					strings.TrimRight("by itself "+r.From, " "), width))
			}
		}
	}
	always := func(title string, hidden bool) {
		for _, t := range m.Transitions {
			if !t.Always || t.Hidden != hidden {
				continue
			}
			b.WriteString("\n" + title + "\n")
			for _, to := range t.targets() {
				from := ""
				if t.To == "" {
					from = t.begins(to)
				}
				arrow(t, from, to)
			}
		}
	}
	always("from every state", false)
	always("from every state, not for clients", true)
	fails := "if a command fails:"
	if m.Failing != "" {
		fails = "if a command fails, through " + m.Failing + ":"
	}
	if slices.ContainsFunc(m.Transitions, func(t Transition) bool { return !t.restores() && !t.Always }) {
		fails = strings.Replace(fails, "a command fails", "any other command fails", 1)
	}
	if slices.ContainsFunc(m.Transitions, func(t Transition) bool { return t.restores() && !t.Hidden }) {
		b.WriteString("\n" + wrap(fails+" "+m.Recovery, width-2, 2) + "\n")
	}
	return b.String()
}

// begins says from which origins the command leads to the target.
func (t Transition) begins(target string) string {
	var from []string
	for _, m := range t.Targets {
		if m.To == target {
			from = append(from, m.From)
		}
	}
	return "from " + strings.Join(from, ", ")
}

// remark says what there is to say of a command from one origin; from may be a text of its own.
func (t Transition) remark(from string) string {
	var words []string
	if strings.HasPrefix(from, "from ") {
		words = append(words, from)
	}
	for _, state := range []string{t.Via, t.Through} {
		if state != "" {
			words = append(words, "through "+state)
		}
	}
	if t.Preempts {
		words = append(words, "interrupts what runs")
	}
	if t.Stays {
		words = append(words, "if it fails, the state stays")
	}
	for _, f := range t.Fails {
		if f.From == from {
			words = append(words, "if it fails, "+f.To)
		}
	}
	return strings.Join(words, "; ")
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
				add(edge{from: from, to: t.target(from), label: t.Name, dashed: t.Hidden})
				continue
			}
			add(edge{from: from, to: t.Via, label: t.Name, dashed: t.Hidden})
		}
		if t.Via != "" {
			for _, to := range t.targets() {
				add(edge{from: t.Via, to: to, dashed: t.Hidden})
			}
		}
	}
	for _, t := range m.Transitions {
		if m.Failing != "" && t.Via != "" && t.restores() {
			add(edge{from: t.Via, to: m.Failing, label: "a failure"})
		}
		for _, f := range t.Fails {
			from := f.From
			if t.Via != "" {
				from = t.Via
			}
			add(edge{from: from, to: f.To, label: t.Name + " fails", own: true})
		}
	}
	for _, r := range m.Reactions {
		add(edge{from: r.In, to: r.To, label: r.On, own: true})
	}
	return list
}

// Mermaid draws the machine for Markdown.
func (m Machine) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", m.Initial)
	for _, e := range m.edges() {
		if e.dashed {
			continue // Mermaid draws no dashed arrows between states, and no client can take this one
		}
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
		fmt.Fprintf(&b, "    note right of %s: %s\n", m.Failing,
			strings.ReplaceAll(m.Recovery, ", else all", ",<br/>else all"))
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
		var with []string
		if e.label != "" {
			with = append(with, "label="+quote(e.label))
		}
		switch {
		case e.dashed:
			with = append(with, "style=dashed")
		case e.own:
			with = append(with, "style=dotted")
		}
		more := ""
		if len(with) > 0 {
			more = " [" + strings.Join(with, ", ") + "]"
		}
		fmt.Fprintf(&b, "    %s -> %s%s;\n", quote(e.from), quote(e.to), more)
	}
	b.WriteString("}\n")
	return b.String()
}
