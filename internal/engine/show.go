package engine

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/clean"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// Snapshot returns everything that may be shown. What it holds is a copy.
func (s *State) Snapshot() Snapshot {
	snap := Snapshot{
		State: s.judge.State(), Settled: s.settled, Intact: s.intact() && s.loop.fault == "", Deviations: s.deviationsShown(), Work: s.workView(),
		Nodes: make([]NodeView, len(s.nodes)), Legal: s.legal(), Refusal: s.report.refusal, Failure: s.report.failure, Cause: s.report.cause,
		ProofAge: -1, Lease: LeaseView{Term: s.hold.lease.Term()}, Warnings: s.warnings(), Clock: s.clock.mode(),
		Peers:     PeersView{All: s.peerViews(), Common: s.peers.book.Target(), Behind: s.behind() && !s.alone(), Seen: s.peers.book.Seen()},
		LeftArmed: s.leftArmed(), OpenGoals: s.openGoals(), Loop: s.loopView(),
	}
	snap.Lease.Age, snap.Lease.Left = s.leaseAges()
	if s.settled == "" {
		snap.Waiting = s.waitingFor()
	}
	for i := range s.nodes {
		snap.Nodes[i] = s.view(i)
		if age := snap.Nodes[i].ProofAge; !s.nodes[i].spec.Optional {
			snap.ProofAge = max(snap.ProofAge, age)
		}
	}
	return snap
}

func (s *State) workView() WorkView {
	w := s.work
	if w == nil {
		return WorkView{}
	}
	v := WorkView{
		Target: w.target, Command: w.command, By: w.by, Recovery: s.recovery(w), Elapsed: s.now.Steady - w.since, Done: w.done(), Total: w.parts.total,
	}
	v.TimeLeft, v.Held = s.timeLeft()
	if w.goal != nil {
		v.GoalID, v.Client = clean.Text(w.goal.id()), w.goal.who
	}
	return v
}

func (s *State) view(i int) NodeView {
	n := &s.nodes[i]
	v := NodeView{
		Name: n.spec.Name, State: n.state, Present: n.there(), Count: n.count, Optional: n.spec.Optional,
		Lifecycle: n.spec.Lifecycle, CanArm: n.spec.Arm != nil, Armed: n.arm.Belief(), Deviates: n.place.deviant, SeenAt: n.at,
		Failing: s.failing(i), ProofAge: -1, Report: n.reading.reported.word, Reports: n.reading.reported.count,
	}
	if age, ok := s.proofAge(i); ok {
		v.ProofAge = age
	}
	if n.reading.monitor.unresponsive {
		v.Silent = unresponsiveWords
	}
	switch {
	case n.call != nil:
		v.Doing = n.call.Do.Label
	case n.arm.Open() && n.arm.Duty():
		v.Doing = "disarm"
	case n.arm.Open():
		v.Doing = "arm"
	}
	if l := &n.part; s.work != nil && l.open() && l.again.tries > 0 {
		v.Doing = fmt.Sprintf("%s again (%d of %d)", l.result.did, l.again.tries, n.spec.Retry.Of(l.result.did))
	}
	if l := &n.part; v.Doing != "" && s.work != nil && l.open() && l.deadline.set {
		v.TimeLeft, v.Held = s.left(l.deadline), s.held(l.deadline)
	}
	return v
}

// legal lists the commands that would be accepted now, in the order of the file.
func (s *State) legal() []string {
	if s.closing.ended != nil || s.closing.stop != nil {
		return nil
	}
	var legal []string
	may := len(s.mayBeArmed())+len(s.leftArmed()) > 0
	for _, t := range s.machine.Transitions {
		if t.Hidden {
			continue
		}
		if t = s.command(t.Name, s.origin()); s.takes(t, may) {
			legal = append(legal, t.Name)
		}
	}
	return legal
}

func (s *State) takes(t machine.Transition, may bool) bool {
	switch {
	case !s.startup.named:
		return false
	case t.Always:
		return !s.endsElsewhere(t)
	case s.isDisarm(t.Name) && (may || s.settled == "" || s.armedElsewhere()):
		return true
	case s.settled == "" || s.busy():
		return s.interrupts(t.Name)
	case s.judge.Can(t.Name):
		return s.refuses(t) == ""
	}
	_, ok := s.repairs(t)
	return ok && !s.armedHere()
}

// show notes that a snapshot would differ from the last one.
func (s *State) show() {
	if s.report.changed && !s.closing.gone {
		s.do(Show{})
	}
	s.report.changed = false
}

// showState shows a change of the network's state at that moment, so that a state within one step
// is published too.
func (s *State) showState() {
	state, unseen := s.judge.State(), s.movesUnseen()
	moves := unseen != s.report.unseen
	s.report.unseen = unseen
	switch {
	case state != s.report.shown:
		s.report.shown, s.peers.untold = state, true
		snap := s.Snapshot()
		s.do(Show{State: state, Snapshot: &snap})
	case moves:
		snap := s.Snapshot()
		s.do(Show{Snapshot: &snap})
	default:
		s.report.changed = true
		return
	}
	s.report.changed = false
}

