package rehearse

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"rstate/internal/network"
)

// Tried are the faults that Every tries in each step, in the order of its table.
var Tried = []Fault{RefuseIt, ErrIn, HangIn, DieIn, Respawn}

// Every plays every single fault: each node, each step that it takes, each way to fail. Expectations are only that the rules
// hold; where the network ends up is for the reader. It uses every core.
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
				if r.Met() {
					r.Life = nil // a thousand of them would fill the memory
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
				b.in(step).Does = f
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
	case step == "configure" || step == "activate":
		return Case{Do: []Step{{Send: top}}}, true
	case step == "shutdown":
		t, ok := m.Shutdown()
		return Case{Given: top, Do: []Step{{Send: t.Name}}}, ok
	}
	return Case{Given: top, Do: []Step{{Send: m.Initial}}}, true
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
