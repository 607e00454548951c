package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// work is what runs: one transition, with whatever its failing or cancelling makes of it.
type work struct {
	phase     *phase
	command   string // empty: nobody commanded it
	origin    string // the settled state in which it began
	target    string // the state in which the command ends
	goal      *goal  // nil: nobody waits for it
	by        Origin // who began it, whoever waits for it now
	since     time.Duration
	lowers    bool   // the command takes away
	oneWay    bool   // a disarming that nothing turns round
	turned    bool   // a disarming that was turned round before
	canceled  bool   // a client took it back
	takenBack bool   // and what is in flight is awaited for that
	why       string // what began it where nobody commanded it, and what failed it
	arms      bool   // target arms and the way there is forward
	arm       armament
	news      news
	legs      legs
	fault     fault
}

// armament is what has to be so before work that arms asks the first node to arm.
type armament struct {
	ahead   int           // arm steps that begin after the proof
	proven  bool          // every node was read anew and is where it is to be, and every check passes
	judged  bool          // checks were judged
	checkBy time.Duration // until when they are waited for
	peersBy time.Duration // until when required peers are waited for
	ticket  uint64        // of the journal's sync that is waited for; 0: none is
	unsafe  string        // why the journal was not made safe
}

// news is what peers are told of the work, and whose change it follows.
type news struct {
	event   string // the command as peers are told; empty: nobody gave one
	said    string // where it leads, as peers were told of it; empty: they were not
	from    string // the peer whose change this follows; empty: it is our own
	task    uint64 // that is followed
	silent  bool   // nothing of it is said on the lifecycle topic
	catches bool   // it catches up with what happened while this instance did not hear
}

// legs is how far the parts of the nodes are.
type legs struct {
	began     []beginning
	only      []bool // which nodes have a part in it, where not all have
	open      int    // that are not ended
	unsure    int    // that are done by a node's own word only
	disarming int    // that wait for a disarm
	holdUntil time.Duration
	results   []NodeResult // by node; what became of it last
	did       []bool
	total     int
}

// fault is what has failed, and what recovery has to know of it.
type fault struct {
	asked    bool // something but reads and checks was asked of a node
	spared   bool // it had asked nothing when it failed or was cancelled: no node is taken down for it
	failing  bool
	failed   []int
	blame    []NodeResult  // what failed the command, before recovery went over it
	failedAt time.Duration // when the way back began
	back     string        // where that led first; empty: there was none
	suspects []int         // required nodes that made a lowering fail
}

// beginning is where a node was when a transition began.
type beginning struct {
	there  bool
	silent bool // known to be lost, with an endpoint left
	firm   bool // else the first read says where it was
	state  lifecycle.State
}

// found notes where a node was when the work began, of which only a claim was known then.
func (w *work) found(i int, n *node) {
	if b := &w.legs.began[i]; b.there && !b.firm && n.state.Primary() && (!n.asked || n.sent <= w.since) {
		b.firm, b.state = true, n.state
	}
}

// foundIn returns the state in which the work found node i.
func (w *work) foundIn(i int) lifecycle.State {
	if b := w.legs.began[i]; b.there && b.state.Primary() {
		return b.state
	}
	return lifecycle.Unknown
}

// done counts the steps of nodes that are over.
func (w *work) done() int { return w.legs.total - w.legs.open - w.arm.ahead }

func (w *work) proves() bool { return w.arms && w.phase.mayArm }

func (w *work) fail(i int) {
	w.fault.failing = true
	if !slices.Contains(w.fault.failed, i) {
		w.fault.failed = append(w.fault.failed, i)
	}
}

// newWork returns work that begins now, from where the nodes are.
func (s *State) newWork(command, origin, target string) *work {
	w := &work{
		phase: forward, command: command, origin: origin, target: target, since: s.now.Steady, by: ByPolicy,
		legs: legs{
			results: make([]NodeResult, len(s.nodes)), did: make([]bool, len(s.nodes)), began: make([]beginning, len(s.nodes)),
		},
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		w.legs.began[i] = beginning{there: n.there(), silent: n.silent(), firm: n.firm, state: n.state}
	}
	return w
}

// recovery says which try it is to put things right that went wrong; empty: none.
func (s *State) recovery(w *work) string {
	shutdown, _ := s.machine.Shutdown()
	if w.phase.ends && w.command == shutdown.Name {
		return ""
	}
	return w.phase.recovery
}

// start begins a transition of the network. how is the judge's word that makes it legal.
func (s *State) start(t machine.Transition, g *goal, why string, how func(string) error) {
	if err := how(t.Name); err != nil {
		// The judge was asked before; a no here is a fault of this program, and is shown as one.
		panic(err)
	}
	w := s.workOf(t)
	w.goal, w.why = g, why
	if g != nil {
		w.by = g.by
	}
	s.run(w, t)
}

// workOf is the work of a transition that begins where the network is.
func (s *State) workOf(t machine.Transition) *work {
	origin := s.settled
	if origin == "" {
		origin = machine.Unknown
	}
	w := s.newWork(t.Name, origin, t.To)
	if s.closing.stop != nil {
		w.by = ByExit
	}
	w.lowers = s.machine.Lowers(origin, t.To) || t.Always || s.isDisarm(t.Name)
	return w
}

// run begins the work of a transition that the judge has taken.
func (s *State) run(w *work, t machine.Transition) {
	s.work = w
	s.goals.era++
	s.report.refusal = Refusal{}
	s.setCause(t.Name, w.goal, w.why)
	s.recordState(EventBegan, fmt.Sprintf("%s: from %s to %s%s", t.Name, w.origin, t.To, w.mirrored()))
	if w.lowers {
		if w.goal != nil {
			w.news.event = t.Name
		}
		s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: t.To}, s.isNews(w, t))
	}
	p := forward
	if t.Always {
		p = finalizing
	}
	s.lay(p, t.To)
	if !w.lowers {
		s.noteArms() // on the disk before anything is armed
		s.keepJournal()
	}
}

