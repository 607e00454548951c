package engine

import (
	"fmt"
	"time"
)

// The default watch (S5): the engine reads each lifecycle node every few seconds while nothing is under way to it. Of a process
// on another host, or of one that is suspended or hangs, neither the kernel nor, for a long time, the graph tells anything.
//
// The watch only shows. An answer corrects what is believed, as that to every read does, but it is no proof: arming, the lease
// and A2 never rest on it. A node that leaves two reads in a row without an answer is shown as unresponsive. It is not lost, it
// does not deviate, and nothing is disarmed, refused or restored because of it.

// The nodes are read in turn, a few in each second. To wake an idle process costs far more than a read, so reads and their
// judgements share the moments at which it wakes.
const (
	watchTurn  = time.Second            // between two moments at which the watch does anything
	watchTurns = 5                      // a node is read in one of so many turns,
	watchMost  = 5                      // but no more nodes than that in one turn: then there are more turns
	watchWait  = 2 * watchTurn          // how long a node has to answer
	watchFails = 2                      // so many reads in a row without an answer make a node unresponsive
	watchSlack = 250 * time.Millisecond // a read that is due for longer is left out: the watch has rested meanwhile
)

// unresponsiveWords says of a node that it is unresponsive, for a person.
var unresponsiveWords = fmt.Sprintf("is unresponsive: it left %d reads of its state without an answer", watchFails)

// vigil is the watch over one node.
type vigil struct {
	next         time.Duration // when the node is looked at next; 0: it has not been looked at
	judges       bool          // a read is out, and is judged then
	heard        bool          // something was heard from the node since that read
	missed       int           // reads in a row without an answer
	unresponsive bool
}

// attend reads node i if that is due, and judges the read before.
func (s *State) attend(i int) {
	n := &s.nodes[i]
	v := &n.vigil
	if !n.spec.Lifecycle || n.spec.Probe > 0 || !n.there() || s.closing.ended != nil || v.next > 0 && s.now.Steady < v.next {
		return
	}
	if v.next == 0 || s.now.Steady > v.next+watchSlack || !s.attends(i) {
		v.judges, v.missed = false, 0
		s.attendAt(i, s.slot(i))
		return
	}
	if v.judges {
		v.judges = false
		if v.heard {
			s.attendAt(i, s.slot(i))
			return
		}
		if v.missed++; v.missed >= watchFails {
			s.unresponsive(i)
			s.attendAt(i, s.slot(i))
			return
		}
	}
	v.judges, v.heard = true, false
	s.ask(i, true)
	s.attendAt(i, s.now.Steady+watchWait)
}

func (s *State) attendAt(i int, when time.Duration) {
	s.nodes[i].vigil.next = when
	s.at(i, when)
}

// attends reports whether nothing is under way to node i, and nothing else asks it again and again.
func (s *State) attends(i int) bool {
	n := &s.nodes[i]
	return n.call == nil && !n.arm.Open() && n.state.Primary() && s.probeEvery(i) == 0 && s.closing.stop == nil && !s.yields()
}

// slot is when node i is read next. Its turn is always the same, so the reads are spread evenly, whatever has made the watch
// rest.
func (s *State) slot(i int) time.Duration {
	every := s.watchRound()
	phase := time.Duration(i) * watchTurn % every
	return s.now.Steady + every - (s.now.Steady-phase+every)%every
}

// watchRound is how often the watch reads a node.
func (s *State) watchRound() time.Duration {
	return time.Duration(max(watchTurns, (len(s.nodes)+watchMost-1)/watchMost)) * watchTurn
}

// unresponsive notes, once, that node i does not answer.
func (s *State) unresponsive(i int) {
	if v := &s.nodes[i].vigil; !v.unresponsive {
		v.unresponsive, s.report.changed = true, true
		s.record(s.nodeEntry(i, EntryNode, EventSilent, unresponsiveWords))
	}
}

// responds notes that something was heard from node i.
func (s *State) responds(i int) {
	v := &s.nodes[i].vigil
	v.heard, v.missed = true, 0
	if v.unresponsive {
		v.unresponsive, s.report.changed = false, true
		s.record(s.nodeEntry(i, EntryNode, EventAnswers, "answers again"))
	}
}
