package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// begin starts the start: nodes are read as they appear, nothing is written.
func (s *State) begin() {
	s.startup.begun = true
	if s.startup.started.IsZero() {
		s.startup.started = s.now.Wall
	}
	var longest time.Duration
	for i := range s.nodes {
		longest = max(longest, s.nodes[i].spec.Deadline.Discover)
	}
	s.startup.startBy = s.now.Steady + longest
	s.startup.foundAt = s.now.Steady
	s.startup.writeBy = s.now.Steady + max(s.fixed.opt.Listen.Most, s.fixed.opt.Listen.Least)
	if s.fixed.opt.Listen.Most == 0 {
		s.startup.writeBy = s.now.Steady + max(firstWrite, s.fixed.opt.Listen.Least)
	}
	s.wakeWhole(s.startup.startBy)
	s.wakeWhole(s.startup.writeBy)
	s.report.cause = "rstate has just started"
	if s.gap.stall != "" {
		s.report.cause = s.gap.stall
	} else {
		s.record(Entry{
			Kind: EntryStart, Sentence: "rstate starts as " + s.fixed.opt.Instance, Cause: s.fixed.opt.NotLast,
			Simulation: s.net.Simulation, Machine: s.machine.Hash(), Network: s.meaning(),
		})
		s.recordLeft()
	}
	s.report.changed = true
}

// meaning is the fingerprint of the network: under another one the names of states mean something else.
func (s *State) meaning() string {
	if s.disk.fingerprint == "" {
		s.disk.fingerprint = s.net.Fingerprint()
	}
	return s.disk.fingerprint
}

// meet learns what a node is during the start. Whoever may be armed is disarmed as soon as anything may be written.
func (s *State) meet(i int) {
	n := &s.nodes[i]
	if !n.there() {
		return
	}
	if n.spec.Lifecycle && (!n.firm || !n.state.Primary()) {
		s.poll(i)
	}
}

// mayWrite says whether anything may be asked of a node that nobody commanded.
func (s *State) mayWrite() bool { return s.startup.writes && !s.yields() }

// listened says whether a start has read long enough: another instance of our name would be known by now.
func (s *State) listened() bool {
	if s.now.Steady < s.name.doubtBy {
		return false
	}
	for i := range s.nodes {
		if s.now.Steady < s.nodes[i].tellBy {
			return false
		}
	}
	if s.now.Steady >= s.startup.writeBy {
		return true
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; !n.there() || (n.spec.Lifecycle && !n.state.Primary()) {
			return false
		}
	}
	if calm := s.startup.foundAt + s.fixed.opt.Listen.Least; s.now.Steady < calm {
		s.wakeWhole(calm)
		return false
	}
	return true
}

// waitingFor names what the start still waits for.
func (s *State) waitingFor() []string {
	var list []string
	for i := range s.nodes {
		n := &s.nodes[i]
		switch {
		case n.met():
		case !n.there():
			list = append(list, n.spec.Name+" "+n.missing())
		case n.spec.Lifecycle && (n.state == lifecycle.Unknown || n.state.Primary() && !n.firm):
			list = append(list, n.spec.Name+" has not said where it is")
		case n.spec.Lifecycle && !n.state.Primary():
			list = append(list, fmt.Sprintf("%s is still %v", n.spec.Name, n.state))
		default:
			list = append(list, n.spec.Name+" has not confirmed that it is disarmed")
		}
	}
	return list
}

// met says whether a start knows all of the node that it wants to know.
func (n *node) met() bool {
	return n.there() && (!n.spec.Lifecycle || n.firm && n.state.Primary()) && n.arm.Belief() == Disarmed
}

// allMet is len(waitingFor()) == 0 without the words, which every input of a start would have to pay for.
func (s *State) allMet() bool {
	for i := range s.nodes {
		if !s.nodes[i].met() {
			return false
		}
	}
	return true
}

// comesUp ends the start when every node has been read, or waiting has lasted long enough.
func (s *State) comesUp() bool {
	if !s.startup.writes {
		if s.listened() {
			s.takeName()
		}
		return s.startup.writes
	}
	if s.now.Steady < s.startup.startBy && !s.allMet() {
		return false
	}
	s.adopt()
	return true
}

