package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/belief"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// nodeMissed notes the names in the graph that resemble the name of a missing node.
func (s *State) nodeMissed(in NodeMissed) {
	if n := &s.nodes[in.Node]; !n.there() && n.absence.lost == "" {
		n.absence.alike = in.Alike
		s.judgeNode(in.Node)
		s.report.changed = true
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
	return "is not there, but " + strings.Join(n.absence.alike[:last], ", ") + " and " + n.absence.alike[last] + " are: is one of them meant?"
}

// nodeSeen notes which endpoints of a node the graph shows. An endpoint that was said to have ended
// may have answered until it left the graph, so the node that is left is read again (E4).
func (s *State) nodeSeen(in NodeSeen) {
	n := &s.nodes[in.Node]
	fewer := n.there() && in.Count < n.absence.endpoints.count
	n.absence.endpoints.shows(in)
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
		if was > 0 && n.epoch != 0 {
			s.dropsOut(i, "another process took its place")
			n.reborn()
			s.rebornAsDrift(i)
		}
		n.forget()
		if n.epoch != 0 && newest != 0 {
			s.reactTo(machine.NodeReborn, i)
		}
		n.epoch = newest
		n.arm.ForgetCalls()
	}
	if n.spec.Arm != nil && (n.count > was || newest != epoch) {
		n.arm.Appear(s.turn.number)
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
	s.report.changed = true
	s.touch(i)
	s.touchAround(i)
}

// lose notes that no process of node i lives.
func (s *State) lose(i int, why string) {
	n := &s.nodes[i]
	if !n.there() {
		return
	}
	n.count = 0
	s.dropsOut(i, why)
	gone := s.nodeEntry(i, EntryNode, EventGone, "is gone")
	gone.Cause = why
	s.record(gone)
	n.absence.lost, n.absence.lostAt, n.place.repairs.lost = why, s.now.Steady, true
	n.forget()
	s.departed(i)
	s.report.changed = true
	s.touch(i)
	s.touchAround(i)
}

// forget drops all beliefs about a process that has ended.
func (n *node) forget() {
	n.state, n.firm, n.calls.asked, n.proof = lifecycle.Unknown, false, false, 0
	n.reading.polled, n.reading.probing, n.reading.unread, n.reading.monitor = 0, probing{}, 0, monitor{}
	n.reading.reported = reported{}
	n.call, n.calls.closed, n.calls.newest, n.calls.unheard, n.reading.reads = nil, nil, nil, nil, nil
}

// reborn notes that another process has replaced the one on which a part worked.
func (n *node) reborn() {
	n.arm.Replace(n.abandons())
	n.place.repairs.lost = true
	if n.part.status == partWorking || n.part.status == partDone {
		n.part.replaced = true
	}
}

func (s *State) stateRead(in StateRead) {
	s.answered(in.Node, in.Ticket)
	s.responds(in.Node)
	n := &s.nodes[in.Node]
	n.countAnswers(in.Ticket)
	k := slices.IndexFunc(n.reading.reads, func(r read) bool { return r.ticket == in.Ticket })
	if k < 0 { // of another process, or overtaken by a later read: only a hint
		if in.State != n.state {
			s.poll(in.Node) // two of one name may differ for ever
		}
		return
	}
	s.heardFrom(in.Node)
	sent, watch := n.reading.reads[k].sent, n.reading.reads[k].watch
	n.reading.reads = n.reading.reads[k+1:]
	switch {
	case n.calls.asked && sent <= n.calls.sent:
		// sent before the last request, so it says nothing about that request's result
	case sent < n.at && in.State != n.state:
		s.doubt(in.Node) // which of the two is older only a later read tells
		s.read(in.Node)
	default:
		if !watch {
			n.proof = sent
			s.proven(in.Node)
		}
		if n.call != nil && in.State == n.call.From {
			n.call.Still++
		}
		s.believe(in.Node, in.State)
	}
	s.touch(in.Node)
}

// eventHeard takes an announcement; package belief interprets it.
func (s *State) eventHeard(in EventHeard) {
	s.announced(in.Node, in.Epoch)
	n := &s.nodes[in.Node]
	if !n.there() || !n.spec.Lifecycle || (in.Epoch != 0 && in.Epoch != n.epoch) {
		return
	}
	s.heardFrom(in.Node)
	s.responds(in.Node)
	if in.To == lifecycle.ErrorProcessing && !n.spec.Optional {
		s.reactTo(machine.NodeError, in.Node)
	}
	e := belief.Event{From: in.From, To: in.To}
	switch n.known().Heard(e, n.calls.unheard.Announced(e, s.now.Steady)) {
	case belief.Unclear:
		s.read(in.Node)
	case belief.Contradicts:
		s.doubt(in.Node)
		s.read(in.Node)
	case belief.Moves:
		s.believe(in.Node, in.To)
	case belief.Ends:
		s.arrived(in.Node, in.To)
	case belief.Agrees:
		s.agree(in.Node)
	case belief.Claims:
		s.claim(in.Node, in.To)
		s.read(in.Node)
	}
	s.touch(in.Node)
}

// strangeMost is how many undeclared words of one process are recorded.
const strangeMost = 8

// nodeReported takes a sub-state that a node reports of itself (S6). It is no evidence for the
// lifecycle state of the node, and no sign of life: the middleware keeps the newest message.
func (s *State) nodeReported(in NodeReported) {
	n := &s.nodes[in.Node]
	if !n.there() || in.Epoch != n.epoch {
		return
	}
	r := &n.reading.reported
	kind := n.spec.SubState(in.Word)
	if kind == network.Undeclared {
		s.strangeReport(in)
		return
	}
	s.report.changed = true
	made, since := s.now.Steady-in.Age, s.goals.settledAt
	repeated := in.Word == r.word && r.made >= since
	if in.Word != r.word {
		r.word, r.count = in.Word, 0
	}
	r.count++
	r.made = made
	if repeated {
		return
	}
	s.recordReport(in)
	if made >= since {
		s.reactToReport(in.Node, kind, in.Word)
	}
}

// A node may report faster than a disk writes. Of each reportTime, only so many lines are recorded.
const (
	reportTime  = 10 * time.Second
	reportLines = 20
)

// recordReport records a sub-state, and how many have been omitted before it.
func (s *State) recordReport(in NodeReported) {
	r := &s.nodes[in.Node].reading.reported
	if s.now.Steady-r.since >= reportTime {
		r.since, r.lines = s.now.Steady, 0
	}
	if r.lines == reportLines {
		r.omitted++
		return
	}
	words := "reports " + in.Word
	if r.omitted > 0 {
		words += fmt.Sprintf("; %d reports before it are not in the journal: at most %d in %v are", r.omitted, reportLines, reportTime)
	}
	r.lines, r.omitted = r.lines+1, 0
	e := s.nodeEntry(in.Node, EntryNode, EventReported, words)
	e.Cause = in.Message
	s.record(e)
}

// strangeReport records a word that the network file does not declare, once.
func (s *State) strangeReport(in NodeReported) {
	r := &s.nodes[in.Node].reading.reported
	if len(r.strange) >= strangeMost || slices.Contains(r.strange, in.Word) {
		return
	}
	r.strange = append(r.strange, in.Word)
	s.record(s.nodeEntry(in.Node, EntryNode, EventStrange,
		fmt.Sprintf("reports %q, which is ignored: the network file does not declare it; add it to runtime_states, exception_states or fatal_states of the node", in.Word)))
}

// reactToReport notes the reaction to a sub-state: to its name, or else to what it counts as. As with
// an error that a node announces, an optional node fails for itself alone.
func (s *State) reactToReport(i int, kind network.SubState, word string) {
	spec := s.nodes[i].spec
	why := spec.Name + " reported " + word
	if s.reactOn(machine.On{Event: machine.Reported, Word: word}, spec.Name, why) || spec.Optional {
		return
	}
	switch kind {
	case network.ExceptionState:
		s.reactOn(machine.On{Event: machine.NodeError}, spec.Name, why)
	case network.FatalState:
		s.reactOn(machine.On{Event: machine.NodeFatal}, spec.Name, why)
	}
}

// claim takes a state of a node that is not firm yet.
func (s *State) claim(i int, state lifecycle.State) {
	n := &s.nodes[i]
	n.state, n.at, n.firm, n.doubted = state, s.now.Steady, false, s.now.Steady
	s.touchAround(i)
	s.at(i, s.now.Steady+confirmIn)
	s.report.changed = true
	if state != n.part.want {
		s.doubt(i)
	}
}

// doubt notes a contradiction to the believed state: no request rests on it before the next read.
func (s *State) doubt(i int) {
	n := &s.nodes[i]
	if !n.spec.Lifecycle {
		return
	}
	if n.firm {
		n.firm, n.doubted = false, s.now.Steady
	}
	if l := &n.part; s.work != nil && l.status == partDone && l.sure && l.wants && !l.short && n.there() {
		l.sure = false
		s.work.parts.unsure++
	}
}

// believe takes evidence of a node's state that is newer than all other, and later than the last
// request.
func (s *State) believe(i int, state lifecycle.State) {
	n := &s.nodes[i]
	if c := n.call; c != nil && state == c.Do.Passing() {
		c.Started = true
	}
	if n.state != state {
		s.report.changed = true
		s.touchAround(i) // which node waits for which depends on their states
	}
	if done := n.calls.closed; done != nil && state != done.Do.Target() {
		done.Agreed = true // it has moved on since: later messages are news
	}
	n.state, n.at, n.firm = state, s.now.Steady, true
	if s.work != nil {
		s.work.found(i, n)
		if s.work.arm.proven {
			s.touchAll() // a doubt keeps the network from being armed
		}
	}
	s.touch(i)
}

// read reads the state of node i. Several reads may be open; an answer settles the earlier ones
// too.
func (s *State) read(i int) {
	n := &s.nodes[i]
	if !n.there() || !n.spec.Lifecycle {
		return
	}
	if k := len(n.reading.reads); k > 0 && !n.reading.reads[k-1].watch {
		last := n.reading.reads[k-1].sent
		stale := s.work != nil && n.part.fresh.anew && last < n.part.fresh.readSince
		if s.now.Steady-last < s.readPause(i) && (!n.calls.asked || last > n.calls.sent) && !stale {
			return
		}
	}
	s.ask(i, false)
	s.at(i, s.now.Steady+s.readPause(i))
}

// ask sends a read, whatever else is open at the node. It remembers a few unanswered reads. A read
// of the watch (S5) delays no other read.
func (s *State) ask(i int, watch bool) {
	n := &s.nodes[i]
	if len(n.reading.reads) >= 8 {
		n.reading.reads = n.reading.reads[1:]
	}
	ticket := s.next()
	if !watch {
		n.reading.polled = s.now.Steady
		n.reading.unread++
	}
	n.reading.reads = append(n.reading.reads, read{ticket, s.now.Steady, watch})
	s.do(ReadState{Node: i, Ticket: ticket, Watch: watch})
}

// poll reads node i at most once a second, unless a request was sent to it since. An answer that
// does not help is no reason to ask again at once.
func (s *State) poll(i int) {
	n := &s.nodes[i]
	if next := n.reading.polled + s.readPause(i); n.reading.polled > 0 && s.now.Steady < next && (!n.calls.asked || n.reading.polled > n.calls.sent) {
		s.at(i, next)
		return
	}
	s.read(i)
}

// fresh reports whether a request may rest on the believed state of node i.
func (s *State) fresh(i int) bool {
	n := &s.nodes[i]
	return n.firm && s.now.Steady-n.at <= freshFor && (s.work == nil || !n.part.fresh.anew || n.proof >= n.part.fresh.readSince)
}

// steps reports whether node i has a step on the way of the command, and its state is known well
// enough to request that step without a read. That is so if nothing was announced since, and the
// node has answered in the last round of the watch. A node that has moved without an announcement
// refuses the step; see misjudged.
func (s *State) steps(i int) bool {
	n := &s.nodes[i]
	l := &n.part
	return s.work != nil && s.work.phase.commands && l.wants && !l.fresh.anew && !l.misjudged && n.firm && n.state.Primary() &&
		n.state != l.want && n.reading.monitor.missed == 0 && s.now.Steady-n.at <= s.watchRound()+watchWait
}
