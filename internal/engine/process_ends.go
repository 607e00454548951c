package engine

import (
	"slices"
	"time"
)

// A process that has ended stays in the graph until the middleware misses it, for 20 s with default
// settings. The operating system knows at once. But which process belongs to an endpoint of the
// graph is inferred, and may be wrong. So the engine tests such a report by one read of a lifecycle
// node: an endpoint that answers lives. One that does not answer in endedIn no longer counts as
// living: the node is lost if no other endpoint of it is left, and a respawned node does not share
// its name with a dead one.
//
// Nothing else follows from it. A node that may be armed may still be, disarms go to every endpoint
// in the graph, and no decision about the name of this instance (S1) rests on it. Anything that is
// heard from the endpoint later takes it back.

// whyEnded is the reason shown for such a node.
const whyEnded = "its process has ended"

const (
	// How long a process has to answer the read if it may have ended.
	endedIn = 100 * time.Millisecond
	// An engine that looks so much later may have the answer before it, unread.
	endedLate = 25 * time.Millisecond
	endedMost = 500 * time.Millisecond // the longest that it waits for that reason
)

// endpoints is what is known of a node's endpoints in the graph, and of the ends of their processes.
type endpoints struct {
	epochs []uint64 // of the endpoints in the graph; empty: they cannot be told apart
	newest uint64   // of them
	count  int      // of them; 0: the node is not in the graph
	ends   []end
}

// end is one process whose end was reported.
type end struct {
	epoch   uint64
	verdict endVerdict
	ticket  uint64        // read that tests it
	answers int           // to that read
	others  int           // how many other endpoints may answer it as well
	told    time.Duration // when it was first reported, or when the process was last heard
	by      time.Duration // end of the wait for the answer
}

// endVerdict is whether a process has ended.
type endVerdict uint8

const (
	endTested    endVerdict = iota // the read is open
	endConfirmed                   // no answer came
	// An endpoint of the name has answered; tested again beside a newer one.
	endDoubted
)

// takeGraph takes what the graph shows. Ends of processes that have left it are forgotten.
func (d *endpoints) takeGraph(in NodeSeen) {
	d.epochs, d.newest, d.count = in.Epochs, in.Epoch, max(in.Count, 1)
	d.ends = slices.DeleteFunc(d.ends, func(e end) bool { return !slices.Contains(d.epochs, e.epoch) })
}

// living returns how many endpoints count as living, and the newest of them.
func (d *endpoints) living() (newest uint64, count int) {
	count, newest = d.count, d.newest
	if !slices.ContainsFunc(d.ends, end.confirmed) {
		return newest, count
	}
	newest = 0
	for _, epoch := range d.epochs {
		if slices.ContainsFunc(d.ends, func(e end) bool { return e.confirmed() && e.epoch == epoch }) {
			count--
			continue
		}
		newest = max(newest, epoch)
	}
	return newest, count
}

func (e end) confirmed() bool { return e.verdict == endConfirmed }

// reachable reports whether requests to the node still go to an endpoint, even if its process is
// said to have ended.
func (n *node) reachable() bool { return n.there() || n.absence.endpoints.count > 0 }

// nodeEnded begins to test whether a process has ended.
func (ro *roster) nodeEnded(in NodeEnded) {
	n := &ro.nodes[in.Node]
	d := &n.absence.endpoints
	known := slices.ContainsFunc(d.ends, func(e end) bool { return e.epoch == in.Epoch })
	if ro.closing.ended != nil || known || !n.there() || !slices.Contains(d.epochs, in.Epoch) {
		return
	}
	d.ends = append(d.ends, end{epoch: in.Epoch, told: ro.now.Steady})
	ro.test(in.Node, &d.ends[len(d.ends)-1])
}

