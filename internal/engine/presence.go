package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/engine/grant"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// Which nodes are there: processes that appear, are replaced and are lost.

// absence is why a node is absent, and which of its endpoints the graph still shows.
type absence struct {
	lost      string // why it is absent
	lostAt    time.Duration
	alike     []string // present nodes with a similar name, if it never appeared
	endpoints endpoints
}

// nodeMissed notes the names in the graph that resemble the name of a missing node.
func (co *course) nodeMissed(in NodeMissed) {
	if n := &co.nodes[in.Node]; !n.there() && n.absence.lost == "" {
		n.absence.alike = in.Alike
		co.judgeNode(in.Node)
		co.changed = true
	}
}

// missing says that a node is absent, and which similar names are present.
func (n *node) missing() string {
	switch len(n.absence.alike) {
	case 0:
		return "is not there"
	case 1:
		return "is not there, but " + n.absence.alike[0] + " is: is that one meant?"
	}
	last := len(n.absence.alike) - 1
	return "is not there, but " + strings.Join(n.absence.alike[:last], ", ") + " and " + n.absence.alike[last] +
		" are: is one of them meant?"
}

// nodeSeen notes which endpoints of a node the graph shows. An endpoint that was said to have ended
// may have answered until it left the graph, so the node that is left is read again (E4).
func (s *State) nodeSeen(in NodeSeen) {
	n := &s.nodes[in.Node]
	fewer := n.there() && in.Count < n.absence.endpoints.count
	n.absence.endpoints.takeGraph(in)
	s.retest(in.Node)
	s.recount(in.Node)
	if fewer {
		s.doubt(in.Node)
		n.reading.polled, n.reading.reads = 0, nil
		s.read(in.Node)
	}
}

func (s *State) nodeLost(in NodeLost) {
	s.outOfGraph(in.Node)
	s.lose(in.Node, in.Why)
}

// present notes how many processes of node i live, and which is the newest. A new epoch is a new
// process, for which no belief, request or duty of the former one holds.
func (s *State) present(i int, newest uint64, count int) {
	n := &s.nodes[i]
	was, epoch := n.count, n.epoch
	n.count = count
	n.absence.lost, n.absence.alike = "", nil
	if newest != n.epoch {
		s.begins(i, newest, was > 0)
	}
	if n.spec.Arm != nil && !n.foreign() && (n.count != was || newest != epoch) {
		n.arm.Appear(s.number)
	}
	if n.count < was { // the other one may be the one whose state is known, or that still answers
		s.doubt(i)
		n.state, n.reading.polled, n.reading.reads = lifecycle.Unknown, 0, nil
	}
	if was != n.count || newest != epoch {
		n.reading.several, n.reading.allAnswer = s.now.Steady, false
	}
	if was == 0 {
		s.startup.foundAt = s.now.Steady
	}
	if was == 0 || was != n.count {
		n.reading.monitor = monitor{} // it is unknown which of them is silent
		s.record(s.nodeEntry(i, EntryNode, EventThere, "is there"))
	}
	s.changed = true
	s.touch(i)
	s.touchAround(i)
}

// begins notes a new process of node i; replaces says that the former one was still there.
func (s *State) begins(i int, epoch uint64, replaces bool) {
	n := &s.nodes[i]
	if replaces && n.epoch != 0 {
		s.dropOut(i, "another process took its place")
		s.reborn(i)
		s.rebornAsDrift(i)
	}
	n.forget()
	if n.epoch != 0 && epoch != 0 {
		s.reactTo(machine.NodeReborn, i)
	}
	if !n.foreign() {
		n.arm.Succeed(s.number, n.epoch != 0)
		if n.epoch == 0 && s.opt.Unsure {
			n.arm.Doubt()
		}
		n.permit = grant.Permit{}
	}
	n.epoch = epoch
}

// lose notes that no process of node i lives.
func (s *State) lose(i int, why string) {
	n := &s.nodes[i]
	if !n.there() {
		return
	}
	n.count = 0
	s.dropOut(i, why)
	gone := s.nodeEntry(i, EntryNode, EventGone, "is gone")
	gone.Cause = why
	s.record(gone)
	n.absence.lost, n.absence.lostAt, n.place.repairs.lost = why, s.now.Steady, true
	n.forget()
	s.departs(i)
	s.changed = true
	s.touch(i)
	s.touchAround(i)
}

// forget drops all beliefs about a process that has ended.
func (n *node) forget() {
	n.state, n.firm, n.calls.asked, n.provenAt = lifecycle.Unknown, false, false, 0
	n.reading.polled, n.reading.probing, n.reading.unread, n.reading.monitor = 0, probing{}, 0, monitor{}
	n.reading.reported = reported{}
	n.call, n.calls.closed, n.calls.newest, n.calls.unheard, n.reading.reads = nil, nil, nil, nil, nil
}

// departs notes for the arm that the process of node i is gone, if that serves it.
func (ro *roster) departs(i int) {
	if !ro.nodes[i].foreign() {
		ro.departed(i)
	}
}

// reborn notes that another process has replaced the one on which a part worked.
func (ro *roster) reborn(i int) {
	n := &ro.nodes[i]
	ro.departs(i)
	n.place.repairs.lost = true
	if n.part.status == partWorking || n.part.status == partDone {
		n.part.replaced = true
	}
}

// several says that more than one process has the name of the node; empty: none or one has it.
func (n *node) several() string {
	if n.count < 2 {
		return ""
	}
	return fmt.Sprintf("is there %d times: end all but one", n.count)
}

func (n *node) severalWords() string { return fmt.Sprintf("%d living nodes bear this name", n.count) }

// absentWords says that a node is absent, and why.
func (n *node) absentWords() string {
	switch {
	case n.abandoned() && !n.foreign():
		return "is lost: it " + whyAbandoned
	case n.absence.lost != "":
		return "is lost: " + n.absence.lost
	}
	return n.missing()
}
