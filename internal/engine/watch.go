package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// How often and how fast what left its place is brought back.
const (
	restoreTries  = 3
	restoreWindow = 10 * time.Minute
	restorePause  = time.Second // then twice, then four times that
)

// mending is the history of bringing one node back.
type mending struct {
	tries []time.Duration
	next  time.Duration
	lost  bool          // it is back from being lost, and not in its place yet
	drift time.Duration // when it was last brought back as one that strayed; 0: never
	owed  string        // why on_loss: error is owed although the node may be in its place; empty: it is not
	told  bool          // the ladder was taken for it; once is enough
	epoch uint64        // of an optional node: the process that has been brought to its place, or tried
}

// advanceTended brings a node to its place that is to be brought there, and watches the others.
func (s *State) advanceTended(i int) {
	if s.nodes[i].leg.status == legNone {
		s.watch(i)
		return
	}
	s.advanceLeg(i)
}

// watch looks at a node while nothing runs.
func (s *State) watch(i int) {
	if s.settled == "" {
		s.meet(i)
		return
	}
	n := &s.nodes[i]
	if c := n.call; c != nil && n.firm && c.over(n.state) {
		n.call = nil // its answer was lost, or is late
	}
	if n.there() && n.spec.Lifecycle && (!n.firm || !n.state.Primary() || n.call != nil) {
		s.poll(i)
	}
	s.attend(i)
	here, _ := s.machine.State(s.settled)
	if here.Armed.Any() {
		s.recheck(i)
	}
	s.judgeNode(i)
	s.takeDown(i)
	if !s.yields() && here.Armed.Any() && n.deviant != "" && (!n.spec.Optional || n.wasArmed) && s.closing.ended == nil {
		s.disarmForSafety(n.spec.Name + " " + n.deviant)
	}
}

// judgeNode notes whether node i is as the settled state says.
func (s *State) judgeNode(i int) {
	n := &s.nodes[i]
	was := n.deviant
	n.deviant = s.deviation(i)
	if n.deviant == "" {
		n.mending.lost, n.mending.told = false, false
	}
	if n.deviant != was {
		s.report.changed, s.peers.untold = true, true
		if s.work == nil || s.work.phase.rests {
			s.recordDeviation(i)
		}
	}
}

func (s *State) deviation(i int) string {
	n := &s.nodes[i]
	here, ok := s.machine.State(s.settled)
	if !ok {
		return ""
	}
	want, wanted := s.net.Want(here, i)
	arms := s.net.Arms(here, i)
	switch {
	case s.exposed(i, here) != "" && !here.Final:
		return s.exposed(i, here)
	case !n.there() && (here.Final || (!n.spec.Lifecycle && want.Level() < lifecycle.Inactive.Level())):
		return ""
	case n.mending.owed != "" && n.there():
		return n.mending.owed
	case n.abandoned():
		return "is lost: it " + whyAbandoned
	case !n.there() && n.lost != "":
		return "is lost: " + n.lost
	case !n.there():
		return n.missing()
	case n.misled() != "":
		return n.misled()
	case n.count > 1:
		return fmt.Sprintf("is there %d times: end all but one", n.count)
	case n.probing.left > 0:
		return fmt.Sprintf("is lost: it left %d questions for its state without an answer", n.probing.left)
	case !arms && n.owesDisarm():
		return "may be armed"
	case arms && n.arm.Belief() != IsArmed:
		return "is not armed"
	case here.Armed.Any() && s.unfit(i) != "":
		return s.unfit(i)
	case !n.spec.Lifecycle || !wanted:
		return ""
	case n.state == lifecycle.Unknown:
		return "has not said where it is"
	case n.call != nil && n.state.Primary():
		return "has not answered to " + n.call.do.Label
	case !n.firm && s.now.Steady-n.doubted >= 2*readEvery:
		return fmt.Sprintf("is perhaps not %v any more, and does not answer get_state", n.state)
	case n.state != want:
		return fmt.Sprintf("is %v, not %v", n.state, want)
	}
	return ""
}

// intact says whether every required node is as the network's state says.
func (s *State) intact() bool {
	if s.settled == "" {
		return false
	}
	for i := range s.nodes {
		if s.nodes[i].deviant != "" && s.matters(i) {
			return false
		}
	}
	return true
}

// matters says whether a deviation of node i makes the network less than intact: it is required, may be armed or moved,
// or is one that must not be driven.
func (s *State) matters(i int) bool {
	n := &s.nodes[i]
	return !n.spec.Optional || n.arm.Belief() == MayBeArmed || len(n.unsafe) > 0 || n.misled() != ""
}

func (s *State) deviations() []string {
	var list []string
	for i := range s.nodes {
		if n := &s.nodes[i]; n.deviant != "" && s.matters(i) {
			list = append(list, n.spec.Name+" "+n.deviant)
		}
	}
	return list
}

