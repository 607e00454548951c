package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
)

// The next step of a node on the way to the target of its part.

// step sends the next transition, if there is one and it may be sent.
func (co *course) step(i int) {
	n := &co.nodes[i]
	l := &n.part
	t, ok := lifecycle.Next(n.state, l.want)
	raises := ok && t.Target().Level() > n.state.Level()
	said := l.stepped && n.calls.closed != nil && n.calls.closed.Do == t // it has said yes to it
	switch {
	case co.work.fault.failing && co.work.phase == forward && !co.work.proves():
		// A failed command begins no further step.
		return
	case !ok:
		co.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, which only a new process leaves", n.state))
		return
	}
	if raises {
		if held := co.holdBack(i, t); held {
			return
		}
	}
	switch {
	case said && l.again.hollow > 0:
		co.giveUp(i, VerdictErrored, fmt.Sprintf("said yes to %s twice and is %v", t.Label, n.state))
	case co.pauses(i):
	case co.awaitsJournal():
		l.started = false // its time starts when the journal is safe
	default:
		if said {
			l.again.hollow++
		}
		l.down = !raises
		co.request(i, t)
	}
}

// pauses reports whether node i is not asked again yet for a step that it has refused.
func (ro *roster) pauses(i int) bool {
	l := &ro.nodes[i].part
	return l.again.tries > 0 && ro.waitUntil(i, l.again.at)
}

// request sends the next transition of a part. A step that is asked for again keeps its deadline.
func (co *course) request(i int, t lifecycle.Transition) {
	l := &co.nodes[i].part
	if t.Label != l.result.did {
		l.again.tries, l.logged = 0, ""
	}
	l.result.did, l.stepped = t.Label, true
	if l.again.tries == 0 {
		l.deadline = co.allowStep(i, t)
	}
	co.send(i, t)
}

// holdBack settles or holds the part of node i if the node may not be asked for a transition that raises
// it, and reports whether it did.
func (co *course) holdBack(i int, t lifecycle.Transition) bool {
	n := &co.nodes[i]
	l, w := &n.part, co.work
	switch {
	case w.phase == adopting || t.Target().Level() > co.ceiling(i).Level():
		l.short = true
		co.reach(i)
	case w.phase == returning && !w.fault.after.Upward: // what follows lowers
		l.short = true
		co.reach(i)
	case w.fault.failing && w.phase == restoring && w.lowers: // the origin cannot be restored any more
		l.short = true
		co.reach(i)
	case w.proves():
		co.giveUp(i, VerdictErrored, fmt.Sprintf("is %v, not %v: arming starts no node", n.state, l.want))
	case n.count > 1 && co.oneMayHaveEnded(i):
		l.started = false // its time begins anew when it is alone, or when both are known to live
		co.poll(i)
	case n.count > 1:
		co.poll(i)
		co.giveUpOverdue(i, VerdictRefused, n.severalWords())
	case n.misled() != "":
		co.giveUp(i, VerdictRefused, n.misled())
	default:
		return false
	}
	return true
}

// ceiling is the state above which recovery and a start do not raise node i: its state when the
// transition began. Active is no ceiling, because nothing is above it. Recovery activates no node
// that may be armed: takeDown deactivates such a node for not confirming its disarm.
func (co *course) ceiling(i int) lifecycle.State {
	switch w := co.work; {
	case w.phase.unbounded():
		return lifecycle.Active
	case w.phase.heads == backward && co.nodes[i].owesDisarm():
		return lifecycle.Lower(w.parts.began[i].state, lifecycle.Inactive)
	default:
		return w.parts.began[i].state
	}
}

func (co *course) allowStep(i int, t lifecycle.Transition) deadline {
	if co.work.phase == finalizing {
		return co.allow(i, co.nodes[i].spec.Deadline.Shutdown)
	}
	return co.allow(i, co.nodes[i].spec.Deadline.Of(t))
}

// allowWait is the deadline of node i until its first step is known. A node that proves that arming is
// safe has the deadline of arming.
func (co *course) allowWait(i int) deadline {
	if co.work.proves() {
		return co.allow(i, co.nodes[i].spec.Deadline.Arm)
	}
	return co.allow(i, co.patience(i))
}

// patience is how long the engine waits for a node before its first step is known: as long as its
// last step may take.
func (ro *roster) patience(i int) time.Duration {
	n := &ro.nodes[i]
	d := n.spec.Deadline
	switch {
	case n.part.want == lifecycle.Finalized:
		return d.Shutdown
	case n.part.want == lifecycle.Unconfigured:
		return d.Cleanup
	case n.part.want == lifecycle.Active:
		return d.Activate
	case n.part.down:
		return d.Deactivate
	}
	return d.Configure
}

// isOverdue reports whether the deadline of node i has passed.
func (co *course) isOverdue(i int) bool {
	return co.passed(co.nodes[i].part.deadline) && !co.mayHaveEnded(i)
}

// giveUpOverdue gives up a node whose deadline has passed.
func (co *course) giveUpOverdue(i int, v Verdict, evidence string) {
	switch {
	case !co.isOverdue(i):
	case v == VerdictRefused:
		co.giveUp(i, v, evidence)
	default:
		co.failOrPass(i, v, evidence)
	}
}
