package engine

import (
	"cmp"
	"fmt"
	"time"

	"rstate/internal/engine/grant"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// The running work: how it begins, and how each node gets its part in it.

// work is one running transition, and its recovery if it fails or is cancelled.
type work struct {
	phase     *phase
	entered   bool   // phase has begun
	command   string // empty: started without a command
	origin    string // the settled state in which it began
	target    string // the state in which the command ends
	through   string // the state to which the nodes go down first; empty: straight to the target
	goal      *goal  // nil: no client waits for it
	by        Origin // what began it, whichever client waits now
	since     time.Duration
	lowers    bool // the command lowers
	oneWay    bool // a disarming that cannot turn back
	grant     grant.Grant
	era       uint64 // that has begun with it, as it lowers
	turned    bool   // a disarming that turned back before
	canceled  bool   // a client cancelled it
	takenBack bool   // and its calls in flight are awaited
	why       string // what began it without a command, and what failed it
	arms      bool   // target arms, and so does the way there
	waits     bool   // for the end of a step of the loop, before any node moves
	byItself  bool   // the machine has begun it without a client
	arm       armament
	news      news
	parts     parts
	fault     fault
}

// parts is the progress of all parts.
type parts struct {
	began     []beginning
	only      []bool // nodes with a part in it, if not all have
	down      []bool // of those, the nodes that go down with a lost one; nil: none does
	aside     []bool // nodes that it cannot bring back, and what comes after them; nil: none is
	open      int    // parts that have not ended
	unsure    int    // parts that only the node's answer calls done
	disarming int    // parts that wait for a disarm
	holdUntil time.Duration
	results   []NodeResult // newest result, by node
	did       []bool
	total     int
}

// beginning is the state of a node when a transition began.
type beginning struct {
	there  bool
	silent bool // known to be lost, with an endpoint left
	firm   bool // else the first read replaces state
	state  lifecycle.State
}

// Origin is what began the running work, in the words of ~/state.
type Origin string

// The origins.
const (
	ByGoal      Origin = "goal"      // on the action
	ByParent    Origin = "parent"    // a service of the network's own lifecycle, or its ~/arm
	ByAutostart Origin = "autostart" // the target state given to the start
	// The network file: for a drift, a loss, a late node or what a start found.
	ByPolicy Origin = "policy"
	ByExit   Origin = "exit" // the process has to end
)

// newWork returns work that begins now, from the present states of the nodes.
func (ro *roster) newWork(command, origin, target string) *work {
	w := &work{
		phase: forward, command: command, origin: origin, target: target, since: ro.now.Steady, by: ByPolicy,
		parts: parts{
			results: make([]NodeResult, len(ro.nodes)), did: make([]bool, len(ro.nodes)),
			began: make([]beginning, len(ro.nodes)),
		},
	}
	for i := range ro.nodes {
		n := &ro.nodes[i]
		w.parts.began[i] = beginning{there: n.there(), silent: n.silent(), firm: n.firm, state: n.state}
	}
	return w
}

// start begins a transition of the network. how is the judge's method that makes it legal.
func (s *State) start(t machine.Transition, g *goal, why string, how func(string) error) {
	must(how(t.Name))
	w := s.workOf(t)
	w.goal, w.why = g, why
	if g != nil {
		w.by, w.grant = g.by, g.grant
	}
	s.run(w, t)
}

// beginUncommanded begins a command that the machine runs by itself: a reaction, or what follows a failure.
// The goal of what has failed waits for its end.
func (s *State) beginUncommanded(name string, g *goal, why string) {
	t := s.command(name, s.origin())
	how := s.judge.Begin
	if !s.judge.Can(name) { // it begins here because it preempts
		how = s.judge.Preempt
	}
	must(how(name))
	w := s.workOf(t)
	w.goal, w.why, w.news.event, w.byItself = g, why, name, true
	if g != nil {
		w.by, w.grant = g.by, g.grant
	}
	s.run(w, t)
}

// workOf is the work of a transition from the present state.
func (ro *roster) workOf(t machine.Transition) *work {
	origin := ro.origin()
	w := ro.newWork(t.Name, origin, t.To)
	w.through, w.fault.passes = t.Through, ro.machine.Arrives(t.Name, origin) && !t.Always
	if ro.closing.stop != nil {
		w.by = ByExit
	}
	w.lowers = ro.machine.Lowers(origin, t.To) || t.Always || ro.isDisarm(t.Name)
	return w
}

// run begins the work of a transition that the judge has accepted.
func (s *State) run(w *work, t machine.Transition) {
	s.work = w
	s.goals.era++
	if s.goals.workedAt = s.now.Steady; w.goal != nil && !w.byItself {
		s.goals.workedAt = w.goal.since
	}
	s.endEraIfLowering(w, t)
	s.report.refusal = Refusal{}
	s.setCause(t.Name, w.goal, w.why)
	s.recordState(EventBegan, fmt.Sprintf("%s: from %s to %s%s", t.Name, w.origin, t.To, w.mirrored()))
	if w.lowers {
		if w.goal != nil {
			w.news.event = t.Name
		}
		s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: t.To}, s.isNews(w, t))
	}
	s.stopLoopFirst(w, t)
	p := forward
	if end, _ := s.machine.State(t.To); t.Always || end.Final && w.fault.passes {
		p = finalizing
	}
	s.lay(p, cmp.Or(w.through, t.To))
	if !w.lowers {
		s.noteArms() // on the disk before anything is armed
		s.syncJournal()
	}
}

