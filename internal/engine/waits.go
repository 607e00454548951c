package engine

import (
	"fmt"
	"time"
)

// What a rollback waits for, and for how long still. It may be a hung node for half a minute, which the user
// has to see.

// waitShown is how long a rollback waits for a node before that is shown, and how often it is shown anew.
const waitShown = time.Second

// wait is what is shown of the wait for a node.
type wait struct {
	what  string        // empty: nothing
	shown time.Duration // when it was shown last
}

// waitsSince returns when the running rollback began to wait for node i; ok is false if it does not.
func (co *course) waitsSince(i int) (since time.Duration, ok bool) {
	w, l := co.work, &co.nodes[i].part
	if w == nil || !l.open() || !w.phase.undoes && w.phase != draining || l.status != partWorking && !l.disarm {
		return 0, false
	}
	return max(l.since, w.fault.failedAt), true
}

// awaits says what a rollback waits for at node i; empty: nothing, or not for long.
func (co *course) awaits(i int) string {
	n := &co.nodes[i]
	since, ok := co.waitsSince(i)
	switch {
	case !ok || co.waitUntil(i, since+waitShown):
		return ""
	case n.part.disarm && !n.served():
		return "end of its arm lease"
	case n.part.disarm:
		return "answer to disarm"
	case n.call != nil:
		return "answer to " + n.call.Do.Label
	case !n.state.Primary():
		return "end of " + n.state.Words()
	}
	return "answer to get_state"
}

// noteWait shows a wait that begins or ends, and every second how long it still lasts.
func (co *course) noteWait(i int) {
	w := &co.nodes[i].part.wait
	what := co.awaits(i)
	if what == w.what && (what == "" || co.waitUntil(i, w.shown+waitShown)) {
		return
	}
	w.what, w.shown, co.changed = what, co.now.Steady, true
	co.waitUntil(i, w.shown+waitShown)
}

// waits lists what a rollback waits for.
func (co *course) waits() []string {
	var list []string
	for i := range co.nodes {
		if n := &co.nodes[i]; co.work != nil && n.part.open() && n.part.wait.what != "" {
			list = append(list, fmt.Sprintf("%s: %s, %s", n.spec.Name, n.part.wait.what, co.waitLeft(i)))
		}
	}
	return list
}

// waitLeft says how long a rollback still waits for node i, at most.
func (co *course) waitLeft(i int) string {
	n := &co.nodes[i]
	d := n.part.deadline
	if co.held(d) {
		return "held by the clock"
	}
	left := max(0, co.missedBy(i)-co.now.Steady)
	if d.set {
		left = max(left, co.left(d))
	}
	return fmt.Sprintf("%d s left", (left+time.Second-1)/time.Second)
}
