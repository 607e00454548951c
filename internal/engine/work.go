package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// aim is what the running work is for. A transition begins forward; what follows depends on how it goes.
type aim uint8

const (
	forward       aim = iota // the command itself
	draining                 // cancelled: what is in flight is awaited
	undoing                  // cancelled: back to the origin
	restoring                // failed, first rung: back to the origin
	unconfiguring            // failed, second rung: every node to unconfigured
	finalizing               // shutting down, commanded or as the last resort
	tending                  // at rest: a late or strayed node is brought to its place; any command ends it
	adopting                 // at the start: what is higher than the rest is lowered
)

var aims = [...]string{
	"forward", "draining", "undoing", "restoring", "unconfiguring", "finalizing", "tending", "adopting",
}

func (a aim) String() string { return aims[a] }

// work is what runs: one transition, with whatever its failing or cancelling makes of it.
type work struct {
	aim     aim
	command string // empty: nobody commanded it
	origin  string // the settled state in which it began
	target  string // the state in which the command ends
	goal    *goal  // nil: nobody waits for it
	since   time.Duration
	lowers  bool   // the command takes away
	oneWay  bool   // a disarming that nothing turns round
	why     string // what began it where nobody commanded it, and what failed it
	began   []beginning
	only    []bool // tending: which nodes

	open      int // legs that are not ended
	unsure    int // legs that are done by a node's own word only
	disarming int // legs that wait for a disarm
	holdUntil time.Duration
	arms      bool // target arms and the way there is forward
	proven    bool // every node was read anew and is where it is to be
	failing   bool
	failed    []int
	results   []NodeResult // by node; what became of it last
	did       []bool
	blame     []NodeResult // what failed the command, before recovery went over it
	told      int          // legs ended, for feedback
	last      NodeResult
	total     int

	ticket uint64        // of the journal's sync that is waited for; 0: none is
	safeBy time.Duration // and until when
	unsafe string        // why the journal was not made safe
}

// beginning is where a node was when a transition began.
type beginning struct {
	there bool
	firm  bool // else the first read says where it was
	state lifecycle.State
}

// found notes where a node was when the work began, of which only a claim was known then.
func (w *work) found(i int, n *node) {
	if b := &w.began[i]; b.there && !b.firm && n.state.Primary() && (!n.asked || n.sent < w.since) {
		b.firm, b.state = true, n.state
	}
}

func (w *work) proves() bool { return w.arms && w.aim == forward }

func (w *work) fail(i int) {
	w.failing = true
	w.failed = append(w.failed, i)
}

// newWork returns work that begins now, from where the nodes are.
func (s *State) newWork(command, origin, target string) *work {
	w := &work{
		command: command, origin: origin, target: target, since: s.now.Steady,
		results: make([]NodeResult, len(s.nodes)), did: make([]bool, len(s.nodes)),
		began: make([]beginning, len(s.nodes)),
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		w.began[i] = beginning{n.there(), n.firm, n.state}
	}
	return w
}

// start begins a transition of the network. how is the judge's word that makes it legal.
func (s *State) start(t machine.Transition, g *goal, why string, how func(string) error) {
	if err := how(t.Name); err != nil {
		// The judge was asked before; a no here is a fault of this program, and is shown as one.
		panic(err)
	}
	origin := s.settled
	if origin == "" {
		origin = machine.Unknown
	}
	w := s.newWork(t.Name, origin, t.To)
	w.goal, w.why = g, why
	w.lowers = s.machine.Lowers(origin, t.To) || t.Always || s.isDisarm(t.Name)
	s.work = w
	s.refusal = ""
	s.setCause(t.Name, g, why)
	s.recordState(EventBegan, fmt.Sprintf("%s: from %s to %s", t.Name, origin, t.To))
	if w.lowers {
		counts := t.Always || s.machine.Lowers(origin, t.To) // what took nothing away is no news to peers
		s.change(Change{SourceState: origin, Event: t.Name, TargetState: t.To}, counts)
	}
	aim := forward
	if t.Always {
		aim = finalizing
	}
	s.lay(aim, t.To)
	if !w.lowers {
		s.awaitJournal()
	}
}

