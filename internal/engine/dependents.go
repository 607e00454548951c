package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/plan"
)

// Nodes that go down with a lost one, because they come after it. They are deactivated in the order of the way
// down while nothing runs. They stay down until that node is in its place again.

// fall is how a node went down with a lost one.
type fall struct {
	with  int           // the lost node, counted from 1; 0: it did not
	tries int           // how often it was asked to, since that node was lost
	next  time.Duration // when it may be asked again
}

// dependentsOf returns for each node those that go down with it, and for each node those with which it goes down.
func dependentsOf(net *network.Network, order plan.Order) (dependents, sources [][]int) {
	dependents, sources = make([][]int, len(net.Nodes)), make([][]int, len(net.Nodes))
	for j := range net.Nodes {
		if net.Nodes[j].OnLoss.With != network.Dependents {
			continue
		}
		found := make([]bool, len(net.Nodes))
		todo := []int{j}
		for len(todo) > 0 {
			k := todo[0]
			todo = todo[1:]
			for _, i := range order.Before[k] {
				if !found[i] {
					found[i] = true
					todo = append(todo, i)
				}
			}
		}
		for i := range found {
			if found[i] {
				dependents[j], sources[i] = append(dependents[j], i), append(sources[i], j)
			}
		}
	}
	return dependents, sources
}

// isLost reports whether a node is lost, or was and is not in its place since.
func (n *node) isLost() bool { return n.silent() || n.wasLost() && n.place.deviant != "" }

// lostSource returns the first lost node with which node i goes down; negative: there is none.
func (ro *roster) lostSource(i int) int {
	for _, j := range ro.sources[i] {
		if ro.nodes[j].isLost() {
			return j
		}
	}
	return -1
}

// fallsNow reports whether node i is to go down with a lost one.
func (ro *roster) fallsNow(i int) bool {
	n := &ro.nodes[i]
	here, _ := ro.machine.State(ro.settled)
	want, wanted := ro.net.WantAt(here, i, n.state)
	f := &n.place.fell
	again := f.tries < restoreTries && ro.now.Steady >= f.next
	return again && n.spec.Lifecycle && n.there() && n.firm && n.call == nil && n.state == lifecycle.Active &&
		wanted && want == lifecycle.Active && ro.lostSource(i) >= 0
}

// fallen returns the nodes that are to go down with lost ones now, and notes that they do; nil: none is.
func (ro *roster) fallen() []bool {
	var down []bool
	for i := range ro.nodes {
		if len(ro.sources[i]) == 0 || !ro.fallsNow(i) {
			continue
		}
		if down == nil {
			down = make([]bool, len(ro.nodes))
		}
		j := ro.lostSource(i)
		f := &ro.nodes[i].place.fell
		down[i] = true
		f.with, f.next = j+1, ro.now.Steady+restorePause<<f.tries
		f.tries++
		ro.at(i, f.next)
	}
	if down != nil {
		ro.report.cause = ro.fallWords(down)
	}
	return down
}

// noteFalls notes that nodes are not in their place from the moment at which they are to go down: a command that comes
// meanwhile does not find the network as it was.
func (co *course) noteFalls(down []bool) {
	for i := range down {
		if n := &co.nodes[i]; down[i] {
			n.place.deviant = "goes down with " + co.names[n.place.fell.with-1] + ", which is lost"
			co.changed, co.peers.untold = true, true
			co.recordDeviation(i)
		}
	}
}

// fallWords says which nodes go down with which lost ones.
func (ro *roster) fallWords(down []bool) string {
	var words []string
	for j := range ro.nodes {
		var with []string
		for _, i := range ro.dependents[j] {
			if down[i] && ro.nodes[i].place.fell.with == j+1 {
				with = append(with, ro.names[i])
			}
		}
		if len(with) > 0 {
			words = append(words, ro.goesDownWith(j, with))
		}
	}
	return strings.Join(words, "; ")
}

func (ro *roster) goesDownWith(j int, names []string) string {
	return fmt.Sprintf("%s %s: with it goes down %s", ro.names[j], ro.nodes[j].place.deviant, strings.Join(names, ", "))
}

// heldDown reports whether node i is not to be raised: a node with which it goes down is lost, or one that it comes
// after went down too and is not up again.
func (ro *roster) heldDown(i int) bool {
	below := func(j int) bool { return ro.nodes[j].place.fell.with != 0 }
	return ro.lostSource(i) >= 0 || ro.nodes[i].place.fell.with != 0 && slices.ContainsFunc(ro.sequence.After[i], below)
}

// goneSource returns the first node with which node i goes down that no command can bring back; negative: there is none.
func (ro *roster) goneSource(i int) int {
	for _, j := range ro.sources[i] {
		if n := &ro.nodes[j]; n.isLost() && (n.silent() || !n.there()) {
			return j
		}
	}
	return -1
}

// missing returns the first node that node i lacks to be active, where a state wants it so, and that no command can bring
// back; negative: there is none.
func (ro *roster) missing(i int, in machine.State) int {
	if want, wanted := ro.net.WantAt(in, i, ro.nodes[i].state); !wanted || want != lifecycle.Active {
		return -1
	}
	return ro.goneSource(i)
}

// heldObstacles lists the required nodes that a state wants active and that are held down.
func (co *course) heldObstacles(to machine.State) []Obstacle {
	var list []Obstacle
	for i := range co.nodes {
		n := &co.nodes[i]
		if j := co.missing(i, to); j >= 0 && !n.spec.Optional {
			list = append(list, Obstacle{Node: n.spec.Name, Why: "goes down with " + co.names[j] + ", which is lost",
				Do: "start the process of " + co.names[j] + " again"})
		}
	}
	return list
}

// fellWords says with which node node i went down, or should have; empty: with none.
func (ro *roster) fellWords(i int) string {
	n := &ro.nodes[i]
	switch {
	case n.place.fell.with == 0:
		return ""
	case n.state == lifecycle.Active && ro.lostSource(i) < 0:
		return ""
	case n.state == lifecycle.Active:
		return "is active, and did not go down with " + ro.names[n.place.fell.with-1] + ", which is lost"
	}
	return fmt.Sprintf("is %v: it went down with %s", n.state, ro.names[n.place.fell.with-1])
}

// dragsDown says which nodes go down with node i, for which everything is disarmed first; empty: none.
func (ro *roster) dragsDown(i int) string {
	n := &ro.nodes[i]
	if len(ro.dependents[i]) == 0 || !n.isLost() {
		return ""
	}
	var names []string
	for _, k := range ro.dependents[i] {
		if ro.fallsNow(k) {
			names = append(names, ro.names[k])
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ro.goesDownWith(i, names)
}
