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
	last    string        // the settled state before the start or stall; empty: there is none
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
func (co *course) begin() {
	co.startup.begun = true
	if co.startup.started.IsZero() {
		co.startup.started = co.now.Wall
	}
	var longest time.Duration
	for i := range co.nodes {
		longest = max(longest, co.nodes[i].spec.Deadline.Discover)
	}
	co.startup.startBy = co.now.Steady + longest
	co.startup.foundAt = co.now.Steady
	co.startup.writeBy = co.now.Steady + max(co.opt.Listen.Most, co.opt.Listen.Least)
	if co.opt.Listen.Most == 0 {
		co.startup.writeBy = co.now.Steady + max(firstWrite, co.opt.Listen.Least)
	}
	co.wakeWhole(co.startup.startBy)
	co.wakeWhole(co.startup.writeBy)
	co.report.cause = "rstate has just started"
	if co.gap.stall != "" {
		co.report.cause = co.gap.stall
	} else {
		co.record(Entry{
			Kind: EntryStart, Sentence: "rstate starts as " + co.opt.Instance, Cause: co.opt.NotLast,
			Meaning: Meaning{Simulation: co.net.Simulation, Machine: co.machine.Hash(), Network: co.meaning()},
		})
		co.recordLeftovers()
		co.inherit()
		co.latchGap(co.opt.Unheard)
		co.noteStops()
	}
	co.changed = true
}

// meaning is the fingerprint of the network: under another fingerprint the names of states mean
// something else.
func (co *course) meaning() string {
	if co.disk.fingerprint == "" {
		co.disk.fingerprint = co.net.Fingerprint()
	}
	return co.disk.fingerprint
}

// meet notes what a node is during the start. A node that may be armed is disarmed as soon as the
// daemon may write.
func (co *course) meet(i int) {
	n := &co.nodes[i]
	if !n.there() {
		return
	}
	if n.spec.Lifecycle && (!n.firm || !n.state.Primary()) {
		co.poll(i)
	}
}

// checkListened reports whether a start has read long enough: another instance of this name
// would be known by now. If the start is to wait for the calm, it schedules a look.
func (ro *roster) checkListened() bool {
	if ro.now.Steady < ro.name.doubtBy {
		return false
	}
	for i := range ro.nodes {
		if ro.now.Steady < ro.nodes[i].relation.tellBy {
			return false
		}
	}
	if ro.now.Steady >= ro.startup.writeBy {
		return true
	}
	for i := range ro.nodes {
		if n := &ro.nodes[i]; !n.there() || (n.spec.Lifecycle && !n.state.Primary()) {
			return false
		}
	}
	if calm := ro.startup.foundAt + ro.opt.Listen.Least; ro.now.Steady < calm {
		ro.wakeWhole(calm)
		return false
	}
	return true
}

// waitingFor names what the start still waits for.
func (ro *roster) waitingFor() []string {
	var list []string
	for i := range ro.nodes {
		n := &ro.nodes[i]
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
func (ro *roster) allMet() bool {
	for i := range ro.nodes {
		if !ro.nodes[i].met() {
			return false
		}
	}
	return true
}

// comeUp ends the start when every node has been read, or when the deadline has passed and no node
// settles.
func (s *State) comeUp() bool {
	if !s.startup.writes {
		if long := s.checkListened(); long {
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
