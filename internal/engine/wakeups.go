package engine

import "time"

// When to look at a node, or at the whole network, again.

// at schedules a look at node i at a moment on the steady clock.
func (a *agenda) at(i int, when time.Duration) {
	a.wakes.push(wakeup{when, i})
}

// waitUntil reports whether a moment is still to come, and if so schedules a look at node i then.
func (a *agenda) waitUntil(i int, when time.Duration) bool {
	if a.now.Steady >= when {
		return false
	}
	a.at(i, when)
	return true
}

func (a *agenda) wakeWhole(when time.Duration) { a.at(-1, when) }

// elapse looks at every node that is due. A simulated deadline has no moment on the steady clock,
// so while one is open each input looks at its node.
func (co *course) elapse() {
	for len(co.wakes) > 0 && co.wakes[0].when <= co.now.Steady {
		w := co.wakes.pop()
		if w.node >= 0 {
			co.touch(w.node)
		}
	}
	if !co.clock.ros || co.work == nil {
		return
	}
	for i := range co.nodes {
		if l := &co.nodes[i].part; l.open() && l.deadline.onNodeClock && co.passed(l.deadline) {
			co.touch(i)
		}
	}
}

// wake asks for an input at the next moment that is due.
func (ro *roster) wake() {
	if len(ro.wakes) > 0 && !ro.closing.gone {
		ro.do(WakeAt{ro.wakes[0].when + ro.gap.uncounted})
	}
}

// wakeup is a moment to look at a node, or with -1 at the whole network.
type wakeup struct {
	when time.Duration
	node int
}

func (w wakeup) before(o wakeup) bool {
	return w.when < o.when || w.when == o.when && w.node < o.node
}

// wakes is a heap, the earliest first; of equal moments the first in the file, so that a run
// replays. container/heap would allocate a copy of each element, and there is one for every
// request.
type wakes []wakeup

func (w *wakes) push(x wakeup) {
	h := append(*w, x)
	for k := len(h) - 1; k > 0; {
		up := (k - 1) / 2
		if !h[k].before(h[up]) {
			break
		}
		h[k], h[up] = h[up], h[k]
		k = up
	}
	*w = h
}

func (w *wakes) pop() wakeup {
	h := *w
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for k := 0; ; {
		least := k
		for _, down := range [2]int{2*k + 1, 2*k + 2} {
			if down < last && h[down].before(h[least]) {
				least = down
			}
		}
		if least == k {
			break
		}
		h[k], h[least] = h[least], h[k]
		k = least
	}
	*w = h
	return first
}
