package engine

import (
	"slices"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/plan"
)

// What is left to do of the running work, and how long it can take. The computation is that of rstate plan.

// timeLeft is the longest time that the running work can still take by the deadlines of its nodes,
// and whether a clock that stands still holds one of them. It does not include recovery.
func (co *course) timeLeft() (left time.Duration, held bool) {
	if co.work == nil || len(co.nodes) == 0 {
		return 0, false
	}
	r := remainder{co, len(co.nodes)}
	for _, end := range plan.Ends(r.count(), r.takes, r.waits) {
		left = max(left, end)
	}
	for i := range co.nodes {
		held = held || co.nodes[i].part.open() && co.held(co.nodes[i].part.deadline)
	}
	return left, held
}

// remainder is what is left to do of the running work, as a plan has it: the disarm of each node, its way through the
// lifecycle, the proof that all have arrived, and the arming of each.
type remainder struct {
	*course
	n int
}

// The parts of a remainder: one for each node, but for the proof, which is the last.
const (
	ownDisarm = iota
	ownWay
	ownArm
	theProof
)

func (r remainder) count() int            { return theProof*r.n + 1 }
func (r remainder) part(k int) (int, int) { return k / r.n, k % r.n }

// waits lists what goes before part k.
func (r remainder) waits(k int) (list []int) {
	switch what, i := r.part(k); {
	case what == theProof:
		for j := range r.n {
			list = append(list, ownWay*r.n+j)
		}
	case what == ownWay:
		list = append(list, ownDisarm*r.n+i)
		for _, j := range r.waitsOn(i) {
			list = append(list, ownWay*r.n+j)
		}
	case what == ownArm && r.armTakes(i) > 0:
		list = append(list, theProof*r.n)
		for _, j := range r.sequence.First(i, false) {
			list = append(list, ownArm*r.n+j)
		}
	}
	return list
}

// takes is how long part k may take by the deadlines of its node.
func (r remainder) takes(k int) time.Duration {
	what, i := r.part(k)
	switch {
	case what == theProof:
		return 0
	case what == ownArm:
		return r.armTakes(i)
	case !r.nodes[i].part.open():
		return 0
	case what == ownWay:
		return r.wayTakes(i)
	}
	return r.disarmTakes(i)
}

// waitsOn lists the nodes whose way may go before that of node i.
func (co *course) waitsOn(i int) []int {
	l := &co.nodes[i].part
	if !l.open() || l.stepped || !l.wants {
		return nil
	}
	down := co.goesDown(i)
	list := co.sequence.First(i, down)
	if !down {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(j int) bool { return !co.goesDown(j) })
}

func (co *course) disarmTakes(i int) time.Duration {
	n := &co.nodes[i]
	if n.call != nil || n.part.again.tries > 0 || !n.part.disarm {
		return 0
	}
	return co.left(n.part.deadline)
}

// wayTakes is for the step that runs, and for those behind it.
func (co *course) wayTakes(i int) (sum time.Duration) {
	n := &co.nodes[i]
	l, d := &n.part, n.spec.Deadline
	at := n.state
	switch {
	case n.call == nil && l.again.tries > 0: // in the pause before it is asked again
		at = n.calls.newest.Do.Target()
		sum = co.left(l.deadline)
	case n.call != nil:
		at = n.call.Do.Target()
		sum = d.Of(n.call.Do)
		if l.deadline.set {
			sum = co.left(l.deadline)
		}
		sum = max(sum, co.missedBy(i)-co.now.Steady)
	}
	if way, ok := lifecycle.Way(at, l.want); ok && l.wants && n.spec.Lifecycle {
		sum += plan.Takes(way, d)
	}
	return sum
}

// armTakes counts a node that has shown that it may be armed, and waits for the others.
func (co *course) armTakes(i int) time.Duration {
	n := &co.nodes[i]
	target, _ := co.machine.State(co.work.target)
	switch {
	case co.armsNext(i):
	case !n.part.open():
		return 0
	case n.part.arm && n.part.deadline.set:
		return co.left(n.part.deadline)
	case !co.work.arms || !co.net.Arms(target, i) || n.arm.Belief() == IsArmed:
		return 0
	}
	return n.spec.Deadline.Arm
}
