package rehearse

import (
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Mishap is what befalls a node while the network rests in a state.
type Mishap string

// The mishaps.
const (
	Dies     Mishap = "die"     // its process ends
	Respawns Mishap = "respawn" // its process ends, and a new one starts a second later
	Freezes  Mishap = "hang"    // its process is suspended
	CutOff   Mishap = "cut"     // its connection is lost
	Fails    Mishap = "fail"    // its checks fail
)

// Mishaps are all of them, the most common first.
var Mishaps = []Mishap{Dies, Respawns, Freezes, CutOff, Fails}

// Present is how a network is before a mishap.
type Present struct {
	State  string   // in which it rests
	Absent []string // nodes that are not there
}

// Outlook is what comes of a mishap.
type Outlook struct {
	Node   string
	Mishap Mishap
	State  string // in which the network ends up
	Intact bool
	Armed  []string // nodes that may be armed then
	Took   time.Duration
	Story  []Moment // the first is the mishap
	Fault  string   // why it cannot be played, or which rule of rstate it breaks; empty: neither
}

// Moment is something that the network does, so long after the mishap.
type Moment struct {
	After time.Duration
	Text  string
}

// settled is how long a network has until it counts as ended up. No default deadline of a node is longer.
const settled = 2 * time.Minute

// WhatIf plays a mishap of a node.
func WhatIf(net *network.Network, p Present, node string, m Mishap) Outlook {
	c := Case{Name: node + " " + string(m), Given: p.State, Do: []Step{m.step(node)}}
	if m == Respawns {
		c.Do = append(c.Do, Step{Respawn: node, After: respawnIn})
	}
	c.Do = append(c.Do, Step{Wait: settled})
	if p.State == net.Machine.Initial {
		c.Given = ""
	}
	for _, absent := range p.Absent {
		if absent != node {
			c.Nodes = append(c.Nodes, Behaviour{Node: absent, Never: true})
		}
	}
	r := play(net, c)
	o := Outlook{Node: node, Mishap: m, State: r.State, Intact: r.Intact}
	o.Fault = strings.Join(append(r.Missed, r.Broken...), "; ")
	if trace, ok := r.Life.(*simnet.Trace); ok {
		o.tell(trace)
	}
	return o
}

// WhatIfs plays each mishap of each node.
func WhatIfs(net *network.Network, p Present) (all []Outlook) {
	for i := range net.Nodes {
		for _, m := range Mishaps {
			if m == Fails && len(net.Nodes[i].Checks) == 0 {
				continue
			}
			all = append(all, WhatIf(net, p, net.Nodes[i].Name, m))
		}
	}
	return all
}

func (m Mishap) step(node string) Step {
	switch m {
	case Freezes:
		return Step{Freeze: node}
	case CutOff:
		return Step{Cut: node}
	case Fails:
		return Step{Fail: node}
	default:
		return Step{Kill: node}
	}
}

// tell takes over what the journal says from the mishap on, and what may be armed at the end.
func (o *Outlook) tell(trace *simnet.Trace) {
	for i := range trace.Last.Nodes {
		if n := &trace.Last.Nodes[i]; n.Armed != engine.Disarmed {
			o.Armed = append(o.Armed, n.Name)
		}
	}
	if len(trace.Entries) == 0 {
		return
	}
	begin := trace.Entries[0].At.Add(trace.Marked)
	for _, e := range trace.Noted() {
		text := e.Sentence
		if e.Cause != "" && !strings.Contains(text, e.Cause) {
			text += " (" + e.Cause + ")"
		}
		o.Story = append(o.Story, Moment{e.At.Sub(begin), text})
		o.Took = e.At.Sub(begin)
	}
}