// lay gives every node its leg towards a state.
func (s *State) lay(a aim, state string) {
	w := s.work
	target, _ := s.machine.State(state)
	w.aim, w.failing, w.failed, w.open, w.unsure, w.disarming = a, false, nil, 0, 0, 0
	w.arms = a == forward && target.Armed.Any()
	w.told, w.total, w.proven = 0, 0, false
	w.ticket = 0
	w.holdUntil = s.now.Steady + disarmHold
	for i := range s.nodes {
		n := &s.nodes[i]
		l := leg{status: legNone}
		if a == tending && !w.only[i] {
			n.leg = l
			continue
		}
		want, wanted := s.net.Want(target, i)
		wanted = wanted && !(a == forward && s.isDisarm(w.command)) // what is safer first: nodes stay where they are
		l.status, l.want, l.wants = legWaiting, want, wanted
		l.anew = w.arms
		l.disarm = n.arm.belief != Disarmed && !s.net.Arms(target, i)
		n.leg = l
		w.open++
		w.total++
		if l.disarm {
			w.disarming++
			n.leg.deadline = s.allowSteady(i, n.spec.Deadline.Disarm)
			s.disarm(i)
		}
		s.touch(i)
	}
	s.changed = true
}

// ceiling is the state above which recovery and start-up do not raise node i: where it was when the transition began,
// never mind where it goes from there. Nothing is above Active, so that is no ceiling.
func (s *State) ceiling(i int) lifecycle.State {
	switch w := s.work; w.aim {
	case forward, finalizing, tending:
		return lifecycle.Active
	default:
		return w.began[i].state
	}
}

// conclude ends what can be ended, and says whether it changed anything.
func (s *State) conclude() bool {
	switch {
	case s.gone:
		return false
	case s.ended != nil:
		return s.end()
	case s.stop != nil && s.stopWhenSafe():
		return true
	case s.work == nil && s.settled == "":
		return s.stop == nil && s.started()
	case s.work == nil:
		return s.tend()
	}
	s.endDisarmGoals()
	w := s.work
	s.feedback()
	switch {
	case w.failing && w.aim == forward:
		s.failed()
	case w.open > 0:
		return false
	case w.aim == draining:
		s.turnBack()
	case w.unsure > 0:
		return false
	case w.aim == forward && w.arms && !w.proven:
		s.proof()
	case w.aim == forward && s.isDisarm(w.command) && len(s.mayBeArmed()) > 0:
		s.disarmedInPart()
	case w.aim == forward:
		s.commit()
	case w.aim == undoing:
		s.undone()
	case w.aim == restoring, w.aim == unconfiguring:
		s.rung()
	case w.aim == finalizing:
		s.finalized()
	case w.aim == tending:
		s.tended()
	case w.aim == adopting:
		s.adopted()
	}
	return true
}

// commit takes the target state: every required node's newest read agrees.
func (s *State) commit() {
	w := s.work
	s.settle(w.target)
	s.change(Change{SourceState: w.origin, Event: w.command, TargetState: w.target, Settled: true}, !w.lowers)
	s.goOn(w)
}

// failed leaves a transition that a required node made impossible, and takes the first rung of the ladder.
func (s *State) failed() {
	w := s.work
	for _, i := range w.failed {
		w.blame = append(w.blame, w.results[i])
	}
	w.why = s.sentenceOf(w)
	s.cause = w.why
	s.enterError()
	if w.goal == nil && w.lowers && w.command != "" && !w.oneWay {
		s.secondRung() // what nobody waits for is never taken upward again
		return
	}
	w.target = s.machine.Disarmed(w.origin)
	s.lay(restoring, w.target)
}

// enterError shows the state in which failures are put right, however short it is.
func (s *State) enterError() {
	if err := s.judge.Fail(); err != nil {
		panic(err)
	}
	s.recordState(EventFailed, s.work.why)
	s.showState()
	s.change(Change{SourceState: s.work.origin, TargetState: s.judge.State(), State: s.judge.State()}, false)
}

// rung looks at how a rung of the ladder went.
func (s *State) rung() {
	w := s.work
	if !w.failing {
		outcome := OutcomeRestored
		if w.aim == unconfiguring {
			outcome = OutcomeUnconfigured
		}
		s.giveBack(outcome, w.target)
		return
	}
	if w.aim == restoring && w.target != s.machine.Initial {
		s.secondRung()
		return
	}
	if s.net.LastResort == network.ResortHold {
		s.giveBack(OutcomeHeld, s.machine.Disarmed(w.origin))
		return
	}
	t, ok := s.machine.Shutdown()
	if !ok {
		s.giveBack(OutcomeHeld, s.machine.Disarmed(w.origin))
		return
	}
	if err := s.judge.Preempt(t.Name); err != nil {
		panic(err)
	}
	s.recordState(EventTurned, "neither "+w.origin+" nor "+s.machine.Initial+" can be reached: shutting down")
	s.change(Change{SourceState: w.origin, Event: t.Name, TargetState: t.To}, true)
	w.target = t.To
	s.lay(finalizing, t.To)
}

func (s *State) secondRung() {
	w := s.work
	w.target = s.machine.Initial
	s.recordState(EventTurned, w.origin+" cannot be restored: every node to "+w.target)
	s.lay(unconfiguring, w.target)
}

