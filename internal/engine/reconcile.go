package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

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
	s.advancePart(i)
}

// reconcile restores nodes while nothing runs: optional nodes that came late, and nodes that strayed or
// were lost if their policy says so. It goes only to what the present state says, and never arms.
func (s *State) reconcile() bool {
	s.endDisarmGoals()
	here, _ := s.machine.State(s.settled)
	if here.Armed.Any() || here.Final || s.closing.stop != nil {
		return false
	}
	only := make([]bool, len(s.nodes))
	found := false
	for i := range s.nodes {
		if s.nodes[i].place.deviant == "" {
			continue
		}
		switch s.policyNow(i) {
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
	s.work.parts.only = only
	s.lay(reconciling, s.settled)
	return true
}

// policyNow says which policy applies now to a node that deviates.
func (s *State) policyNow(i int) network.Policy {
	n := &s.nodes[i]
	m := &n.place.repairs
	policy := s.policyOf(n)
	switch {
	case n.misled() != "":
		return network.Report
	case n.joinsLate():
		m.epoch = n.epoch
		return network.Restore
	case n.spec.Optional, n.owesDisarm(), !n.curable(policy), !s.mayTry(i):
		return network.Report
	}
	m.told = policy == network.ToError
	if n.wasLost() {
		m.owed, m.drift = "", 0
	} else {
		m.drift = s.now.Steady
	}
	return policy
}

// joinsLate reports whether an optional node has a new process, which is to be brought to its
// place.
func (n *node) joinsLate() bool {
	return n.spec.Lifecycle && n.spec.Optional && n.spec.Late == network.Join && n.readable() && n.place.repairs.epoch != n.epoch
}

// curable reports whether a policy can be applied to the node as it is.
func (n *node) curable(policy network.Policy) bool {
	switch policy {
	case network.Restore:
		return n.readable() && n.spec.Lifecycle && n.state != lifecycle.Finalized
	case network.ToError:
		return !n.place.repairs.told && (n.firm || !n.there()) && (n.there() || n.absence.lost != "")
	}
	return false
}

// policyOf returns on_loss for a node that was lost, and on_drift for a node that strayed.
func (s *State) policyOf(n *node) network.Policy {
	if n.wasLost() {
		return n.spec.OnLoss
	}
	return n.spec.OnDrift
}

// wasLost reports whether a node is lost, or was and is not in its place since.
func (n *node) wasLost() bool { return n.absence.lost != "" || n.place.repairs.lost }

// mayTry reports whether node i may be restored now: not too often, and not too soon after the last
// try.
func (s *State) mayTry(i int) bool {
	m := &s.nodes[i].place.repairs
	recent := m.tries[:0]
	for _, t := range m.tries {
		if s.now.Steady-t < restoreWindow {
			recent = append(recent, t)
		}
	}
	m.tries = recent
	return len(recent) < restoreTries && !s.before(i, m.next)
}

// countTry counts one more try.
func (s *State) countTry(i int) {
	m := &s.nodes[i].place.repairs
	m.next = s.now.Steady + restorePause<<len(m.tries)
	m.tries = append(m.tries, s.now.Steady)
	s.at(i, m.next)
}

// reconciled ends a restore. A node that did not reach its place is still a deviation.
func (s *State) reconciled() bool {
	s.keepResults()
	s.work = nil
	for i := range s.nodes {
		s.judgeNode(i)
	}
	s.touchAll()
	s.report.changed = true
	return true
}

// toError starts the recovery of F1 because a node strayed or was lost, as its policy says.
func (s *State) toError(i int) {
	n := &s.nodes[i]
	w := s.newWork("", s.settled, s.settled)
	w.why = n.spec.Name + " " + n.place.deviant
	verdict := VerdictErrored
	if !n.there() {
		verdict = VerdictGone
	}
	w.fault.blame = append(w.fault.blame, NodeResult{Node: n.spec.Name, Verdict: verdict, Evidence: n.place.deviant, From: w.foundIn(i), State: n.state})
	here, _ := s.machine.State(s.settled)
	want, _ := s.net.WantAt(here, i, n.state)
	// The state to restore.
	w.parts.began[i] = beginning{there: true, silent: n.silent(), firm: true, state: want}
	s.work = w
	s.report.cause = w.why
	s.enterError()
	w.target = s.machine.Disarmed(w.origin)
	s.lay(restoring, w.target)
}

// A node that dies and is started again may answer before the graph shows its new process. Its
// answer then looks like a drift, and on_drift applies. The discovery of the new process shows that
// the node was lost, and then on_loss applies.

// discoveredIn is how long the discovery of a process may take after its first answer.
const discoveredIn = 30 * time.Second

// reactTo notes the reaction of the machine to an event of node i, or of the network itself with -1.
func (s *State) reactTo(event machine.Event, i int) {
	node := ""
	if i >= 0 {
		node = s.nodes[i].spec.Name
	}
	why := node + " erred"
	switch event {
	case machine.Settled:
		why = "the network is " + s.settled
	case machine.LoopIdle:
		why = s.stopped()
	case machine.NodeReborn:
		why = "a new process of " + node + " is there"
	}
	s.reactOn(machine.On{Event: event}, node, why)
}

// reactOn notes the reaction of the machine to what happened, and reports whether there is one. A
// reaction runs at rest only: what fails during a transition is that transition's failure.
func (s *State) reactOn(on machine.On, node, why string) bool {
	if s.busy() || s.settled == "" || s.turn.reacts.do != "" {
		return false
	}
	list := s.machine.Autos(s.settled, on, node)
	if len(list) == 0 {
		return false
	}
	expected := on.Event == machine.Settled || on.Event == machine.LoopIdle || on.Event == machine.Made
	s.turn.reacts = reaction{do: list[0].Do, in: s.settled, why: why, expected: expected}
	return true
}

// reacts begins a noted reaction, and reports whether it did.
func (s *State) reacts() bool {
	r := s.turn.reacts
	s.turn.reacts = reaction{}
	if r.do == "" || s.busy() || s.settled != r.in || !s.judge.Can(r.do) {
		return false
	}
	t := s.command(r.do, s.origin())
	if why := s.refuses(t); why != "" {
		s.recordState(EventFailed, t.Name+", the reaction to "+r.why+", was not begun: "+why)
		return false
	}
	if !r.expected {
		s.noteLowered(ByPolicy, t.Name, r.why)
	}
	s.followUp(r.do, nil, r.why)
	return true
}

// rebornAsDrift undoes what on_drift did to node i, whose process was replaced, and applies
// on_loss.
func (s *State) rebornAsDrift(i int) {
	n := &s.nodes[i]
	m := &n.place.repairs
	if m.drift == 0 || s.now.Steady-m.drift > discoveredIn {
		return
	}
	m.drift, m.told = 0, false
	if n.spec.OnLoss == network.ToError && !n.spec.Optional {
		m.owed = "was lost: another process took its place"
	}
	if w := s.work; w != nil && w.phase.rests && w.parts.only[i] && n.spec.OnLoss == network.Report {
		s.reconciled()
	}
}

// watch looks at a node while nothing runs.
func (s *State) watch(i int) {
	if s.settled == "" {
		s.meet(i)
		return
	}
	n := &s.nodes[i]
	if c := n.call; c != nil && n.firm && c.Over(n.state) {
		n.call = nil // its answer is late or lost
	}
	if n.there() && n.spec.Lifecycle && (!n.firm || !n.state.Primary() || n.call != nil) {
		s.poll(i)
	}
	s.attend(i)
	armed := s.armedHere()
	if armed {
		s.recheck(i)
	}
	s.judgeNode(i)
	s.takeDown(i)
	if armed && n.endangers() && !s.yields() && s.closing.ended == nil {
		s.disarmForSafety(n.spec.Name + " " + n.place.deviant)
	}
}

// endangers reports whether the node forbids the network to stay armed.
func (n *node) endangers() bool {
	return n.place.deviant != "" && (!n.spec.Optional || n.place.wasArmed)
}

// judgeNode updates whether node i is as the settled state says.
func (s *State) judgeNode(i int) {
	n := &s.nodes[i]
	was := n.place.deviant
	n.place.deviant = s.deviation(i)
	if n.place.deviant == "" {
		n.place.repairs.lost, n.place.repairs.told = false, false
	}
	if n.place.deviant != was {
		s.report.changed, s.peers.untold = true, true
		if s.work == nil || s.work.phase.rests {
			s.recordDeviation(i)
		}
	}
}

// deviation says why node i is not as the settled state says; empty: it is.
func (s *State) deviation(i int) string {
	n := &s.nodes[i]
	here, ok := s.machine.State(s.settled)
	if !ok {
		return ""
	}
	want, wanted := s.net.WantAt(here, i, n.state)
	switch {
	case s.exposed(i, here) != "" && !here.Final:
		return s.exposed(i, here)
	case !n.there() && (here.Final || !n.spec.Lifecycle && want.Level() < lifecycle.Inactive.Level()):
		return ""
	case !n.there():
		return n.absentWords()
	}
	if why := s.misfit(i, here); why != "" || !n.spec.Lifecycle || !wanted {
		return why
	}
	return s.displaced(i, want)
}

// absentWords says that a node is absent, and why.
func (n *node) absentWords() string {
	switch {
	case n.abandoned():
		return "is lost: it " + whyAbandoned
	case n.absence.lost != "":
		return "is lost: " + n.absence.lost
	}
	return n.missing()
}

// several says that more than one process has the name of the node; empty: none or one has it.
func (n *node) several() string {
	if n.count < 2 {
		return ""
	}
	return fmt.Sprintf("is there %d times: end all but one", n.count)
}

// misfit says what is wrong with a present node i, apart from its lifecycle state; empty: nothing.
func (s *State) misfit(i int, here machine.State) string {
	n := &s.nodes[i]
	arms := s.net.Arms(here, i)
	switch {
	case n.place.repairs.owed != "":
		return n.place.repairs.owed
	case n.misled() != "":
		return n.misled()
	case n.several() != "":
		return n.several()
	case n.reading.probing.left > 0:
		return fmt.Sprintf("is lost: it left %d questions for its state without an answer", n.reading.probing.left)
	case !arms && n.owesDisarm():
		return "may be armed"
	case arms && n.arm.Belief() != IsArmed:
		return "is not armed"
	case here.Armed.Any():
		return s.unfit(i)
	}
	return ""
}

// displaced says why node i is not known to be in a lifecycle state; empty: it is.
func (s *State) displaced(i int, want lifecycle.State) string {
	n := &s.nodes[i]
	switch {
	case n.state == lifecycle.Unknown:
		return "has not said where it is"
	case n.call != nil && n.state.Primary():
		return "has not answered to " + n.call.Do.Label
	case !n.firm && s.now.Steady-n.doubted >= 2*readEvery:
		return fmt.Sprintf("is perhaps not %v any more, and does not answer get_state", n.state)
	case n.state != want:
		return fmt.Sprintf("is %v, not %v", n.state, want)
	}
	return ""
}

// intact reports whether every required node is as the network's state says.
func (s *State) intact() bool {
	if s.settled == "" {
		return false
	}
	for i := range s.nodes {
		if s.nodes[i].place.deviant != "" && s.matters(i) {
			return false
		}
	}
	return true
}

// matters reports whether a deviation of node i makes the network less than intact: the node is
// required, may be armed or moved, or must not be driven.
func (s *State) matters(i int) bool {
	n := &s.nodes[i]
	return !n.spec.Optional || n.arm.Belief() == MayBeArmed || len(n.unsafe) > 0 || n.misled() != ""
}

func (s *State) deviations() []string {
	var list []string
	for i := range s.nodes {
		if n := &s.nodes[i]; n.place.deviant != "" && s.matters(i) {
			list = append(list, n.spec.Name+" "+n.place.deviant)
		}
	}
	return list
}

// reached reports whether a goal that names the current state is already satisfied. gone names, in
// words, the absent nodes that count for it: an absent node counts as unconfigured and as finalized
// only.
func (s *State) reached() (gone string, ok bool) {
	here, known := s.machine.State(s.settled)
	for i := range s.nodes {
		n := &s.nodes[i]
		want, _ := s.net.Want(here, i)
		switch {
		case n.place.deviant == "" || !s.matters(i):
		case n.there(), n.arm.Belief() != Disarmed, s.exposed(i, here) != "":
			return "", false
		case want != lifecycle.Unconfigured && want != lifecycle.Finalized:
			return "", false
		default:
			gone += fmt.Sprintf("; %s %s, which counts as %v", n.spec.Name, n.place.deviant, want)
		}
	}
	return gone, known
}

// The default watch (S5): the engine reads each lifecycle node every few seconds while no request
// to it is open. If a process on another host ends, is suspended or hangs, the kernel reports
// nothing, and the graph only after a long time.
//
// The watch only shows. An answer corrects the belief, as the answer to any read does, but it is no
// proof: arming, the lease and A2 never rest on it. A node that leaves two reads in a row
// unanswered is shown as unresponsive. It is not lost, it does not deviate, and nothing is
// disarmed, rejected or restored because of it.

// The engine reads the nodes in turn, a few in each second. To wake an idle process costs far more
// than a read, so reads and their judgements share their moments.
const (
	watchTurn  = time.Second // time between two moments of the watch
	watchTurns = 5           // a node is read in one of so many turns,
	// At most so many nodes in one turn; more nodes need more turns.
	watchMost  = 5
	watchWait  = 2 * watchTurn          // how long a node has to answer
	watchFails = 2                      // unanswered reads in a row that make a node unresponsive
	watchSlack = 250 * time.Millisecond // a read that is overdue by more is left out
)

// unresponsiveWords tells the user that a node is unresponsive.
var unresponsiveWords = fmt.Sprintf("is unresponsive: it left %d reads of its state without an answer", watchFails)

// attend reads node i if that is due, and judges the read before it.
func (s *State) attend(i int) {
	n := &s.nodes[i]
	v := &n.reading.monitor
	if !n.spec.Lifecycle || n.spec.Probe > 0 || !n.there() || s.closing.ended != nil || v.next > 0 && s.now.Steady < v.next {
		return
	}
	if v.next == 0 || s.now.Steady > v.next+watchSlack || !s.attends(i) {
		v.judges, v.missed = false, 0
		s.attendAt(i, s.slot(i))
		return
	}
	if v.judges {
		v.judges = false
		if v.heard {
			s.attendAt(i, s.slot(i))
			return
		}
		if v.missed++; v.missed >= watchFails {
			s.unresponsive(i)
			s.attendAt(i, s.slot(i))
			return
		}
	}
	v.judges, v.heard = true, false
	s.ask(i, true)
	s.attendAt(i, s.now.Steady+watchWait)
}

func (s *State) attendAt(i int, when time.Duration) {
	s.nodes[i].reading.monitor.next = when
	s.at(i, when)
}

// attends reports whether no request to node i is open, and no other part of the engine reads it
// periodically.
func (s *State) attends(i int) bool {
	n := &s.nodes[i]
	return n.call == nil && !n.arm.Open() && n.state.Primary() && s.probeEvery(i) == 0 && s.closing.stop == nil && !s.yields()
}

// slot is when node i is read next. A node keeps its turn, so the reads stay evenly spread after
// each rest of the watch.
func (s *State) slot(i int) time.Duration {
	every := s.watchRound()
	phase := time.Duration(i) * watchTurn % every
	return s.now.Steady + every - (s.now.Steady-phase+every)%every
}

// watchRound is the time between two reads of one node by the watch.
func (s *State) watchRound() time.Duration {
	return time.Duration(max(watchTurns, (len(s.nodes)+watchMost-1)/watchMost)) * watchTurn
}

// unresponsive records, once, that node i does not answer.
func (s *State) unresponsive(i int) {
	if v := &s.nodes[i].reading.monitor; !v.unresponsive {
		v.unresponsive, s.report.changed = true, true
		s.record(s.nodeEntry(i, EntryNode, EventSilent, unresponsiveWords))
	}
}

// responds records that something was heard from node i.
func (s *State) responds(i int) {
	v := &s.nodes[i].reading.monitor
	v.heard, v.missed = true, 0
	if v.unresponsive {
		v.unresponsive, s.report.changed = false, true
		s.record(s.nodeEntry(i, EntryNode, EventAnswers, "answers again"))
	}
}
