package engine

import (
	"time"

	"rstate/internal/network"
)

// deadline is a moment on the clock that a node's deadlines count.
type deadline struct {
	at    time.Duration
	allow time.Duration // how long it was, so that it can start again when the clock jumps back
	ros   bool
	set   bool
}

// allow returns the deadline that ends after d from now.
func (s *State) allow(i int, d time.Duration) deadline {
	ros := s.now.Simulated && s.nodes[i].spec.Clock != network.SteadyClock
	dl := deadline{at: s.now.Steady + d, allow: d, ros: ros, set: true}
	if ros {
		dl.at = s.now.ROS + d
	} else {
		s.at(i, dl.at)
	}
	return dl
}

// allowSteady is for what never counts simulated time: arming, disarming, shutting down.
func (s *State) allowSteady(i int, d time.Duration) deadline {
	s.at(i, s.now.Steady+d)
	return deadline{at: s.now.Steady + d, allow: d, set: true}
}

func (s *State) passed(d deadline) bool {
	if d.ros {
		return d.set && s.now.ROS >= d.at
	}
	return d.set && s.now.Steady >= d.at
}

// restartDeadlines gives every deadline on the simulated clock its full length again: the clock has jumped back.
func (s *State) restartDeadlines() {
	for i := range s.nodes {
		if d := &s.nodes[i].leg.deadline; d.set && d.ros {
			d.at = s.now.ROS + d.allow
		}
	}
}

// at asks for another look at node i at a moment on the steady clock.
func (s *State) at(i int, when time.Duration) {
	s.wakes.push(wakeup{when, i})
}

// elapse looks at every node whose moment has come. Simulated deadlines have none on the steady clock, so while one is
// open each input looks.
func (s *State) elapse() {
	for len(s.wakes) > 0 && s.wakes[0].when <= s.now.Steady {
		w := s.wakes.pop()
		if w.node >= 0 {
			s.touch(w.node)
		}
	}
	if !s.now.Simulated || s.work == nil {
		return
	}
	for i := range s.nodes {
		if l := &s.nodes[i].leg; l.open() && l.deadline.ros && s.passed(l.deadline) {
			s.touch(i)
		}
	}
}

// wake asks to be called again when the next moment comes.
func (s *State) wake() {
	if len(s.wakes) > 0 && !s.gone {
		s.do(WakeAt{s.wakes[0].when})
	}
}

// wakeup is a moment at which a node, or with -1 the whole, is looked at.
type wakeup struct {
	when time.Duration
	node int
}

// wakes is a heap, the earliest first; of one moment the first in the file, so that a run replays. It is one of our own
// because container/heap would make a copy of each on the side, and there is one for every request.
type wakes []wakeup

func (w wakeup) before(o wakeup) bool {
	return w.when < o.when || w.when == o.when && w.node < o.node
}

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
