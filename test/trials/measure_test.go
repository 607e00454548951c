//go:build ros

package trials

import (
	"fmt"
	"time"

	"rstate/test/bed"
)

// row is a distribution of the measurements.
type row struct {
	kind kind
	side int
	self bool // the victim itself, from the moment at which it runs again
}

// String names the row as the name of a benchmark does.
func (w row) String() string {
	text := w.kind.String()
	if w.self {
		text += ", from its end, the node itself"
	}
	if w.kind == nodeKilled || w.kind == nodeSuspended && !w.self {
		text += ", the other nodes"
	}
	return text + ", " + [sides]string{"on the host", "over the wire"}[w.side]
}

// sample is how long a node took to be disarmed.
type sample struct {
	row
	took time.Duration
}

// String names the row, which is embedded, and the time.
func (s sample) String() string { return fmt.Sprintf("%v: %.1f ms", s.row, ms(s.took)) }

// counts reports whether a fault at this place is measured: one that happens beside a disarm would show
// the time of that disarm.
func (p place) counts() bool { return p == arming || p == armed }

// armedAt reports whether a node was armed at a moment, by its own word.
func (r record) armedAt(node string, at moment) bool {
	is := false
	for _, w := range r.words {
		if w.node == node && w.at <= at {
			is = w.armed
		}
	}
	return is
}

// disarmedAfter returns when a node said first after a moment that it is disarmed.
func (r record) disarmedAfter(node string, at moment) (moment, bool) {
	for _, w := range r.words {
		if w.node == node && w.at > at && !w.armed {
			return w.at, true
		}
	}
	return 0, false
}

// await waits until the fault has disarmed every node that it must disarm, and returns how long that took.
func (r *robot) await(f fault) (samples []sample) {
	r.t.Helper()
	if !f.long() {
		return nil
	}
	bed.Eventually(r.t, fmt.Sprintf("the fault has disarmed the nodes; %v", f.trial), func() (string, bool) {
		said, left := r.record(), []string(nil)
		samples = nil
		for _, n := range r.nodes {
			from, must := r.duty(f, n)
			at, ok := said.disarmedAfter(n.name, f.at)
			switch {
			case !must || !said.armedAt(n.name, f.at):
			case !ok:
				left = append(left, n.name)
			default:
				samples = append(samples, sample{row{f.kind, n.side, from > f.at}, max(0, from.until(at))})
			}
		}
		if f.kind == daemonKilled || f.kind == daemonSuspended { // a request to arm may have been on its way
			left = append(left, r.armed()...)
		}
		return fmt.Sprintf("%v are armed, in ms since the fault:\n%s", left, said.tell(f.at)), len(left) == 0
	})
	if !f.place.counts() {
		return nil
	}
	return samples
}

// duty reports whether the fault must disarm a node that is armed, and since when that is measured.
func (r *robot) duty(f fault, n *node) (from moment, must bool) {
	switch f.kind {
	case guardKilled:
		return 0, false
	case guardSuspended: // when it continues, its lease has ended
		return f.over, n == r.guards[f.victim%sides].guarded
	case nodeKilled:
		return f.at, n != r.victim(f.trial)
	case nodeSuspended:
		if n == r.victim(f.trial) {
			return f.over, true
		}
	}
	return f.at, true
}
