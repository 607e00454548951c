package plan

import (
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// Leg is one command of a way that takes several, and what it asks of the nodes.
type Leg struct {
	Command  string
	From, To string // states of the network
	Plan     Plan
}

// Ahead plans command after command: the first from what is believed now, each other from where the one before it ends
// if all goes well.
func Ahead(net *network.Network, from string, now []Belief, commands []string) []Leg {
	legs := []Leg{}
	for _, command := range commands {
		if _, ok := net.Machine.Transition(command); !ok {
			continue
		}
		t := net.Machine.Leaving(command, from)
		target, _ := net.Machine.State(t.To)
		legs = append(legs, Leg{Command: command, From: from, To: t.To, Plan: Make(net, target, now)})
		from, now = t.To, At(net, t.To)
	}
	return legs
}

// At is the belief that every node is where a state of the network wants it.
func At(net *network.Network, state string) []Belief {
	s, _ := net.Machine.State(state)
	list := make([]Belief, len(net.Nodes))
	for i := range net.Nodes {
		want, ok := net.WantAt(s, i, lifecycle.Unconfigured) // at the lowest that it may be
		if !ok {
			want = lifecycle.Unconfigured
		}
		list[i] = Belief{Present: true, State: want, Armed: net.Arms(s, i)}
	}
	return list
}
