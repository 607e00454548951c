// Package plan computes the steps that bring nodes from their present states to those that a state of the network asks
// for, and the order between these steps. It is pure and imports only the data packages lifecycle, machine and network.
package plan

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Order is the order of the nodes, by their places in the file. After[i] are the nodes that i comes after on
// the way up; Before[i] are those that come after i, and go first on the way down.
type Order struct {
	After, Before [][]int
}

// OrderOf reads the order from a network, which has no cycles: network.Parse refuses them.
func OrderOf(net *network.Network) Order {
	index := make(map[string]int, len(net.Nodes))
	for i := range net.Nodes {
		index[net.Nodes[i].Name] = i
	}
	o := Order{After: make([][]int, len(net.Nodes)), Before: make([][]int, len(net.Nodes))}
	for i := range net.Nodes {
		for _, name := range net.Nodes[i].After {
			j, ok := index[name]
			if !ok {
				continue
			}
			o.After[i] = append(o.After[i], j)
			o.Before[j] = append(o.Before[j], i)
		}
	}
	return o
}

// First lists the nodes that go before node i in a direction.
func (o Order) First(i int, down bool) []int {
	if down {
		return o.Before[i]
	}
	return o.After[i]
}

// Belief is what is known of a node when a plan is made.
type Belief struct {
	Present bool
	State   lifecycle.State
	Armed   bool // armed, or not known to be disarmed
}

// What a step does, where it is no transition of the node's lifecycle.
const (
	ArmStep    = "arm"
	DisarmStep = "disarm"
)

// Step is one request to one node. It may be sent when all steps of After are done or given up.
type Step struct {
	Node     int
	Do       string // a lifecycle transition's label, ArmStep or DisarmStep
	After    []int  // places in Plan.Steps
	Deadline time.Duration
	Required bool
}

// Plan is the steps to a state, in an order in which they could be done one by one.
type Plan struct {
	Target  string
	Steps   []Step
	Missing []int // nodes that are wanted and not there
	names   []string
}

// Make plans the way from what is believed to the target. Lowering goes before what it stands on; raising goes after
// it, lowering included.
func Make(net *network.Network, target machine.State, now []Belief) Plan {
	m := maker{net: net, target: target, now: now, order: OrderOf(net)}
	m.plan.Target = target.Name
	m.first, m.last = make([]int, len(net.Nodes)), make([]int, len(net.Nodes))
	for i := range net.Nodes {
		m.first[i], m.last[i] = -1, -1
		m.plan.names = append(m.plan.names, net.Nodes[i].Name)
	}
	m.disarm()
	for _, i := range m.sequence() {
		m.leg(i)
	}
	m.arm()
	return m.plan
}

type maker struct {
	net         *network.Network
	target      machine.State
	now         []Belief
	order       Order
	plan        Plan
	first, last []int // each node's first and last lifecycle step, -1 where it has none
}

func (m *maker) way(i int) []lifecycle.Transition {
	want, ok := m.net.WantAt(m.target, i, m.now[i].State)
	if !ok || !m.net.Nodes[i].Lifecycle || !m.now[i].Present {
		return nil
	}
	way, _ := lifecycle.Way(m.now[i].State, want)
	return way
}

// lowers says whether node i has somewhere lower to go.
func (m *maker) lowers(i int) bool {
	want, ok := m.net.WantAt(m.target, i, m.now[i].State)
	return ok && want.Level() < m.now[i].State.Level()
}

// sequence lists the nodes so that each comes behind those it waits for: what is lowered from the top, then the rest
// from the bottom.
func (m *maker) sequence() []int {
	var seq []int
	seen := make([]bool, len(m.net.Nodes))
	var visit func(i int, down bool)
	visit = func(i int, down bool) {
		if seen[i] || m.lowers(i) != down {
			return
		}
		seen[i] = true
		for _, j := range m.order.First(i, down) {
			visit(j, down)
		}
		seq = append(seq, i)
	}
	for _, down := range []bool{true, false} {
		for i := range m.net.Nodes {
			visit(i, down)
		}
	}
	return seq
}

// leg adds node i's way. Its first step waits for the last steps of the nodes that go before it in its direction.
func (m *maker) leg(i int) {
	node := &m.net.Nodes[i]
	_, wanted := m.net.Want(m.target, i)
	if wanted && !m.now[i].Present {
		m.plan.Missing = append(m.plan.Missing, i)
		return
	}
	way := m.way(i)
	after := m.waits(i)
	for k, t := range way {
		if k > 0 {
			after = []int{len(m.plan.Steps) - 1}
		}
		m.last[i] = m.add(Step{
			Node: i, Do: t.Label, After: after, Deadline: node.Deadline.Of(t),
			Required: !node.Optional || m.lowers(i),
		})
		if k == 0 {
			m.first[i] = m.last[i]
		}
	}
}

func (m *maker) waits(i int) []int {
	var after []int
	if m.first[i] >= 0 { // its disarming
		after = append(after, m.first[i])
	}
	for _, j := range m.order.First(i, m.lowers(i)) {
		if m.last[j] >= 0 {
			after = append(after, m.last[j])
		}
	}
	return after
}

func (m *maker) disarm() {
	for i := range m.net.Nodes {
		node := &m.net.Nodes[i]
		if !m.now[i].Armed || !m.now[i].Present || m.net.Arms(m.target, i) {
			continue
		}
		m.first[i] = m.add(Step{Node: i, Do: DisarmStep, Deadline: node.Deadline.Disarm, Required: true})
		m.last[i] = m.first[i]
	}
}

func (m *maker) arm() {
	before := len(m.plan.Steps)
	armed := make(map[int]int)
	for _, i := range m.sequence() {
		node := &m.net.Nodes[i]
		if m.now[i].Armed || !m.now[i].Present || !m.net.Arms(m.target, i) {
			continue
		}
		after := make([]int, 0, before)
		for k := range before { // the proof: every node is where it is to be
			after = append(after, k)
		}
		for _, j := range m.order.After[i] {
			if k, ok := armed[j]; ok {
				after = append(after, k)
			}
		}
		armed[i] = m.add(Step{Node: i, Do: ArmStep, After: after, Deadline: node.Deadline.Arm, Required: true})
	}
}

func (m *maker) add(s Step) int {
	m.plan.Steps = append(m.plan.Steps, s)
	return len(m.plan.Steps) - 1
}

// String is the plan for a person: one line per step, numbered, with what it waits for.
func (p Plan) String() string {
	var b strings.Builder
	switch len(p.Steps) {
	case 0:
		fmt.Fprintf(&b, "to %s: nothing to do\n", p.Target)
	case 1:
		fmt.Fprintf(&b, "to %s, 1 step:\n", p.Target)
	default:
		fmt.Fprintf(&b, "to %s, %d steps:\n", p.Target, len(p.Steps))
	}
	for k, s := range p.Steps {
		fmt.Fprintf(&b, "%3d. %s %s", k+1, s.Do, p.names[s.Node])
		for j, a := range s.After {
			if j == 0 {
				b.WriteString(" after ")
			} else {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%d", a+1)
		}
		fmt.Fprintf(&b, " (%v", s.Deadline)
		if !s.Required {
			b.WriteString(", optional")
		}
		b.WriteString(")\n")
	}
	for _, i := range p.Missing {
		fmt.Fprintf(&b, "  !  %s is not there\n", p.names[i])
	}
	return b.String()
}
