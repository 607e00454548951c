package engine

// What a step leaves behind: effects, journal entries, moments to look again, nodes to look at.

// agenda is what one step emits, and the time of that step. It knows neither the network nor any node;
// what decides hands it effects.
type agenda struct {
	now     Time
	clock   nodeClock
	wakes   wakes
	number  uint64 // of the last ticket or call
	out     []Effect
	changed bool // a snapshot would differ
}

// look is whether the engine has to look at a node.
type look struct {
	queued bool
	looked uint64 // the last look at the order that came by
}

// touch marks node i for a look.
func (ro *roster) touch(i int) {
	if !ro.nodes[i].look.queued {
		ro.nodes[i].look.queued = true
		ro.queue = append(ro.queue, i)
	}
}

// touchAround marks the nodes that wait for node i.
func (co *course) touchAround(i int) {
	for _, j := range co.sequence.Before[i] {
		co.touch(j)
	}
	co.looks++
	co.touchBelow(i)
}

// touchBelow marks the nodes below node i, through those that do not hold back what is below them;
// see heldFromAbove.
func (co *course) touchBelow(i int) {
	for _, j := range co.sequence.After[i] {
		co.touch(j)
		if n := &co.nodes[j]; n.look.looked != co.looks &&
			(!n.there() || co.work != nil && n.part.open() && !co.goesDown(j)) {
			n.look.looked = co.looks
			co.touchBelow(j)
		}
	}
}

func (ro *roster) touchAll() {
	for i := range ro.nodes {
		ro.touch(i)
	}
}

func (a *agenda) do(e Effect) { a.out = append(a.out, e) }

func (a *agenda) next() uint64 {
	a.number++
	return a.number
}
