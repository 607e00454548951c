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
func (co *course) advancePart(i int) {
	if co.work.proves() {
		co.recheck(i)
	}
	switch l := &co.nodes[i].part; {
	case l.open() && co.nodes[i].spec.Lifecycle:
		co.press(i)
	case l.open():
		co.pressPlain(i)
	case l.status == partDone:
		co.watchDone(i)
	}
}

// press moves a lifecycle node towards the target of its part.
func (co *course) press(i int) {
	verdict, why := co.unusable(i)
	switch {
	case !co.nodes[i].there():
		co.absent(i)
	case why != "":
		co.fail(i, verdict, why)
	default:
		if holds := co.awaitDisarm(i); !holds {
			co.pressReady(i)
		}
	}
}

// pressReady moves a lifecycle node that is there and has not to be disarmed first.
func (co *course) pressReady(i int) {
	n := &co.nodes[i]
	l := &n.part
	switch {
	case l.arm:
		co.pressArm(i)
	case co.lostBefore(i):
		co.pressLost(i)
	case n.call != nil:
		co.await(i)
	case l.refused != nil:
		co.awaitReason(i)
	default:
		if waits := co.awaitTurn(i); !waits {
			co.move(i)
			return
		}
		l.started = false // its time starts again when its turn comes
		if !co.steps(i) && (n.state == lifecycle.Unknown || l.fresh.anew || co.isNext(i)) {
			co.readFresh(i)
		}
	}
}

// unusable says why the command cannot go on with the process of node i; empty: it can.
func (co *course) unusable(i int) (Verdict, string) {
	switch n := &co.nodes[i]; {
	case n.part.replaced && co.work.phase == forward:
		return VerdictGone, "its process died and another took its place"
	case n.count > 1 && co.work.proves():
		return VerdictRefused, n.severalWords()
	}
	return "", ""
}

// move takes the next step of a node that no other node holds.
func (co *course) move(i int) {
	n := &co.nodes[i]
	l := &n.part
	co.ease(i)
	if !l.started {
		l.started, l.status, l.since = true, partWorking, co.now.Steady
		l.deadline = co.allowWait(i)
	}
	switch {
	case !l.wants && (!l.fresh.anew || co.fresh(i)):
		co.reach(i)
	case n.state == l.want && !l.fresh.anew && n.vouched():
		co.reach(i) // lets others go on, and is made sure of beside
	case !co.fresh(i) && !co.steps(i):
		co.readFresh(i)
		co.giveUpOverdue(i, VerdictUnknown, "does not answer get_state")
	case n.state == l.want || !l.wants:
		co.reach(i)
	case !n.state.Primary():
		co.poll(i)
		co.giveUpOverdue(i, VerdictLate, fmt.Sprintf("still %v", n.state))
	default:
		co.step(i)
	}
}