// lay gives every node its leg towards a state.
func (s *State) lay(p *phase, state string) {
	w := s.work
	target, _ := s.machine.State(state)
	w.phase, w.fault.failing, w.fault.failed, w.legs.open, w.legs.unsure, w.legs.disarming = p, false, nil, 0, 0, 0
	w.arms = p.mayArm && target.Armed.Any()
	w.legs.total, w.arm.ahead, w.arm.proven = 0, 0, false
	w.arm.ticket = 0
	switch {
	case p.returns:
		w.fault.failedAt, w.fault.back = s.now.Steady, state
	case p.undoes && w.fault.failedAt == 0:
		w.fault.failedAt = s.now.Steady
	}
	w.legs.holdUntil = s.now.Steady + disarmHold
	for i := range s.nodes {
		n := &s.nodes[i]
		l := leg{status: legNone}
		if p.rests && !w.legs.only[i] {
			n.leg = l
			continue
		}
		want, wanted := s.net.Want(target, i)
		wanted = wanted && !(p.commands && s.isDisarm(w.command)) // what is safer first: nodes stay where they are
		l.status, l.want, l.wants = legWaiting, want, wanted
		l.anew, l.readSince = w.arms, s.now.Steady
		l.disarm = n.arm.Belief() != Disarmed && !s.net.Arms(target, i) || s.withdraws(i, p)
		n.leg = l
		w.legs.open++
		w.legs.total++
		if w.arms && n.there() && n.arm.Belief() != IsArmed && s.net.Arms(target, i) {
			w.arm.ahead++ // counted from the start, so that the total does not grow
			w.legs.total++
		}
		if l.disarm {
			w.legs.disarming++
			n.leg.deadline = s.allowSteady(i, n.spec.Deadline.Disarm)
			s.disarm(i)
		}
		s.touch(i)
	}
	if w.arms {
		s.beginChecks()
	}
	s.report.changed = true
}

// finalized ends shutting down, which always arrives; whether it was clean is another matter.
func (s *State) finalized() bool {
	w := s.work
	var left []string
	for i := range s.nodes {
		n := &s.nodes[i]
		unclean := n.there() && n.spec.Lifecycle && !(n.firm && n.state == lifecycle.Finalized)
		switch {
		case unclean && (!n.spec.Optional || n.arm.Belief() != Disarmed):
			left = append(left, n.spec.Name)
		case n.arm.Belief() != Disarmed:
			left = append(left, n.spec.Name+", which may still be armed")
		}
	}
	for _, name := range s.leftArmed() {
		left = append(left, name+", which may be armed since an earlier run")
	}
	s.settle(w.target)
	s.change(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: w.target, Settled: true}, false)
	s.closing.ended = &ending{at: s.now.Steady + lingerFinal, left: left}
	s.wakeWhole(s.closing.ended.at)
	switch commanded, _ := s.machine.Shutdown(); {
	case w.command != commanded.Name:
		s.closing.ended.failed = w.why
		s.endGoal(w, Aborted, OutcomeFinalized, w.why+"; the network was shut down")
	case len(left) > 0:
		s.endGoal(w, Aborted, OutcomeFinalized, "shut down, but not finalized: "+strings.Join(left, ", "))
	default:
		s.endGoal(w, Succeeded, OutcomeDone, "every node is finalized")
	}
	return true
}

// ending is a final state that is still shown.
type ending struct {
	at     time.Duration
	left   []string // nodes that are not finalized
	failed string   // the transition whose failure has led here; empty: none
}

func (s *State) end() bool {
	s.endDisarmGoals()
	if s.now.Steady < s.closing.ended.at {
		return false
	}
	switch {
	case len(s.closing.ended.left) > 0:
		s.exit(5, "not finalized: "+strings.Join(s.closing.ended.left, ", "))
	case s.closing.ended.failed != "":
		s.exit(5, s.closing.ended.failed+"; the network was shut down")
	default:
		s.exit(0, "the network is finalized")
	}
	return true
}

func (s *State) exit(code int, why string) {
	s.endWaits()
	s.endOpenGoals()
	s.rejectKept(why)
	s.closing.gone = true
	s.noteArms()
	s.tell()
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate ends", Cause: why})
	s.do(Exit{Code: code, Why: why})
}

func (s *State) wakeWhole(when time.Duration) { s.at(-1, when) }

// settle is the one way into a state that is not passing.
func (s *State) settle(state string) {
	if err := s.judge.Settle(state); err != nil {
		panic(err)
	}
	s.settled, s.peers.behindWhy = state, s.report.cause
	s.goals.era++
	w := s.work
	if w != nil {
		s.keepResults()
	}
	s.work = nil
	s.noteSettled(w)
	s.touchAll()
	for i := range s.nodes {
		s.nodes[i].wasArmed = s.nodes[i].arm.Belief() == IsArmed
		s.judgeNode(i)
	}
	s.showState()
}

// finalizeBusy asks a node to shut down whose call is late: nobody holds anybody any longer.
func (s *State) finalizeBusy(i int) {
	n := &s.nodes[i]
	l := &n.leg
	if l.did == "shutdown" {
		s.giveUp(i, VerdictLate, "no answer to shutdown")
		return
	}
	from := n.state
	if !from.Primary() {
		from = n.call.from
	}
	l.did, l.deadline = "shutdown", s.allowSteady(i, n.spec.Deadline.Shutdown)
	n.firm = true
	n.state = from
	s.send(i, lifecycle.Shutdown(from))
}