// reached says whether who names the present state has what he asked for, and which nodes count for that although they are
// gone, as words to go on with. Being gone is as good as unconfigured or finalized, and as nothing else.
func (s *State) reached() (gone string, ok bool) {
	here, known := s.machine.State(s.settled)
	for i := range s.nodes {
		n := &s.nodes[i]
		want, _ := s.net.Want(here, i)
		switch {
		case n.deviant == "" || !s.matters(i):
		case n.there(), n.arm.Belief() != Disarmed, s.exposed(i, here) != "":
			return "", false
		case want != lifecycle.Unconfigured && want != lifecycle.Finalized:
			return "", false
		default:
			gone += fmt.Sprintf("; %s %s, which counts as %v", n.spec.Name, n.deviant, want)
		}
	}
	return gone, known
}

// tend brings nodes to their place while nothing runs: optional ones that came late, and strayed or lost ones whose
// policy says so. It goes only to what the present state says and never arms.
func (s *State) tend() bool {
	s.endDisarmGoals()
	here, _ := s.machine.State(s.settled)
	if here.Armed.Any() || here.Final || s.closing.stop != nil {
		return false
	}
	only := make([]bool, len(s.nodes))
	found := false
	for i := range s.nodes {
		if s.nodes[i].deviant == "" {
			continue
		}
		switch s.cure(i) {
		case network.ToError:
			s.mend(i)
			s.toError(i)
			return true
		case network.Restore:
			s.mend(i)
			only[i], found = true, true
		}
	}
	if !found {
		return false
	}
	s.work = s.newWork("", s.settled, s.settled)
	s.work.legs.only = only
	s.lay(tending, s.settled)
	return true
}

// cure says what is to be done about a node that deviates now.
func (s *State) cure(i int) network.Policy {
	n := &s.nodes[i]
	m := &n.mending
	readable := n.there() && n.count == 1 && n.firm && n.state.Primary()
	policy := n.spec.OnDrift
	if n.lost != "" || m.lost {
		policy = n.spec.OnLoss
	}
	switch {
	case n.misled() != "":
		return network.Report
	case n.spec.Lifecycle && n.spec.Optional && n.spec.Late == network.Join && readable && m.epoch != n.epoch:
		m.epoch = n.epoch
		return network.Restore
	case n.spec.Optional, n.owesDisarm(), policy == network.Report:
		return network.Report
	case policy == network.Restore && (!readable || !n.spec.Lifecycle || n.state == lifecycle.Finalized):
		return network.Report
	case policy == network.ToError && (m.told || (n.there() && !n.firm) || (!n.there() && n.lost == "")):
		return network.Report
	}
	recent := m.tries[:0]
	for _, t := range m.tries {
		if s.now.Steady-t < restoreWindow {
			recent = append(recent, t)
		}
	}
	m.tries = recent
	if len(recent) >= restoreTries {
		return network.Report
	}
	if s.now.Steady < m.next {
		s.at(i, m.next)
		return network.Report
	}
	m.told = policy == network.ToError
	if lost := n.lost != "" || m.lost; lost {
		m.owed, m.drift = "", 0
	} else {
		m.drift = s.now.Steady
	}
	return policy
}

// mend counts one more try.
func (s *State) mend(i int) {
	m := &s.nodes[i].mending
	m.next = s.now.Steady + restorePause<<len(m.tries)
	m.tries = append(m.tries, s.now.Steady)
	s.at(i, m.next)
}

// tended ends the bringing back, whether it came there or not: who did not is still a deviation.
func (s *State) tended() bool {
	s.keepResults()
	s.work = nil
	for i := range s.nodes {
		s.judgeNode(i)
	}
	s.touchAll()
	s.report.changed = true
	return true
}

// toError takes the ladder because a node strayed or was lost, as its policy says.
func (s *State) toError(i int) {
	n := &s.nodes[i]
	w := s.newWork("", s.settled, s.settled)
	w.why = n.spec.Name + " " + n.deviant
	verdict := VerdictErrored
	if !n.there() {
		verdict = VerdictGone
	}
	w.fault.blame = append(w.fault.blame, NodeResult{Node: n.spec.Name, Verdict: verdict, Evidence: n.deviant, From: w.foundIn(i), State: n.state})
	here, _ := s.machine.State(s.settled)
	want, _ := s.net.Want(here, i)
	w.legs.began[i] = beginning{there: true, silent: n.silent(), firm: true, state: want} // where it has to be restored to
	s.work = w
	s.report.cause = w.why
	s.enterError()
	w.target = s.machine.Disarmed(w.origin)
	s.lay(restoring, w.target)
}
