package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
)

// The start: it reads the nodes as they appear, and writes nothing until it knows that no other
// instance has the name.

// startup is the progress of the start.
type startup struct {
	started time.Time
	startBy time.Duration // until when a start waits for nodes
	foundAt time.Duration // when the newest node was found
	// End of reading only, unless the start has to wait for an instance of the same name.
	writeBy time.Duration
	writes  bool // the engine may send requests to nodes
	named   bool // this instance holds the name
	begun   bool
}

// firstWrite is the longest time that a start only reads, if Options do not say otherwise.
const firstWrite = 3 * time.Second

// begin begins the start: it reads nodes as they appear, and writes nothing.
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
			Meaning: Meaning{Simulation: s.net.Simulation, Machine: s.machine.Hash(), Network: s.meaning()},
		})
		s.recordLeft()
		s.inherits()
	}
	s.report.changed = true
}

// meaning is the fingerprint of the network: under another fingerprint the names of states mean
// something else.
func (s *State) meaning() string {
	if s.disk.fingerprint == "" {
		s.disk.fingerprint = s.net.Fingerprint()
	}
	return s.disk.fingerprint
}

// meet notes what a node is during the start. A node that may be armed is disarmed as soon as the
// daemon may write.
func (s *State) meet(i int) {
	n := &s.nodes[i]
	if !n.there() {
		return
	}
	if n.spec.Lifecycle && (!n.firm || !n.state.Primary()) {
		s.poll(i)
	}
}

// listened reports whether a start has read long enough: another instance of this name would be
// known by now.
func (s *State) listened() bool {
	if s.now.Steady < s.name.doubtBy {
		return false
	}
	for i := range s.nodes {
		if s.now.Steady < s.nodes[i].relation.tellBy {
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

// met reports whether a start knows all that it needs to know of the node. A process that may be unable
// to confirm its disarm is asked twice, and not waited for longer.
func (n *node) met() bool {
	known := !n.spec.Lifecycle || n.firm && n.state.Primary()
	return n.there() && known && (n.arm.Belief() == Disarmed || n.arm.Wary() && n.mayBeMute() && n.arm.Asked() > 1)
}

// allMet is len(waitingFor()) == 0 without building the words, because every input of a start asks
// for it.
func (s *State) allMet() bool {
	for i := range s.nodes {
		if !s.nodes[i].met() {
			return false
		}
	}
	return true
}

// comesUp ends the start when every node has been read, or when the deadline has passed and no node
// settles.
func (s *State) comesUp() bool {
	if !s.startup.writes {
		if s.listened() {
			s.takeName()
		}
		return s.startup.writes
	}
	if (s.now.Steady < s.startup.startBy || s.anySettles()) && !s.allMet() {
		return false
	}
	s.adopt()
	return true
}