// ease lets a node that needs no configuration stay unconfigured where inactive is wanted.
func (ro *roster) ease(i int) {
	n := &ro.nodes[i]
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
func (co *course) pressPlain(i int) {
	n := &co.nodes[i]
	if n.there() {
		if holds := co.awaitDisarm(i); holds {
			return
		}
	}
	switch {
	case n.part.arm && n.there():
		co.pressArm(i)
	case co.sharesName(i):
		co.giveUp(i, VerdictRefused, n.severalWords())
	case n.there():
		co.finish(i, partDone, VerdictDone, "is there")
	default:
		co.absent(i)
	}
}

// sharesName reports whether a plain node that is to be present is there more than once.
func (co *course) sharesName(i int) bool {
	n := &co.nodes[i]
	return n.count > 1 && n.part.want == lifecycle.Active && !co.work.lowers
}

// reach ends a part whose node is in its target.
func (co *course) reach(i int) {
	n := &co.nodes[i]
	how := "was already " + n.state.String()
	if n.part.result.did != "" {
		how = fmt.Sprintf("%s in %v", n.state, (co.now.Steady - n.part.since).Round(time.Millisecond))
	}
	v := VerdictDone
	if co.work.phase.undoes {
		v = VerdictUndone
	}
	co.finish(i, partDone, v, how)
}

// giveUp ends a part whose node is not in its target.
func (co *course) giveUp(i int, v Verdict, evidence string) {
	do := ""
	if co.work.proves() {
		do = co.armRemedy(i, v)
	}
	co.giveUpWith(i, v, evidence, do)
}

// giveUpWith is giveUp with what a person can do about it.
func (co *course) giveUpWith(i int, v Verdict, evidence, do string) {
	co.finish(i, partGivenUp, v, advised(co.nodes[i].part.quoting(v, evidence), do))
}

// fail gives up a node whose part may be done already.
func (co *course) fail(i int, v Verdict, evidence string) {
	if !co.nodes[i].part.open() {
		co.reopen(i)
	}
	co.giveUp(i, v, evidence)
}

// finish ends a part, and releases the parts that waited for it.
func (co *course) finish(i int, status partStatus, v Verdict, evidence string) {
	n := &co.nodes[i]
	l := &n.part
	if l.open() {
		co.work.parts.open--
	}
	if !l.started {
		l.since = co.now.Steady
	}
	l.status, l.result.verdict, l.result.evidence = status, v, evidence
	l.deadline = deadline{}
	l.sure = status == partGivenUp || l.short || l.passed || !n.there() || !n.spec.Lifecycle || !l.wants ||
		(n.firm && n.state == l.want)
	if status == partDone && !l.sure {
		co.work.parts.unsure++
		co.at(i, co.now.Steady+confirmIn)
	}
	co.noteResult(i)
	if status == partGivenUp && co.required(i) {
		co.failedOrPassed(i)
	}
	co.touchAround(i)
	co.suspected(i)
	co.changed = true
}

// failedOrPassed fails the work for node i, or passes the node over where the command always arrives.
func (co *course) failedOrPassed(i int) {
	w := co.work
	if w.fault.passes && w.phase == forward {
		w.fault.blame = append(w.fault.blame, w.parts.results[i])
		return
	}
	w.fail(i)
}

// required reports whether the work fails if node i fails. On the way down a living optional node
// counts as required, and so does one that may have armed and gives no proof.
func (co *course) required(i int) bool {
	n := &co.nodes[i]
	silent := co.work.proves() && n.arm.Belief() == MayBeArmed && co.unfit(i) != ""
	return !n.spec.Optional || n.part.down && n.there() || silent
}

// reopen opens a part that was done.
func (co *course) reopen(i int) {
	l := &co.nodes[i].part
	co.makeSure(i)
	l.short, l.passed = false, false
	l.status, l.started = partWaiting, l.stepped // a node without a step has not had its turn yet
	l.deadline = co.allowWait(i)
	co.work.parts.open++
}

// absent settles the part of an absent node.
func (co *course) absent(i int) {
	n := &co.nodes[i]
	l := &n.part
	if l.disarm {
		if waits := co.awaitDisarm(i); waits {
			return
		}
	}
	why := cmp.Or(n.absence.lost, n.missing())
	switch verdict, words := co.excused(i, why); {
	case n.epoch == 0 && co.settled == "" && co.waitUntil(i, co.startup.startBy):
		// Not seen yet does not mean lost.
	case verdict != "":
		co.finish(i, partDone, verdict, words)
	case co.awaitsRespawn(i):
	default:
		co.giveUp(i, VerdictGone, why)
	}
}

// excused says how the part of an absent node ends if its absence is no failure.
func (co *course) excused(i int, why string) (Verdict, string) {
	n, w := &co.nodes[i], co.work
	was := w.parts.began[i].there
	arms := w.arms && !n.spec.Optional // A1: every required node is there, wherever it is
	switch low := n.part.want.Level() <= lifecycle.Unconfigured.Level() && !arms; {
	case !n.part.wants && !arms:
		return VerdictSkipped, why
	case low && w.phase != forward:
		return VerdictGone, why + "; nothing is left to take down"
	case !was && w.phase.heads == backward:
		return VerdictGone, why + ", and was not when the transition began"
	case n.spec.Optional, !was && w.phase == forward && w.lowers:
		return VerdictSkipped, why
	}
	return "", ""
}

// awaitLease ends the disarm of an absent node, unless the node may still live on with its lease, which
// ends soon. It reports whether the node may.
func (co *course) awaitLease(i int) bool {
	switch n := &co.nodes[i]; {
	case n.abandoned():
		co.blameDisarm(i, VerdictGone, n.abandonedWords(), false)
	case n.arm.Belief() != Disarmed:
		return true
	}
	co.disarmOver(i)
	return false
}

// respawnIn is how long a command that repairs a state waits for the next process of a node
// that was lost.
const respawnIn = 5 * time.Second

// awaitsRespawn reports whether the running command waits for the next process of node i, which was
// lost before the command began and not long ago.
func (co *course) awaitsRespawn(i int) bool {
	n, w := &co.nodes[i], co.work
	if w.phase != forward || w.lowers || w.proves() || w.parts.began[i].there || n.absence.lost == "" ||
		n.spec.Optional || !n.part.wants {
		return false
	}
	return co.waitUntil(i, n.absence.lostAt+respawnIn)
}
