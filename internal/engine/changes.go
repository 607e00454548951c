package engine

import (
	"fmt"
	"time"

	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// Changes on the lifecycle topic, and which of them peers follow.

// Change is a message on the lifecycle topic.
type Change struct {
	SourceState string // the network's state before
	Event       string // the command; empty: there was none
	TargetState string
	State       string // the network's state now
	Settled     bool
	Seen        []Seen
	Orders      []Seen        // how many disarm orders of each instance are known
	Made        time.Duration // when the change was made, by the steady clock
	Cause       string
}

func (c Change) String() string {
	return fmt.Sprintf("%s: %s to %s, now %s (settled: %s)", c.Event, c.SourceState, c.TargetState, c.State,
		yes(c.Settled))
}

// Seen says how many changes of one instance are known.
type Seen = mirror.Seen

// news is what peers learn of the work, and whose change it follows.
type news struct {
	event    string // the command as published; empty: there was none
	said     string // published target; empty: not published
	from     string // peer whose change this follows; empty: it is our own
	task     uint64 // task that it follows
	instance string // the run of that peer
	silent   bool   // publishes nothing on the lifecycle topic
	ours     bool   // counts as a command although no goal waits for it: the loop brought it about
	catches  bool   // catches up with changes that this instance missed
}

// change publishes a message on the lifecycle topic for the work behind it. Peers follow only a
// change that counts; other messages keep the latched value true. Work that follows a peer
// publishes nothing until it makes a change of its own.
func (le *league) change(w *work, c Change, counts bool) {
	peers := le.peers.book.Target()
	if counts {
		le.peers.book.Make(le.now.Steady, c.TargetState, c.Event)
		le.peers.made = le.now.Steady + le.gap.uncounted
		le.peers.newest = "a change that was made here: to " + c.TargetState
		// The state was shown when it was entered, before this counted.
		le.peers.untold, le.changed = true, true
		if w != nil {
			w.news.silent, w.news.said = false, c.TargetState
		}
	}
	if w != nil && w.news.silent {
		return
	}
	if told := le.translate(&c, peers, counts); !told {
		return
	}
	c.State = le.judge.State()
	c.Settled = c.Settled && c.State == le.settled
	c.Seen, c.Orders, c.Made = le.peers.book.Seen(), le.peers.book.Orders(), le.peers.made
	c.Cause = le.report.cause
	le.do(PublishChange{c})
}

// translate gives a change the words of the lifecycle topic, and reports whether it goes there. peers is
// the state in which the peers were to be before it. A machine that tells commands alone sends nothing
// else: peers of its kind fail on a word that they do not know. Its other instances learn what is not
// said there from the status of this one.
func (f *facts) translate(c *Change, peers string, counts bool) (told bool) {
	if f.machine.Tells == machine.TellsAll {
		c.Event = f.machine.Said(c.Event)
		return true
	}
	source, word, ok := f.machine.Told(c.Event, peers, c.SourceState, c.TargetState)
	if !counts || !ok {
		return false
	}
	c.SourceState, c.Event = source, word
	return true
}

// begun is change for the end of a lowering that was published when it began. Where the machine has no state to
// pass through, peers of four fields would run their hook for the second message too, so there is none: that the
// network has settled is in its state and in its status.
func (le *league) begun(w *work, c Change) {
	if t := le.command(w.command, w.origin); w.lowers && t.Via == "" && c.Event == w.news.event && w.command != "" {
		return
	}
	le.change(w, c, false)
}

// isNews reports whether the beginning of a lowering is a change that peers follow. It is not if it
// follows a peer, or if it takes nothing away from this state or from the common target.
func (le *league) isNews(w *work, t machine.Transition) bool {
	switch {
	case w.news.from != "":
		return false
	case w.goal == nil && !w.news.ours:
		return le.spreads(w, t.To)
	}
	return t.Always || le.machine.Lowers(w.origin, t.To) || le.machine.Lowers(le.peers.book.Target(), t.To)
}

// takenBack reports whether peers have to learn of a cancel: they know of the command, and of
// nothing newer.
func (pe *peering) takenBack(w *work) bool {
	return w.news.said != "" && pe.book.Target() == w.news.said
}

// spreads reports whether peers have to follow a change that no client commanded. They do if a peer
// requires this network and the change ends below the common target. A failure while this network
// catches up does not spread, and neither does its end.
func (le *league) spreads(w *work, to string) bool {
	common := le.peers.book.Target()
	if common == "" || le.closing.stop != nil || w.news.catches || le.peers.book.Caught() {
		return false
	}
	if t := le.command(w.command, w.origin); t.Spread == machine.SpreadAll && w.phase == forward && w.news.from == "" {
		return common != to && !le.machine.Raises(common, to)
	}
	return le.machine.Lowers(common, to) && len(le.peers.book.RequiredBy()) > 0
}

// madeHere reports whether a change that was not published when it began counts once it is complete.
// A reaction of the machine counts if the peers were to be where it began, and have to know of it:
// it must not take them where no client has sent them.
func (pe *peering) madeHere(w *work) bool {
	all := pe.command(w.command, w.origin).Spread == machine.SpreadAll
	concerns := all || pe.alone() || len(pe.book.RequiredBy()) > 0
	return w.news.from == "" && (w.goal != nil || w.news.ours || pe.book.Target() == w.origin && concerns)
}