// test reads a node to see whether a process of it lives.
func (ro *roster) test(i int, e *end) {
	if ro.nodes[i].spec.Lifecycle {
		ro.ask(i, false)
		e.ticket = ro.number
	} else { // a plain node cannot be read; the answer to a later request proves that it lives
		e.ticket = ro.number + 1
	}
	e.verdict, e.answers, e.others = endTested, 0, max(0, ro.nodes[i].absence.endpoints.count-1)
	e.by = ro.now.Steady + endedIn
	ro.at(i, e.by)
	if !slices.Contains(ro.ending, i) {
		ro.ending = append(ro.ending, i)
	}
}

// retest tests again where the result was uncertain: other endpoints may answer by now, or the
// engine was late.
func (ro *roster) retest(i int) {
	n := &ro.nodes[i]
	for k := range n.absence.endpoints.ends {
		if e := &n.absence.endpoints.ends[k]; n.there() && n.absence.endpoints.uncertain(e) {
			e.told = ro.now.Steady
			ro.test(i, e)
		}
	}
}

// uncertain reports whether another read may tell more of an end. Answers that an endpoint gave beside
// another one may have been taken for that one's, until it is the only one left.
func (d *endpoints) uncertain(e *end) bool {
	switch e.verdict {
	case endTested:
		return true
	case endConfirmed:
		return e.others > 0 && d.count == 1
	}
	return d.count > 1
}

// judgeEnds declares those processes ended that have not answered in time.
func (s *State) judgeEnds() {
	open := s.ending[:0]
	for _, i := range s.ending {
		n := &s.nodes[i]
		waits, changed := false, false
		for k := range n.absence.endpoints.ends {
			e := &n.absence.endpoints.ends[k]
			switch {
			case e.verdict != endTested:
			case s.now.Steady < e.by:
				waits = true
			case s.now.Steady >= e.by+endedLate && e.by < e.told+endedMost:
				e.by = s.now.Steady + endedIn/2
				s.at(i, e.by)
				waits = true
			default:
				e.verdict, changed = endConfirmed, true
			}
		}
		if waits {
			open = append(open, i)
		}
		if changed {
			s.recount(i)
		}
	}
	s.ending = open
}

// recount notes how many processes of node i live by now.
func (s *State) recount(i int) {
	if newest, count := s.nodes[i].absence.endpoints.living(); count > 0 {
		s.present(i, newest, count)
	} else {
		s.lose(i, whyEnded)
	}
}

// answered takes an answer of node i to a request of that number. One that went out after the end
// of a process was reported proves that a process of the name lives. It was that one if every other
// endpoint has answered too.
func (s *State) answered(i int, number uint64) {
	n := &s.nodes[i]
	d := &n.absence.endpoints
	changed := false
	for k := range d.ends {
		e := &d.ends[k]
		if number < e.ticket {
			continue
		}
		if number == e.ticket {
			e.answers++
		}
		if d.count == 1 || !n.there() || number == e.ticket && e.answers > e.others {
			changed = changed || e.confirmed()
			e.verdict = endDoubted
		}
	}
	if changed {
		s.recount(i)
	}
}

// announced takes that something was heard from the process of an epoch. While it is tested, that
// may have been said before the end, and it is tested once more; later it proves that the process
// lives.
func (s *State) announced(i int, epoch uint64) {
	d := &s.nodes[i].absence.endpoints
	k := slices.IndexFunc(d.ends, func(e end) bool { return e.epoch == epoch })
	switch {
	case k < 0:
	case d.ends[k].verdict == endTested:
		d.ends[k].told = s.now.Steady
		s.test(i, &d.ends[k])
	default:
		was := d.ends[k].confirmed()
		d.ends = slices.Delete(d.ends, k, k+1)
		if was {
			s.recount(i)
		}
	}
}

// outOfGraph notes that no endpoint of node i is left in the graph. One whose process was said to
// have ended may have heard the lease until now.
func (ro *roster) outOfGraph(i int) {
	n := &ro.nodes[i]
	if a := &n.arm; !n.foreign() && n.absence.endpoints.count > 0 && !n.there() && a.Belief() != Disarmed && !a.Abandoned() {
		a.OutliveMore(ro.hold.leaseEnds)
		ro.at(i, a.GoneBy())
	}
	n.absence.endpoints = endpoints{}
}
