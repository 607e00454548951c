package engine

import "time"

// When to look at a node, or at the whole network, again.

// at schedules a look at node i at a moment on the steady clock.
func (s *State) at(i int, when time.Duration) {
	s.turn.wakes.push(wakeup{when, i})
}

// before reports whether a moment is still to come, and if so schedules a look at node i then.
func (s *State) before(i int, when time.Duration) bool {
	if s.now.Steady >= when {
		return false
	}
	s.at(i, when)
	return true
}

func (s *State) wakeWhole(when time.Duration) { s.at(-1, when) }

// elapse looks at every node that is due. A simulated deadline has no moment on the steady clock,
// so while one is open each input looks at its node.
func (s *State) elapse() {
	for len(s.turn.wakes) > 0 && s.turn.wakes[0].when <= s.now.Steady {
		w := s.turn.wakes.pop()
		if w.node >= 0 {
			s.touch(w.node)
		}
	}
	if !s.clock.ros || s.work == nil {
		return
	}
	for i := range s.nodes {
		if l := &s.nodes[i].part; l.open() && l.deadline.follows && s.passed(l.deadline) {
			s.touch(i)
		}
	}
}

// wake asks for an input at the next moment that is due.
func (s *State) wake() {
	if len(s.turn.wakes) > 0 && !s.closing.gone {
		s.do(WakeAt{s.turn.wakes[0].when + s.gap.uncounted})
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
