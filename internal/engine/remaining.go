package engine

import (
	"slices"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/plan"
)

// What is left to do of the running work, and how long it can take. The computation is that of rstate plan.

// timeLeft is the longest time that the running work can still take by the deadlines of its nodes,
// and whether a clock that stands still holds one of them. It does not include recovery. As in a plan, a node goes its
// way after its disarm, and the nodes are armed when all have gone theirs.
func (co *course) timeLeft() (left time.Duration, held bool) {
	if co.work == nil {
		return 0, false
	}
	ends := plan.Ends(len(co.nodes), co.disarmTakes, co.wayTakes, co.waitsOn)
	for i, end := range ends {
		left = max(left, end)
		held = held || co.nodes[i].part.open() && co.held(co.nodes[i].part.deadline)
	}
	if !co.work.arms {
		return left, held
	}
	proven := func(int) time.Duration { return left }
	for _, end := range plan.Ends(len(co.nodes), proven, co.armTakes, co.armsAfter) {
		left = max(left, end)
	}
	return left, held
}

// waitsOn lists the nodes whose way may go before that of node i.
func (co *course) waitsOn(i int) []int {
	l := &co.nodes[i].part
	if !l.open() || l.stepped || !l.wants {
		return nil
	}
	down := co.goesDown(i)
	list, up := co.sequence.First(i, down), func(j int) bool { return !co.goesDown(j) }
	if !down || !slices.ContainsFunc(list, up) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), up)
}

// armsAfter lists the nodes that node i, if it is still to be armed, may have to wait for.
func (co *course) armsAfter(i int) []int {
	if co.armTakes(i) == 0 {
		return nil
	}
	return co.sequence.First(i, false)
}

func (co *course) disarmTakes(i int) time.Duration {
	n := &co.nodes[i]
	if !n.part.open() || n.call != nil || n.part.again.tries > 0 || !n.part.disarm {
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
	case !l.open():
		return 0
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
