package engine

import (
	"cmp"
	"fmt"
	"time"

	"rstate/internal/engine/belief"
	"rstate/internal/lifecycle"
)

// The part of one node in the running work: its target and its result.

const (
	partNone    partStatus = iota // no part in the work
	partWaiting                   // waits for the nodes before it, or for its first fresh read
	partWorking                   // its steps run
	partDone                      // in its target, as far as is known
	partGivenUp                   // absent, and no longer waited for
)

// partStatus is the progress of a part.
type partStatus uint8

// part is one node's part of the running work: its target and its result.
type part struct {
	status    partStatus
	wants     bool // has to reach want; else only its arming matters
	want      lifecycle.State
	eased     bool  // unconfigured counts as inactive, which is wanted
	arm       bool  // to be armed once every node is in its target
	disarm    bool  // to be disarmed before anything else
	fresh     fresh // arming needs a fresh read
	down      bool  // its steps lower the node
	started   bool  // its turn has come
	stepped   bool  // a request was sent to its node
	since     time.Duration
	deadline  deadline
	short     bool // it ends below want, at its ceiling
	again     again
	replaced  bool         // its process is not the one on which the part worked
	misjudged bool         // it refused a step because its state was not the believed one
	refused   *belief.Call // refused call; the read of the node's present state is open
	sure      bool         // a read or event after our last request agrees
	passed    bool         // its node was lost before, so the part has ended without it
	result    partResult
	wait      wait
	logged    string // the last error that the node has logged during the present step
}

// again is what makes a node get the same step again.
type again struct {
	redone bool          // it left the target once and got the step again
	tries  int           // how often it has refused the present step and is asked again
	at     time.Duration // when the next of these requests is due
	hollow int           // how often it answered yes to a step and was found where the step begins
}

// fresh is whether old reads of a node count.
type fresh struct {
	anew      bool          // only reads after readSince count
	readSince time.Duration // those from before then
	reread    bool          // read again because the reads of all nodes took so long
}

// partResult is the result of a part.
type partResult struct {
	did      string // last step asked of the node
	verdict  Verdict
	evidence string
}

// absent reports whether the part ended because its node was absent.
func (r *partResult) absent() bool { return r.verdict == VerdictGone || r.verdict == VerdictSkipped }

func (l *part) open() bool { return l.status == partWaiting || l.status == partWorking }

// advancePart moves a node towards the target of its part, and watches it there.
func (s *State) advancePart(i int) {
	if s.work.proves() {
		s.recheck(i)
	}
	switch l := &s.nodes[i].part; {
	case l.open() && s.nodes[i].spec.Lifecycle:
		s.press(i)
	case l.open():
		s.pressPlain(i)
	case l.status == partDone:
		s.keep(i)
	}
}

// press moves a lifecycle node towards the target of its part.
func (s *State) press(i int) {
	n := &s.nodes[i]
	l := &n.part
	switch {
	case !n.there():
		s.absent(i)
	case s.unusable(i):
	case l.disarm && s.awaitDisarm(i):
	case l.arm:
		s.pressArm(i)
	case s.lostBefore(i):
		s.pressLost(i)
	case n.call != nil:
		s.await(i)
	case l.refused != nil:
		s.awaitReason(i)
	case s.blocked(i):
		l.started = false // its time starts again when its turn comes
		if !s.steps(i) && (n.state == lifecycle.Unknown || l.fresh.anew || s.isNext(i)) {
			s.readFresh(i)
		}
	default:
		s.move(i)
	}
}

// unusable gives up a node with whose process the command cannot go on, and reports whether it did.
func (s *State) unusable(i int) bool {
	switch n := &s.nodes[i]; {
	case n.part.replaced && s.work.phase.commands:
		s.fail(i, VerdictGone, "its process died and another took its place")
	case n.count > 1 && s.work.proves():
		s.fail(i, VerdictRefused, n.severalWords())
	default:
		return false
	}
	return true
}

// move takes the next step of a node that no other node holds.
func (s *State) move(i int) {
	n := &s.nodes[i]
	l := &n.part
	s.ease(i)
	if !l.started {
		l.started, l.status, l.since = true, partWorking, s.now.Steady
		l.deadline = s.waitsFor(i)
	}
	switch {
	case !l.wants && (!l.fresh.anew || s.fresh(i)):
		s.reach(i)
	case n.state == l.want && !l.fresh.anew && n.vouched():
		s.reach(i) // lets others go on, and is made sure of beside
	case !s.fresh(i) && !s.steps(i):
		s.readFresh(i)
		s.overdue(i, VerdictUnknown, "does not answer get_state")
	case n.state == l.want || !l.wants:
		s.reach(i)
	case !n.state.Primary():
		s.poll(i)
		s.overdue(i, VerdictLate, fmt.Sprintf("still %v", n.state))
	default:
		s.step(i)
	}
}

// ease lets a node that needs no configuration stay unconfigured where inactive is wanted.
func (s *State) ease(i int) {
	n := &s.nodes[i]
	l := &n.part
	if n.spec.NeedsConfiguration || l.want != lifecycle.Inactive && !l.eased {
		return
	}
	l.eased, l.want = n.state == lifecycle.Unconfigured, lifecycle.Inactive
	if l.eased {
		l.want = lifecycle.Unconfigured
	}
}

// pressPlain settles the part of a plain node, which only has to be present.
func (s *State) pressPlain(i int) {
	n := &s.nodes[i]
	switch {
	case n.part.disarm && n.there() && s.awaitDisarm(i):
	case n.part.arm && n.there():
		s.pressArm(i)
	case s.sharesName(i):
		s.giveUp(i, VerdictRefused, n.severalWords())
	case n.there():
		s.finish(i, partDone, VerdictDone, "is there")
	default:
		s.absent(i)
	}
}

