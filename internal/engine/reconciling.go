package engine

import (
	"slices"
	"time"

	"rstate/internal/network"
)

// Phase: nodes that are not in their place are restored while nothing runs.

// repairs is the history of a node's repairs.
type repairs struct {
	tries []time.Duration
	next  time.Duration
	lost  bool          // it was lost, is back, and not in its place yet
	drift time.Duration // when it was last restored after a drift; 0: never
	// Why on_loss: error still applies although the node may be in its place; empty: it does not.
	owed  string
	told  bool   // recovery was started for it, which happens once
	epoch uint64 // of an optional node: the process that was restored, or tried
}

// How often and how fast a restore is tried (S3).
const (
	restoreTries  = 3
	restoreWindow = 10 * time.Minute
	restorePause  = time.Second // then twice, then four times that
)

// advanceReconciled restores a node that has a part, and watches the others.
func (s *State) advanceReconciled(i int) {
	if s.nodes[i].part.status == partNone {
		s.watch(i)
		return
	}
	if s.advancePart(i); !s.nodes[i].part.open() {
		s.judgeNode(i) // the others may take long
	}
}

// reconcile restores nodes while nothing runs: optional nodes that came late, and nodes that strayed or
// were lost if their policy says so. It goes only to what the present state says, and never arms.
func (s *State) reconcile() bool {
	s.endDisarmGoals()
	here, _ := s.machine.State(s.settled)
	if here.Armed.Any() || here.Final || s.closing.stop != nil {
		return false
	}
	down := s.fallen()
	s.noteFalls(down)
	only, found := slices.Clone(down), down != nil
	if only == nil {
		only = make([]bool, len(s.nodes))
	}
	for i := range s.nodes {
		if s.nodes[i].place.deviant == "" || only[i] {
			continue
		}
		switch s.choosePolicy(i) {
		case network.ToError:
			s.countTry(i)
			s.toError(i)
			return true
		case network.Restore:
			s.countTry(i)
			only[i], found = true, true
		}
	}
	if !found {
		return false
	}
	s.work = s.newWork("", s.settled, s.settled)
	s.work.parts.only, s.work.parts.down = only, down
	s.lay(reconciling, s.settled)
	return true
}

// mayTry reports whether node i may be restored now: not too often, and not too soon after the last
// try. forgetTries goes before.
func (ro *roster) mayTry(i int) bool {
	m := &ro.nodes[i].place.repairs
	return len(m.tries) < restoreTries && !ro.waitUntil(i, m.next)
}

// forgetTries forgets the tries of node i that are too old to count.
func (ro *roster) forgetTries(i int) {
	m := &ro.nodes[i].place.repairs
	recent := m.tries[:0]
	for _, t := range m.tries {
		if ro.now.Steady-t < restoreWindow {
			recent = append(recent, t)
		}
	}
	m.tries = recent
}

// countTry counts one more try.
func (ro *roster) countTry(i int) {
	m := &ro.nodes[i].place.repairs
	m.next = ro.now.Steady + restorePause<<len(m.tries)
	m.tries = append(m.tries, ro.now.Steady)
	ro.at(i, m.next)
}

// concludeReconciling ends a restore. A node that did not reach its place is still a deviation.
func (co *course) concludeReconciling() bool {
	co.reportResults()
	co.work = nil
	for i := range co.nodes {
		co.judgeNode(i)
	}
	co.touchAll()
	co.changed = true
	return true
}
