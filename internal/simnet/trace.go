package simnet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// Trace is what happened in a run.
type Trace struct {
	States  []string        // shown, in order
	Changes []engine.Change // published, in order
	Goals   []*Goal         // in the order of their asking
	Shown   []time.Duration // when each of States was
	Leases  []Leased        // said of the lease, in order
	Lapses  []time.Duration // when a node disarmed by itself because its lease had ended
	Calls   []*Call         // transitions and arming asked of nodes, in order
	Entries []engine.Entry  // for the journal
	Faults  []string        // what must never be; empty in a good run
	Acks    []Ack           // the answers to acknowledgements, in order
	Exit    *engine.Exit    // the last one
	End     time.Duration
	Died    time.Duration   // when the coordinator was killed last
	Marked  time.Duration   // when the story began
	Last    engine.Snapshot // of the coordinator, at the end
	Status  mirror.Status   // that peers were told last

	markState, markCall, markChange, markEntry int // where the story begins

	counted []bool // whether each of Changes is one that peers follow

	net   *network.Network
	nodes []*node
	lines []moment
}

// Goal is one goal and its end.
type Goal struct {
	Handle, Command string
	ID              string
	Unauthorized    bool
	Asked, Ended    time.Duration // when its client decided on it, and when it ended
	Arrived         time.Duration
	Accepted        bool
	AtMost          time.Duration // that the engine has said, when it was accepted, for its first command
	taken           bool          // the engine has decided to accept it
	Rejected        bool
	Orphaned        bool // the coordinator died before it ended
	Why             string
	Legal           []string
	Busy            bool
	Finished        bool
	Ending          engine.Ending
	Result          engine.Result
	Feedback        []engine.SendFeedback
	Cancels         []engine.AnswerCancel
	WaitPeers       bool
	published       time.Duration // when a change was last made while it was open, and to what
	target          string
	concluded       bool // the engine has decided its end
	changes         int  // that it had decided before that, in the same step
	asked           int  // cancels
	lowers          bool // it led down when it arrived
}

// Call is one request to a node.
type Call struct {
	At   time.Duration
	Node string
	Do   string
	Fate string // what came of it in truth, empty: it never ended

	to      lifecycle.State // where it leads
	excused bool            // another tool had changed the node
	epoch   uint64
}

func (c *Call) fate(what string) {
	if c != nil && c.Fate == "" {
		c.Fate = what
	}
}

type moment struct {
	at   time.Duration
	way  byte
	what fmt.Stringer
}

func (m moment) untold() bool {
	_, wakes := m.what.(engine.WakeAt)
	return wakes
}

func (t *Trace) add(at time.Duration, way byte, what fmt.Stringer) {
	t.lines = append(t.lines, moment{at, way, what})
}

// String is the whole run for a person: what came in (>), what went out (<), what was true (w).
func (t *Trace) String() string { return tell([]string{""}, []*Trace{t}, t.Faults) }

// tell prints runs line by line, in the order of time.
func tell(names []string, worlds []*Trace, faults []string) string {
	var b strings.Builder
	next := make([]int, len(worlds))
	for {
		first := -1
		for i, w := range worlds {
			for next[i] < len(w.lines) && w.lines[next[i]].untold() {
				next[i]++
			}
			if next[i] < len(w.lines) && (first < 0 || w.lines[next[i]].at < worlds[first].lines[next[first]].at) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		l := worlds[first].lines[next[first]]
		next[first]++
		fmt.Fprintf(&b, "%12v %s%c %v\n", l.at, names[first], l.way, l.what)
	}
	for _, f := range faults {
		fmt.Fprintf(&b, "FAULT %s\n", f)
	}
	return b.String()
}

// Goal returns what became of the goal of that handle, or nil.
func (t *Trace) Goal(handle string) *Goal {
	if i := slices.IndexFunc(t.Goals, func(g *Goal) bool { return g.Handle == handle }); i >= 0 {
		return t.Goals[i]
	}
	return nil
}

// Story returns the states that were shown since the mark, in order, as one line.
func (t *Trace) Story() string { return strings.Join(t.States[t.markState:], " ") }

// Noted returns what the journal got since the story began.
func (t *Trace) Noted() []engine.Entry { return t.Entries[t.markEntry:] }

// Counted returns the changes that peers follow, in order.
func (t *Trace) Counted() []engine.Change {
	var list []engine.Change
	for k, c := range t.Changes {
		if t.counted[k] {
			list = append(list, c)
		}
	}
	return list
}

// News returns the states that were published since the mark, in order, as one line. + is a change that peers follow.
func (t *Trace) News() string {
	parts := make([]string, 0, len(t.Changes))
	for k, c := range t.Changes {
		word := c.State
		if t.counted[k] {
			word += "+"
		}
		if k >= t.markChange {
			parts = append(parts, word)
		}
	}
	return strings.Join(parts, " ")
}

// Work returns what was asked of nodes since the mark, in order, as one line: configure lidar, configure slam.
func (t *Trace) Work() string {
	calls := t.Calls[t.markCall:]
	parts := make([]string, len(calls))
	for i, c := range calls {
		parts[i] = c.Do + " " + strings.TrimPrefix(c.Node, "/")
	}
	return strings.Join(parts, ", ")
}

// Truth returns where the nodes are in truth, in file order, as one line; * is armed, - has no process.
func (t *Trace) Truth() string {
	parts := make([]string, len(t.nodes))
	for i, n := range t.nodes {
		s, alive := n.truth()
		parts[i] = s.String()
		if !alive {
			parts[i] = "-"
		}
		if n.armed() {
			parts[i] += "*"
		}
	}
	return strings.Join(parts, " ")
}

// Reads returns how often a node was asked for its state, apart from the watch.
func (t *Trace) Reads(name string) int { return strings.Count(t.Asked(name), "read") }

// Watched returns how often the watch asked a node for its state (S5).
func (t *Trace) Watched(name string) int { return strings.Count(t.asked(name, true), "read") }

// Asked returns what was asked of one node in the whole run, reads too but for those of the watch, in order, as one
// line: read configure read.
func (t *Trace) Asked(name string) string { return t.asked(name, false) }

func (t *Trace) asked(name string, watch bool) string {
	i := t.net.Index(name)
	var words []string
	for _, l := range t.lines {
		switch e := l.what.(type) {
		case engine.ReadState:
			if e.Node == i && e.Watch == watch {
				words = append(words, "read")
			}
		case engine.CallNode:
			if e.Node == i {
				words = append(words, e.Transition.Label)
			}
		}
	}
	return strings.Join(words, " ")
}

// Where returns the true state of a node.
func (t *Trace) Where(name string) lifecycle.State {
	s, _ := t.nodes[t.net.Index(name)].truth()
	return s
}

// Verdict is how a goal ended, in two words: "succeeded done", "aborted restored", "rejected", "open".
func (g *Goal) Verdict() string {
	switch {
	case g == nil:
		return "never asked"
	case g.Rejected:
		return "rejected"
	case g.Finished:
		return fmt.Sprintf("%v %s", g.Ending, g.Result.Outcome)
	case g.Orphaned:
		return "orphaned"
	}
	return "open"
}
