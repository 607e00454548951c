package rehearse

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Tried are the faults that Every tries in each step, in the order of its table.
var Tried = []Fault{RefuseIt, ErrIn, HangIn, DieIn, Respawn}

// Every plays every single fault: each node, each step that it takes, each way to fail. Expectations are only that the
// rules hold; where the network ends up is for the reader. It uses every core.
func Every(net *network.Network) *Report {
	report := &Report{Network: net.File, Results: everyFault(net)}
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(report.Results) {
					return
				}
				r := &report.Results[k]
				node, step, fault := r.Node, r.Step, r.Fault
				*r = play(net, r.Case)
				r.Node, r.Step, r.Fault = node, step, fault
				if r.Goal == "rejected" {
					r.Missed = append(r.Missed, "the command was rejected, so that no node took a step")
				}
				if r.Met() {
					r.Life, r.Told = nil, nil // a thousand of them would fill the memory
				}
			}
		})
	}
	all.Wait()
	return report
}

// everyFault lists the cases of Every, not played yet.
func everyFault(net *network.Network) []Result {
	var list []Result
	for i := range net.Nodes {
		n := &net.Nodes[i]
		for _, step := range steps {
			c, ok := usual(net, n, step)
			if !ok {
				continue
			}
			for _, f := range Tried {
				if arming := step == "arm" || step == "disarm"; arming && (f == ErrIn || f == DieIn || f == Respawn) {
					continue // a call can only be refused, or not answered
				}
				one := c
				b := Behaviour{Node: n.Name}
				b.In(step).Does = f
				one.Name, one.Nodes = fmt.Sprintf("%s %s: %s", n.Name, step, f), []Behaviour{b}
				list = append(list, Result{Case: one, Node: n.Name, Step: step, Fault: f})
			}
		}
	}
	return list
}

// usual is the case in which a node takes a step: the network goes up, or down from where it is highest.
func usual(net *network.Network, n *network.Node, step string) (Case, bool) {
	m := net.Machine
	top := m.Top()
	armed := armedState(net, n)
	switch {
	case step == "arm" || step == "disarm":
		if armed == "" {
			return Case{}, false
		}
		if step == "arm" {
			return Case{Given: m.Disarmed(armed), Do: []Step{{Send: armed}}}, true
		}
		return Case{Given: armed, Do: []Step{{Send: m.Disarmed(armed)}}}, true
	case !n.Lifecycle:
		return Case{}, false
	case step == "shutdown":
		if t, ok := m.Shutdown(); ok && !t.Hidden {
			return Case{Given: top, Do: []Step{{Send: t.Name}}}, true
		}
	case goesTo(m, m.Initial, top) && goesTo(m, top, m.Initial):
		if step == "configure" || step == "activate" {
			return Case{Do: []Step{{Send: top}}}, true
		}
		return Case{Given: top, Do: []Step{{Send: m.Initial}}}, true
	}
	return byCommand(net, n, step)
}

// goesTo reports whether a goal that names a state leads there from another one.
func goesTo(m *machine.Machine, from, to string) bool {
	_, command := m.Transition(to) // which comes before a state of its name
	_, leads := m.Path(from, to)
	return leads && !command
}

// byCommand is the case in which one command makes a node take a step.
func byCommand(net *network.Network, n *network.Node, step string) (Case, bool) {
	m := net.Machine
	for _, t := range m.Transitions {
		for _, from := range m.States {
			if t.At == machine.StepEnd && !t.Always && from.Loop == machine.NoLoop {
				continue // the command waits for a loop
			}
			_, leads := m.PathThroughLoops(m.Initial, from.Name)
			if t.Hidden || !leads || from.Passing || from.Final || !t.Always && !slices.Contains(t.From, from.Name) {
				continue
			}
			target, _ := m.Target(t.Name, from.Name)
			if to, _ := m.State(target); to.Armed.Any() || !takes(net, n, step, from.Name, t.Through, target) {
				continue
			}
			c := Case{Given: from.Name, Do: []Step{{Send: t.Name}}}
			if from.Name == m.Initial {
				c.Given = ""
			}
			return c, true
		}
	}
	return Case{}, false
}

// takes reports whether a node takes a step on its way through these states of the network. An empty name is none.
func takes(net *network.Network, n *network.Node, step string, way ...string) bool {
	i := net.Index(n.Name)
	at := lifecycle.Unconfigured
	for k, name := range way {
		state, ok := net.Machine.State(name)
		want, asked := net.WantAt(state, i, at)
		if !ok || !asked {
			continue
		}
		for k > 0 && at != want {
			t, ok := lifecycle.Next(at, want)
			if !ok {
				break
			}
			if t.Label == step {
				return true
			}
			at = t.Target()
		}
		at = want
	}
	return false
}

// armedState returns the first state in which the node is armed; empty: there is none.
func armedState(net *network.Network, n *network.Node) string {
	i := slices.IndexFunc(net.Nodes, func(o network.Node) bool { return o.Name == n.Name })
	for _, s := range net.Machine.States {
		if net.Arms(s, i) {
			return s.Name
		}
	}
	return ""
}