// lay gives every node its part to a state.
func (co *course) lay(p *phase, state string) {
	w := co.work
	target, _ := co.machine.State(state)
	w.enter(p)
	w.fault.failing, w.fault.failed, w.parts.open, w.parts.unsure, w.parts.disarming = false, nil, 0, 0, 0
	w.arms = p.arms() && target.Armed.Any()
	w.parts.total, w.arm.proven = 0, false
	w.arm.ticket = 0
	switch {
	case p.heads == backward:
		w.fault.failedAt, w.fault.back = co.now.Steady, state
	case p.undoes && w.fault.failedAt == 0:
		w.fault.failedAt = co.now.Steady
	}
	w.parts.holdUntil = co.now.Steady + disarmHold
	w.parts.aside = co.beyondRepair(target)
	for i := range co.nodes {
		co.layNode(i, target)
	}
	if w.arms {
		co.beginChecks()
	}
	co.changed = true
}

// layNode gives node i its part to a state.
func (co *course) layNode(i int, target machine.State) {
	n, w := &co.nodes[i], co.work
	n.part = part{status: partNone}
	if w.phase == reconciling && !w.parts.only[i] {
		return
	}
	l := &n.part
	want, wanted := co.net.WantAt(target, i, n.state)
	wanted = wanted && !(w.phase == forward && co.isDisarm(w.command)) && !co.leavesAside(i, target) // disarm first
	l.status, l.want, l.wants = partWaiting, want, wanted
	unasked, _ := co.net.Want(target, i)
	l.eased = unasked != want
	if w.phase == reconciling && w.parts.down != nil && w.parts.down[i] {
		l.want, l.wants, l.eased = lifecycle.Inactive, true, false
	}
	l.fresh.anew, l.fresh.readSince = w.arms, co.now.Steady
	l.disarm = n.arm.Belief() != Disarmed && !co.net.Arms(target, i) || co.withdraws(i, w.phase)
	w.parts.open++
	w.parts.total++
	if l.disarm {
		w.parts.disarming++
		l.deadline = co.allowSteady(i, n.spec.Deadline.Disarm)
		co.disarm(i)
	}
	co.touch(i)
}

// repairs reports whether the work brings nodes back to the state in which the network is.
func (w *work) repairs() bool { return w.origin == w.target && w.command != "" && w.phase == forward }

// beyondRepair returns the nodes that a repair cannot bring back: what only a new process leaves, and what comes after
// that. nil: there is none.
func (co *course) beyondRepair(target machine.State) []bool {
	if !co.work.repairs() || target.Final {
		return nil
	}
	if ended := co.named((*node).finalized); len(ended) == 0 {
		return nil
	}
	aside := make([]bool, len(co.nodes))
	for i := range aside {
		aside[i] = co.nodes[i].finalized() || co.finalizedBefore(i) >= 0
	}
	return aside
}

// leavesAside reports whether a command leaves node i where it is, and does not raise it: a repair, if it cannot, or
// while the node is gone with which it goes down; any command, if the network does without node i.
func (co *course) leavesAside(i int, target machine.State) bool {
	w, n := co.work, &co.nodes[i]
	switch {
	case w.phase != forward:
		return false
	case w.parts.aside != nil && w.parts.aside[i]:
		want, _ := co.net.WantAt(target, i, n.state)
		return n.state == lifecycle.Finalized || want.Level() > n.state.Level()
	}
	return n.state != lifecycle.Active && (w.repairs() || n.spec.Optional) && co.missing(i, target) >= 0
}

// preempt ends the goal of the running work. The next work takes the nodes on from where they are.
func (cl *clients) preempt(why string) {
	if w := cl.work; w != nil {
		cl.endEra(why)
		cl.reportResults()
		cl.endGoal(w, Aborted, OutcomePreempted, why)
		cl.work = nil
	}
}

// found notes the state of a node when the work began, if only a claim was known then.
func (w *work) found(i int, n *node) {
	if b := &w.parts.began[i]; b.there && !b.firm && n.state.Primary() && (!n.calls.asked || n.calls.sent <= w.since) {
		if b.firm = true; b.state.Primary() { // a step from before may have raised it since
			b.state = lifecycle.Lower(b.state, n.state)
		} else {
			b.state = n.state
		}
	}
}

// foundIn returns the state in which the work found node i.
func (w *work) foundIn(i int) lifecycle.State {
	if b := w.parts.began[i]; b.there && b.state.Primary() {
		return b.state
	}
	return lifecycle.Unknown
}

// done counts the nodes whose part has ended. A node that is proven and will be armed is not one of them.
func (co *course) done() int {
	done := co.work.parts.total - co.work.parts.open
	for _, i := range co.armable {
		if co.armsNext(i) {
			done--
		}
	}
	return done
}

// armsNext reports whether node i has shown that it may be armed, and is asked to arm when the others have.
func (co *course) armsNext(i int) bool {
	n, w := &co.nodes[i], co.work
	if !w.proves() || w.arm.proven || n.part.status != partDone || n.part.result.verdict != VerdictDone ||
		n.arm.Belief() == IsArmed {
		return false
	}
	target, _ := co.machine.State(w.target)
	return co.net.Arms(target, i)
}

func (w *work) proves() bool { return w.arms && w.phase.arms() }
