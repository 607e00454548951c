package engine

import (
	"fmt"
	"time"
)

// The default watch (S5): the engine reads each lifecycle node every few seconds while no request
// to it is open. If a process on another host ends, is suspended or hangs, the kernel reports
// nothing, and the graph only after a long time.
//
// The watch only shows. An answer corrects the belief, as the answer to any read does, but it is no
// proof: arming, the lease and A2 never rest on it. A node that leaves two reads in a row
// unanswered is shown as unresponsive. It is not lost, it does not deviate, and nothing is
// disarmed, rejected or restored because of it.

// The engine reads the nodes in turn, a few in each second. To wake an idle process costs far more
// than a read, so reads and their judgements share their moments.
const (
	watchTurn  = time.Second // time between two moments of the watch
	watchTurns = 5           // a node is read in one of so many turns,
	// At most so many nodes in one turn; more nodes need more turns.
	watchMost  = 5
	watchWait  = 2 * watchTurn          // how long a node has to answer
	watchFails = 2                      // unanswered reads in a row that make a node unresponsive
	watchSlack = 250 * time.Millisecond // a read that is overdue by more is left out
)

// unresponsiveWords tells the user that a node is unresponsive.
var unresponsiveWords = fmt.Sprintf("is unresponsive: it left %d reads of its state without an answer", watchFails)

// monitor is the watch over one node (S5).
type monitor struct {
	next         time.Duration // next look at the node; 0: there was none yet
	judges       bool          // at next, the open read is judged
	heard        bool          // anything was heard from the node since that read
	missed       int           // unanswered reads in a row
	unresponsive bool
}

// attend reads node i if that is due, and judges the read before it.
func (co *course) attend(i int) {
	n := &co.nodes[i]
	v := &n.reading.monitor
	if !n.spec.Lifecycle || n.spec.Probe > 0 || !n.there() || co.closing.ended != nil ||
		v.next > 0 && co.now.Steady < v.next {
		return
	}
	if v.next == 0 || co.now.Steady > v.next+watchSlack || !co.attends(i) {
		v.judges, v.missed = false, 0
		co.attendAt(i, co.slot(i))
		return
	}
	if v.judges {
		v.judges = false
		if v.heard {
			co.attendAt(i, co.slot(i))
			return
		}
		if v.missed++; v.missed >= watchFails {
			co.unresponsive(i)
			co.attendAt(i, co.slot(i))
			return
		}
	}
	v.judges, v.heard = true, false
	co.ask(i, true)
	co.attendAt(i, co.now.Steady+watchWait)
}

func (ro *roster) attendAt(i int, when time.Duration) {
	ro.nodes[i].reading.monitor.next = when
	ro.at(i, when)
}

// attends reports whether no request to node i is open, and no other part of the engine reads it
// periodically.
func (co *course) attends(i int) bool {
	n := &co.nodes[i]
	return n.call == nil && !co.armOpen(i) && n.state.Primary() && co.probeEvery(i) == 0 && co.closing.stop == nil &&
		!co.yields()
}

// slot is when node i is read next. A node keeps its turn, so the reads stay evenly spread after
// each rest of the watch.
func (ro *roster) slot(i int) time.Duration {
	every := ro.watchRound()
	phase := time.Duration(i) * watchTurn % every
	return ro.now.Steady + every - (ro.now.Steady-phase+every)%every
}

// watchRound is the time between two reads of one node by the watch.
func (ro *roster) watchRound() time.Duration {
	return time.Duration(max(watchTurns, (len(ro.nodes)+watchMost-1)/watchMost)) * watchTurn
}

// unresponsive records, once, that node i does not answer.
func (ro *roster) unresponsive(i int) {
	if v := &ro.nodes[i].reading.monitor; !v.unresponsive {
		v.unresponsive, ro.changed = true, true
		ro.record(ro.nodeEntry(i, EntryNode, EventSilent, unresponsiveWords))
	}
}

// noteResponse records that something was heard from node i.
func (ro *roster) noteResponse(i int) {
	v := &ro.nodes[i].reading.monitor
	v.heard, v.missed = true, 0
	if v.unresponsive {
		v.unresponsive, ro.changed = false, true
		ro.record(ro.nodeEntry(i, EntryNode, EventAnswers, "answers again"))
	}
}