// giveBack ends a failed transition in the state that recovery reached.
func (s *State) giveBack(outcome Outcome, state string) {
	w := s.work
	s.settle(state)
	s.change(Change{SourceState: w.origin, TargetState: state, Settled: true}, false)
	words := outcomeWords(outcome, state)
	if armed := s.unconfirmed(); armed != "" {
		outcome, words = OutcomeHeld, words+", "+armed
	}
	s.endGoal(w, Aborted, outcome, w.why+"; "+words)
}

func outcomeWords(o Outcome, state string) string {
	switch o {
	case OutcomeRestored:
		return "the network is " + state + " again"
	case OutcomeUnconfigured:
		return "the network was taken to " + state
	case OutcomeHeld:
		return "the network could not be put right and is held; its state is still called " + state
	}
	return "the network is " + state
}

// turnBack begins the way back of a cancelled transition: all that was in flight has ended.
func (s *State) turnBack() {
	w := s.work
	s.recordState(EventTurned, "cancelled: back to "+w.origin)
	w.target = s.machine.Disarmed(w.origin)
	s.lay(undoing, w.target)
}

// undone ends a cancelled transition, by the ladder where the origin was not reached.
func (s *State) undone() {
	w := s.work
	if w.failing {
		for _, i := range w.failed {
			w.blame = append(w.blame, w.results[i])
		}
		w.why = "cancelled; " + s.sentenceOf(w)
		s.enterError()
		if w.target == s.machine.Initial {
			w.aim = unconfiguring
			s.rung()
			return
		}
		s.secondRung()
		return
	}
	s.settle(w.target)
	s.change(Change{SourceState: w.origin, TargetState: w.target, Settled: true}, w.lowers)
	words := fmt.Sprintf("%s was cancelled; the network is %s again", w.command, w.target)
	if armed := s.unconfirmed(); armed != "" {
		s.endGoal(w, Aborted, OutcomeHeld, words+", "+armed)
		return
	}
	s.endGoal(w, Canceled, OutcomeCanceled, words)
}

// finalized ends shutting down, which always arrives; whether it was clean is another matter.
func (s *State) finalized() {
	w := s.work
	var left []string
	for i := range s.nodes {
		n := &s.nodes[i]
		unclean := n.there() && n.spec.Lifecycle && !(n.firm && n.state == lifecycle.Finalized)
		if n.arm.belief != Disarmed || (unclean && !n.spec.Optional) {
			left = append(left, n.spec.Name)
		}
	}
	s.settle(w.target)
	s.change(Change{SourceState: w.origin, Event: w.command, TargetState: w.target, Settled: true}, false)
	s.ended = &ending{at: s.now.Steady + lingerFinal, left: left}
	s.wakeWhole(s.ended.at)
	switch commanded, _ := s.machine.Shutdown(); {
	case w.command != commanded.Name:
		s.endGoal(w, Aborted, OutcomeFinalized, w.why+"; the network was shut down")
	case len(left) > 0:
		s.endGoal(w, Aborted, OutcomeFinalized, "shut down, but not finalized: "+strings.Join(left, ", "))
	default:
		s.endGoal(w, Succeeded, OutcomeDone, "every node is finalized")
	}
}

// ending is a final state that is still shown.
type ending struct {
	at   time.Duration
	left []string // nodes that are not finalized
}

func (s *State) end() bool {
	s.endDisarmGoals()
	if s.now.Steady < s.ended.at {
		return false
	}
	if len(s.ended.left) > 0 {
		s.exit(5, "not finalized: "+strings.Join(s.ended.left, ", "))
	} else {
		s.exit(0, "the network is finalized")
	}
	return true
}

func (s *State) exit(code int, why string) {
	s.endOpenGoals()
	s.gone = true
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate ends", Cause: why})
	s.do(Exit{Code: code, Why: why})
}

func (s *State) wakeWhole(when time.Duration) { s.at(-1, when) }

// settle is the one way into a state that is not passing.
func (s *State) settle(state string) {
	if err := s.judge.Settle(state); err != nil {
		panic(err)
	}
	s.settled = state
	if s.work != nil {
		s.keepResults()
	}
	s.work = nil
	s.recordState(EventSettled, "the network is "+state)
	s.touchAll()
	for i := range s.nodes {
		s.nodes[i].wasArmed = s.nodes[i].arm.belief == IsArmed
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

// sentenceOf says what failed, for a person: the command, each node, what it answered.
func (s *State) sentenceOf(w *work) string {
	parts := make([]string, 0, len(w.blame))
	for _, r := range w.blame {
		parts = append(parts, r.Node+" "+r.Evidence)
	}
	return fmt.Sprintf("%s failed: %s", w.command, strings.Join(parts, "; "))
}
