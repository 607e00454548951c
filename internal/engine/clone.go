package engine

import (
	"slices"

	"rstate/internal/engine/belief"
)

// Clone returns a state that is equal to s and shares no memory with it that a step may change. What is
// never changed in place stays shared: the network, its machine, the order, messages, and texts.
func (s *State) Clone() *State {
	c := *s
	k := &cloner{}
	c.judge = s.judge.Clone()
	c.queue, c.ending = slices.Clone(s.queue), slices.Clone(s.ending)
	c.wakes, c.out = slices.Clone(s.wakes), slices.Clone(s.out)
	c.nodes = slices.Clone(s.nodes)
	for i := range c.nodes {
		c.nodes[i].detach()
	}
	c.goals.open, c.goals.recent = k.all(s.goals.open), k.all(s.goals.recent)
	c.goals.pending = slices.Clone(s.goals.pending)
	for i := range c.goals.pending {
		c.goals.pending[i].goal = k.goal(c.goals.pending[i].goal)
	}
	c.work = k.work(s.work)
	c.peers.book, c.peers.awaiting = s.peers.book.Clone(), k.awaiting(s.peers.awaiting)
	c.peers.ordered = slices.Clone(s.peers.ordered)
	c.refused = slices.Clone(s.refused)
	c.guard.book = s.guard.book.Clone()
	c.hold.leftovers = slices.Clone(s.hold.leftovers)
	c.stops.inputs = slices.Clone(s.stops.inputs)
	c.gap.deferred = slices.Clone(s.gap.deferred)
	c.report.results = slices.Clone(s.report.results)
	c.closing.stop, c.closing.ended = copied(s.closing.stop), copied(s.closing.ended)
	c.loop.goals, c.loop.quits, c.loop.deferred = k.all(s.loop.goals), k.all(s.loop.quits), k.goal(s.loop.deferred)
	c.loop.ended = copied(s.loop.ended)
	c.loop.view.Times = slices.Clone(s.loop.view.Times)
	return &c
}

// copied returns a shallow copy of what p points to.
func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// detach gives a node that was copied by value memory of its own. Calls keep their identity: several
// fields may mean one call.
func (n *node) detach() {
	var old, young []*belief.Call
	call := func(p **belief.Call) {
		if *p == nil {
			return
		}
		k := slices.Index(old, *p)
		if k < 0 {
			k, old, young = len(old), append(old, *p), append(young, copied(*p))
		}
		*p = young[k]
	}
	call(&n.call)
	call(&n.calls.closed)
	call(&n.calls.newest)
	call(&n.part.refused)
	n.calls.unheard = slices.Clone(n.calls.unheard)
	for i := range n.calls.unheard {
		call(&n.calls.unheard[i])
	}
	n.reading.reads, n.reading.reported.strange = slices.Clone(n.reading.reads),
		slices.Clone(n.reading.reported.strange)
	n.arm = n.arm.Clone()
	n.checks = slices.Clone(n.checks)
	for i := range n.checks {
		n.checks[i].gauge = n.checks[i].gauge.Clone()
	}
	n.unsafe, n.absence.alike = slices.Clone(n.unsafe), slices.Clone(n.absence.alike)
	n.place.repairs.tries = slices.Clone(n.place.repairs.tries)
	n.absence.endpoints.epochs = slices.Clone(n.absence.endpoints.epochs)
	n.absence.endpoints.ends = slices.Clone(n.absence.endpoints.ends)
}

// cloner copies goals once, however many point to them.
type cloner struct{ old, young []*goal }

func (k *cloner) goal(g *goal) *goal {
	if g == nil {
		return nil
	}
	if i := slices.Index(k.old, g); i >= 0 {
		return k.young[i]
	}
	c := *g
	k.old, k.young = append(k.old, g), append(k.young, &c)
	c.handles, c.waiters, c.ids = slices.Clone(g.handles), slices.Clone(g.waiters), slices.Clone(g.ids)
	c.path, c.blame = slices.Clone(g.path), slices.Clone(g.blame)
	c.result.Nodes = slices.Clone(g.result.Nodes)
	c.then.deviant, c.then.lived = slices.Clone(g.then.deviant), slices.Clone(g.then.lived)
	return &c
}

func (k *cloner) all(list []*goal) []*goal {
	list = slices.Clone(list)
	for i := range list {
		list[i] = k.goal(list[i])
	}
	return list
}

func (k *cloner) work(w *work) *work {
	if w == nil {
		return nil
	}
	c := *w
	c.goal = k.goal(w.goal)
	p := &c.parts
	p.began, p.only, p.down = slices.Clone(p.began), slices.Clone(p.only), slices.Clone(p.down)
	p.results, p.did = slices.Clone(p.results), slices.Clone(p.did)
	f := &c.fault
	f.failed, f.blame, f.suspects = slices.Clone(f.failed), slices.Clone(f.blame), slices.Clone(f.suspects)
	return &c
}

func (k *cloner) awaiting(list []*waiting) []*waiting {
	list = slices.Clone(list)
	for i := range list {
		c := *list[i]
		c.goal, c.peers, c.result.Nodes = k.goal(c.goal), slices.Clone(c.peers), slices.Clone(c.result.Nodes)
		list[i] = &c
	}
	return list
}
