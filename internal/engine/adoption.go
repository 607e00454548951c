package engine

import (
	"strings"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// What a start makes of the nodes that it has found: it adopts the state that they fit, or lowers
// what is higher than the rest.

// adopt takes the state that the nodes fit. If there is none, it lowers the nodes that are higher
// than the rest.
func (s *State) adopt() {
	s.gap.stall = ""
	state, whole := s.fit()
	last := s.machine.Disarmed(s.startup.last)
	ended, known := s.machine.State(last)
	known = known && !ended.Final // after a final state, a start begins anew
	switch {
	case s.net.Startup == network.Reset && state != s.machine.Initial:
		s.lowerTo(s.machine.Initial)
	case s.net.Startup == network.Refuse && !whole:
		s.exit(1, "startup: refuse, and the nodes fit no state: "+strings.Join(s.foundStates(), ", "))
	case whole && known && s.fits(last):
		s.found(last)
	case whole:
		s.found(state)
	case known:
		s.found(last)
	case state != "":
		s.found(state)
	case s.net.Startup == network.Hold:
		s.found(s.lowest())
	default:
		s.lowerTo(s.lowest())
	}
}

// found takes a state without a request to any node.
func (s *State) found(state string) {
	state = s.machine.Adopted(state)
	s.report.cause = "adopted: " + strings.Join(s.foundStates(), ", ")
	s.settle(state)
	s.change(nil, Change{SourceState: state, TargetState: state, Settled: true}, false)
	if here, _ := s.machine.State(state); here.Final {
		s.closing.ended = &ending{at: s.now.Steady + lingerFinal}
		s.wakeWhole(s.closing.ended.at)
	}
}

// foundStates lists the state of each node, as the reason why a state was adopted.
func (ro *roster) foundStates() []string {
	list := make([]string, 0, len(ro.nodes))
	for i := range ro.nodes {
		n := &ro.nodes[i]
		where := n.state.String()
		if !n.there() {
			where = "not there"
		} else if !n.spec.Lifecycle {
			where = "there"
		}
		list = append(list, n.spec.Name+" "+where)
	}
	return list
}

// counts reports whether node i counts for the state that a start adopts.
func (ro *roster) counts(i int) bool {
	n := &ro.nodes[i]
	return !n.spec.Optional && n.spec.Lifecycle && n.there() && n.state.Primary()
}

// fits reports whether every present required node is as the state says.
func (ro *roster) fits(state string) bool {
	st, _ := ro.machine.State(state)
	for i := range ro.nodes {
		if !ro.counts(i) {
			continue
		}
		if want, ok := ro.net.WantAt(st, i, ro.nodes[i].state); ok && want != ro.nodes[i].state {
			return false
		}
	}
	return true
}

// fit returns the lowest state that fits, never one that arms, and whether all required nodes are
// present. If no node is present, that is the initial state.
func (ro *roster) fit() (state string, whole bool) {
	whole = true
	counted := 0
	for i := range ro.nodes {
		if ro.counts(i) {
			counted++
		} else if !ro.nodes[i].spec.Optional && !(ro.nodes[i].there() && !ro.nodes[i].spec.Lifecycle) {
			whole = false
		}
	}
	if counted == 0 {
		return ro.machine.Initial, whole
	}
	for _, st := range ro.machine.States {
		if st.Passing || st.Armed.Any() || st.Nodes.AsIs || !ro.fits(st.Name) {
			continue
		}
		if state == "" {
			state = st.Name
		}
		state = ro.machine.Lower(state, st.Name)
	}
	return state, whole && state != ""
}

// lowest returns the highest state that every present required node can reach without being raised.
func (ro *roster) lowest() string {
	best, level := ro.machine.Initial, -1
	for _, st := range ro.machine.States {
		if !st.Adoptable() || st.Level() <= level {
			continue
		}
		above := false
		for i := range ro.nodes {
			n := &ro.nodes[i]
			want, ok := ro.net.WantAt(st, i, n.state)
			if ro.counts(i) && n.state != lifecycle.Finalized && ok && want.Level() > n.state.Level() {
				above = true
			}
		}
		if !above {
			best, level = st.Name, st.Level()
		}
	}
	return best
}

// lowerTo lowers the nodes that are above a state, from the top, before the network counts as being
// in it.
func (s *State) lowerTo(state string) {
	s.work = s.newWork("", machine.Unknown, state)
	s.work.lowers = true
	s.work.why = "the nodes were found in different states: " + strings.Join(s.foundStates(), ", ")
	s.report.cause = s.work.why
	s.recordState(EventTurned, "lowering what is higher than "+state)
	s.lay(adopting, state)
}

// concludeAdopting ends the lowering of a start, whether or not all nodes came down. A node that did not is
// a deviation.
func (s *State) concludeAdopting() bool {
	target := s.work.target
	s.settle(target)
	s.change(nil, Change{SourceState: target, TargetState: target, Settled: true}, false)
	return true
}