// sharesName reports whether a plain node that is to be present is there more than once.
func (s *State) sharesName(i int) bool {
	n := &s.nodes[i]
	return n.count > 1 && n.part.want == lifecycle.Active && !s.work.lowers
}

// reach ends a part whose node is in its target.
func (s *State) reach(i int) {
	n := &s.nodes[i]
	how := "was already " + n.state.String()
	if n.part.result.did != "" {
		how = fmt.Sprintf("%s in %v", n.state, (s.now.Steady - n.part.since).Round(time.Millisecond))
	}
	v := VerdictDone
	if s.work.phase.undoes {
		v = VerdictUndone
	}
	s.finish(i, partDone, v, how)
}

// giveUp ends a part whose node is not in its target.
func (s *State) giveUp(i int, v Verdict, evidence string) {
	s.finish(i, partGivenUp, v, s.nodes[i].part.quoting(v, evidence))
}

// fail gives up a node whose part may be done already.
func (s *State) fail(i int, v Verdict, evidence string) {
	if !s.nodes[i].part.open() {
		s.reopen(i)
	}
	s.giveUp(i, v, evidence)
}

// finish ends a part, and releases the parts that waited for it.
func (s *State) finish(i int, status partStatus, v Verdict, evidence string) {
	n := &s.nodes[i]
	l := &n.part
	if l.open() {
		s.work.parts.open--
	}
	if !l.started {
		l.since = s.now.Steady
	}
	l.status, l.result.verdict, l.result.evidence = status, v, evidence
	l.deadline = deadline{}
	l.sure = status == partGivenUp || l.short || l.passed || !n.there() || !n.spec.Lifecycle || !l.wants || (n.firm && n.state == l.want)
	if status == partDone && !l.sure {
		s.work.parts.unsure++
		s.at(i, s.now.Steady+confirmIn)
	}
	s.noteResult(i)
	if status == partGivenUp && s.required(i) {
		s.failedOrPassed(i)
	}
	s.touchAround(i)
	s.suspected(i)
	s.report.changed = true
}

// failedOrPassed fails the work for node i, or passes the node over where the command always arrives.
func (s *State) failedOrPassed(i int) {
	w := s.work
	if w.fault.passes && w.phase.commands {
		w.fault.blame = append(w.fault.blame, w.parts.results[i])
		return
	}
	w.fail(i)
}

// required reports whether the work fails if node i fails. On the way down a living optional node
// counts as required, and so does one that may have armed and gives no proof.
func (s *State) required(i int) bool {
	n := &s.nodes[i]
	silent := s.work.proves() && n.arm.Belief() == MayBeArmed && s.unfit(i) != ""
	return !n.spec.Optional || n.part.down && n.there() || silent
}

// reopen opens a part that was done.
func (s *State) reopen(i int) {
	l := &s.nodes[i].part
	s.makeSure(i)
	l.short, l.passed = false, false
	l.status, l.started = partWaiting, l.stepped // a node without a step has not had its turn yet
	l.deadline = s.waitsFor(i)
	s.work.parts.open++
}

// absent settles the part of an absent node.
func (s *State) absent(i int) {
	n := &s.nodes[i]
	l := &n.part
	if l.disarm && s.awaitLease(i) {
		return
	}
	why := cmp.Or(n.absence.lost, n.missing())
	switch verdict, words := s.excused(i, why); {
	case n.epoch == 0 && s.settled == "" && s.before(i, s.startup.startBy):
		// Not seen yet does not mean lost.
	case verdict != "":
		s.finish(i, partDone, verdict, words)
	case s.awaitsRespawn(i):
	default:
		s.giveUp(i, VerdictGone, why)
	}
}

// excused says how the part of an absent node ends if its absence is no failure.
func (s *State) excused(i int, why string) (Verdict, string) {
	n, w := &s.nodes[i], s.work
	was := w.parts.began[i].there
	arms := w.arms && !n.spec.Optional // A1: every required node is there, wherever it is
	switch low := n.part.want.Level() <= lifecycle.Unconfigured.Level() && !arms; {
	case !n.part.wants && !arms:
		return VerdictSkipped, why
	case low && !w.phase.commands:
		return VerdictGone, why + "; nothing is left to take down"
	case !was && w.phase.returns:
		return VerdictGone, why + ", and was not when the transition began"
	case n.spec.Optional, !was && w.phase.commands && w.lowers:
		return VerdictSkipped, why
	}
	return "", ""
}

// awaitLease reports whether an absent node that is to be disarmed may still live on with its
// lease, which ends soon. If it does not, its disarm is over.
func (s *State) awaitLease(i int) bool {
	switch n := &s.nodes[i]; {
	case n.abandoned():
		s.blameDisarm(i, VerdictGone, whyAbandoned, false)
	case n.arm.Belief() != Disarmed:
		return true
	}
	s.disarmOver(i)
	return false
}

// respawnIn is how long a command that repairs a state waits for the next process of a node
// that was lost.
const respawnIn = 5 * time.Second

// awaitsRespawn reports whether the running command waits for the next process of node i, which was
// lost before the command began and not long ago.
func (s *State) awaitsRespawn(i int) bool {
	n, w := &s.nodes[i], s.work
	if !w.phase.commands || w.lowers || w.proves() || w.parts.began[i].there || n.absence.lost == "" || n.spec.Optional || !n.part.wants {
		return false
	}
	return s.before(i, n.absence.lostAt+respawnIn)
}