// adopt finds the state that the nodes are in, and lowers those that are higher than the rest where there is none.
func (s *State) adopt() {
	s.gap.stall = ""
	state, whole := s.fit()
	last := s.machine.Disarmed(s.fixed.opt.Last)
	ended, known := s.machine.State(last)
	known = known && !ended.Final // what was ended begins anew
	switch {
	case s.net.Startup == network.Reset && state != s.machine.Initial:
		s.lowerTo(s.machine.Initial)
	case s.net.Startup == network.Refuse && !whole:
		s.exit(1, "startup: refuse, and the nodes fit no state: "+strings.Join(s.standing(), ", "))
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

// found takes a state without doing anything to a node.
func (s *State) found(state string) {
	s.report.cause = "adopted: " + strings.Join(s.standing(), ", ")
	s.settle(state)
	s.change(nil, Change{SourceState: state, TargetState: state, Settled: true}, false)
	if here, _ := s.machine.State(state); here.Final {
		s.closing.ended = &ending{at: s.now.Steady + lingerFinal}
		s.wakeWhole(s.closing.ended.at)
	}
}

// standing says where each node is, for the one who reads why a state was adopted.
func (s *State) standing() []string {
	list := make([]string, 0, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
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

// counts says whether node i has a say in where the network is.
func (s *State) counts(i int) bool {
	n := &s.nodes[i]
	return !n.spec.Optional && n.spec.Lifecycle && n.there() && n.state.Primary()
}

// fits says whether every required node that is there is as the state says.
func (s *State) fits(state string) bool {
	st, _ := s.machine.State(state)
	for i := range s.nodes {
		if !s.counts(i) {
			continue
		}
		if want, ok := s.net.Want(st, i); ok && want != s.nodes[i].state {
			return false
		}
	}
	return true
}

// fit returns the lowest state that fits, never one that arms, and whether every required node is there to say so.
// Where nobody is there the network is where a new one is.
func (s *State) fit() (state string, whole bool) {
	whole = true
	counted := 0
	for i := range s.nodes {
		if s.counts(i) {
			counted++
		} else if !s.nodes[i].spec.Optional && !(s.nodes[i].there() && !s.nodes[i].spec.Lifecycle) {
			whole = false
		}
	}
	if counted == 0 {
		return s.machine.Initial, whole
	}
	for _, st := range s.machine.States {
		if st.Passing || st.Armed.Any() || !s.fits(st.Name) {
			continue
		}
		if state == "" {
			state = st.Name
		}
		state = s.machine.Lower(state, st.Name)
	}
	return state, whole && state != ""
}

// lowest returns the highest state to which every required node that is there can get without being raised.
func (s *State) lowest() string {
	best, level := s.machine.Initial, -1
	for _, st := range s.machine.States {
		if st.Passing || st.Final || st.Armed.Any() || st.Level() <= level {
			continue
		}
		above := false
		for i := range s.nodes {
			n := &s.nodes[i]
			want, ok := s.net.Want(st, i)
			if s.counts(i) && n.state != lifecycle.Finalized && ok && want.Level() > n.state.Level() {
				above = true
			}
		}
		if !above {
			best, level = st.Name, st.Level()
		}
	}
	return best
}

// lowerTo takes down what is higher than a state, from the top, before the network is called to be in it.
func (s *State) lowerTo(state string) {
	s.work = s.newWork("", machine.Unknown, state)
	s.work.lowers = true
	s.work.why = "the nodes were found in different states: " + strings.Join(s.standing(), ", ")
	s.report.cause = s.work.why
	s.recordState(EventTurned, "lowering what is higher than "+state)
	s.lay(adopting, state)
}

// adopted ends the lowering of a start, whether all came down or not: who did not is a deviation.
func (s *State) adopted() bool {
	target := s.work.target
	s.settle(target)
	s.change(nil, Change{SourceState: target, TargetState: target, Settled: true}, false)
	return true
}