// movesUnseen reports whether a command runs and the network shows no passing state for it.
func (s *State) movesUnseen() bool {
	state, _ := s.machine.State(s.judge.State())
	return s.work != nil && s.work.command != "" && !state.Passing
}

func (s *State) setCause(command string, g *goal, why string) {
	switch {
	case g == nil:
		s.report.cause = command + ": " + why
	case g.reason != "":
		s.report.cause = fmt.Sprintf("%s was asked for by %s: %s", g.asked, g.who, g.reason)
	default:
		s.report.cause = g.asked + " was asked for by " + g.who
	}
}

// noteResult keeps the result of a node's part.
func (s *State) noteResult(i int) {
	n := &s.nodes[i]
	w := s.work
	r := NodeResult{
		Node: n.spec.Name, Step: n.part.result.did, Verdict: n.part.result.verdict, Evidence: n.part.result.evidence, From: w.foundIn(i), State: n.state,
		Elapsed: s.now.Steady - n.part.since,
	}
	w.parts.results[i], w.parts.did[i] = r, true
	s.feedback(r)
	if n.there() {
		n.place.repairs.epoch = n.epoch
	}
	if n.part.result.did != "" || n.part.passed || n.part.status == partGivenUp {
		s.recordResult(i, r)
	}
}

// resultsOf lists the results of the nodes: first the failures, in their order, then the rest as
// they ended. The failures include those of a command that w follows (F8).
func (s *State) resultsOf(w *work) []NodeResult {
	list := slices.Clone(w.fault.blame)
	if w.goal != nil {
		list = slices.Concat(w.goal.blame, w.fault.blame)
	}
	failures := list
	for i, r := range w.parts.results {
		blamed := func(b NodeResult) bool { return b.Node == s.nodes[i].spec.Name }
		if w.parts.did[i] && !slices.ContainsFunc(failures, blamed) {
			r.State = s.nodes[i].state
			list = append(list, r)
		}
	}
	for k := range list {
		list[k].Elapsed = max(0, list[k].Elapsed.Round(time.Microsecond))
	}
	return list
}

func (s *State) keepResults() {
	if s.work != nil {
		s.report.results = s.resultsOf(s.work)
	}
}

// timeLeft is the longest time that the running work can still take by the deadlines of its nodes,
// and whether a clock that stands still holds one of them. It does not include recovery.
func (s *State) timeLeft() (left time.Duration, held bool) {
	if s.work == nil {
		return 0, false
	}
	ends := make([]time.Duration, len(s.nodes))
	for i := range s.nodes {
		left = max(left, s.endsIn(i, ends))
		held = held || s.nodes[i].part.open() && s.held(s.nodes[i].part.deadline)
	}
	return left, held
}

// endsIn is the longest time until node i is done: its own, after that of the nodes before it. ends
// caches results; a negative entry marks a node that is being computed, which counts as no
// predecessor.
func (s *State) endsIn(i int, ends []time.Duration) time.Duration {
	l := &s.nodes[i].part
	if !l.open() || ends[i] != 0 {
		return max(0, ends[i])
	}
	ends[i] = -1
	var before time.Duration
	if !l.stepped {
		down := l.wants && s.goesDown(i)
		first := s.fixed.order.After[i]
		if down {
			first = s.fixed.order.Before[i]
		}
		for _, j := range first {
			if !down || s.goesDown(j) {
				before = max(before, s.endsIn(j, ends))
			}
		}
	}
	ends[i] = before + s.needs(i)
	return ends[i]
}

// needs is the longest time that node i may take for its remaining steps, by its deadlines.
func (s *State) needs(i int) (sum time.Duration) {
	n := &s.nodes[i]
	l, d := &n.part, n.spec.Deadline
	at := n.state
	switch {
	case n.call == nil && l.again.tries > 0: // in the pause before it is asked again
		at = n.calls.newest.Do.Target()
		sum = s.left(l.deadline)
	case n.call != nil:
		at = n.call.Do.Target()
		sum = d.Of(n.call.Do)
		if l.deadline.set {
			sum = s.left(l.deadline)
		}
		sum = max(sum, s.missedBy(i)-s.now.Steady)
	case l.disarm:
		sum = s.left(l.deadline)
	case l.arm && l.deadline.set:
		return s.left(l.deadline)
	}
	if way, ok := lifecycle.Way(at, l.want); ok && l.wants && n.spec.Lifecycle {
		for _, t := range way {
			sum += d.Of(t)
		}
	}
	if target, _ := s.machine.State(s.work.target); s.work.arms && s.net.Arms(target, i) && n.arm.Belief() != IsArmed {
		sum += d.Arm
	}
	return sum
}
