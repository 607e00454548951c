//go:build ros

package trials

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// shownLimit is how long a node may be armed and shown as disarmed.
const shownLimit = 200 * time.Millisecond

// word is what a node says of itself. A killed process says nothing, so the end of its word is noted for
// it: what a drive does then is not known to anyone.
type word struct {
	node  string
	at    moment
	armed bool
	why   string
}

// view is a message on ~/state, or the end of the process that sent those before it.
type view struct {
	at, stamp moment // when it arrived and when it was made
	instance  string // empty: nothing is shown any more
	state     string
	settled   bool
	named     []string // nodes that are armed or may be
}

// hides reports whether the message shows a node as disarmed. A daemon that does not know its network
// yet says nothing of it.
func (v view) hides(node string) bool {
	return v.instance != "" && v.state != "unknown" && v.state != "" && !slices.Contains(v.named, node)
}

// ending is the result of a goal.
type ending struct {
	at               moment
	command, outcome string
	message          string
	success          bool
}

// saysDisarmed reports whether the result says that nothing is armed.
func (e ending) saysDisarmed() bool {
	return e.success && e.command != "arm" || strings.Contains(e.message, "nothing is armed") ||
		strings.Contains(e.message, "nothing was armed")
}

// record is everything that was said, each list in the order of time.
type record struct {
	words   []word
	views   []view
	endings []ending
}

// span is a time from one moment up to another one.
type span struct{ from, to moment }

func (s span) holds(at moment) bool { return s.from <= at && at < s.to }

// overlap returns the part of s in which o holds too.
func (s span) overlap(o span) span { return span{max(s.from, o.from), min(s.to, o.to)} }

func (s span) length() time.Duration { return max(0, s.from.until(s.to)) }

// armedIn returns when a node was armed, by its own word. end is the end of the record.
func (r record) armedIn(node string, end moment) (list []span) {
	var since moment
	for _, w := range r.words {
		switch {
		case w.node != node:
		case w.armed && since == 0:
			since = w.at
		case !w.armed && since != 0:
			list, since = append(list, span{since, w.at}), 0
		}
	}
	if since != 0 {
		list = append(list, span{since, end})
	}
	return list
}

// hiddenIn returns when a node was shown as disarmed. Messages that follow each other and agree on that
// make one span.
func (r record) hiddenIn(node string, end moment) (list []span) {
	var since moment
	for _, v := range r.views {
		switch hides := v.hides(node); {
		case hides && since == 0:
			since = v.at
		case !hides && since != 0:
			list, since = append(list, span{since, v.at}), 0
		}
	}
	if since != 0 {
		list = append(list, span{since, end})
	}
	return list
}

// judge returns what is wrong with the record, which ends at end.
func (r record) judge(nodes []string, end moment) (faults []string) {
	for _, node := range nodes {
		for _, a := range r.armedIn(node, end) {
			faults = append(faults, r.shownFalsely(node, a, end)...)
			faults = append(faults, r.saidFalsely(node, a)...)
		}
	}
	return faults
}

// shownFalsely judges what was shown while a node was armed.
func (r record) shownFalsely(node string, a span, end moment) (faults []string) {
	for _, h := range r.hiddenIn(node, end) {
		if both := a.overlap(h); both.length() > shownLimit {
			faults = append(faults, fmt.Sprintf("%s was armed and shown as disarmed for %v, from %d on", node,
				both.length(), both.from))
		}
	}
	return faults
}

// saidFalsely judges results that came, and messages that were made, while a node was armed. A request
// to arm leaves after the message that names its node, and a disarm is shown after the node's answer. So
// neither has a tolerance.
func (r record) saidFalsely(node string, a span) (faults []string) {
	for _, e := range r.endings {
		if e.saysDisarmed() && a.holds(e.at) {
			faults = append(faults, fmt.Sprintf("%s was armed when the result of %s came: %s, %q", node, e.command,
				e.outcome, e.message))
		}
	}
	for _, v := range r.views {
		if v.hides(node) && a.holds(v.stamp) {
			faults = append(faults, fmt.Sprintf("%s was armed when a state was made that shows it as disarmed, %v after it had become armed: %s, at %d",
				node, a.from.until(v.stamp), v.state, v.stamp))
			break // the ones that follow are the same fault
		}
	}
	return faults
}

// tell writes the record down, in the order of time, relative to a moment.
func (r record) tell(since moment) string {
	type line struct {
		at   moment
		text string
	}
	var lines []line
	for _, w := range r.words {
		text := fmt.Sprintf("%s is disarmed: %s", w.node, w.why)
		if w.armed {
			text = w.node + " is armed"
		}
		lines = append(lines, line{w.at, text})
	}
	for _, v := range r.views {
		text := fmt.Sprintf("~/state, made at %.1f ms: %s, settled %t, may be armed: %v", ms(since.until(v.stamp)),
			v.state, v.settled, v.named)
		if v.instance == "" {
			text = "the daemon has ended"
		}
		lines = append(lines, line{v.at, text})
	}
	for _, e := range r.endings {
		lines = append(lines, line{e.at, fmt.Sprintf("the result of %s: %t, %s, %q", e.command, e.success, e.outcome,
			e.message)})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var text strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&text, "%10.1f ms  %s\n", ms(since.until(l.at)), l.text)
	}
	return text.String()
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
