package engine

import (
	"time"

	"rstate/internal/lifecycle"
)

// How the engine reads the states of nodes.

// How old a read may be.
const (
	readEvery = time.Second // between two reads of a node that owes an answer
	freshFor  = time.Second // the greatest age of a read on which a request is based
)

// readSoon is how long after its first read a new process is read again. The pause doubles up
// to readEvery.
const readSoon = 100 * time.Millisecond

// reading is how the engine reads the state of a node.
type reading struct {
	reads     []read
	polled    time.Duration // when the newest read was sent
	unread    int           // unanswered reads of this process, if none was answered yet
	several   time.Duration // since when its number of endpoints is what it is
	answered  uint64        // newest answered read
	allAnswer bool          // since then, more than one endpoint answered the same read
	probing   probing
	monitor   monitor
	reported  reported
}

type read struct {
	ticket uint64
	sent   time.Duration
	watch  bool // S5: it is no proof
}

// read reads the state of node i. Several reads may be open; an answer settles the earlier ones
// too.
func (co *course) read(i int) {
	n := &co.nodes[i]
	if !n.there() || !n.spec.Lifecycle {
		return
	}
	if k := len(n.reading.reads); k > 0 && !n.reading.reads[k-1].watch {
		last := n.reading.reads[k-1].sent
		stale := co.work != nil && n.part.fresh.anew && last < n.part.fresh.readSince
		if co.now.Steady-last < co.readPause(i) && (!n.calls.asked || last > n.calls.sent) && !stale {
			return
		}
	}
	co.ask(i, false)
	co.at(i, co.now.Steady+co.readPause(i))
}

// ask sends a read, whatever else is open at the node. It remembers a few unanswered reads. A read
// of the watch (S5) delays no other read.
func (ro *roster) ask(i int, watch bool) {
	n := &ro.nodes[i]
	if len(n.reading.reads) >= 8 {
		n.reading.reads = n.reading.reads[1:]
	}
	ticket := ro.next()
	if !watch {
		n.reading.polled = ro.now.Steady
		n.reading.unread++
	}
	n.reading.reads = append(n.reading.reads, read{ticket, ro.now.Steady, watch})
	ro.do(ReadState{Node: i, Ticket: ticket, Watch: watch})
}

// poll reads node i at most once a second, unless a request was sent to it since. An answer that
// does not help is no reason to ask again at once.
func (co *course) poll(i int) {
	n := &co.nodes[i]
	if next := n.reading.polled + co.readPause(i); n.reading.polled > 0 && co.now.Steady < next &&
		(!n.calls.asked || n.reading.polled > n.calls.sent) {
		co.at(i, next)
		return
	}
	co.read(i)
}

// readPause is how long after a read without an answer node i is read again. Requests to a new
// process are lost until its services have found ours, so it is read again soon.
func (ro *roster) readPause(i int) time.Duration {
	n := &ro.nodes[i]
	if ro.settled == "" || n.state != lifecycle.Unknown || n.provenAt != 0 || n.reading.unread > 4 {
		return readEvery
	}
	return min(readEvery, readSoon<<max(0, n.reading.unread-1))
}

// readFresh reads a node whose newest read is too old to act on.
func (co *course) readFresh(i int) {
	if !co.fresh(i) {
		n := &co.nodes[i]
		if n.vouched() && co.now.Steady < n.at+confirmIn {
			return // its answer or announcement is on the way
		}
		co.read(i)
	}
}

// fresh reports whether a request may rest on the believed state of node i.
func (co *course) fresh(i int) bool {
	n := &co.nodes[i]
	return n.firm && co.now.Steady-n.at <= freshFor &&
		(co.work == nil || !n.part.fresh.anew || n.provenAt >= n.part.fresh.readSince)
}

// steps reports whether node i has a step on the way of the command, and its state is known well
// enough to request that step without a read. That is so if nothing was announced since, and the
// node has answered in the last round of the watch. A node that has moved without an announcement
// refuses the step; see misjudged.
func (co *course) steps(i int) bool {
	n := &co.nodes[i]
	l := &n.part
	return co.work != nil && co.work.phase == forward && l.wants && !l.fresh.anew && !l.misjudged && n.firm &&
		n.state.Primary() &&
		n.state != l.want && n.reading.monitor.missed == 0 && co.now.Steady-n.at <= co.watchRound()+watchWait
}
