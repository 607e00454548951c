package machine

import (
	"fmt"
	"strings"
)

// Diagram draws the machine as Mermaid text. A transition that may begin in every state is drawn from those that rest.
func (m *Machine) Diagram() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	drawn := map[string]bool{}
	edge := func(from, to, label string) {
		line := fmt.Sprintf("    %s --> %s", from, to)
		if label != "" {
			line += ": " + label
		}
		if !drawn[line] {
			drawn[line] = true
			b.WriteString(line + "\n")
		}
	}
	edge("[*]", m.Initial, "")
	for _, t := range m.Transitions {
		via := t.Via
		if via == "" {
			via = t.To
		}
		for _, from := range m.origins(t) {
			edge(from, via, t.Name)
		}
		if t.Via != "" {
			edge(t.Via, t.To, "")
		}
	}
	for _, t := range m.Transitions {
		if m.Error != "" && t.Via != "" && !t.Always {
			edge(t.Via, m.Error, "a failure")
		}
	}
	for _, s := range m.States {
		if s.Final {
			edge(s.Name, "[*]", "")
		}
	}
	if m.Error != "" {
		fmt.Fprintf(&b, "    note right of %s: back to where the transition began,<br/>else all nodes unconfigured, else shut down\n", m.Error)
	}
	return b.String()
}

// origins lists the resting states that t starts in.
func (m *Machine) origins(t Transition) []string {
	var from []string
	for _, s := range m.States {
		if !s.Passing && t.starts(s) {
			from = append(from, s.Name)
		}
	}
	return from
}
