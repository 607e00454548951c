package explore

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/mirror"
)

// The two topics between instances. Both are reliable, and their writers keep the newest message only.
const (
	changes = iota
	statuses
)

// parcel is the newest message of a topic.
type parcel struct {
	in engine.Input // nil: none
	n  uint64

	told int // as the judge knew for its instance
}

// link is what one instance, the reader, has of the other one.
type link struct {
	known string // the run that it takes for living; empty: none
	met   string // the newest that it has known
	got   [2]uint64
	heard time.Duration // when the newest message came
}

// other is the other instance.
func other(i int) int { return 1 - i }

// reach reports whether messages pass between the two.
func (w *world) reach() bool {
	if len(w.sides) < 2 || w.cut {
		return false
	}
	for i := range w.sides {
		if s := &w.sides[i]; !s.up || s.stalled && !s.late {
			return false
		}
	}
	return true
}

// meet lets the two find each other, if they can.
func (w *world) meet() {
	if len(w.sides) == 2 {
		for i := range w.sides {
			w.plan(meeting, event{kind: evFind, side: i})
		}
	}
}

// finds lets reader i find the other one, and gives it what that has latched.
func (w *world) finds(i int) {
	l, o := &w.links[i], &w.sides[other(i)]
	if !w.reach() {
		return
	}
	w.unplan(i, evMiss) // what was silent was another run, or not for long enough
	if l.known == o.instance() {
		return
	}
	w.judge.found(w, i)
	l.known, l.met, l.got = o.instance(), o.instance(), [2]uint64{}
	for topic := range o.said {
		w.sends(other(i), topic)
	}
}

// sends puts the newest message of a topic on its way to the other instance.
func (w *world) sends(from, topic int) {
	l, s := &w.links[other(from)], &w.sides[from]
	if m := s.said[topic]; m.in != nil && l.known == s.instance() && !w.cut {
		w.plan(hop, event{kind: evMessage, side: from, topic: topic, in: m.in, tick: m.n, told: m.told, life: s.life})
	}
}

// arrives gives a message to the other instance, unless a newer one was there before.
func (w *world) arrives(e event) {
	to := other(e.side)
	l := &w.links[to]
	if w.cut || !w.sides[to].up || e.tick <= l.got[e.topic] || l.known == "" {
		return
	}
	l.got[e.topic], l.heard = e.tick, w.now
	w.judge.told(w, to, e.in, e.told)
	w.deliver(to, e.in)
}

func (w *world) puts(i, topic int, in engine.Input) {
	s := &w.sides[i]
	s.said[topic] = parcel{in, s.said[topic].n + 1, w.judge.sides[i].told}
	if len(w.sides) == 2 {
		w.sends(i, topic)
	}
}

func (w *world) publishes(i int, c engine.Change) {
	s := &w.sides[i]
	w.puts(i, changes, engine.PeerChanged{Change: mirror.Change{
		Name: s.file.name, Instance: s.instance(), SourceState: c.SourceState, Event: c.Event,
		TargetState: c.TargetState,
		State:       c.State, Settled: c.Settled, Seen: c.Seen, Orders: c.Orders, Hash: s.file.hash, Cause: c.Cause,
	}})
}

// tells publishes a status, now and twice a second.
func (w *world) tells(i int, status mirror.Status) {
	s := &w.sides[i]
	s.status = status
	w.puts(i, statuses, engine.PeerTold{Status: status})
	if len(w.sides) == 2 {
		w.unplan(i, evStatus)
		w.plan(tellIn, event{kind: evStatus, side: i})
	}
}

func (w *world) repeats(e event) {
	s := &w.sides[e.side]
	if !s.up {
		return
	}
	if !s.stalled {
		w.puts(e.side, statuses, engine.PeerTold{Status: s.status})
	}
	w.plan(tellIn, event{kind: evStatus, side: e.side})
}

// fallsSilent lets the other instance look whether this one is silent for too long.
func (w *world) fallsSilent(i int) { w.leaves(i, lively) }

// leaves lets the other instance notice after a while that this one is not there any more.
func (w *world) leaves(i int, after time.Duration) {
	if len(w.sides) == 2 {
		w.plan(after, event{kind: evMiss, side: other(i)})
	}
}

// misses lets reader i lose the other one, if nothing of its run comes any more.
func (w *world) misses(e event) {
	l, o := &w.links[e.side], &w.sides[other(e.side)]
	if l.known == "" || w.reach() && l.known == o.instance() {
		return
	}
	known := l.known
	l.known = ""
	w.deliver(e.side, engine.PeerLost{Name: o.file.name, Instance: known, Why: "it does not renew its liveliness"})
	w.meet()
}

// parts cuts the wire between the instances, and heals joins it again.
func (w *world) parts() {
	w.cut = true
	for i := range w.sides {
		w.leaves(i, lively)
	}
}

func (w *world) heals() {
	w.cut = false
	w.meet()
	for i := range w.sides { // an instance that was not missed yet gets what it has not had
		for topic := range w.sides[i].said {
			w.sends(i, topic)
		}
	}
}
