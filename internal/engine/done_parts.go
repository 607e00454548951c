package engine

import "fmt"

// Nodes whose parts are done while others are open.

// watchDone watches a node whose part is done while other parts are open. It makes the node's state firm,
// and brings the node back once if it leaves.
func (co *course) watchDone(i int) {
	n := &co.nodes[i]
	l, w := &n.part, co.work
	unfit, whyUnfit := co.unfitSince(i)
	unusable, whyUnusable := co.unusable(i)
	switch {
	case whyUnfit != "":
		co.fail(i, unfit, whyUnfit)
	case !n.there():
		co.watchAbsent(i)
	case !n.spec.Lifecycle && co.sharesName(i):
		co.fail(i, VerdictRefused, n.severalWords())
	case !l.wants || !n.spec.Lifecycle:
	case l.passed && (co.lostBefore(i) || co.lifeless(i)):
	case l.result.absent() && (w.phase != forward || w.lowers):
		co.revive(i)
		co.reopen(i) // it is back, and has to be lowered like the others
		co.press(i)
	case whyUnusable != "":
		co.fail(i, unusable, whyUnusable)
	case !l.short:
		co.watchInPlace(i)
	}
}

// watchAbsent opens the part of a node again that has gone since its part was done. If it counted as absent before,
// what was uncertain of a process that has appeared and gone since is so no more.
func (co *course) watchAbsent(i int) {
	n := &co.nodes[i]
	rests, r := !n.part.wants || !n.spec.Lifecycle, &n.part.result
	if rests && r.verdict == VerdictDone || !rests && !r.absent() {
		co.reopen(i)
		co.absent(i)
		return
	}
	co.makeSure(i)
}

// unfitSince says why a node that was proven is no longer fit to be armed; empty: it is, or was not proven.
func (co *course) unfitSince(i int) (Verdict, string) {
	n := &co.nodes[i]
	if !co.work.proves() || !co.work.arm.proven || n.part.result.verdict != VerdictDone || !n.there() {
		return "", ""
	}
	if why := co.unfit(i); why != "" {
		return VerdictLate, why
	}
	if n.disarmedSince() {
		return VerdictUnknown, "has answered to an earlier disarm after it was armed"
	}
	return "", ""
}

// watchInPlace makes the claimed state of a node firm.
func (co *course) watchInPlace(i int) {
	n := &co.nodes[i]
	l := &n.part
	switch {
	case n.firm && n.state == l.want:
		co.makeSure(i)
	case n.firm && n.state.Primary():
		co.astray(i)
	case l.sure: // in transition: its announcement or a read will say where it goes
		co.poll(i)
	case co.now.Steady >= n.at+confirmIn || n.state != l.want:
		if !l.deadline.set {
			l.deadline = co.allowWait(i)
		}
		if co.passed(l.deadline) && !co.mayHaveEnded(i) {
			co.failOrPass(i, VerdictUnknown, "said yes, and answers no get_state since")
			return
		}
		co.poll(i)
	default:
		co.at(i, n.at+confirmIn)
	}
}

func (co *course) makeSure(i int) {
	l := &co.nodes[i].part
	if l.sure {
		return
	}
	l.sure = true
	if co.work.parts.unsure--; co.work.parts.unsure == 0 && co.work.arm.proven {
		co.touchAll()
	}
}

// astray gives a node its step again, once, if it left its state after the step (E6).
func (co *course) astray(i int) {
	n := &co.nodes[i]
	again := n.part.again.redone
	co.reopen(i)
	switch {
	case co.work.proves():
		co.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v: arming starts no node", n.state, n.part.want))
		return
	case again:
		co.giveUp(i, VerdictErrored, fmt.Sprintf("is %v again, not %v", n.state, n.part.want))
		return
	}
	n.part.again.redone = true
	n.part.stepped, n.part.started = false, false // others may have to go first by now
	co.press(i)
}
